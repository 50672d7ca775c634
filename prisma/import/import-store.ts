import type { Card } from '../../src/domain/card.js';
import type { ComparedCard } from '../../src/domain/duplicates.js';
import { ConflictError, NotFoundError } from '../../src/domain/errors.js';
import type { Occurrence } from '../../src/domain/occurrence.js';
import type {
  CardDraft,
  Folded,
  FoldOptions,
  ImportStore,
  MergeDecision,
  MergedCards,
  StoredCards,
  UndoneMerge,
  UnmergeDecision,
  WantedCards,
} from '../../src/domain/ports/imports.js';
import type { CardFilter } from '../../src/domain/search.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { questionKeys } from '../../src/text/duplicate-questions.js';
import { findMerge, forgetMerge, recordMerge, withoutOccurrences } from '../cards/card-merges.js';
import { lockCards, lockOwners, selectCards } from '../cards/card-rows.js';
import { proposedIds, selectDrafts, selectView } from '../cards/draft-rows.js';
import { writeDrafts } from '../cards/draft-writes.js';
import { matches } from '../cards/filters.js';
import { findOccurrences } from '../cards/occurrences.js';
import { fileGone, insertFiles, lockRoom } from '../cards/uploaded-files.js';
import type { Database } from '../client.js';
import { brokenConstraint, refuseForeign, refuseStale } from '../errors.js';
import { Prisma } from '../generated/client.js';
import { type DirtySignal, markDeleted } from '../indexing/dirty.js';
import { namesToWrite, storedNames } from '../labels/labels.js';
import { lockStudents, moveAttempts, returnAttempts } from '../practice/merged-attempts.js';
import { actAs, actAsGateway } from '../row-level-security.js';
import { compare } from '../statements.js';
import { changeable, changeableBy, visible, visibleTo } from '../viewer-conditions.js';
import { recordStep } from './import-jobs.js';

/**
 * Between reading and writing, an id may be taken, a file deleted, or an occurrence moved to another card by a merge;
 * then the cards are read again.
 */
const FOLD_ATTEMPTS = 3;
const READ_AGAIN = ['card_pkey', 'card_file_file_fkey', 'card_occurrence_tenant_id_origin_key'];

/** Limit of cards that share a band: more cards have the same question, which the first ones represent. */
const MAX_CANDIDATES = 100;
/** Limit of groups of candidates, the largest first. */
const MAX_GROUPS = 2_000;

const QUESTION = { tenantId: true, ownerId: true, id: true, questionText: true, choices: true } as const;
type Question = Prisma.CardGetPayload<{ select: typeof QUESTION }>;

export class PostgresImportStore implements ImportStore {
  constructor(
    private readonly database: Database,
    private readonly dirty: DirtySignal,
    private readonly maxFileBytes: number,
  ) {}

  async fold(
    viewer: Viewer,
    wanted: WantedCards,
    decide: (view: StoredCards) => Folded | Promise<Folded>,
    { step, dryRun, bulk = false }: FoldOptions,
  ): Promise<Folded | null> {
    for (let attempt = 1; ; attempt++) {
      try {
        const folded = await this.database.transaction(async (tx) => {
          await namesToWrite(tx, viewer.tenantId, wanted.labels);
          await lockOwners(tx, viewer.tenantId, [viewer.ownerId]);
          // Another request of the owner, which this one waited for, may have created or renamed some.
          const labels = await storedNames(tx, viewer.tenantId, [wanted.labels]);
          const proposed = await proposedIds(tx, viewer, wanted);
          const room = wanted.heldBytes === 0 ? null : await lockRoom(tx, viewer, this.maxFileBytes);
          // From here on with row-level security.
          await actAs(tx, viewer);
          const decided = await decide(await selectView(tx, viewer, { ...proposed, labels, files: wanted.files }));
          if (step !== null && !(await recordStep(tx, viewer, step, decided))) return null;
          if (dryRun) return decided;
          if (room !== null) await insertFiles(tx, viewer.tenantId, decided.files, room);
          await writeDrafts(tx, viewer.tenantId, decided.drafts, { bulk });
          return decided;
        });
        if (folded !== null && folded.drafts.length > 0 && !dryRun) this.dirty.notify();
        return folded;
      } catch (thrown) {
        const isStale = READ_AGAIN.includes(brokenConstraint(thrown) ?? '');
        if (!isStale || attempt === FOLD_ATTEMPTS) throw fileGone(thrown);
      }
    }
  }

