import type { Owner } from '../../src/domain/duplicates.js';
import type { PracticeSettings } from '../../src/domain/practice.js';
import type { Transaction } from '../statements.js';
import { ownedBy } from '../viewer-conditions.js';

export const SETTINGS = { desiredRetention: true, dailyLimit: true, newPerDay: true, timeZone: true } as const;

/** The student's settings, in a transaction on the student's behalf. */
export function findSettings({ prisma }: Transaction, student: Owner): Promise<PracticeSettings | null> {
  return prisma.practiceSettings.findFirst({ where: ownedBy(student), select: SETTINGS });
}

/** The FSRS parameters that were fitted to the student's attempts and are used; null: the defaults are. */
export async function usedWeights({ prisma }: Transaction, student: Owner): Promise<readonly number[] | null> {
  const where = { ...ownedBy(student), isUsed: true };
  return (await prisma.fittedSchedule.findFirst({ where, select: { weights: true } }))?.weights ?? null;
}
