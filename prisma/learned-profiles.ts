import { parseLearnedProfile } from '../src/domain/parse/profile.js';
import type { LearnedProfileStore } from '../src/domain/ports/evaluation.js';
import type { LearnedProfile, ProfileSettings } from '../src/domain/profile.js';
import type { Viewer } from '../src/domain/viewer.js';
import type { Database } from './client.js';
import { Prisma } from './generated/client.js';
import { json } from './statements.js';
import { tenantOf } from './viewer-conditions.js';

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
    const claimed = await this.database.execute(Prisma.sql`
      INSERT INTO learned_profile AS p (tenant_id, claimed_until) VALUES (${tenantId}, now() + interval '15 minutes')
      ON CONFLICT (tenant_id) DO UPDATE SET claimed_until = excluded.claimed_until
      WHERE p.claimed_until IS NULL OR p.claimed_until < now()`);
    return claimed > 0;
  }

  async save(
    tenantId: string,
    { model, labelledCards, operations }: Pick<LearnedProfile, 'model' | 'labelledCards' | 'operations'>,
  ): Promise<void> {
    await this.database.execute(Prisma.sql`
      UPDATE learned_profile SET model = ${model}, labelled_cards = ${labelledCards}, learned_at = now(),
        operations = ${JSON.stringify(json({ operations }).operations)}::jsonb, claimed_until = NULL
      WHERE tenant_id = ${tenantId}`);
  }
}