  occurrences(viewer: Viewer, cardIds: readonly string[]): Promise<ReadonlyMap<string, readonly Occurrence[]>> {
    return this.database.as(viewer).transaction(async (tx) => {
      const where = { ...visibleTo(viewer), id: { in: [...cardIds] } };
      const seen = await tx.prisma.card.findMany({ where, select: { id: true } });
      return findOccurrences(
        tx,
        viewer.tenantId,
        seen.map(({ id }) => id),
      );
    });
  }

  cardsAfter(viewer: Viewer, filter: CardFilter, afterId: string | null, limit: number): Promise<readonly Card[]> {
    const where = [matches(viewer, filter), compare('c.id >')(afterId ?? '')];
    return selectCards(this.database.as(viewer), { where, limit });
  }

  async merge(
    viewer: Viewer,
    { into, from, intoRevision = null, fromRevision = null }: MergedCards,
    decide: MergeDecision,
  ): Promise<void> {
    await this.database.as(viewer).transaction(async (tx) => {
      await lockStudents(tx, viewer, from);
      const locked = await lockCards(tx, visible(viewer), [into, from]);
      // Without a lock, because the viewer may not be allowed to change them.
      const seen = await tx.prisma.card.findMany({
        where: { ...visibleTo(viewer), id: { in: [into, from] } },
        select: { id: true, ownerId: true },
      });
      const drafts = await selectDrafts(tx, viewer, [into, from]);
      const [kept, gone] = [into, from].map((id) => {
        const draft = drafts.find((one) => one.id === id);
        if (draft !== undefined) return draft;
        const card = seen.find((one) => one.id === id);
        if (card !== undefined) refuseForeign(viewer, card);
        throw new NotFoundError('card', id);
      }) as [CardDraft, CardDraft];
      for (const card of locked) refuseStale(card, card.id === into ? intoRevision : fromRevision);
      if (kept.ownerId !== gone.ownerId) throw new ConflictError('the two cards belong to two owners');
      const merged = decide(kept, gone);
      await actAsGateway(tx);
      await recordMerge(tx, viewer.tenantId, { kept, gone, merged });
      await moveAttempts(tx, { tenantId: viewer.tenantId, into, from });
      await actAs(tx, viewer);
      // Deleted first, because an origin belongs to at most one occurrence.
      const where = { ...changeableBy(viewer), id: from };
      const deleted = await tx.prisma.card.findMany({ where, select: { id: true, revision: true } });
      await tx.prisma.card.deleteMany({ where });
      await writeDrafts(tx, viewer.tenantId, [merged], { bulk: false });
      await markDeleted(tx, viewer.tenantId, deleted);
    });
    this.dirty.notify();
  }

