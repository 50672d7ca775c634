import type { Generation } from '../domain/ports/ledger.js';
import type { VectorColumns, VectorColumnsSource } from '../domain/ports/vectors.js';
import { LABEL_PERSPECTIVES, LANES } from '../domain/search.js';
import { KNN_VOTES } from '../lexical/label-lane.js';
import type { LexicalIndex } from '../lexical/lexical-index.js';
import { Scratch } from '../lexical/scratch-buffer.js';
import { labelPosterior, scoreWithoutLabels } from './label.js';
import { type OnLane, timeHere } from './lane-times.js';
import { type LanePlan, laneIndex } from './lanes.js';
import type { Query } from './query.js';
import { joined, type ScanJoin } from './scan-join.js';
import { TopK } from './top-k.js';

/** With fewer of the cards than this share a scan would miss too many, and the lanes are asked by themselves. */
const LEAST_SHARE = 0.99;

/** What is scanned, and for what. */
export interface ScanRequest {
  readonly index: LexicalIndex;
  readonly generation: Generation;
  readonly lanes: readonly LanePlan[];
  readonly query: Query;
  /** How many cards are wanted. */
  readonly limit: number;
  readonly onLane: OnLane;
}

/** Proposes the cards that score best in all lanes together. */
export interface CardScanner {
  /** Whether nearly all cards can be looked at. */
  covers(index: LexicalIndex, generation: Generation): boolean;
  /** Whether every card that is indexed is looked at, so that no lane by itself can bring another one. */
  coversAll(index: LexicalIndex, generation: Generation): boolean;
  /** The best cards, where nearly all can be looked at: in no particular order, up to a quarter as many again as are wanted. */
  best(request: ScanRequest): readonly string[];
}

/** What a scan reads. */
export interface ScannerParts {
  readonly vectors: VectorColumnsSource;
  /** Whether no other gateway works on this database: what another one indexes is not in the vectors here. */
  readonly alone: boolean;
}

/**
 * Looks at every card of a tenant, in memory: its vectors, its words and its labels, and adds up what the lanes say as fusion does.
 * A lane by itself would have to bring hundreds of cards, as one that is good in all of them need not lead in any. The sums are of
 * 32-bit values: the scores of the proposed are computed anew. `npm run bench -- search` prints the recall.
 */
export class Scanner implements CardScanner {
  readonly #vectors: VectorColumnsSource;
  readonly #alone: boolean;
  readonly #joins = new WeakMap<LexicalIndex, ScanJoin>();
  readonly #sums = new Scratch(Float64Array);
  readonly #fused = new Scratch(Float64Array);
  readonly #greatest = new TopK();

  constructor({ vectors, alone }: ScannerParts) {
    this.#vectors = vectors;
    this.#alone = alone;
  }

  covers(index: LexicalIndex, { tenantId, number }: Generation): boolean {
    const columns = this.#vectors.columns(tenantId, number);
    return columns !== null && columns.size >= LEAST_SHARE * index.size;
  }

  coversAll(index: LexicalIndex, { tenantId, number }: Generation): boolean {
    const columns = this.#vectors.columns(tenantId, number);
    return this.#alone && columns !== null && this.#joinOf(columns, index).both === index.size;
  }

