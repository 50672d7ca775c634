import type { Owner } from '../src/domain/duplicates.js';
import type { PracticeSettingsStore } from '../src/domain/ports/practice.js';
import type { PracticeSettings } from '../src/domain/practice.js';
import type { Viewer } from '../src/domain/viewer.js';
import type { Database } from './client.js';
import type { Transaction } from './statements.js';
import { ownedBy, visibleTo } from './viewer-conditions.js';

const COLUMNS = { desiredRetention: true, dailyLimit: true, newPerDay: true, timeZone: true } as const;

export class PostgresPracticeSettings implements PracticeSettingsStore {
  constructor(private readonly database: Database) {}

  settings(viewer: Viewer, { ownerId }: Owner): Promise<PracticeSettings | null> {
    return this.database
      .as(viewer)
      .transaction(({ prisma }) =>
        prisma.practiceSettings.findFirst({ where: { AND: [visibleTo(viewer), { ownerId }] }, select: COLUMNS }),
      );
  }

  async save(viewer: Viewer, settings: PracticeSettings): Promise<void> {
    const { tenantId, ownerId } = viewer;
    await this.database.as(viewer).transaction(({ prisma }) =>
      prisma.practiceSettings.upsert({
        where: { tenantId_ownerId: { tenantId, ownerId } },
        create: { tenantId, ownerId, ...settings },
        update: settings,
      }),
    );
  }
}

/** The student's settings, in a transaction on the student's behalf. */
export function findSettings({ prisma }: Transaction, student: Owner): Promise<PracticeSettings | null> {
  return prisma.practiceSettings.findFirst({ where: ownedBy(student), select: COLUMNS });
}

/** The FSRS parameters that were fitted to the student's attempts and are used; null: the defaults are. */
export async function usedWeights({ prisma }: Transaction, student: Owner): Promise<readonly number[] | null> {
  const where = { ...ownedBy(student), isUsed: true };
  return (await prisma.fittedSchedule.findFirst({ where, select: { weights: true } }))?.weights ?? null;
}
