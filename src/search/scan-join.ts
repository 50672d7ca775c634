import { PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import type { VectorColumns } from '../domain/ports/vectors.js';
import { LABEL_PERSPECTIVES, type LaneKind } from '../domain/search.js';
import type { LexicalIndex } from '../lexical/lexical-index.js';
import { laneIndex } from './lanes.js';

/** What stands for a card that is not on the other side. */
const NOWHERE = -1;

/** Where the cards of the columns are among the words, and which lanes they have anything in. */
export interface ScanJoin {
  readonly columns: VectorColumns;
  readonly columnChanges: number;
  readonly wordChanges: number;
  /** By number in the columns: the slot in the words, or {@link NOWHERE}. */
  readonly slots: Int32Array;
  /** By slot in the words: the number in the columns, or {@link NOWHERE}. */
  readonly numbers: Int32Array;
  /** By number: a bit for each of LANES that the card has a text or a label in; 0 where the card is gone. */
  readonly lanes: Uint16Array;
  /** How many cards are on both sides. */
  readonly both: number;
}

/** Joins the two; the `known` join where neither has changed since. */
export function joined(columns: VectorColumns, index: LexicalIndex, known: ScanJoin | undefined): ScanJoin {
  if (
    known !== undefined &&
    known.columns === columns &&
    known.columnChanges === columns.changes &&
    known.wordChanges === index.changes
  ) {
    return known;
  }
  const { cardIds } = columns;
  const slots = new Int32Array(cardIds.length).fill(NOWHERE);
  const numbers = new Int32Array(index.slots).fill(NOWHERE);
  const lanes = new Uint16Array(cardIds.length);
  let both = 0;
  cardIds.forEach((cardId, card) => {
    if (cardId === '') return;
    const slot = index.slotOf(cardId);
    if (slot !== undefined) {
      slots[card] = slot;
      numbers[slot] = card;
      both += 1;
    }
    lanes[card] = lanesOf(columns, card, index, slot);
  });
  return { columns, columnChanges: columns.changes, wordChanges: index.changes, slots, numbers, lanes, both };
}

const VECTORS = PERSPECTIVES.map((perspective) => ({ perspective, bit: bitOf('DENSE', perspective) }));
const WORDS = PERSPECTIVES.map((perspective) => ({ perspective, bit: bitOf('LEXICAL', perspective) }));
const LABELS = LABEL_PERSPECTIVES.map((perspective) => ({ perspective, bit: bitOf('INFERRED', perspective) }));

function bitOf(kind: LaneKind, perspective: Perspective): number {
  return 1 << laneIndex({ kind, perspective });
}

function lanesOf(columns: VectorColumns, card: number, index: LexicalIndex, slot: number | undefined): number {
  let bits = 0;
  for (const { perspective, bit } of VECTORS) if (columns.has(perspective, card)) bits |= bit;
  if (slot === undefined) return bits;
  for (const { perspective, bit } of WORDS) if (index.hasText(perspective, slot)) bits |= bit;
  for (const { perspective, bit } of LABELS) if (index.hasLabel(perspective, slot)) bits |= bit;
  return bits;
}