  best({ index, generation, lanes, query, limit, onLane }: ScanRequest): readonly string[] {
    const columns = this.#vectors.columns(generation.tenantId, generation.number);
    if (columns === null) return [];
    const join = this.#joinOf(columns, index);
    const byTexts = this.#byTexts({ columns, join, index }, { lanes, query, onLane });
    const { cardIds } = columns;
    const nearest = this.#greatest.of(byTexts, Math.max(KNN_VOTES, Math.ceil(limit / 4)), cardIds);
    const lanesOfLabels = LABEL_PERSPECTIVES.flatMap((perspective) => {
      const lane = lanes.find((one) => one.kind === 'INFERRED' && one.perspective === perspective);
      if (lane === undefined) return [];
      const voters = nearest.slice(0, KNN_VOTES).map((card) => ({
        labels: index.labelsOf(perspective, cardIds[card] as string),
        score: byTexts[card] as number,
      }));
      const believed = labelPosterior(query.labels[perspective], voters);
      if (believed.size === 0) return [];
      return [{ lane, values: timeHere(onLane, lane, () => index.labelValues(perspective, believed)) }];
    });
    if (lanesOfLabels.length === 0) return idsOf(this.#greatest.of(byTexts, limit, cardIds), cardIds);
    const fused = this.#fused.of(byTexts.length);
    const ofTexts = lanes.reduce((sum, { kind, weight }) => sum + (kind === 'INFERRED' ? 0 : weight), 0);
    for (let card = 0; card < fused.length; card++) fused[card] = ofTexts * (byTexts[card] as number);
    for (const { lane, values } of lanesOfLabels) addLabels(fused, { lane, values, join, byTexts });
    return idsOf(new Set([...this.#greatest.of(fused, limit, cardIds), ...nearest]), cardIds);
  }

  /** By number in the columns: the weighted mean over the lanes of texts that a card has, 0 .. 1; NaN where it has none. */
  #byTexts(
    { columns, join, index }: Joined,
    { lanes, query, onLane }: Pick<ScanRequest, 'lanes' | 'query' | 'onLane'>,
  ): Float64Array {
    const sums = this.#sums.of(join.lanes.length).fill(0);
    const asked = lanes.filter(
      ({ kind, perspective }) =>
        (kind === 'DENSE' && query.vectors[perspective].length > 0) ||
        (kind === 'LEXICAL' && query.features[perspective].length > 0),
    );
    for (const lane of asked) {
      const { kind, perspective, weight } = lane;
      timeHere(onLane, lane, () => {
        if (kind === 'DENSE') {
          columns.addSimilarities(perspective, { vectors: query.vectors[perspective], weight }, sums);
        } else {
          const words = { tokens: query.features[perspective], expanded: query.expanded[perspective], weight };
          index.addScores(perspective, words, join.numbers, sums);
        }
      });
    }
    const shares = sharesOf(asked);
    for (let card = 0; card < sums.length; card++) {
      sums[card] = (sums[card] as number) * (shares[(join.lanes[card] as number) & OF_TEXTS] as number);
    }
    return sums;
  }

  #joinOf(columns: VectorColumns, index: LexicalIndex): ScanJoin {
    const join = joined(columns, index, this.#joins.get(index));
    this.#joins.set(index, join);
    return join;
  }
}

interface Joined {
  readonly columns: VectorColumns;
  readonly join: ScanJoin;
  readonly index: LexicalIndex;
}

/** The bits of the lanes of texts: all but the inferred ones, which come last. */
const OF_TEXTS = (1 << LANES.filter(({ kind }) => kind !== 'INFERRED').length) - 1;

/** By the bits of the lanes that a card has: 1 / the sum of those weights; NaN where none of these lanes is asked. */
function sharesOf(asked: readonly LanePlan[]): Float64Array {
  const totals = new Float64Array(OF_TEXTS + 1);
  for (const lane of asked) {
    const bit = 1 << laneIndex(lane);
    for (let bits = 0; bits <= OF_TEXTS; bits++)
      if ((bits & bit) !== 0) totals[bits] = (totals[bits] as number) + lane.weight;
  }
  return totals.map((total) => (total === 0 ? Number.NaN : 1 / total));
}

/** What one inferred lane adds. */
interface LabelLane {
  readonly lane: LanePlan;
  /** By slot. */
  readonly values: Float64Array;
  readonly join: ScanJoin;
  readonly byTexts: Float64Array;
}

function addLabels(sums: Float64Array, { lane, values, join, byTexts }: LabelLane): void {
  const bit = 1 << laneIndex(lane);
  const { weight } = lane;
  const { slots, lanes } = join;
  for (let card = 0; card < sums.length; card++) {
    const labelled = ((lanes[card] as number) & bit) !== 0;
    const like = labelled ? (values[slots[card] as number] as number) : scoreWithoutLabels(byTexts[card] as number);
    sums[card] = (sums[card] as number) + weight * like;
  }
}

function idsOf(numbers: Iterable<number>, cardIds: readonly string[]): readonly string[] {
  return Array.from(numbers, (card) => cardIds[card] as string);
}
