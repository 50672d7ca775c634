import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { CardFields } from '../generated/operations.js';

/** Cards that were picked, in the order of picking: for exports and papers. */
export interface Selection {
  readonly cards: ReadonlyMap<string, CardFields>;
  readonly set: (cards: ReadonlyMap<string, CardFields>) => void;
}

/** As many as an export takes by their ids. */
export const MAX_SELECTED = 500;

export const SelectionContext = createContext<Selection>({ cards: new Map(), set: () => undefined });

export function useSelection(): Selection & { readonly toggle: (card: CardFields) => void } {
  const selection = useContext(SelectionContext);
  return {
    ...selection,
    toggle: (card) => {
      const next = new Map(selection.cards);
      if (!next.delete(card.id) && next.size < MAX_SELECTED) next.set(card.id, card);
      selection.set(next);
    },
  };
}
