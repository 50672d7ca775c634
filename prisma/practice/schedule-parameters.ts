import type { PracticeSettings } from '../../src/domain/practice.js';
import type { Transaction } from '../statements.js';
import type { Scope } from '../viewer-conditions.js';

const SETTINGS = { desiredRetention: true, dailyLimit: true, newPerDay: true, timeZone: true } as const;

/** The settings of these students, by owner id; one who has none is left out. */
export async function findSettings(
  { prisma }: Transaction,
  scope: Scope,
  ownerIds: readonly string[],
): Promise<ReadonlyMap<string, PracticeSettings>> {
  const rows = await prisma.practiceSettings.findMany({
    where: { AND: [scope, { ownerId: { in: [...ownerIds] } }] },
    select: { ...SETTINGS, ownerId: true },
  });
  return new Map(rows.map(({ ownerId, ...settings }) => [ownerId, settings]));
}

/** The FSRS parameters that were fitted to these students' attempts and are used; for others the defaults are. */
export async function usedWeights(
  { prisma }: Transaction,
  scope: Scope,
  ownerIds: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const rows = await prisma.fittedSchedule.findMany({
    where: { AND: [scope, { ownerId: { in: [...ownerIds] }, isUsed: true }] },
    select: { ownerId: true, weights: true },
  });
  return new Map(rows.map(({ ownerId, weights }) => [ownerId, weights]));
}
