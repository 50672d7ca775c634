import type { PracticeSettingsStore } from '../../src/domain/ports/practice.js';
import { DEFAULT_PRACTICE_SETTINGS, type PracticeSettings } from '../../src/domain/practice.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { lockOwners } from '../cards/card-rows.js';
import type { Database } from '../client.js';
import { visibleTo } from '../viewer-conditions.js';
import { deriveAll, findSettings } from './review-states.js';

export class PostgresPracticeSettings implements PracticeSettingsStore {
  constructor(private readonly database: Database) {}

  settings(viewer: Viewer, ownerIds: readonly string[]): Promise<ReadonlyMap<string, PracticeSettings>> {
    return this.database.as(viewer).transaction((tx) => findSettings(tx, visibleTo(viewer), ownerIds));
  }

  /** The lock keeps attempts that are recorded meanwhile from being scheduled by the old retention. */
  save(viewer: Viewer, change: Partial<PracticeSettings>): Promise<PracticeSettings> {
    const { tenantId, ownerId } = viewer;
    return this.database.as(viewer).transaction(async (tx) => {
      await lockOwners(tx, tenantId, [ownerId]);
      const before = (await findSettings(tx, { tenantId }, [ownerId])).get(ownerId) ?? DEFAULT_PRACTICE_SETTINGS;
      const settings = { ...before, ...change };
      await tx.prisma.practiceSettings.upsert({
        where: { tenantId_ownerId: { tenantId, ownerId } },
        create: { tenantId, ownerId, ...settings },
        update: settings,
      });
      const isRescheduled =
        before.desiredRetention !== settings.desiredRetention || before.timeZone !== settings.timeZone;
      if (isRescheduled) {
        await deriveAll(tx, viewer, visibleTo(viewer));
      }
      return settings;
    });
  }
}
