import type { Card } from '../src/domain/card.js';
import type { ComparedCard } from '../src/domain/duplicates.js';
import { ConflictError, ForbiddenError, NotFoundError } from '../src/domain/errors.js';
import type { Occurrence } from '../src/domain/occurrence.js';
import type {
  CardDraft,
  Folded,
  ImportStore,
  JobStep,
  NotebookView,
  QuestionJudge,
  WantedCards,
} from '../src/domain/ports/notebooks.js';
import type { CardFilter } from '../src/domain/search.js';
import type { Viewer } from '../src/domain/viewer.js';
import { selectCards } from './card-rows.js';
import type { Database } from './client.js';
import { type DirtySignal, markDeleted, markDirty } from './dirty.js';
import { fingerprintsOf, proposedIds, selectDrafts, selectOccurrences, selectView } from './draft-rows.js';
import { writeDrafts } from './draft-writes.js';
import { brokenConstraint } from './errors.js';
import { admits } from './filters.js';
import { Prisma } from './generated/client.js';
import { recordStep } from './import-jobs.js';
import type { Statements } from './statements.js';
import { actAs } from './viewer-role.js';
import { changeable, visible } from './visible.js';

/** A create that takes no part in the folding may take an id in between; then the cards are read once more. */
const FOLD_ATTEMPTS = 3;

/** Cards that share a band, at most: more of them are of one question, and the first ones stand for it. */
const MAX_CANDIDATES = 100;
/** Groups of candidates that one look through a notebook brings up, the largest first. */
const MAX_GROUPS = 2_000;

/** Notebooks in PostgreSQL. */
export class PostgresImportStore implements ImportStore {
  constructor(
    private readonly database: Database,
    private readonly dirty: DirtySignal,
    private readonly judge: QuestionJudge,
  ) {}

  async fold(
    viewer: Viewer,
    wanted: WantedCards,
    decide: (view: NotebookView) => Folded | Promise<Folded>,
    { step, dryRun }: { readonly step: JobStep | null; readonly dryRun: boolean },
  ): Promise<Folded | null> {
    for (let attempt = 1; ; attempt++) {
      try {
        const folded = await this.database.transaction(async (tx) => {
          await lockOwner(tx, viewer);
          const proposed = await proposedIds(tx, viewer, wanted);
          // From here on nothing is read or written but what the viewer may.
          await actAs(tx, viewer);
          const decided = await decide(await selectView(tx, viewer, proposed, this.judge));
          if (step !== null && !(await recordStep(tx, viewer, step, decided))) return null;
          if (!dryRun) await writeDrafts(tx, viewer.tenantId, decided.drafts);
          return decided;
        });
        if (folded !== null && folded.drafts.length > 0 && !dryRun) this.dirty.notify();
        return folded;
      } catch (thrown) {
        if (brokenConstraint(thrown) !== 'card_pkey' || attempt === FOLD_ATTEMPTS) throw thrown;
      }
    }
  }

  async occurrences(viewer: Viewer, cardIds: readonly string[]): Promise<ReadonlyMap<string, readonly Occurrence[]>> {
    const database = this.database.as(viewer);
    const seen = await database.query<{ id: string }>(Prisma.sql`
      SELECT c.id FROM card c WHERE ${visible(viewer)} AND c.id = ANY(${cardIds}::text[])`);
    return selectOccurrences(
      database,
      viewer.tenantId,
      seen.map(({ id }) => id),
    );
  }

  cardsAfter(viewer: Viewer, filter: CardFilter, afterId: string | null, limit: number): Promise<readonly Card[]> {
    const after = afterId === null ? Prisma.empty : Prisma.sql`AND c.id > ${afterId}`;
    const page = Prisma.sql`${admits(viewer, filter)} ${after} ORDER BY c.id LIMIT ${limit}`;
    return selectCards(this.database.as(viewer), page);
  }

