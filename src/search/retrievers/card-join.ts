import { PERSPECTIVES, type Perspective } from '../../domain/perspective.js';
import type { VectorColumns } from '../../domain/ports/vectors.js';
import { LABEL_PERSPECTIVES, type LaneKind } from '../../domain/search.js';
import type { LexicalIndex } from '../../lexical/lexical-index.js';
import { laneIndex } from '../lanes.js';

/** For a card that is not on the other side. */
const NONE = -1;

/** The cards of vector columns joined with those of a lexical index. */
export interface CardJoin {
  readonly columns: VectorColumns;
  readonly columnChanges: number;
  readonly indexChanges: number;
  /** By number in the columns: the doc number in the index, or -1. */
  readonly docs: Int32Array;
  /** By doc number in the index: the number in the columns, or -1. */
  readonly numbers: Int32Array;
  /** By number: a bit for each of LANES that the card has a text or a label in; 0 if it was deleted. */
  readonly lanes: Uint16Array;
  /** How many cards are on both sides. */
  readonly both: number;
}

/** The `known` join, unless either side has changed since. */
export function joinCards(columns: VectorColumns, index: LexicalIndex, known: CardJoin | undefined): CardJoin {
  const [columnChanges, indexChanges] = [columns.changes, index.changes];
  if (known?.columns === columns && known.columnChanges === columnChanges && known.indexChanges === indexChanges) {
    return known;
  }
  const { cardIds } = columns;
  const docs = new Int32Array(cardIds.length).fill(NONE);
  const numbers = new Int32Array(index.docs).fill(NONE);
  const lanes = new Uint16Array(cardIds.length);
  let both = 0;
  cardIds.forEach((cardId, card) => {
    if (cardId === '') return;
    const doc = index.docOf(cardId);
    if (doc !== undefined) {
      docs[card] = doc;
      numbers[doc] = card;
      both += 1;
    }
    lanes[card] = laneBits(columns, card, index, doc);
  });
  return { columns, columnChanges, indexChanges, docs, numbers, lanes, both };
}

const DENSE = PERSPECTIVES.map((perspective) => ({ perspective, bit: laneBit('DENSE', perspective) }));
const LEXICAL = PERSPECTIVES.map((perspective) => ({ perspective, bit: laneBit('LEXICAL', perspective) }));
const LABELS = LABEL_PERSPECTIVES.map((perspective) => ({ perspective, bit: laneBit('INFERRED', perspective) }));

function laneBit(kind: LaneKind, perspective: Perspective): number {
  return 1 << laneIndex({ kind, perspective });
}

function laneBits(columns: VectorColumns, card: number, index: LexicalIndex, doc: number | undefined): number {
  let bits = 0;
  for (const { perspective, bit } of DENSE) if (columns.has(perspective, card)) bits |= bit;
  if (doc === undefined) return bits;
  for (const { perspective, bit } of LEXICAL) if (index.hasText(perspective, doc)) bits |= bit;
  for (const { perspective, bit } of LABELS) if (index.hasLabel(perspective, doc)) bits |= bit;
  return bits;
}
