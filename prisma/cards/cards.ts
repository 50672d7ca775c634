import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Card, CardChange, CardContent, NewCard } from '../../src/domain/card.js';
import { OCCURRENCE_FIELDS } from '../../src/domain/card-content.js';
import type { Owner } from '../../src/domain/duplicates.js';
import { ConflictError, NotFoundError } from '../../src/domain/errors.js';
import { LABEL_KINDS } from '../../src/domain/labels.js';
import type { CountedPage } from '../../src/domain/page.js';
import {
  type CardFacets,
  type CardPageRequest,
  type CardStore,
  NEWEST_FIRST,
  type RequestKey,
} from '../../src/domain/ports/cards.js';
import type { CardFilter } from '../../src/domain/search.js';
import { type Viewer } from '../../src/domain/viewer.js';
import { questionKeys } from '../../src/text/duplicate-questions.js';
import type { Database } from '../client.js';
import { brokenConstraint, refuseForeign, refuseStale } from '../errors.js';
import { Prisma } from '../generated/client.js';
import { type DirtySignal, markCards, markDeleted, markNew } from '../indexing/dirty.js';
import { addLabels, removeLabels, withStoredNames } from '../labels/labels.js';
import { only, type ViewerTransaction } from '../statements.js';
import { visible, visibleTo } from '../viewer-conditions.js';
import { contentData } from './card-columns.js';
import { cardCursor, isAfter, ordered, placeOfCard } from './card-cursor.js';
import { lockCards, selectCards, selectCardsById } from './card-rows.js';
import { countFacets } from './facets.js';
import { matches } from './filters.js';
import { findSurvivors } from './merged-cards.js';
import { correctOccurrences } from './occurrences.js';
import {
  atMostOnce,
  type ChangedCard,
  REPEATED_DELETION,
  type Repeatable,
  repeatedCard,
  repeatedChange,
} from './request-keys.js';
import { fileGone, withFiles } from './uploaded-files.js';

/** Each change is one transaction: card, labels, occurrence, revision and outbox row. */
export class PostgresCardStore implements CardStore {
  constructor(
    private readonly database: Database,
    private readonly dirty: DirtySignal,
  ) {}

