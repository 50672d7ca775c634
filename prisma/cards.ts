import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Card, CardChange, CardContent, NewCard } from '../src/domain/card.js';
import type { Owner } from '../src/domain/duplicates.js';
import { ConflictError, ForbiddenError, NotFoundError } from '../src/domain/errors.js';
import { LABEL_KINDS, LabelSpelling } from '../src/domain/labels.js';
import {
  type CardFacets,
  type CardPage,
  type CardPageRequest,
  type CardStore,
  NEWEST_FIRST,
  type RequestKey,
} from '../src/domain/ports/cards.js';
import type { QuestionJudge } from '../src/domain/ports/imports.js';
import type { CardFilter } from '../src/domain/search.js';
import { changeableOwner, type Viewer } from '../src/domain/viewer.js';
import { isAfter, ordered } from './card-order.js';
import { lockCards, selectCards, selectCardsById } from './card-rows.js';
import type { Database } from './client.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import { type DirtySignal, markDeleted, markDirty, markNew } from './dirty.js';
import { fingerprintsOf } from './draft-rows.js';
import { brokenConstraint } from './errors.js';
import { countFacets } from './facets.js';
import { admits } from './filters.js';
import { Prisma } from './generated/client.js';
import { addLabels, removeLabels, storedNames } from './labels.js';
import { selectSurvivors } from './merged-cards.js';
import { correctOccurrences, OCCURRENCE_KEYS } from './occurrences.js';
import { type ChangedCard, REPEATED_DELETION, repeatedCard, repeatedChange } from './repeated-changes.js';
import { atMostOnce, type Repeatable } from './request-keys.js';
import { staleRevision } from './stale-revision.js';
import type { Queries, ViewerTransaction } from './statements.js';
import { visible, visibleTo } from './viewer-conditions.js';

/** Every change is one transaction: card, labels, occurrence, revision and outbox row. */
export class PostgresCardStore implements CardStore {
  constructor(
    private readonly database: Database,
    private readonly dirty: DirtySignal,
    private readonly judge: QuestionJudge,
  ) {}

  async create(
    viewer: Viewer,
    { id: givenId, ...given }: NewCard,
    request: RequestKey | null = null,
    signal?: AbortSignal,
  ): Promise<Card> {
    const { tenantId, ownerId } = viewer;
    const id = givenId ?? randomUUID();
    const { topicTags: _, errorTypes: _types, metadata, ...columns } = given;
    const fingerprint = this.#fingerprint(viewer, given);
    const make = async (tx: ViewerTransaction): Promise<Card> => {
      const content = await asStored(tx, viewer, given);
      const stamps = await tx.prisma.card.create({
        data: { tenantId, id, ownerId, ...columns, metadata: entries(metadata), ...fingerprint },
        select: { createdAt: true, updatedAt: true },
      });
      await addLabels(tx, tenantId, [{ ...content, id }]);
      const revision = await markNew(tx, { tenantId, id, ...content });
      return { tenantId, id, ownerId, ...content, ...stamps, revision, occurrences: 1 };
    };
    try {
      const card = await this.#change({ viewer, request, signal }, { ...repeatedCard(viewer), make });
      this.dirty.notify();
      return card;
    } catch (thrown) {
      if (brokenConstraint(thrown) !== 'card_pkey') throw thrown;
      throw new ConflictError(`a card with the id ${JSON.stringify(id)} exists already`, { cardId: id, cause: thrown });
    }
  }

  /** A change that changes nothing returns the card as it is: same revision, nothing to index. */
  async update(
    viewer: Viewer,
    id: string,
    given: CardChange,
    expectedRevision: number | null,
    request: RequestKey | null = null,
    signal?: AbortSignal,
  ): Promise<Card> {
    const make = async (tx: ViewerTransaction): Promise<ChangedCard> => {
      const change = await asStored(tx, viewer, given);
      // Optimistic. If another change was committed between reading and writing, the card is locked and read again.
      for (let locked = false; ; locked = true) {
        if (locked) await lockCards(tx, visible(viewer), [id]);
        const [current] = await selectCardsById(tx, visible(viewer), [id]);
        if (current === undefined) throw new NotFoundError('card', id);
        refuseForeign(viewer, current);
        if (expectedRevision !== null && expectedRevision !== current.revision) {
          throw staleRevision(current, expectedRevision);
        }
        const differing = differences(current, change);
        if (Object.keys(differing).length === 0) return { card: current, changed: false };
        const card = await this.#write(tx, viewer, current, differing);
        if (card !== null) return { card, changed: true };
        if (locked) throw new Error('updating a locked card returned no row');
      }
    };
    const { card, changed } = await this.#change({ viewer, request, signal }, { ...repeatedChange(viewer), make });
    if (changed) this.dirty.notify();
    return card;
  }

  async delete(
    viewer: Viewer,
    id: string,
    expectedRevision: number | null = null,
    request: RequestKey | null = null,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const make = async (tx: ViewerTransaction): Promise<boolean> => {
      const where = { ...visibleTo(viewer), id };
      const [locked] = await lockCards(tx, visible(viewer), [id]);
      // One that cannot be locked may still be visible: then the deletion is forbidden.
      const card = locked ?? (await tx.prisma.card.findFirst({ where }));
      if (card === null) return false;
      refuseForeign(viewer, card);
      if (expectedRevision !== null && expectedRevision !== card.revision) throw staleRevision(card, expectedRevision);
      const { count } = await tx.prisma.card.deleteMany({ where });
      if (count === 0) return false;
      await markDeleted(tx, card);
      return true;
    };
    const deleted = await this.#change({ viewer, request, signal }, { ...REPEATED_DELETION, make });
    if (deleted) this.dirty.notify();
    return deleted;
  }

