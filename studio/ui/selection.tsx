import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { CardFields } from '../generated/operations.js';

/** Cards that were picked, in the order of picking: for exports and papers. */
export interface Selection {
  readonly cards: Selected;
  /** After a request, a function of what is selected by then. */
  readonly set: (cards: Selected | ((before: Selected) => Selected)) => void;
}

type Selected = ReadonlyMap<string, CardFields>;

/** As many as an export takes by their ids. */
export const MAX_SELECTED = 500;

export const SelectionContext = createContext<Selection>({ cards: new Map(), set: () => undefined });

export function useSelection(): Selection & { readonly toggle: (card: CardFields) => void } {
  const selection = useContext(SelectionContext);
  return {
    ...selection,
    toggle: (card) =>
      selection.set((before) => {
        const next = new Map(before);
        if (!next.delete(card.id) && next.size < MAX_SELECTED) next.set(card.id, card);
        return next;
      }),
  };
}
