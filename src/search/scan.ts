import { LABEL_PERSPECTIVES, type LabelPerspective } from '../domain/search.js';
import { VOTERS } from '../lexical/inferred-lane.js';
import type { NotebookIndex } from '../lexical/notebook-index.js';
import { best } from '../lexical/top.js';
import type { Generation, VectorColumns, VectorColumnsSource } from '../ports.js';
import { Scratch } from '../scratch.js';
import { believe, UNLABELLED_POWER } from './infer.js';
import type { LanePlan } from './lanes.js';
import type { Query } from './query.js';

/** With fewer of the cards than this share a scan would miss too many, and the lanes are asked by themselves. */
const LEAST_SHARE = 0.99;

/** What is scanned, and for what. */
export interface ScanRequest {
  readonly index: NotebookIndex;
  readonly generation: Generation;
  readonly lanes: readonly LanePlan[];
  readonly query: Query;
  /** How many cards are wanted. */
  readonly limit: number;
}

/** Proposes the cards that score best in all lanes together. */
export interface CardScanner {
  /** Whether all cards can be looked at. */
  covers(index: NotebookIndex, generation: Generation): boolean;
  /** The best cards, where all can be looked at: in no particular order, up to half as many again as are wanted. */
  best(request: ScanRequest): readonly string[];
}

/** What stands for the slot of a card whose words are not here, and of one that is gone from the columns. */
const NO_WORDS = -1;
const GONE = -2;

/** Where a card of the columns is among the words. */
interface Join {
  readonly columns: VectorColumns;
  readonly columnChanges: number;
  readonly wordChanges: number;
  /** By number in the columns: the slot in the words; less than 0 where the card is not there. */
  readonly slots: Int32Array;
}

/**
 * Looks at every card of a tenant, in memory: its vectors, its words and its labels, and adds up what the lanes say as fusion does.
 * A lane by itself would have to bring hundreds of cards, as one that is good in all of them need not lead in any. The sums are of
 * 32-bit values: the scores of the proposed are computed anew. `npm run bench` prints the recall.
 */
export class Scanner implements CardScanner {
  readonly #vectors: VectorColumnsSource;
  readonly #joins = new WeakMap<NotebookIndex, Join>();
  readonly #scratch = { sums: new Scratch(), totals: new Scratch(), fused: new Scratch() };

  constructor(vectors: VectorColumnsSource) {
    this.#vectors = vectors;
  }

  covers(index: NotebookIndex, { tenantId, number }: Generation): boolean {
    const columns = this.#vectors.columns(tenantId, number);
    return columns !== null && columns.size >= LEAST_SHARE * index.size;
  }

