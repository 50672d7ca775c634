import { randomUUID } from 'node:crypto';
import type { Card, NewCard } from '../../domain/card.js';
import type { OnDuplicate } from '../../domain/duplicates.js';
import { BadInputError, ConflictError, NotFoundError } from '../../domain/errors.js';
import type { CardStore, RequestKey } from '../../domain/ports/cards.js';
import type { ImportStore, MergedCards, UndoneMerge } from '../../domain/ports/imports.js';
import type { Replay } from '../../domain/ports/practice.js';
import type { Viewer } from '../../domain/viewer.js';
import { Drafts } from '../import/drafts.js';
import { fold } from '../import/fold.js';
import { mergeDrafts } from '../import/merge.js';
import { filesOf, labelsOf, RowPreparer } from '../import/row.js';
import { withoutMerged } from '../import/unmerge.js';

export interface DuplicateServiceParts {
  readonly cards: Pick<CardStore, 'byIds' | 'create'>;
  readonly imports: ImportStore;
  readonly replay: Replay;
}

/** Finds duplicates when a card is created, and merges them. */
export class DuplicateService {
  constructor(private readonly parts: DuplicateServiceParts) {}

  /**
   * Creates a card, or adds it as an occurrence to the card with the same question. ConflictError if the id exists, and
   * with REJECT if the question does. A request key is only used with KEEP.
   */
  async create(
    viewer: Viewer,
    card: NewCard,
    onDuplicate: OnDuplicate,
    request: RequestKey | null,
    signal: AbortSignal,
  ): Promise<Card> {
    const { cards, imports } = this.parts;
    if (onDuplicate === 'KEEP') return cards.create(viewer, card, request, signal);
    const preparer = new RowPreparer(viewer, randomUUID());
    const row = preparer.prepare({ sheet: null, row: 1, card, dated: true, occurrences: null, files: [] });
    let answered: string | undefined;
    await imports.fold(
      viewer,
      {
        ids: card.id === null ? [] : [card.id],
        keys: [row.fingerprints.key],
        bands: row.fingerprints.bands,
        origins: [],
        labels: labelsOf([row]),
        ...filesOf([row]),
      },
      (view) => {
        const drafts = new Drafts(view);
        if (card.id !== null && (drafts.byId(card.id) !== undefined || drafts.isTaken(card.id))) {
          throw new ConflictError(`a card with the id ${JSON.stringify(card.id)} exists already`, { cardId: card.id });
        }
        const duplicate = drafts.duplicateOf(row, viewer.ownerId);
        if (duplicate !== undefined && onDuplicate === 'REJECT') {
          throw new ConflictError(`the card ${JSON.stringify(duplicate.id)} asks the same question`, {
            cardId: duplicate.id,
          });
        }
        const newId = card.id ?? randomUUID();
        answered = duplicate?.id ?? newId;
        const parts = { owner: viewer, onDuplicate, earlierIds: new Set<string>(), newId: () => newId };
        const folded = fold([row], view, parts);
        const failure = folded.problems.find(({ failed }) => failed);
        if (failure?.column === 'attachments') throw new BadInputError('attachments', failure.reason);
        if (failure !== undefined) throw new ConflictError(failure.reason);
        return folded;
      },
      { step: null, dryRun: false },
    );
    const id = answered ?? '';
    const stored = (await cards.byIds(viewer, [id])).get(id);
    if (stored === undefined) throw new NotFoundError('card', id);
    return stored;
  }

  /**
   * Merges `from` into `into` without losing data. NotFoundError; BadInputError; ConflictError for two owners' cards,
   * and for another revision than the expected one.
   */
  async merge(viewer: Viewer, cards: MergedCards): Promise<Card> {
    const { into, from } = cards;
    if (into === from) throw new BadInputError('from', 'must differ from into');
    await this.parts.imports.merge(viewer, cards, { decide: mergeDrafts, replay: this.parts.replay });
    const card = (await this.parts.cards.byIds(viewer, [into])).get(into);
    if (card === undefined) throw new NotFoundError('card', into);
    return card;
  }

  /**
   * Undoes a merge: the card that is there again, and the one that it was merged into. As {@link ImportStore.unmerge}.
   */
  async unmerge(viewer: Viewer, merge: UndoneMerge): Promise<{ readonly from: Card; readonly into: Card }> {
    const { imports, cards, replay } = this.parts;
    const intoId = await imports.unmerge(viewer, merge, { without: withoutMerged, replay });
    const found = await cards.byIds(viewer, [merge.id, intoId]);
    const [from, into] = [found.get(merge.id), found.get(intoId)];
    if (from === undefined || into === undefined) throw new NotFoundError('card', merge.id);
    return { from, into };
  }
}
