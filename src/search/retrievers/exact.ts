import type { Perspective } from '../../domain/perspective.js';
import type { Generation } from '../../domain/ports/ledger.js';
import type {
  DenseLane,
  DensePassages,
  LexicalLane,
  PassScores,
  Scorer,
  ScoringPass,
  ScoringTask,
} from '../../domain/ports/scoring.js';
import type { VectorColumns, VectorColumnsSource } from '../../domain/ports/vectors.js';
import { LABEL_PERSPECTIVES, LANES } from '../../domain/search.js';
import { Scratch } from '../../lexical/arrays.js';
import { NEAREST_CARDS, scoreWithoutLabels } from '../../lexical/label-posterior.js';
import type { LexicalIndex } from '../../lexical/lexical-index.js';
import { topK } from '../../lexical/top-k.js';
import { labelValuesOf } from '../label.js';
import { type LanePlan, laneIndex } from '../lanes.js';
import type { Query } from '../query/query.js';
import { comparesAttempts } from '../score.js';
import { type OnLane, timeLane } from '../timing.js';
import { type CardJoin, joinCards, knownTo, numbersOf } from './card-join.js';
import { fuseLanes } from './fuse-lanes.js';
import type { Retrieval, Retrieved, Retriever } from './retriever.js';

/** With a smaller share of the cards in columns too many would be missed, and the other retrievers are asked. */
const MIN_COVERED = 0.99;

/** The nearest that 16-bit values tell may differ at the end of the list from those that vote by exact scores. */
const SPARE_VOTES = 10;

/**
 * A pass in a scoring thread is repeated if cards changed while it ran. After so many attempts it runs on the event
 * loop, where no card can change meanwhile.
 */
const ATTEMPTS = 2;

/** Which cards of a tenant exact retrieval can reach: see {@link ExactRetriever}. */
export interface ExactCoverage {
  /** Cards of a tenant up to which every one may be scored if no filter asks for it; 0: never. */
  readonly limit: number;
  /** Whether nearly all cards have columns. */
  covers(index: LexicalIndex, generation: Generation): boolean;
  /** Whether every indexed card has, so that Chroma could not add one. */
  coversAll(index: LexicalIndex, generation: Generation): boolean;
}

export interface ExactRetrieverParts {
  readonly vectors: VectorColumnsSource;
  /** Whether this is the only gateway on the database: cards that another one indexes have no columns here. */
  readonly alone: boolean;
  /** SEARCH_EXACT_LIMIT: see {@link ExactCoverage.limit}. */
  readonly exactLimit: number;
  readonly scorer: Scorer;
  readonly onLane: OnLane;
}

/**
 * Exact kNN and BM25 over all cards of a tenant, in memory. Retrieves the cards with the best scores of all lanes
 * together: a single lane would have to bring hundreds, since a card that is good in all of them need not lead in any.
 * It works on the vector columns, which hold 16-bit values; candidates are scored from their stored vectors afterwards.
 * A filter is applied to the fused scores, so that the matches with the best scores are found however few they are.
 *
 * The index may be that of an owner: others' cards are compared by their vectors, but never retrieved, and do not vote.
 */
export class ExactRetriever implements Retriever, ExactCoverage {
  readonly #joins = new WeakMap<LexicalIndex, CardJoin>();
  readonly #fused = new Scratch(Float64Array);

  constructor(private readonly parts: ExactRetrieverParts) {}

  get limit(): number {
    return this.parts.exactLimit;
  }

  covers(index: LexicalIndex, generation: Generation): boolean {
    const columns = this.#columnsOf(generation, index);
    return columns !== null && columns.size >= MIN_COVERED * index.size;
  }

  coversAll(index: LexicalIndex, generation: Generation): boolean {
    const columns = this.#columnsOf(generation, index);
    return this.parts.alone && columns !== null && this.#joinOf(columns, index).both === index.size;
  }

  async retrieve(retrieval: Retrieval, signal: AbortSignal): Promise<Retrieved> {
    const { scorer } = this.parts;
    for (let attempt = 1; ; attempt++) {
      const columns = this.#columnsOf(retrieval.generation, retrieval.index);
      if (columns === null) return { ids: [], voting: [], degraded: [], answered: false };
      const task: ScoringTask<ExactPass, Retrieved | null> = {
        cards: columns.size,
        make: () => this.#passOf(columns, retrieval),
        // A thread may have read a card that was half changed: its scores are dropped.
        read: (scores, pass) => (isCurrent(pass, retrieval) ? this.#best(pass, scores, retrieval) : null),
      };
      const best = attempt <= ATTEMPTS ? await scorer.run(task, signal) : scorer.runHere(task);
      if (best !== null) return best;
    }
  }

  /** The lanes of texts. */
  #passOf(columns: VectorColumns, { index, lanes, query }: Retrieval): ExactPass {
    const join = this.#joinOf(columns, index);
    const asked = lanes.filter(
      ({ kind, perspective }) =>
        (kind === 'DENSE' && query.vectors[perspective].length > 0) ||
        (kind === 'LEXICAL' && query.terms[perspective].length > 0),
    );
    const denseLane = denseLanes(columns, query);
    const lexicalLane = ({ perspective, weight }: LanePlan): LexicalLane =>
      index.texts.lane(
        perspective,
        { terms: query.terms[perspective], expanded: query.expanded[perspective], weight },
        query.combined === perspective,
      );
    return {
      join,
      asked,
      lanes: asked.map((lane) => (lane.kind === 'DENSE' ? denseLane(lane) : lexicalLane(lane))),
      cards: columns.cardIds.length,
      numbers: join.numbers,
      laneBits: join.lanes,
      shares: sharesOf(asked, query),
    };
  }

