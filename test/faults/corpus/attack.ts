import { delay } from '../../../src/domain/async.js';
import type { Gateway } from '../../support/gateway.js';

/** How an attack should end. */
export type Outcome =
  /**
   * Refused with this status or code; a file that turned out bad after its answer is refused as one that did before.
   */
  | { readonly kind: 'refused'; readonly as: string }
  /** Answered, or imported, whatever of it was left out. */
  | { readonly kind: 'taken' };

/** One file or request of the corpus. */
export interface Attack {
  readonly name: string;
  readonly expected: Outcome;
  /** Sends it; what came of it, in a word or two: `400 BAD_USER_INPUT`, `200`, `DONE`. */
  readonly send: (gateway: Gateway) => Promise<string>;
}

export const TAKEN: Outcome = { kind: 'taken' };
export const refused = (as: string): Outcome => ({ kind: 'refused', as });
export const BAD_INPUT = refused('BAD_USER_INPUT');

/** A file may be read for so long after its answer. */
const IMPORT_DEADLINE_MS = 60_000;

const JOB = 'query ($id: ID!) { importJob(id: $id) { state problem finishedAt } }';
const CANNOT_BE_USED = '400 BAD_USER_INPUT';

interface Job {
  readonly state: string;
  readonly problem: string | null;
  readonly finishedAt: string | null;
}

interface Refusals {
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
}

/** The status, and the code of the first error. */
export async function outcomeOf(response: Response): Promise<string> {
  const text = await response.text();
  if (!response.headers.get('content-type')?.includes('application/json')) return String(response.status);
  const { errors } = JSON.parse(text) as Refusals;
  return [response.status, ...(errors ?? []).slice(0, 1).map(({ extensions }) => extensions.code)].join(' ');
}

/** A file that is sent to be imported, and waited for. Nothing is stored unless `dryRun` is false. */
export function file(
  name: string,
  expected: Outcome,
  make: () => string | Uint8Array,
  query: Readonly<Record<string, string>> = {},
): Attack {
  return { name, expected, send: (gateway) => importFile(gateway, name, make(), query) };
}

async function importFile(
  gateway: Gateway,
  name: string,
  body: string | Uint8Array,
  query: Readonly<Record<string, string>>,
): Promise<string> {
  const parameters = new URLSearchParams({ name: name.replace(/^.*\s/, ''), dryRun: 'true', ...query });
  const response = await fetch(new URL(`/import?${parameters}`, gateway.url), {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: body as Uint8Array<ArrayBuffer>,
  });
  const text = await response.text();
  const answer = JSON.parse(text) as Refusals & { readonly importJob?: { readonly id: string } };
  const id = answer.importJob?.id;
  if (id === undefined) return [response.status, answer.errors?.[0]?.extensions.code].join(' ');
  for (const end = performance.now() + IMPORT_DEADLINE_MS; performance.now() < end; await delay(20)) {
    const { data } = await gateway.gql<{ importJob: Job }>(JOB, { id });
    const job = data?.importJob;
    if (job == null || job.finishedAt === null) continue;
    if (job.state === 'REFUSED') return CANNOT_BE_USED;
    return job.problem === null ? job.state : `${job.state}: ${job.problem}`;
  }
  return 'it does not end';
}

/** Whether what came of an attack is what should. */
export function isAsExpected(expected: Outcome, outcome: string): boolean {
  if (expected.kind === 'refused') return outcome.split(' ').includes(expected.as);
  return outcome === 'DONE' || outcome === '200' || outcome === '204';
}
