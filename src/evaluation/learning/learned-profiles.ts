import { LRUCache } from 'lru-cache';
import type { LearnedProfileStore } from '../../domain/ports/evaluation.js';
import type { Log } from '../../domain/ports/log.js';
import type { LearnedProfile } from '../../domain/profile.js';
import { type Viewer, visibleOwner } from '../../domain/viewer.js';

/** What another gateway has learned is used after this, in ms. */
const MAX_AGE_MS = 10_000;

const MAX_TENANTS = 1_000;

export interface LearnedProfilesParts {
  readonly store: Pick<LearnedProfileStore, 'find'>;
  /** The embedding model of this gateway: what was learned with another one is not used. */
  readonly model: string;
  readonly log: Pick<Log, 'warn'>;
}

interface Known {
  readonly profile: Promise<LearnedProfile | null>;
  readonly readMs: number;
}

/**
 * The learned profile of each tenant. A search waits for the first reading alone: an older profile is used while it is
 * read again. Students have none: their searches rank their own cards, and nothing of them may depend on those of
 * others.
 */
export class LearnedProfiles {
  readonly #known = new LRUCache<string, Known>({ max: MAX_TENANTS });

  /** `nowMs` is a monotonic clock. */
  constructor(
    private readonly parts: LearnedProfilesParts,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Null if nothing was learned from the viewer's notebook. */
  async of(viewer: Viewer): Promise<LearnedProfile | null> {
    if (visibleOwner(viewer) !== undefined) return null;
    const known = this.#known.get(viewer.tenantId);
    if (known === undefined) return this.#read(viewer, null);
    if (this.nowMs() - known.readMs > MAX_AGE_MS) this.#read(viewer, known.profile).catch(() => undefined);
    return known.profile;
  }

  /** Called when this gateway has learned the tenant's. */
  forget(tenantId: string): void {
    this.#known.delete(tenantId);
  }

  /** What is known stays in use until the reading ends, and if it fails. */
  #read(viewer: Viewer, before: Promise<LearnedProfile | null> | null): Promise<LearnedProfile | null> {
    const { store, model, log } = this.parts;
    const { tenantId } = viewer;
    const readMs = this.nowMs();
    const profile = store.find(viewer).then((found) => (found?.model === model ? found : null));
    this.#known.set(tenantId, { profile: before ?? profile, readMs });
    return profile.then(
      (read) => {
        this.#known.set(tenantId, { profile: Promise.resolve(read), readMs });
        return read;
      },
      (err: unknown) => {
        log.warn({ err, tenantId }, 'the learned search profile could not be read');
        if (before === null) this.#known.delete(tenantId);
        throw err;
      },
    );
  }
}
