import type { Card } from '../src/domain/card.js';
import { NotFoundError } from '../src/domain/errors.js';
import type { Viewer } from '../src/domain/viewer.js';
import { selectCardsById } from './card-rows.js';
import type { Repeatable } from './request-keys.js';
import { visible } from './viewer-conditions.js';

export interface ChangedCard {
  readonly card: Card;
  readonly changed: boolean;
}

/** All of {@link Repeatable} but the change itself. */
type Repetition<T, Stored extends object> = Omit<Repeatable<T, Stored>, 'make'>;

/** A repeated request is answered with the card as it is now. */
export function repeatedCard(viewer: Viewer): Repetition<Card, { readonly cardId: string }> {
  return {
    store: ({ id }) => ({ cardId: id }),
    repeat: async (tx, { cardId }) => {
      const [card] = await selectCardsById(tx, visible(viewer), [cardId]);
      if (card === undefined) throw new NotFoundError('card', cardId);
      return card;
    },
  };
}

export function repeatedChange(viewer: Viewer): Repetition<ChangedCard, { readonly cardId: string }> {
  const { store, repeat } = repeatedCard(viewer);
  return {
    store: ({ card }) => store(card),
    repeat: async (tx, stored) => ({ card: await repeat(tx, stored), changed: false }),
  };
}

export const REPEATED_DELETION: Repetition<boolean, { readonly deleted: boolean }> = {
  store: (deleted) => ({ deleted }),
  repeat: async (_tx, { deleted }) => deleted,
};
