import type { ImportCounts } from '../../src/domain/import.js';
import type { Gateway } from './gateway.js';
import { until } from './until.js';

export interface ImportJob extends ImportCounts {
  readonly id: string;
  readonly state: string;
  readonly problem: string | null;
  readonly total: number;
  readonly notices: readonly string[];
  readonly problems: readonly {
    readonly sheet: string | null;
    readonly row: number;
    readonly column: string | null;
    readonly reason: string;
  }[];
}

const JOB = `query ($id: ID!) { importJob(id: $id) {
  id state problem total read created updated merged skipped failed notices problems { sheet row column reason } } }`;

export async function jobOf(from: Gateway, id: string): Promise<ImportJob> {
  const { data, errors } = await from.gql<{ importJob: ImportJob }>(JOB, { id });
  if (data === null) throw new Error(JSON.stringify(errors));
  return data.importJob;
}

export async function post(
  to: Gateway,
  name: string,
  body: string | Uint8Array,
  more: Record<string, string> = {},
): Promise<Response> {
  const query = new URLSearchParams({ name, ...more });
  return fetch(new URL(`/import?${query}`, to.url), {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: body as Uint8Array<ArrayBuffer>,
  });
}

/** Sends a file and waits until its import has ended. */
export async function imported(
  to: Gateway,
  name: string,
  body: string | Uint8Array,
  more: Record<string, string> = {},
): Promise<ImportJob> {
  const response = await post(to, name, body, more);
  const answer = (await response.json()) as { importJob: { id: string }; errors?: unknown };
  if (!response.ok) throw new Error(JSON.stringify(answer));
  const { id } = answer.importJob;
  await until(async () => (await jobOf(to, id)).state === 'DONE', { deadlineMs: 60_000, what: 'the import to end' });
  return jobOf(to, id);
}

export async function countOf(of: Gateway, filter: object = {}): Promise<number> {
  const { data } = await of.gql<{ cards: { totalCount: number } }>(
    'query ($filter: CardFilter) { cards(filter: $filter, first: 1) { totalCount } }',
    { filter },
  );
  return data?.cards.totalCount ?? Number.NaN;
}

export const line = (card: object): string => `${JSON.stringify({ subject: 'math', difficulty: 2, ...card })}\n`;