  async create(
    viewer: Viewer,
    { id: givenId, ...given }: NewCard,
    request: RequestKey | null = null,
    signal?: AbortSignal,
  ): Promise<Card> {
    const { tenantId, ownerId } = viewer;
    const id = givenId ?? randomUUID();
    const fingerprint = this.#fingerprint(viewer, given);
    const make = async (tx: ViewerTransaction): Promise<Card> => {
      const attachments = await withFiles(tx, viewer, given.attachments);
      const content = { ...(await withStoredNames(tx, viewer, given)), attachments };
      const stamps = await tx.prisma.card.create({
        data: { tenantId, id, ownerId, ...contentData(content), ...fingerprint },
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
      if (brokenConstraint(thrown) !== 'card_pkey') throw fileGone(thrown);
      throw new ConflictError(`a card with the id ${JSON.stringify(id)} exists already`, { cardId: id, cause: thrown });
    }
  }

  /** A change without effect returns the card with the same revision, and nothing is indexed. */
  async update(
    viewer: Viewer,
    id: string,
    given: CardChange,
    expectedRevision: number | null,
    request: RequestKey | null = null,
    signal?: AbortSignal,
  ): Promise<Card> {
    const make = async (tx: ViewerTransaction): Promise<ChangedCard> => {
      const change = await withStoredNames(tx, viewer, given);
      // Optimistic: if another change was committed between reading and writing, the card is locked and read again.
      for (let locked = false; ; locked = true) {
        if (locked) await lockCards(tx, visible(viewer), [id]);
        const [current] = await selectCardsById(tx, visible(viewer), [id]);
        if (current === undefined) throw new NotFoundError('card', id);
        refuseForeign(viewer, current);
        refuseStale(current, expectedRevision);
        const { attachments } = change;
        const files = attachments === undefined ? {} : { attachments: await withFiles(tx, current, attachments) };
        const differing = differences(current, { ...change, ...files });
        if (Object.keys(differing).length === 0) return { card: current, changed: false };
        const card = await this.#write(tx, viewer, current, differing);
        if (card !== null) return { card, changed: true };
        if (locked) throw new Error('updating a locked card returned no row');
      }
    };
    try {
      const { card, changed } = await this.#change({ viewer, request, signal }, { ...repeatedChange(viewer), make });
      if (changed) this.dirty.notify();
      return card;
    } catch (thrown) {
      throw fileGone(thrown);
    }
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
      // A card that cannot be locked may be visible: then the deletion is forbidden.
      const card = locked ?? (await tx.prisma.card.findFirst({ where }));
      if (card === null) return false;
      refuseForeign(viewer, card);
      refuseStale(card, expectedRevision);
      const { count } = await tx.prisma.card.deleteMany({ where });
      if (count === 0) return false;
      await markDeleted(tx, card.tenantId, [card]);
      return true;
    };
    const deleted = await this.#change({ viewer, request, signal }, { ...REPEATED_DELETION, make });
    if (deleted) this.dirty.notify();
    return deleted;
  }

  async byIds(viewer: Viewer, ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Card>> {
    const { prepared } = this.database.as(viewer, signal);
    const cards = await selectCardsById({ query: prepared }, visible(viewer), ids);
    return new Map(cards.map((card) => [card.id, card]));
  }

  async mergedInto(viewer: Viewer, ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Card>> {
    const survivors = await this.database.as(viewer, signal).transaction((tx) => findSurvivors(tx, viewer, ids));
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
  ): Promise<CountedPage<Card>> {
    const list = { viewer, filter: { ...filter, updatedAfter }, order };
    const isListed = matches(viewer, list.filter);
    const where = after === null ? [isListed] : [isListed, isAfter(order, placeOfCard(list, after))];
    const database = this.database.as(viewer, signal);
    const cards = await selectCards(database, { where, orderBy: ordered(order), limit: first + 1 });
    const sizes = await database.query<{ count: number }>(Prisma.sql`
      SELECT count(*)::int AS count FROM card c WHERE ${isListed}`);
    return {
      edges: cards.slice(0, first).map((card) => ({ cursor: cardCursor(list, card), node: card })),
      hasNextPage: cards.length > first,
      totalCount: only(sizes).count,
    };
  }

  facets(viewer: Viewer, filter: CardFilter, signal?: AbortSignal): Promise<CardFacets> {
    return countFacets(this.database.as(viewer, signal), viewer, filter);
  }

  /** Null if the card has changed since it was read. */
  async #write(tx: ViewerTransaction, viewer: Viewer, current: Card, differing: CardChange): Promise<Card | null> {
    const { tenantId, id, revision } = current;
    const { topicTags, errorTypes, questionText, choices } = differing;
    const next: Card = { ...current, ...differing };
    const [written] = await tx.prisma.card.updateManyAndReturn({
      where: { ...visibleTo(viewer), id, revision },
      data: {
        ...contentData(differing),
        ...(questionText === undefined && choices === undefined ? {} : this.#fingerprint(next, next)),
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
    if (OCCURRENCE_FIELDS.some((key) => differing[key] !== undefined)) await correctOccurrences(tx, current, next);
    await markCards(tx, tenantId, [id], { bulk: false });
    return { ...next, ...written };
  }

  #fingerprint(owner: Owner, content: CardContent) {
    const { key, bands } = questionKeys(owner, content).fingerprints;
    return { questionKey: key, questionBands: { set: [...bands] } };
  }

  #change<T, Stored extends object>(
    { viewer, request, signal }: ChangeRequest,
    repeatable: Repeatable<T, Stored>,
  ): Promise<T> {
    return this.database.as(viewer, signal).transaction((tx) => atMostOnce(tx, viewer, request, repeatable));
  }
}

interface ChangeRequest {
  readonly viewer: Viewer;
  readonly request: RequestKey | null;
  readonly signal: AbortSignal | undefined;
}

function differences(card: CardContent, change: CardChange): CardChange {
  const keys = Object.keys(change) as (keyof CardContent)[];
  return Object.fromEntries(
    keys
      .filter((key) => change[key] !== undefined && !isDeepStrictEqual(change[key], card[key]))
      .map((key) => [key, change[key]]),
  );
}
