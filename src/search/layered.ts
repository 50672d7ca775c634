import { UnavailableError } from '../domain/errors.js';
import type { CardStore, MatchingCards } from '../domain/ports/cards.js';
import type { Degradation, LabelPerspective, LayerTrial, RecallLayer, SearchRequest } from '../domain/search.js';
import type { LexicalIndex } from '../lexical/lexical-index.js';
import { fuse } from './fuse.js';
import { infer, labelPosterior } from './label.js';
import { type LanePlan, weightsOf } from './lanes.js';
import { isEnough, LAYER_LANES, layersOf } from './layers.js';
import type { SearchPlan } from './plan.js';
import { type Query, withoutAddedWords, withWords } from './query.js';
import { type RecallParts, type RecallRequest, recall } from './recall.js';
import { type ExactParts, scoreExactly } from './score-candidates.js';
import { stepDown, stepOf } from './step-down.js';
import { type StructureQuery, structureScore } from './structure.js';
import type { Thresholds } from './thresholds.js';

/** What layers ask. */
export interface LayeredParts extends RecallParts, ExactParts {
  readonly cards: Pick<CardStore, 'byIds'>;
}

/** A layered search before its first layer. */
export interface LayeredSearch extends RecallRequest {
  readonly request: SearchRequest;
  readonly plan: SearchPlan;
  readonly query: Query;
  /** The steps of each layer, descending, 0 .. 1, where the request has none and no least score. */
  readonly layerSteps: Thresholds['layers'];
}

/** Which layer admitted a card, by which step. */
export interface LayerMatch {
  readonly layer: RecallLayer;
  readonly threshold: number | null;
}

/** What the layers came to. */
export interface Layered {
  readonly candidates: MatchingCards;
  readonly admittedBy: ReadonlyMap<string, LayerMatch>;
  readonly trials: readonly LayerTrial[];
  /** Every step that a layer tried, each once, descending. */
  readonly tried: readonly number[];
  /** The words that the last layer added to the query; none where it was not needed. */
  readonly added: readonly string[];
  readonly degraded: readonly Degradation[];
}

/** What one layer says: each card's similarity by this layer alone, 0 .. 1, and NaN where it has none. */
interface LayerScores {
  readonly candidates: MatchingCards;
  readonly cardIds: readonly string[];
  /** Best first. */
  readonly order: readonly number[];
  readonly similarities: Float64Array;
  readonly added: readonly string[];
  readonly degraded: readonly Degradation[];
}

/** How many of the inferred labels are asked for by name, and how far each must be believed beside the most likely one. */
const NAMED_LABELS = 3;
const MIN_POSTERIOR = 0.5;

/**
 * Tries layer after layer until enough cards are admitted. Each layer compares in its own lanes alone, and admits what reaches
 * its steps. A layer that fails is skipped and named; UnavailableError where all of them fail.
 */
export async function recallByLayers(
  parts: LayeredParts,
  search: LayeredSearch,
  signal: AbortSignal,
): Promise<Layered> {
  const { topK, minResults, minScore } = search.request;
  const candidates = new Map<string, number>();
  const admittedBy = new Map<string, LayerMatch>();
  const trials: LayerTrial[] = [];
  const tried = new Set<number>();
  const degraded: Degradation[] = [];
  let added: readonly string[] = [];
  let failure: UnavailableError | undefined;
  // A least score bounds every layer, but it is no step.
  const stepped = minScore === null;
  for (const layer of layersOf(search.request)) {
    const started = performance.now();
    const before = admittedBy.size;
    const steps = stepped ? (search.request.thresholdSteps ?? search.layerSteps[layer]) : [minScore];
    let threshold: number | null = null;
    try {
      const scores = await scoresOf(layer, parts, search, signal);
      const fresh = scores.order.filter(
        (row) => !admittedBy.has(scores.cardIds[row] as string) && (scores.similarities[row] as number) > 0,
      );
      const wanted = Math.max(1, Math.min(minResults, topK) - before);
      const taken = stepDown(fresh, scores.similarities, { steps, minResults: wanted });
      if (stepped) {
        for (const step of taken.tried) tried.add(step);
        threshold = taken.tried.at(-1) ?? null;
      }
      for (const row of taken.rows) {
        const cardId = scores.cardIds[row] as string;
        candidates.set(cardId, scores.candidates.get(cardId) as number);
        const step = stepped ? stepOf(scores.similarities[row] as number, steps) : null;
        admittedBy.set(cardId, { layer, threshold: step });
      }
      added = scores.added;
      degraded.push(...scores.degraded);
    } catch (thrown) {
      if (!(thrown instanceof UnavailableError)) throw thrown;
      failure = thrown;
      degraded.push({ part: `layer ${layer}`, reason: `it was skipped: ${thrown.message}` });
    }
    signal.throwIfAborted();
    trials.push({ layer, admitted: admittedBy.size - before, threshold, tookMs: performance.now() - started });
    if (isEnough(trials.length, admittedBy.size, topK)) break;
  }
  if (failure !== undefined && degraded.filter(({ part }) => part.startsWith('layer ')).length === trials.length)
    throw failure;
  const steps = [...tried].sort((a, b) => b - a);
  return { candidates, admittedBy, trials, tried: steps, added, degraded };
}

