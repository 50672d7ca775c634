import { parseLearnedProfile } from '../../src/domain/parse/profile.js';
import type { LearnedProfileStore } from '../../src/domain/ports/evaluation.js';
import type { LearnedProfile } from '../../src/domain/profile.js';
import type { ProfileSettings } from '../../src/domain/search.js';
import type { Viewer } from '../../src/domain/viewer.js';
import type { Database } from '../client.js';
import { json } from '../statements.js';
import { tenantOf } from '../viewer-conditions.js';

/** Another gateway learns the profile if the one that has claimed it is not done after this, in ms. */
const CLAIM_MS = 15 * 60_000;

export class PostgresLearnedProfileStore implements LearnedProfileStore {
  /** `defaults` are the values of settings that an older version did not store. */
  constructor(
    private readonly database: Database,
    private readonly defaults: ProfileSettings,
  ) {}

  async find(viewer: Viewer): Promise<LearnedProfile | null> {
    const row = await this.database.as(viewer).transaction(({ prisma }) =>
      prisma.learnedProfile.findFirst({
        where: { ...tenantOf(viewer), learnedAt: { not: null } },
        select: { model: true, labelledCards: true, learnedAt: true, operations: true },
      }),
    );
    return row === null ? null : parseLearnedProfile(row, this.defaults);
  }

  async claim(tenantId: string): Promise<boolean> {
    const now = await this.database.now();
    const claim = { claimedUntil: new Date(now.getTime() + CLAIM_MS) };
    return this.database.run(async ({ learnedProfile }) => {
      const created = await learnedProfile.createMany({ data: [{ tenantId, ...claim }], skipDuplicates: true });
      if (created.count > 0) return true;
      const isFree = { OR: [{ claimedUntil: null }, { claimedUntil: { lt: now } }] };
      const { count } = await learnedProfile.updateMany({ where: { tenantId, ...isFree }, data: claim });
      return count > 0;
    });
  }

  async release(tenantId: string): Promise<void> {
    const data = { claimedUntil: null };
    await this.database.run(({ learnedProfile }) => learnedProfile.updateMany({ where: { tenantId }, data }));
  }

  async save(
    tenantId: string,
    { model, labelledCards, operations }: Pick<LearnedProfile, 'model' | 'labelledCards' | 'operations'>,
  ): Promise<void> {
    const learnedAt = await this.database.now();
    const data = { model, labelledCards, learnedAt, operations: operations.map(json), claimedUntil: null };
    await this.database.run(({ learnedProfile }) => learnedProfile.updateMany({ where: { tenantId }, data }));
  }
}
