import { randomUUID } from 'node:crypto';
import type { Card, CardChange, CardContent, NewCard } from '../src/domain/card.js';
import { ConflictError, ForbiddenError, NotFoundError } from '../src/domain/errors.js';
import type { CardFacets, CardPage, CardStore, OwnCards, PageRequest, RequestKey } from '../src/domain/ports/cards.js';
import type { QuestionJudge } from '../src/domain/ports/notebooks.js';
import type { CardFilter } from '../src/domain/search.js';
import { changeableOwner, type Viewer } from '../src/domain/viewer.js';
import { selectCards } from './card-rows.js';
import type { Database } from './client.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import { type DirtySignal, firstRevision, markDeleted, markDirty } from './dirty.js';
import { fingerprintsOf } from './draft-rows.js';
import { brokenConstraint } from './errors.js';
import { countFacets } from './facets.js';
import { admits } from './filters.js';
import { Prisma } from './generated/client.js';
import { addLabels, removeLabels } from './labels.js';
import { atMostOnce, type Repeatable } from './request-keys.js';
import type { Statements } from './statements.js';
import { visible } from './visible.js';

/** The cards in PostgreSQL. Every change is one transaction: card, labels, occurrence, revision and outbox row. */
export class PostgresCardStore implements CardStore, OwnCards {
  constructor(
    private readonly database: Database,
    private readonly dirty: DirtySignal,
    private readonly judge: QuestionJudge,
  ) {}

