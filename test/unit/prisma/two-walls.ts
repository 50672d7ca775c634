/**
 * Two walls stand between viewers: the condition that every statement has, and the policies of the tables. Whoever imports this
 * before anything of prisma/ can take either of them down.
 */
import { vi } from 'vitest';
import type { Database } from '../../../prisma/client.js';
import { Prisma } from '../../../prisma/generated/client.js';
import * as conditions from '../../../prisma/visible.js';

let firstStands = true;
const open = Object.entries(conditions).map(([name, condition]) => [
  name,
  (...args: readonly unknown[]) =>
    firstStands ? (condition as (...args: readonly unknown[]) => Prisma.Sql)(...args) : Prisma.sql`TRUE`,
]);
vi.doMock('../../../prisma/visible.js', () => Object.fromEntries(open) as typeof conditions);

/** Every table that viewers may read of. */
export const TABLES = [
  'card',
  'card_topic_tag',
  'card_error_type',
  'card_occurrence',
  'topic_tag',
  'error_type',
  'index_dirty',
  'index_generation',
  'index_change',
  'card_index',
  'idempotency_key',
  'import_job',
  'import_row_error',
  'golden_set',
  'golden_case',
  'golden_judgement',
  'search_profile',
  'evaluation',
  'search_log',
] as const;

/** Which walls stand. */
export interface Walls {
  readonly first: boolean;
  readonly second: boolean;
}

/** Each way in which at least one wall stands. */
export const HELD: readonly (readonly [string, Walls])[] = [
  ['both walls', { first: true, second: true }],
  ['the second wall alone', { first: false, second: true }],
  ['the first wall alone', { first: true, second: false }],
];

/** Does something while only these walls stand. */
export async function behind<T>(database: Database, { first, second }: Walls, work: () => Promise<T>): Promise<T> {
  if (!second) await secondWall(database, false);
  firstStands = first;
  try {
    return await work();
  } finally {
    firstStands = true;
    if (!second) await secondWall(database, true);
  }
}

async function secondWall(database: Database, stands: boolean): Promise<void> {
  for (const table of TABLES) {
    await database.execute(Prisma.raw(`ALTER TABLE "${table}" ${stands ? 'ENABLE' : 'DISABLE'} ROW LEVEL SECURITY`));
  }
}

/** The names of those probes that told something. */
export async function told(probes: Readonly<Record<string, () => Promise<boolean>>>): Promise<readonly string[]> {
  const names: string[] = [];
  for (const [name, probe] of Object.entries(probes)) {
    if (await probe().catch(isTelling)) names.push(name);
  }
  return names;
}

/** Who is told that something is somebody else's has learned that it is there; who is told that it is not, has not. */
function isTelling(thrown: unknown): boolean {
  const name = thrown instanceof Error ? thrown.name : '';
  if (name === 'ForbiddenError') return true;
  if (name === 'NotFoundError') return false;
  throw thrown;
}