  async byIds(viewer: Viewer, ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Card>> {
    const cards = await selectCardsById(this.database.as(viewer, signal), visible(viewer), ids);
    return new Map(cards.map((card) => [card.id, card]));
  }

  async mergedInto(viewer: Viewer, ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Card>> {
    const survivors = await selectSurvivors(this.database.as(viewer, signal), viewer, ids);
    if (survivors.size === 0) return new Map();
    const cards = await this.byIds(viewer, [...new Set(survivors.values())], signal);
    return new Map(
      [...survivors].flatMap(([id, survivor]) => {
        const card = cards.get(survivor);
        return card === undefined ? [] : [[id, card]];
      }),
    );
  }

  async page(
    viewer: Viewer,
    filter: CardFilter,
    { first, after, order = NEWEST_FIRST, updatedAfter }: CardPageRequest,
    signal?: AbortSignal,
  ): Promise<CardPage> {
    const list = { viewer, filter: { ...filter, updatedAfter }, order };
    const changed = updatedAfter === undefined ? Prisma.empty : Prisma.sql`AND c.updated_at >= ${updatedAfter}`;
    const admitted = Prisma.sql`${admits(viewer, filter)} ${changed}`;
    const rest = after === null ? Prisma.empty : Prisma.sql`AND ${isAfter(order, decodeCursor(list, after))}`;
    const database = this.database.as(viewer, signal);
    const cards = await selectCards(
      database,
      Prisma.sql`${admitted} ${rest} ORDER BY ${ordered(order)} LIMIT ${first + 1}`,
    );
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

  /** Null if the card is no longer as it was read. */
  async #write(tx: ViewerTransaction, viewer: Viewer, current: Card, differing: CardChange): Promise<Card | null> {
    const { tenantId, id, revision } = current;
    const { topicTags, errorTypes, metadata, ...columns } = differing;
    const next: Card = { ...current, ...differing };
    const [written] = await tx.prisma.card.updateManyAndReturn({
      where: { ...visibleTo(viewer), id, revision },
      data: {
        ...columns,
        ...(metadata === undefined ? {} : { metadata: entries(metadata) }),
        ...(columns.questionText === undefined ? {} : this.#fingerprint(next, next)),
        revision: { increment: 1 },
        updatedAt: tx.now,
      },
      select: { revision: true, updatedAt: true },
    });
    if (written === undefined) return null;
    for (const kind of LABEL_KINDS) {
      if (differing[kind] !== undefined) await removeLabels(tx, kind, tenantId, [id]);
    }
    await addLabels(tx, tenantId, [{ id, topicTags, errorTypes }]);
    if (OCCURRENCE_KEYS.some((key) => differing[key] !== undefined)) await correctOccurrences(tx, current, next);
    await markDirty(tx, next);
    return { ...next, ...written };
  }

  #fingerprint(owner: Owner, { questionText }: CardContent) {
    const { key, bands } = fingerprintsOf(this.judge, owner, questionText);
    return { questionKey: key, questionBands: { set: [...bands] } };
  }

  #change<T, Stored extends object>(
    { viewer, request, signal }: ChangeRequest,
    repeatable: Repeatable<T, Stored>,
  ): Promise<T> {
    return this.database.as(viewer, signal).transaction((tx) => atMostOnce(tx, viewer, request, repeatable));
  }
}

/** For Prisma, which takes no interfaces. */
function entries(metadata: CardContent['metadata']): Prisma.InputJsonArray {
  return metadata.map(({ key, value }) => ({ key, value }));
}

interface ChangeRequest {
  readonly viewer: Viewer;
  readonly request: RequestKey | null;
  readonly signal: AbortSignal | undefined;
}

/** With its labels spelled as the tenant's. */
async function asStored<T extends CardChange>(tx: Queries, { tenantId }: Viewer, given: T): Promise<T> {
  const spelling = new LabelSpelling(await storedNames(tx, tenantId, [given]));
  const labels = LABEL_KINDS.flatMap((kind) => {
    const names = given[kind];
    return names === undefined ? [] : [[kind, spelling.of(kind, names)]];
  });
  return { ...given, ...Object.fromEntries(labels) };
}

/** ForbiddenError for a card that the viewer may see and not change. */
function refuseForeign(viewer: Viewer, { ownerId }: Pick<Card, 'ownerId'>): void {
  const owner = changeableOwner(viewer);
  if (owner !== undefined && owner !== ownerId) {
    throw new ForbiddenError('the card is of another owner: only that owner and admins may change it');
  }
}

/** The part of `change` that differs from the card. */
function differences(card: CardContent, change: CardChange): CardChange {
  const keys = Object.keys(change) as (keyof CardContent)[];
  return Object.fromEntries(
    keys
      .filter((key) => change[key] !== undefined && !isDeepStrictEqual(change[key], card[key]))
      .map((key) => [key, change[key]]),
  );
}