  async create(
    viewer: Viewer,
    { id: givenId, ...content }: NewCard,
    request: RequestKey | null = null,
    signal?: AbortSignal,
  ): Promise<Card> {
    const key = { tenantId: viewer.tenantId, id: givenId ?? randomUUID() };
    const prints = fingerprintsOf(this.judge, viewer, content.questionText);
    try {
      const card = await this.#changing(
        { viewer, request, signal },
        repeatedCard(viewer),
        async (tx): Promise<Card> => {
          const [created] = await tx.query<Pick<Card, 'revision' | 'createdAt' | 'updatedAt'>>(Prisma.sql`
          INSERT INTO card (tenant_id, id, owner_id, subject, grade, difficulty, question_text, student_solution_text,
            gold_solution_brief, quality_grade, source, notes, occurred_at, question_key, question_bands, revision)
          VALUES (${key.tenantId}, ${key.id}, ${viewer.ownerId}, ${content.subject}, ${content.grade},
            ${content.difficulty}, ${content.questionText}, ${content.studentSolutionText}, ${content.goldSolutionBrief},
            ${content.qualityGrade}, ${content.source}, ${content.notes}, ${content.occurredAt}::timestamptz,
            ${prints.key}, ${prints.bands}::int[], ${firstRevision(Prisma.sql`${key.tenantId}`, Prisma.sql`${key.id}`)})
          RETURNING revision, created_at AS "createdAt", updated_at AS "updatedAt"`);
          if (created === undefined) throw new Error('inserting a card gave no row');
          await addLabels(tx, 'topicTags', key, content.topicTags);
          await addLabels(tx, 'errorTypes', key, content.errorTypes);
          await tx.execute(Prisma.sql`
          INSERT INTO card_occurrence (tenant_id, card_id, number, occurred_at, wrong_solution, error_types)
          VALUES (${key.tenantId}, ${key.id}, 1, ${content.occurredAt}::timestamptz, ${content.studentSolutionText},
            ${content.errorTypes}::text[])`);
          await markDirty(tx, key);
          return { ...key, ownerId: viewer.ownerId, ...content, ...created, occurrences: 1 };
        },
      );
      this.dirty.notify();
      return card;
    } catch (thrown) {
      if (brokenConstraint(thrown) !== 'card_pkey') throw thrown;
      throw new ConflictError(`a card with the id ${JSON.stringify(key.id)} exists already`, { cause: thrown });
    }
  }

  /** A change that changes nothing is answered with the card as it is: same revision, nothing to index. */
  async update(
    viewer: Viewer,
    id: string,
    change: CardChange,
    expectedRevision: number | null,
    request: RequestKey | null = null,
    signal?: AbortSignal,
  ): Promise<Card> {
    const { card, changed } = await this.#changing({ viewer, request, signal }, repeatedChange(viewer), async (tx) => {
      // FOR UPDATE first, in a statement of its own: the next one then sees what a change that was waited for has committed.
      await tx.execute(Prisma.sql`SELECT FROM card c WHERE ${visible(viewer)} AND c.id = ${id} FOR UPDATE`);
      const [current] = await selectCards(tx, Prisma.sql`${visible(viewer)} AND c.id = ${id}`);
      if (current === undefined) throw new NotFoundError('card', id);
      refuseForeign(viewer, current);
      if (expectedRevision !== null && expectedRevision !== current.revision) {
        throw new ConflictError(`the card is at revision ${current.revision}, not ${expectedRevision}`);
      }
      const differing = differences(current, change);
      if (differing.size === 0) return { card: current, changed: false };
      const next = { ...current, ...Object.fromEntries(differing) } as Card;
      const prints = fingerprintsOf(this.judge, next, next.questionText);
      const [written] = await tx.query<Pick<Card, 'revision' | 'updatedAt'>>(Prisma.sql`
        UPDATE card c SET subject = ${next.subject}, grade = ${next.grade}, difficulty = ${next.difficulty},
          question_text = ${next.questionText}, student_solution_text = ${next.studentSolutionText},
          gold_solution_brief = ${next.goldSolutionBrief}, quality_grade = ${next.qualityGrade},
          source = ${next.source}, notes = ${next.notes}, occurred_at = ${next.occurredAt}::timestamptz,
          question_key = ${prints.key}, question_bands = ${prints.bands}::int[], revision = c.revision + 1, updated_at = now()
        WHERE ${visible(viewer)} AND c.id = ${id} RETURNING c.revision, c.updated_at AS "updatedAt"`);
      if (written === undefined) throw new Error('updating a locked card gave no row');
      for (const kind of ['topicTags', 'errorTypes'] as const) {
        if (!differing.has(kind)) continue;
        await removeLabels(tx, kind, next);
        await addLabels(tx, kind, next, next[kind]);
      }
      if (OCCURRENCE_KEYS.some((key) => differing.has(key))) await correctOccurrence(tx, current, next);
      await markDirty(tx, next);
      return { card: { ...next, ...written }, changed: true };
    });
    if (changed) this.dirty.notify();
    return card;
  }

  async delete(viewer: Viewer, id: string, request: RequestKey | null = null, signal?: AbortSignal): Promise<boolean> {
    const deleted = await this.#changing({ viewer, request, signal }, REPEATED_DELETION, async (tx) => {
      const named = Prisma.sql`${visible(viewer)} AND c.id = ${id}`;
      // A card that the viewer may see and not change is not locked: the policies let nobody lock what they may not change.
      await tx.execute(Prisma.sql`SELECT FROM card c WHERE ${named} FOR UPDATE`);
      const [card] = await tx.query<Pick<Card, 'ownerId'>>(Prisma.sql`
        SELECT c.owner_id AS "ownerId" FROM card c WHERE ${named}`);
      if (card === undefined) return false;
      refuseForeign(viewer, card);
      const [gone] = await tx.query<Pick<Card, 'tenantId' | 'id' | 'revision'>>(Prisma.sql`
        DELETE FROM card c WHERE ${named} RETURNING c.tenant_id AS "tenantId", c.id, c.revision`);
      if (gone === undefined) return false;
      await markDirty(tx, gone);
      await markDeleted(tx, gone);
      return true;
    });
    if (deleted) this.dirty.notify();
    return deleted;
  }

  async byIds(viewer: Viewer, ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Card>> {
    const cards = await selectCards(
      this.database.as(viewer, signal),
      Prisma.sql`${visible(viewer)} AND c.id = ANY(${ids}::text[])`,
    );
    return new Map(cards.map((card) => [card.id, card]));
  }

  /** The sum of a 64-bit hash of each card's version: 20,000 cards take PostgreSQL some 15 ms, and their versions the gateway as much. */
  async state(viewer: Viewer): Promise<string> {
    const [row] = await this.database.as(viewer).query<{ state: string }>(Prisma.sql`
      SELECT count(*) || ' ' || coalesce(sum(hashtextextended(
        c.id || ' ' || c.revision || '@' || extract(epoch FROM c.updated_at), 0)), 0) AS state
      FROM card c WHERE ${visible(viewer)}`);
    return row?.state ?? '';
  }

  /** One row of arrays: hundreds of rows of their own would take several times as long to come in. */
  async versions(viewer: Viewer): Promise<ReadonlyMap<string, string>> {
    const [row] = await this.database.as(viewer).query<{ ids: string[] | null; versions: string[] | null }>(Prisma.sql`
      SELECT array_agg(c.id) AS ids, array_agg(c.revision || '@' || extract(epoch FROM c.updated_at)) AS versions
      FROM card c WHERE ${visible(viewer)}`);
    const versions = row?.versions ?? [];
    return new Map((row?.ids ?? []).map((id, place) => [id, versions[place] as string]));
  }

  async page(
    viewer: Viewer,
    filter: CardFilter,
    { first, after }: PageRequest,
    signal?: AbortSignal,
  ): Promise<CardPage> {
    const list = { viewer, filter };
    const admitted = admits(viewer, filter);
    const place = after === null ? null : decodeCursor(list, after);
    const beyond =
      place === null
        ? admitted
        : Prisma.sql`${admitted} AND (c.created_at, c.id) < (${place.createdAt}::timestamptz, ${place.id})`;
    const database = this.database.as(viewer, signal);
    const page = Prisma.sql`${beyond} ORDER BY c.created_at DESC, c.id DESC LIMIT ${first + 1}`;
    const cards = await selectCards(database, page);
    const [size] = await database.query<{ count: number }>(Prisma.sql`
      SELECT count(*)::int AS count FROM card c WHERE ${admitted}`);
    return {
      edges: cards.slice(0, first).map((card) => ({ cursor: encodeCursor(list, card), card })),
      hasNextPage: cards.length > first,
      totalCount: size?.count ?? 0,
    };
  }

  facets(viewer: Viewer, filter: CardFilter, signal?: AbortSignal): Promise<CardFacets> {
    return countFacets(this.database.as(viewer, signal), viewer, filter);
  }

  /** One transaction, in which the change is made, or what came of it when it was made before is looked up. */
  #changing<T, Kept>(
    { viewer, request, signal }: ChangeRequest,
    repeatable: Repeatable<T, Kept>,
    make: (tx: Statements) => Promise<T>,
  ): Promise<T> {
    return this.database
      .as(viewer, signal)
      .transaction((tx) => atMostOnce(tx, viewer, request, { ...repeatable, make }));
  }
}

