import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Api } from '../api/client.js';
import type { ViewerResult } from '../generated/operations.js';

type ViewerFacts = ViewerResult['viewer'];

/** The same for two viewers who are the same person. */
export function personOf({ tenantId, ownerId }: ViewerFacts): string {
  return JSON.stringify([tenantId, ownerId]);
}

/** Who uses the page. The credential is in memory alone: reloading the page forgets it. */
export interface Session {
  readonly api: Api;
  readonly viewer: ViewerFacts;
  /** Null if the gateway asks nobody who comes. */
  readonly token: string | null;
  readonly signOut: () => void;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('used outside of a session');
  return session;
}

export function useApi(): Api {
  return useSession().api;
}

/** What the page offers; the gateway decides. */
export interface Rights {
  readonly write: boolean;
  /** Golden sets, evaluations, profiles, figures of searches. */
  readonly staff: boolean;
  readonly admin: boolean;
  /** Teachers see the cards of their students, and may not change them. */
  readonly mayChange: (card: { readonly owner: string }) => boolean;
}

export function useRights(): Rights {
  const { ownerId, role, scopes } = useSession().viewer;
  const write = scopes.includes('WRITE');
  const admin = role === 'ADMIN';
  return { write, staff: role !== 'STUDENT', admin, mayChange: ({ owner }) => write && (admin || owner === ownerId) };
}
