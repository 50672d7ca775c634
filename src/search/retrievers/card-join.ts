import type { VectorColumns } from '../../domain/ports/vectors.js';
import { LABEL_PERSPECTIVES, LANES, type LabelPerspective, type Lane } from '../../domain/search.js';
import { sharedArray } from '../../lexical/arrays.js';
import { LabelSets } from '../../lexical/label-sets.js';
import type { LexicalIndex } from '../../lexical/lexical-index.js';

/** For a card that is not on the other side. */
const NONE = -1;

/** Arrays have room for so many times the cards, so that new cards need no longer ones. */
const ROOM = 1.1;

/** Sets of labels that no card has any more are tolerated up to this count plus the number of cards. */
const SPARE_SETS = 1_000;

/** The labels of one kind by card number. */
export interface JoinedLabels {
  readonly sets: LabelSets;
  /** By number: the card's set, 0 without labels. */
  readonly setOf: Uint32Array;
}

/**
 * The cards of vector columns joined with those of a lexical index. The arrays have room for more cards; those of a
 * scoring pass are shared memory.
 */
export interface CardJoin {
  readonly columns: VectorColumns;
  readonly columnChanges: number;
  readonly indexChanges: number;
  /** By number in the columns: the doc number in the index, or -1. */
  readonly docs: Int32Array;
  /** By doc number in the index: the number in the columns, or -1. */
  readonly numbers: Int32Array;
  /** By number: a bit for each of LANES that the card has a text in; 0 if it was deleted. */
  readonly lanes: Uint16Array;
  readonly labels: Readonly<Record<LabelPerspective, JoinedLabels>>;
  /** How many cards are on both sides. */
  readonly both: number;
}

/**
 * The `known` join, brought up to date in its arrays: up to 40 ms for 50,000 cards if every one is looked at, some
 * µs for the cards that have changed since.
 */
export function joinCards(columns: VectorColumns, index: LexicalIndex, known: CardJoin | undefined): CardJoin {
  const versions = { columns, columnChanges: columns.changes, indexChanges: index.changes };
  if (known?.columns !== columns) return { ...joinAll(columns, index), ...versions };
  if (known.columnChanges === versions.columnChanges && known.indexChanges === versions.indexChanges) return known;
  const cards = columns.changedSince(known.columnChanges);
  const docs = index.changedSince(known.indexChanges);
  const hasRoom = columns.cardIds.length <= known.docs.length && index.cards.docs <= known.numbers.length;
  const hasOldSets = LABEL_PERSPECTIVES.some((one) => known.labels[one].sets.size > known.both + SPARE_SETS);
  if (cards === null || docs === null || !hasRoom || hasOldSets) return { ...joinAll(columns, index), ...versions };
  return { ...known, ...versions, both: joinAgain(known, index, { cards, docs }) };
}

/** The numbers in the columns of those docs that have one. */
export function numbersOf(docs: Uint32Array, { numbers }: CardJoin): Int32Array {
  const found = new Int32Array(docs.length);
  let size = 0;
  for (let at = 0; at < docs.length; at++) {
    const card = numbers[docs[at] as number] as number;
    if (card !== NONE) found[size++] = card;
  }
  return found.subarray(0, size);
}

/** The numbers in the columns of the cards that the index knows; undefined if it knows all. */
export function knownTo({ columns: { cardIds }, docs, both }: CardJoin): Int32Array | undefined {
  if (both === cardIds.length) return undefined;
  const known = new Int32Array(both);
  for (let card = 0, size = 0; card < cardIds.length; card++) if (docs[card] !== NONE) known[size++] = card;
  return known;
}

type Arrays = Pick<CardJoin, 'docs' | 'numbers' | 'lanes' | 'labels'>;

function joinAll(columns: VectorColumns, index: LexicalIndex): Arrays & Pick<CardJoin, 'both'> {
  const { cardIds } = columns;
  const room = Math.ceil(ROOM * cardIds.length);
  const arrays: Arrays = {
    docs: sharedArray(Int32Array, room).fill(NONE),
    numbers: sharedArray(Int32Array, Math.ceil(ROOM * index.cards.docs)).fill(NONE),
    lanes: sharedArray(Uint16Array, room),
    labels: { concept: noLabels(room), error: noLabels(room) },
  };
  let both = 0;
  for (let card = 0; card < cardIds.length; card++) both += join(arrays, columns, index, card);
  return { ...arrays, both };
}

function noLabels(room: number): JoinedLabels {
  return { sets: new LabelSets(), setOf: new Uint32Array(room) };
}

/** Joins what has changed on either side; returns how many cards are on both sides then. */
function joinAgain(
  { columns, both: before, ...arrays }: CardJoin,
  index: LexicalIndex,
  changed: { readonly cards: ReadonlySet<number>; readonly docs: ReadonlySet<number> },
): number {
  const cards = new Set(changed.cards);
  let both = before;
  for (const doc of changed.docs) {
    const card = arrays.numbers[doc] as number;
    if (card !== NONE) cards.add(card);
    const now = columns.numberOf(index.cards.idOf(doc));
    if (now !== undefined) cards.add(now);
  }
  for (const card of cards) {
    const doc = arrays.docs[card] as number;
    if (doc === NONE) continue;
    arrays.numbers[doc] = NONE;
    arrays.docs[card] = NONE;
    both -= 1;
  }
  for (const card of cards) both += join(arrays, columns, index, card);
  return both;
}

/** Joins a card that is not joined; returns 1 if it is on both sides. */
function join(
  { docs, numbers, lanes, labels }: Arrays,
  columns: VectorColumns,
  index: LexicalIndex,
  card: number,
): number {
  const cardId = columns.cardIds[card] as string;
  const doc = cardId === '' ? undefined : index.cards.docOf(cardId);
  lanes[card] = cardId === '' ? 0 : laneBits(columns, card, index, doc);
  for (const perspective of LABEL_PERSPECTIVES) {
    const { sets, setOf } = labels[perspective];
    setOf[card] = doc === undefined ? 0 : index.profiles[perspective].setOf(doc, sets);
  }
  if (doc === undefined) return 0;
  docs[card] = doc;
  numbers[doc] = card;
  return 1;
}

function laneBits(columns: VectorColumns, card: number, index: LexicalIndex, doc: number | undefined): number {
  let bits = 0;
  for (let lane = 0; lane < LANES.length; lane++) {
    const { kind, perspective } = LANES[lane] as Lane;
    const hasText =
      kind === 'DENSE'
        ? columns.has(perspective, card)
        : kind === 'LEXICAL' && doc !== undefined && index.texts.hasText(perspective, doc);
    if (hasText) bits |= 1 << lane;
  }
  return bits;
}