  best({ index, generation, lanes, query, limit }: ScanRequest): readonly string[] {
    const columns = this.#vectors.columns(generation.tenantId, generation.number);
    if (columns === null) return [];
    const slots = this.#slotsOf(columns, index);
    const byTexts = textScores({ columns, slots, index, scratch: this.#scratch }, lanes, query);
    const nearest = first(byTexts, columns.cardIds, Math.max(VOTERS, Math.ceil(limit / 2)));
    const lanesOfLabels = LABEL_PERSPECTIVES.flatMap((perspective) => {
      const weight = lanes.find((lane) => lane.kind === 'INFERRED' && lane.perspective === perspective)?.weight ?? 0;
      if (weight === 0) return [];
      const believed = beliefsOf(perspective, query, index, nearest);
      return believed.size === 0 ? [] : [{ weight, values: index.labelValues(perspective, believed) }];
    });
    if (lanesOfLabels.length === 0) return first(byTexts, columns.cardIds, limit).map(({ cardId }) => cardId);
    const fused = this.#scratch.fused.of(byTexts.length).fill(0);
    for (const { weight, values } of lanesOfLabels) addLabels(fused, { weight, values, slots, byTexts });
    const ofTexts = lanes.reduce((sum, { kind, weight }) => sum + (kind === 'INFERRED' ? 0 : weight), 0);
    for (let card = 0; card < fused.length; card++) {
      fused[card] = (fused[card] as number) + ofTexts * (byTexts[card] as number);
    }
    const all = [...first(fused, columns.cardIds, limit), ...nearest];
    return [...new Set(all.map(({ cardId }) => cardId))];
  }

  #slotsOf(columns: VectorColumns, index: NotebookIndex): Int32Array {
    const known = this.#joins.get(index);
    const isKnown = known?.columnChanges === columns.changes && known.wordChanges === index.changes;
    if (isKnown && known.columns === columns) return known.slots;
    const slots = Int32Array.from(columns.cardIds, (cardId) =>
      cardId === '' ? GONE : (index.slotOf(cardId) ?? NO_WORDS),
    );
    this.#joins.set(index, { columns, columnChanges: columns.changes, wordChanges: index.changes, slots });
    return slots;
  }
}

interface Joined {
  readonly columns: VectorColumns;
  readonly slots: Int32Array;
  readonly index: NotebookIndex;
  readonly scratch: { readonly sums: Scratch; readonly totals: Scratch };
}

/** By number in the columns: the weighted mean over the lanes of texts that a card has, 0 .. 1; NaN where it has none. */
function textScores(
  { columns, slots, index, scratch }: Joined,
  lanes: readonly LanePlan[],
  query: Query,
): Float64Array {
  const sums = scratch.sums.of(slots.length).fill(0);
  const totals = scratch.totals.of(slots.length).fill(0);
  for (const { kind, perspective, weight } of lanes) {
    if (kind === 'DENSE' && query.vectors[perspective].length > 0) {
      add(columns.similarities(perspective, query.vectors[perspective]), null, weight);
    } else if (kind === 'LEXICAL' && query.features[perspective].length > 0) {
      add(wordScores(index, perspective, query), slots, weight);
    }
  }
  for (let card = 0; card < slots.length; card++) {
    // Without a text 0 / 0, which is no number; and the place of a card that is gone is empty.
    sums[card] = slots[card] !== GONE ? (sums[card] as number) / (totals[card] as number) : Number.NaN;
  }
  return sums;

  /** Adds a lane's scores, by number or by the slots of the numbers. */
  function add(scores: Float64Array, places: Int32Array | null, weight: number): void {
    for (let card = 0; card < sums.length; card++) {
      const place = places === null ? card : (places[card] as number);
      if (place < 0) continue;
      const score = scores[place] as number;
      if (Number.isNaN(score)) continue;
      sums[card] = (sums[card] as number) + weight * score;
      totals[card] = (totals[card] as number) + weight;
    }
  }
}

/** What one inferred lane adds. */
interface LabelLane {
  readonly weight: number;
  /** By slot. */
  readonly values: Float64Array;
  readonly slots: Int32Array;
  readonly byTexts: Float64Array;
}

function addLabels(sums: Float64Array, { weight, values, slots, byTexts }: LabelLane): void {
  for (let card = 0; card < sums.length; card++) {
    const slot = slots[card] as number;
    const value = slot < 0 ? Number.NaN : (values[slot] as number);
    const like = Number.isNaN(value) ? (byTexts[card] as number) ** UNLABELLED_POWER : value;
    sums[card] = (sums[card] as number) + weight * like;
  }
}

/** By slot: as a card is scored by its words, the better of the query's own and of these with what was added. */
function wordScores(index: NotebookIndex, perspective: LanePlan['perspective'], query: Query): Float64Array {
  if (query.expanded[perspective].length === 0) return index.scoresOfAll(perspective, query.features[perspective]);
  const own = index.scoresOfAll(perspective, query.features[perspective]).slice();
  const more = index.scoresOfAll(perspective, query.expanded[perspective]);
  for (let slot = 0; slot < own.length; slot++) own[slot] = Math.max(own[slot] as number, more[slot] as number);
  return own;
}

interface Near {
  readonly cardId: string;
  readonly score: number;
}

function beliefsOf(
  perspective: LabelPerspective,
  query: Query,
  index: NotebookIndex,
  nearest: readonly Near[],
): ReadonlyMap<string, number> {
  const voters = nearest
    .slice(0, VOTERS)
    .map(({ cardId, score }) => ({ labels: index.labelsOf(perspective, cardId), score }));
  return believe(query.labels[perspective], voters);
}

/** The best scores above 0, best first; what is no number is passed over. */
function first(scores: Float64Array, cardIds: readonly string[], limit: number): readonly Near[] {
  const numbers = new Uint32Array(scores.length);
  let count = 0;
  for (let card = 0; card < scores.length; card++) if ((scores[card] as number) > 0) numbers[count++] = card;
  return best(numbers.subarray(0, count), limit, { scores, cardIds, admitted: undefined });
}
