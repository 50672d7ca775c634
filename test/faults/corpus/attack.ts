import type { Gateway } from '../../support/gateway.js';
import { until } from '../../support/until.js';

/** How an attack should end, and what its outcome says. */
export type Outcome =
  /**
   * Refused with this status or code; a file that turned out bad after its answer is refused as one that did before.
   */
  | { readonly kind: 'refused'; readonly as: string; readonly says?: RegExp }
  /** Answered, or imported, whatever of it was left out. */
  | { readonly kind: 'taken'; readonly says?: RegExp };

/** One file or request of the corpus. */
export interface Attack {
  readonly name: string;
  readonly expected: Outcome;
  /** Sends it; what came of it: `400 BAD_USER_INPUT`, of a file also the reason, `200`, `DONE (read 2, failed 1)`. */
  readonly send: (gateway: Gateway) => Promise<string>;
}

export const TAKEN: Outcome = { kind: 'taken' };
export const refused = (as: string): Outcome => ({ kind: 'refused', as });
export const BAD_INPUT = refused('BAD_USER_INPUT');
/** A file that is imported with these counts of rows, or refused for this reason. */
export const imported = (says: RegExp): Outcome => ({ ...TAKEN, says });
export const refusedBecause = (says: RegExp): Outcome => ({ ...BAD_INPUT, says });

/** A file may be read for so long after its answer: by a process of low priority, whose processor time is limited. */
const IMPORT_DEADLINE_MS = 240_000;

const COUNTS = ['read', 'created', 'failed'] as const;
const JOB = `query ($id: ID!) { importJob(id: $id) { state problem finishedAt ${COUNTS.join(' ')} } }`;

interface Job extends Readonly<Record<(typeof COUNTS)[number], number>> {
  readonly state: string;
  readonly problem: string | null;
  readonly finishedAt: string | null;
}

interface Refusals {
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
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
  const [error] = answer.errors ?? [];
  if (id === undefined) return `${response.status} ${error?.extensions.code} (${error?.message})`;
  const ended = async (): Promise<Job | null> => {
    const { importJob } = await gateway.must<{ importJob: Job }>(JOB, { id });
    return importJob.finishedAt === null ? null : importJob;
  };
  const job = await until(ended, { deadlineMs: IMPORT_DEADLINE_MS, what: `${name} to be read` });
  if (job.state === 'REFUSED') return `400 BAD_USER_INPUT (${job.problem})`;
  if (job.problem !== null) return `${job.state}: ${job.problem}`;
  return `${job.state} (${COUNTS.map((count) => `${count} ${job[count]}`).join(', ')})`;
}

/** Whether what came of an attack is what should. */
export function isAsExpected({ says = /^/, ...expected }: Outcome, outcome: string): boolean {
  const [reached = ''] = outcome.split(' (');
  const isOfKind =
    expected.kind === 'refused' ? reached.split(' ').includes(expected.as) : ['DONE', '200', '204'].includes(reached);
  return isOfKind && says.test(outcome);
}
