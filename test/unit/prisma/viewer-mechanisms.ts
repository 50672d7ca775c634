/**
 * Two mechanisms separate viewers: the condition of each statement, and row-level security. A test that imports this
 * before anything of prisma/ can disable either of them.
 */
import { vi } from 'vitest';
import type { Database } from '../../../prisma/client.js';
import { Prisma } from '../../../prisma/generated/client.js';
import * as conditions from '../../../prisma/viewer-conditions.js';

let conditionsApply = true;
/** Of the same file, but about values and not about viewers. */
const COMPARISONS = ['compare', 'oneOf'];
/** Without conditions, those in SQL are TRUE, and those of Prisma's operations are empty. */
const replaced = Object.entries(conditions).map(([name, condition]) => [
  name,
  COMPARISONS.includes(name)
    ? condition
    : (...args: readonly unknown[]) => {
        const made = (condition as (...args: readonly unknown[]) => object)(...args);
        if (conditionsApply) return made;
        return made instanceof Prisma.Sql ? Prisma.sql`TRUE` : {};
      },
]);
vi.doMock('../../../prisma/viewer-conditions.js', () => Object.fromEntries(replaced) as typeof conditions);

/** Every table that viewers may read of. */
export const TABLES = [
  'card',
  'card_topic_tag',
  'card_error_type',
  'card_occurrence',
  'card_change',
  'card_merge',
  'uploaded_file',
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
  'learned_profile',
  'evaluation',
  'search_log',
  'attempt',
  'card_review',
  'practice_settings',
  'fitted_schedule',
  'student_group',
] as const;

/** Which mechanisms are in force. */
export interface Mechanisms {
  readonly conditions: boolean;
  readonly policies: boolean;
}

/** Each way in which at least one of them is. */
export const PROTECTED: readonly (readonly [string, Mechanisms])[] = [
  ['conditions and row-level security', { conditions: true, policies: true }],
  ['row-level security alone', { conditions: false, policies: true }],
  ['conditions alone', { conditions: true, policies: false }],
];
export const UNPROTECTED: Mechanisms = { conditions: false, policies: false };

/** Runs `work` while only these mechanisms are in force. */
export async function under<T>(database: Database, mechanisms: Mechanisms, work: () => Promise<T>): Promise<T> {
  if (!mechanisms.policies) await setRowLevelSecurity(database, 'DISABLE');
  conditionsApply = mechanisms.conditions;
  try {
    return await work();
  } finally {
    conditionsApply = true;
    if (!mechanisms.policies) await setRowLevelSecurity(database, 'ENABLE');
  }
}

async function setRowLevelSecurity(database: Database, action: 'ENABLE' | 'DISABLE'): Promise<void> {
  for (const table of TABLES) {
    await database.execute(Prisma.raw(`ALTER TABLE "${table}" ${action} ROW LEVEL SECURITY`));
  }
}

/** The names of the probes that showed or changed something. */
export async function leaksOf(probes: Readonly<Record<string, () => Promise<boolean>>>): Promise<readonly string[]> {
  const names: string[] = [];
  for (const [name, probe] of Object.entries(probes)) {
    if (await probe().catch(isLeak)) names.push(name);
  }
  return names;
}

/** "Forbidden" tells that the row exists; "not found" does not. */
function isLeak(thrown: unknown): boolean {
  const name = thrown instanceof Error ? thrown.name : '';
  if (name === 'ForbiddenError') return true;
  if (name === 'NotFoundError') return false;
  throw thrown;
}