  async unmerge(viewer: Viewer, { id, expectedRevision }: UndoneMerge, without: UnmergeDecision): Promise<string> {
    const { tenantId } = viewer;
    try {
      const into = await this.database.as(viewer).transaction(async (tx) => {
        await lockStudents(tx, viewer, id);
        const merge = await findMerge(tx, viewer, id);
        const { intoId, ownerId, from, fromCreatedAt } = merge;
        const [locked] = await lockCards(tx, changeable(viewer), [intoId]);
        const [kept] = await selectDrafts(tx, viewer, [intoId]);
        if (locked === undefined || kept === undefined) {
          const reason = `the card ${JSON.stringify(intoId)} that it was merged into was itself merged: undo that first`;
          throw new ConflictError(reason, { cardId: intoId });
        }
        refuseStale(locked, expectedRevision);
        const fingerprints = questionKeys({ tenantId, ownerId }, from.content).fingerprints;
        const again: CardDraft = { id, ownerId, ...from, fingerprints, state: 'NEW' };
        // Deleted first, because an origin belongs to at most one occurrence.
        await tx.prisma.cardOccurrence.deleteMany({ where: { tenantId, cardId: intoId } });
        const own: CardDraft = { ...withoutOccurrences(kept, merge), content: without(kept.content, merge) };
        await writeDrafts(tx, tenantId, [again, own], { bulk: false });
        await tx.prisma.card.updateMany({
          where: { ...changeableBy(viewer), id },
          data: { createdAt: fromCreatedAt },
        });
        await actAsGateway(tx);
        await returnAttempts(tx, { tenantId, into: intoId, from: id });
        await forgetMerge(tx, id, merge, without);
        return intoId;
      });
      this.dirty.notify();
      return into;
    } catch (thrown) {
      if (brokenConstraint(thrown) !== 'card_pkey') throw fileGone(thrown);
      const reason = `cannot undo the merge: a card with the id ${JSON.stringify(id)} exists`;
      throw new ConflictError(reason, { cardId: id, cause: thrown });
    }
  }

  /** SQL, because it groups by elements of an array. */
  async duplicateCandidates(
    viewer: Viewer,
    filter: CardFilter,
    signal: AbortSignal,
  ): Promise<readonly (readonly string[])[]> {
    const rows = await this.database.as(viewer, signal).query<{ ids: string[] }>(Prisma.sql`
      SELECT DISTINCT ids FROM (
        SELECT (array_agg(c.id ORDER BY c.id))[1:${MAX_CANDIDATES}] AS ids
        FROM card c CROSS JOIN LATERAL unnest(c.question_bands) AS band
        WHERE ${matches(viewer, filter)}
        GROUP BY c.owner_id, band HAVING count(*) > 1
        ORDER BY count(*) DESC LIMIT ${MAX_GROUPS}) groups`);
    return rows.map(({ ids }) => ids);
  }

  async compared(viewer: Viewer, cardIds: readonly string[]): Promise<readonly ComparedCard[]> {
    const cards = await this.database.as(viewer).transaction(({ prisma }) =>
      prisma.card.findMany({
        where: { ...visibleTo(viewer), id: { in: [...cardIds] } },
        select: { ...QUESTION, createdAt: true, _count: { select: { occurrences: true } } },
      }),
    );
    return cards.map(({ _count: { occurrences }, ...card }) => ({ ...card, occurrences }));
  }

  async withoutFingerprints(): Promise<number> {
    return this.database.run(({ card }) => card.count({ where: { questionKey: null } }));
  }

  /** For all owners, without row-level security: fingerprints are internal, and nobody sees them. */
  fingerprintMissing(limit: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      // Locked in one order, as others lock them: a change meanwhile would be of another question.
      const cards = await tx.query<Question>(Prisma.sql`
        SELECT tenant_id AS "tenantId", owner_id AS "ownerId", id, question_text AS "questionText", choices FROM card
        WHERE question_key IS NULL ORDER BY tenant_id, id LIMIT ${limit} FOR NO KEY UPDATE`);
      if (cards.length === 0) return 0;
      const rows = cards.map(({ tenantId, ownerId, id, ...question }) => {
        return { tenantId, id, ...questionKeys({ tenantId, ownerId }, question).fingerprints };
      });
      await tx.execute(Prisma.sql`
        UPDATE card c SET question_key = r.key, question_bands = r.bands
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r ("tenantId" text, id text, key text, bands int[])
        WHERE c.tenant_id = r."tenantId" AND c.id = r.id`);
      return cards.length;
    });
  }
}