interface ChangeRequest {
  readonly viewer: Viewer;
  readonly request: RequestKey | null;
  readonly signal: AbortSignal | undefined;
}

interface CardKept {
  readonly cardId: string;
}

/** A change that is asked for again is answered with the card as it is now. */
function repeatedCard(viewer: Viewer): Repeatable<Card, CardKept> {
  return {
    keep: ({ id }) => ({ cardId: id }),
    again: async (tx, { cardId }) => {
      const [card] = await selectCards(tx, Prisma.sql`${visible(viewer)} AND c.id = ${cardId}`);
      if (card === undefined) throw new NotFoundError('card', cardId);
      return card;
    },
  };
}

function repeatedChange(viewer: Viewer): Repeatable<{ card: Card; changed: boolean }, CardKept> {
  const { keep, again } = repeatedCard(viewer);
  return {
    keep: ({ card }) => keep(card),
    again: async (tx, kept) => ({ card: await again(tx, kept), changed: false }),
  };
}

const REPEATED_DELETION: Repeatable<boolean, { readonly deleted: boolean }> = {
  keep: (deleted) => ({ deleted }),
  again: async (_tx, { deleted }) => deleted,
};

/** ForbiddenError for a card that the viewer may see and not change. */
function refuseForeign(viewer: Viewer, { ownerId }: Pick<Card, 'ownerId'>): void {
  const owner = changeableOwner(viewer);
  if (owner !== undefined && owner !== ownerId) {
    throw new ForbiddenError('the card is of another owner: only that owner and admins may change it');
  }
}

/** The keys of a card that tell of one time that the mistake was made. */
const OCCURRENCE_KEYS = ['occurredAt', 'studentSolutionText', 'errorTypes'] as const;

/**
 * To correct the card is to correct the occurrence that it tells of: of each of the three, the latest one that says what the card
 * said. After a merge the card says more than any one of them, and then none is touched.
 */
async function correctOccurrence(tx: Statements, before: Card, after: Card): Promise<void> {
  const latest = (condition: Prisma.Sql): Prisma.Sql => Prisma.sql`number = (
    SELECT max(number) FROM card_occurrence
    WHERE tenant_id = ${after.tenantId} AND card_id = ${after.id} AND ${condition})`;
  const isDate = latest(Prisma.sql`occurred_at = ${before.occurredAt}::timestamptz`);
  const isSolution = latest(Prisma.sql`wrong_solution IS NOT DISTINCT FROM ${before.studentSolutionText}`);
  const isErrors = latest(Prisma.sql`error_types = ${before.errorTypes}::text[]`);
  await tx.execute(Prisma.sql`
    UPDATE card_occurrence SET
      occurred_at = CASE WHEN ${isDate} THEN ${after.occurredAt}::timestamptz ELSE occurred_at END,
      wrong_solution = CASE WHEN ${isSolution} THEN ${after.studentSolutionText} ELSE wrong_solution END,
      error_types = CASE WHEN ${isErrors} THEN ${after.errorTypes}::text[] ELSE error_types END
    WHERE tenant_id = ${after.tenantId} AND card_id = ${after.id} AND (${isDate} OR ${isSolution} OR ${isErrors})`);
}

/** The keys of `change` that say something else than the card does, with what they say. */
function differences(card: CardContent, change: CardChange): ReadonlyMap<keyof CardContent, unknown> {
  const keys = Object.keys(change) as (keyof CardContent)[];
  return new Map(
    keys
      .filter((key) => change[key] !== undefined && JSON.stringify(change[key]) !== JSON.stringify(card[key]))
      .map((key) => [key, change[key]]),
  );
}