async function scoresOf(
  layer: RecallLayer,
  parts: LayeredParts,
  search: LayeredSearch,
  signal: AbortSignal,
): Promise<LayerScores> {
  if (layer === 'STRUCTURE') return byStructure(parts, search, signal);
  const { generation, plan } = search;
  const lanes = LAYER_LANES[layer](search.request);
  const weights = weightsOf(lanes);
  const query = layer === 'EXPANDED' ? expanded(parts.index, search.query, lanes) : withoutAddedWords(search.query);
  const recalled = await recall(parts, search, { ...plan, lanes }, query, signal);
  const { candidates } = recalled;
  const asked = (lane: number): boolean => weights[lane] !== 0;
  const exact = await scoreExactly(parts, { generation, candidates, query, asked }, signal);
  const { table } = infer(exact.table, weights, query, parts.index);
  const { order, similarities } = fuse(table, weights, 'WEIGHTED');
  const degraded = [...recalled.degraded, ...exact.degraded];
  return { candidates, cardIds: table.cardIds, order, similarities, added: query.added, degraded };
}

/** The query with its synonyms and with the names of the labels that it is most likely about, of the kinds that are asked for. */
function expanded(index: LexicalIndex, query: Query, lanes: readonly LanePlan[]): Query {
  const labels = lanes.flatMap(({ kind, perspective }) => {
    if (kind !== 'INFERRED') return [];
    return [...labelPosterior(query.labels[perspective], [])]
      .filter(([, belief]) => belief >= MIN_POSTERIOR)
      .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
      .slice(0, NAMED_LABELS)
      .map(([label]) => label);
  });
  return withWords(index, query, labels);
}

async function byStructure(
  { index, filters, cards }: LayeredParts,
  { request, viewer, filter, generation, plan, query }: LayeredSearch,
  signal: AbortSignal,
): Promise<LayerScores> {
  const perspective: LabelPerspective = request.operation === 'byError' ? 'error' : 'concept';
  const structure = structureOf(index, query);
  const proposed = (['concept', 'error'] as const).flatMap((one) =>
    index.search(one, [...structure.features[one]], plan.depth).map(({ cardId }) => cardId),
  );
  const candidates =
    plan.admitted ?? (await filters.admit(viewer, filter, generation.number, [...new Set(proposed)], signal));
  const cardIds = [...candidates.keys()];
  const found = await cards.byIds(viewer, cardIds, signal);
  const similarities = Float64Array.from(cardIds, (cardId) => {
    const card = found.get(cardId);
    return card === undefined ? Number.NaN : structureScore(structure, perspective, card);
  });
  const order = cardIds
    .map((_, row) => row)
    .filter((row) => !Number.isNaN(similarities[row] as number))
    .sort((a, b) => (similarities[b] as number) - (similarities[a] as number));
  return { candidates, cardIds, order, similarities, added: [], degraded: [] };
}

/**
 * A text is compared with labels word by word; a card by the labels that it has. A label is read once, however many cards carry
 * it: it takes some 20 µs, and a notebook of 10,000 cards would keep the thread for 0.7 s.
 */
function structureOf(index: LexicalIndex, { card, features }: Query): StructureQuery {
  const read = new Map<string, readonly string[]>();
  const wordsOf = (labels: readonly string[]): ReadonlySet<string> => new Set(index.termsOf(labels));
  return {
    features: {
      concept: card === null ? new Set(features.concept) : wordsOf(card.topicTags),
      error: card === null ? new Set(features.error) : wordsOf(card.errorTypes),
    },
    place: card,
    termsOf: (label) => {
      const known = read.get(label) ?? index.termsOf([label]);
      read.set(label, known);
      return known;
    },
  };
}