  async merge(
    viewer: Viewer,
    into: string,
    from: string,
    decide: (into: CardDraft, from: CardDraft) => CardDraft,
  ): Promise<void> {
    await this.database.as(viewer).transaction(async (tx) => {
      const both = Prisma.sql`${visible(viewer)} AND c.id = ANY(${[into, from]}::text[])`;
      // In the order of their ids, so that two merges of the same two cards do not wait for each other.
      await tx.execute(Prisma.sql`SELECT FROM card c WHERE ${both} ORDER BY c.id FOR UPDATE`);
      // Once more without a lock: the policies let nobody lock what they may see and not change.
      const seen = await tx.query<{ id: string }>(Prisma.sql`SELECT c.id FROM card c WHERE ${both}`);
      const drafts = await selectDrafts(tx, viewer, [into, from], this.judge);
      const [kept, gone] = [into, from].map((id) => {
        const draft = drafts.find((one) => one.id === id);
        if (draft !== undefined) return draft;
        if (seen.every((card) => card.id !== id)) throw new NotFoundError('card', id);
        throw new ForbiddenError('the card is of another owner: only that owner and admins may change it');
      }) as [CardDraft, CardDraft];
      if (kept.ownerId !== gone.ownerId) throw new ConflictError('the two cards belong to two owners');
      // First, because an origin can stand on one occurrence only.
      const deleted = await tx.query<{ tenantId: string; id: string; revision: number }>(Prisma.sql`
        DELETE FROM card c WHERE ${changeable(viewer)} AND c.id = ${from}
        RETURNING c.tenant_id AS "tenantId", c.id, c.revision`);
      await writeDrafts(tx, viewer.tenantId, [decide(kept, gone)]);
      for (const card of deleted) {
        await markDirty(tx, card);
        await markDeleted(tx, card);
      }
    });
    this.dirty.notify();
  }

  async doubleCandidates(
    viewer: Viewer,
    filter: CardFilter,
    signal: AbortSignal,
  ): Promise<readonly (readonly string[])[]> {
    const rows = await this.database.as(viewer, signal).query<{ ids: string[] }>(Prisma.sql`
      SELECT DISTINCT ids FROM (
        SELECT (array_agg(c.id ORDER BY c.id))[1:${MAX_CANDIDATES}] AS ids
        FROM card c CROSS JOIN LATERAL unnest(c.question_bands) AS band
        WHERE ${admits(viewer, filter)}
        GROUP BY c.owner_id, band HAVING count(*) > 1
        ORDER BY count(*) DESC LIMIT ${MAX_GROUPS}) groups`);
    return rows.map(({ ids }) => ids);
  }

  compared(viewer: Viewer, cardIds: readonly string[]): Promise<readonly ComparedCard[]> {
    return this.database.as(viewer).query<ComparedCard>(Prisma.sql`
      SELECT c.tenant_id AS "tenantId", c.owner_id AS "ownerId", c.id, c.question_text AS "questionText",
        c.created_at AS "createdAt",
        (SELECT count(*)::int FROM card_occurrence o WHERE o.tenant_id = c.tenant_id AND o.card_id = c.id) AS occurrences
      FROM card c WHERE ${visible(viewer)} AND c.id = ANY(${cardIds}::text[])`);
  }

  /** Of every owner, behind no policy: prints are the gateway's own, and say nothing to anybody. */
  async printMissing(limit: number): Promise<number> {
    const cards = await this.database.query<{ tenantId: string; ownerId: string; id: string; question: string }>(
      Prisma.sql`SELECT tenant_id AS "tenantId", owner_id AS "ownerId", id, question_text AS question
        FROM card WHERE question_key IS NULL ORDER BY tenant_id, id LIMIT ${limit}`,
    );
    const rows = cards.map(({ tenantId, ownerId, id, question }) => {
      const { key, bands } = fingerprintsOf(this.judge, { tenantId, ownerId }, question);
      return { tenant_id: tenantId, id, question, key, bands };
    });
    // A card whose question has changed meanwhile has been printed by that change.
    await this.database.execute(Prisma.sql`
      UPDATE card c SET question_key = r.key, question_bands = r.bands
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS r (tenant_id text, id text, question text, key text, bands int[])
      WHERE c.tenant_id = r.tenant_id AND c.id = r.id AND c.question_text = r.question`);
    return cards.length;
  }
}

/** Until the transaction ends: two that look for doubles of one owner at once would each miss what the other adds. */
async function lockOwner(tx: Statements, { tenantId, ownerId }: Viewer): Promise<void> {
  const owner = JSON.stringify(['notebook', tenantId, ownerId]);
  await tx.query(Prisma.sql`SELECT 1 AS locked FROM pg_advisory_xact_lock(hashtextextended(${owner}, 0))`);
}