  /**
   * Of the matches up to `depth` and the nearest by texts, in no particular order; those that vote are the nearest of
   * all.
   */
  #best(
    { join, asked }: ExactPass,
    { byCard: byTexts, tookMs }: PassScores,
    { index, lanes, query, rule, depth, voteDepth, matches }: Retrieval,
  ): Retrieved {
    const { onLane } = this.parts;
    asked.forEach((lane, place) => {
      onLane(lane, tookMs[place] as number, true);
    });
    const { columns } = join;
    const { cardIds } = columns;
    const known = knownTo(join);
    const nearest = topK(byTexts, Math.max(NEAREST_CARDS + SPARE_VOTES, Math.ceil(voteDepth / 4)), cardIds, known);
    const labelLanes = LABEL_PERSPECTIVES.flatMap((perspective) => {
      const lane = lanes.find((one) => one.kind === 'INFERRED' && one.perspective === perspective);
      if (lane === undefined) return [];
      const voting = nearest.slice(0, NEAREST_CARDS).map((card) => ({
        labels: index.profiles[perspective].labelsOf(cardIds[card] as string),
        score: byTexts[card] as number,
      }));
      const values = labelValuesOf(perspective, { index, query, rule }, voting);
      if (values.posteriors.size === 0) return [];
      const { sets, setOf } = join.labels[perspective];
      const scores = timeLane(onLane, lane, () => index.profiles[perspective].scoresBySet(values, sets));
      const unlabelledScore = scoreWithoutLabels(voting, values);
      return [{ weight: lane.weight, setOf, scores, unlabelledScore }];
    });
    const textWeight = lanes.reduce((sum, { kind, weight }) => sum + (kind === 'INFERRED' ? 0 : weight), 0);
    const fused = this.#fused.any(byTexts.length);
    fuseLanes(fused, { byTexts, textWeight, labelLanes });
    const docs = matches?.docs;
    const among = docs === undefined ? known : numbersOf(docs.docs(), join);
    const best = new Set(topK(fused, depth, cardIds, among));
    for (const card of nearest) if (docs?.has(join.docs[card] as number) ?? true) best.add(card);
    // A small collection is answered in full.
    const all = among ?? fused;
    for (let at = 0; best.size < depth && at < all.length; at++) {
      const card = among?.[at] ?? at;
      if (fused[card] === 0) best.add(card);
    }
    const idsOf = (cards: Iterable<number>): string[] => Array.from(cards, (card) => cardIds[card] as string);
    return { ids: idsOf(best), voting: idsOf(nearest), degraded: [], answered: true };
  }

  /** Null while they are not loaded; then the join is forgotten too, which holds the columns of before. */
  #columnsOf({ tenantId, number }: Generation, index: LexicalIndex): VectorColumns | null {
    const columns = this.parts.vectors.columns(tenantId, number);
    if (columns === null) this.#joins.delete(index);
    return columns;
  }

  #joinOf(columns: VectorColumns, index: LexicalIndex): CardJoin {
    const join = joinCards(columns, index, this.#joins.get(index));
    this.#joins.set(index, join);
    return join;
  }
}

interface ExactPass extends ScoringPass {
  readonly join: CardJoin;
  /** What its lanes are of. */
  readonly asked: readonly LanePlan[];
}

/** Makes the dense lanes of a query, of which some compare the same passages. */
function denseLanes(columns: VectorColumns, query: Query): (lane: LanePlan) => DenseLane {
  const known = new Map<Perspective, DensePassages>();
  const of = (perspective: Perspective): DensePassages => {
    const passages = known.get(perspective) ?? columns.passages(perspective, query.vectors[perspective]);
    known.set(perspective, passages);
    return passages;
  };
  return ({ perspective, weight }) => {
    const orMeanOf = comparesAttempts(perspective, query) ? ([of('question'), of('solution')] as const) : null;
    return { kind: 'DENSE', weight, passages: of(perspective), orMeanOf };
  };
}

function isCurrent({ join }: ExactPass, { index }: Retrieval): boolean {
  return join.columns.changes === join.columnChanges && index.changes === join.indexChanges;
}

/** The bits of the lanes of texts: the label lanes are the last of LANES. */
const TEXT_LANES = (1 << LANES.filter(({ kind }) => kind !== 'INFERRED').length) - 1;

/** By the bits of a card's lanes: 1 / the sum of the weights of those that are asked; NaN without any. */
function sharesOf(asked: readonly LanePlan[], { combined }: Pick<Query, 'combined'>): Float64Array {
  const totals = new Float64Array(TEXT_LANES + 1);
  for (const lane of asked) {
    const bit = 1 << laneIndex(lane);
    // In that lane a card without topics is compared by its other texts.
    const all = combined === 'concept' && lane.kind === 'LEXICAL' && lane.perspective === combined;
    for (let bits = 0; bits <= TEXT_LANES; bits++)
      if (all || (bits & bit) !== 0) totals[bits] = (totals[bits] as number) + lane.weight;
  }
  return totals.map((total) => (total === 0 ? Number.NaN : 1 / total));
}
