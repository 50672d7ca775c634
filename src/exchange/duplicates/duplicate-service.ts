import { randomUUID } from 'node:crypto';
import type { Card } from '../../domain/card.js';
import type { OnDuplicate } from '../../domain/duplicates.js';
import { BadInputError, ConflictError, NotFoundError } from '../../domain/errors.js';
import type { DatedCard } from '../../domain/parse/card.js';
import type { CardStore, RequestKey } from '../../domain/ports/cards.js';
import type { Folded, ImportStore, MergedCards, StoredCards, UndoneMerge } from '../../domain/ports/imports.js';
import type { Viewer } from '../../domain/viewer.js';
import { Drafts } from '../import/drafts.js';
import { RowFolder } from '../import/fold-rows.js';
import { mergeDrafts, withoutMerged } from '../import/merge.js';
import type { PreparedRow } from '../import/row.js';

export interface DuplicateServiceParts {
  readonly cards: Pick<CardStore, 'byIds' | 'create'>;
  readonly imports: ImportStore;
}

export class DuplicateService {
  constructor(private readonly parts: DuplicateServiceParts) {}

  /**
   * Creates a card, or adds it as an occurrence to the card with the same question. ConflictError if the id exists, and
   * with REJECT if the question does. A request key is only used with KEEP.
   */
  async create(
    viewer: Viewer,
    { card, dated }: DatedCard,
    onDuplicate: OnDuplicate,
    request: RequestKey | null,
    signal: AbortSignal,
  ): Promise<Card> {
    const { cards, imports } = this.parts;
    if (onDuplicate === 'KEEP') return cards.create(viewer, card, request, signal);
    const folder = new RowFolder({ owner: viewer, onDuplicate, scope: randomUUID() });
    const row = folder.prepare({ sheet: null, row: 1, card, dated, occurrences: null, files: [], notices: [] });
    const decide = (view: StoredCards): Folded => {
      refuseKnown(row, new Drafts(view), { ownerId: viewer.ownerId, onDuplicate });
      const folded = folder.fold([row], view);
      const failure = folded.problems.find(({ failed }) => failed);
      if (failure?.column === 'attachments') throw new BadInputError('attachments', failure.reason);
      if (failure !== undefined) throw new ConflictError(failure.reason);
      return folded;
    };
    const folded = await imports.fold(viewer, folder.wantedBy([row]), decide, { step: null, dryRun: false });
    return this.#card(viewer, folded?.rows[0]?.cardId ?? '');
  }

  /**
   * Merges `from` into `into` without losing data. NotFoundError; BadInputError; ConflictError for two owners' cards,
   * and for another revision than the expected one.
   */
  async merge(viewer: Viewer, cards: MergedCards): Promise<Card> {
    const { into, from } = cards;
    if (into === from) throw new BadInputError('from', 'must differ from into');
    await this.parts.imports.merge(viewer, cards, mergeDrafts);
    return this.#card(viewer, into);
  }

  /**
   * Undoes a merge: the card that is there again, and the one that it was merged into. As {@link ImportStore.unmerge}.
   */
  async unmerge(viewer: Viewer, merge: UndoneMerge): Promise<{ readonly from: Card; readonly into: Card }> {
    const { imports, cards } = this.parts;
    const intoId = await imports.unmerge(viewer, merge, withoutMerged);
    const found = await cards.byIds(viewer, [merge.id, intoId]);
    const [from, into] = [found.get(merge.id), found.get(intoId)];
    if (from === undefined || into === undefined) throw new NotFoundError('card', merge.id);
    return { from, into };
  }

  async #card(viewer: Viewer, id: string): Promise<Card> {
    const card = (await this.parts.cards.byIds(viewer, [id])).get(id);
    if (card === undefined) throw new NotFoundError('card', id);
    return card;
  }
}

/**
 * ConflictError if the id of a new card is taken, and with REJECT if a card asks its question, or did when an equal
 * request created it.
 */
function refuseKnown(
  row: PreparedRow,
  drafts: Drafts,
  { ownerId, onDuplicate }: { readonly ownerId: string; readonly onDuplicate: OnDuplicate },
): void {
  const { id } = row.card;
  if (id !== null && (drafts.byId(id) !== undefined || drafts.isTaken(id))) {
    throw new ConflictError(`a card with the id ${JSON.stringify(id)} exists already`, { cardId: id });
  }
  if (onDuplicate !== 'REJECT') return;
  const duplicate = drafts.duplicateOf(row, ownerId);
  if (duplicate !== undefined) {
    const reason = `the card ${JSON.stringify(duplicate.id)} asks the same question`;
    throw new ConflictError(reason, { cardId: duplicate.id });
  }
  const earlier = drafts.withOrigin(row.origin);
  if (earlier !== undefined) {
    const reason = `the card ${JSON.stringify(earlier.id)} is that of an equal request, with another question now`;
    throw new ConflictError(reason, { cardId: earlier.id });
  }
}
