import { UnavailableError } from '../domain/errors.js';
import type { CardStore } from '../domain/ports/cards.js';
import type { LabelPerspective, RecallLayer, SearchOperation, SearchRequest } from '../domain/search.js';
import type { Degradation, LayerTrial, RetrieverName } from '../domain/search-result.js';
import { stepDown, stepOf, type Thresholds } from './cut.js';
import { fuse } from './fuse.js';
import { labelCandidates, posteriorsOf } from './label.js';
import { type LanePlan, lanesOf, weightsOf } from './lanes.js';
import type { SearchPlan } from './plan.js';
import { expandedBy, type Query, withoutExpansion } from './query/query.js';
import {
  type Candidates,
  filterCandidates,
  namesOf,
  type Retrievable,
  type RetrieveParts,
  retrieve,
  scorable,
} from './retrieve.js';
import { type ScoreParts, scoreCards } from './score.js';
import { structureOf, structureScore } from './structure.js';

/** Questions and solutions are prose. */
const PROSE: readonly RecallLayer[] = ['SEMANTIC', 'KEYWORD', 'EXPANDED'];

/** Topic tags and error types are labels: which ones a card has says more than their wording. */
const LABELS: readonly RecallLayer[] = ['SEMANTIC', 'STRUCTURE', 'KEYWORD', 'EXPANDED'];

const SCHEDULES: Readonly<Record<SearchOperation, readonly RecallLayer[]>> = {
  similarQuestions: PROSE,
  bySolution: PROSE,
  byConcept: LABELS,
  byError: LABELS,
  hybridSearch: PROSE,
};

/**
 * After the first, second and third layer: the share of the wanted hits that is enough to stop, since later layers gain
 * less.
 */
const ENOUGH = [0.8, 0.7, 0.6] as const;

/** The lanes of a layer; STRUCTURE compares labels itself. */
export const LAYER_LANES: Readonly<
  Record<Exclude<RecallLayer, 'STRUCTURE'>, (request: SearchRequest) => readonly LanePlan[]>
> = {
  SEMANTIC: (request) => lanesOf({ ...request, lexicalShare: 0, expand: false }),
  KEYWORD: (request) => lanesOf({ ...request, lexicalShare: 1, expand: false }),
  EXPANDED: (request) => lanesOf({ ...request, lexicalShare: 1, expand: true }),
};

/** How many inferred labels the query is expanded by, and their least posterior. */
const NAMED_LABELS = 3;
const MIN_POSTERIOR = 0.09;

export interface LayeredParts extends RetrieveParts, ScoreParts {
  readonly cards: Pick<CardStore, 'byIds'>;
}

export interface LayerMatch {
  readonly layer: RecallLayer;
  readonly threshold: number | null;
}

export interface Layered extends Omit<Candidates, 'voting'> {
  readonly layerOf: ReadonlyMap<string, LayerMatch>;
  readonly trials: readonly LayerTrial[];
  /** Every step that a layer tried, each once, descending. */
  readonly tried: readonly number[];
  /** The words by which the last layer expanded the query. */
  readonly added: readonly string[];
}

/** A layer's candidates, with their similarity in this layer alone: 0 .. 1, NaN without any. */
interface LayerScores extends Candidates {
  /** Best first. */
  readonly order: readonly number[];
  readonly similarities: Float64Array;
  readonly added: readonly string[];
}

/** The layers of a request, in order. */
export function layersOf({ operation, expand }: Pick<SearchRequest, 'operation' | 'expand'>): readonly RecallLayer[] {
  return SCHEDULES[operation].filter((layer) => expand || layer !== 'EXPANDED');
}

/** Whether `admitted` cards are enough after so many layers. */
export function isEnough(layersTried: number, admitted: number, wanted: number): boolean {
  const share = ENOUGH[layersTried - 1];
  return share !== undefined && admitted >= share * wanted;
}

/**
 * Runs the schedule layer by layer until enough cards are admitted: each retrieves and scores in its own lanes, and
 * admits what reaches its steps. A layer that fails is skipped and named; UnavailableError if all of them fail.
 */
export async function retrieveByLayers(
  parts: LayeredParts,
  search: Retrievable,
  layerSteps: Thresholds['layers'],
  signal: AbortSignal,
): Promise<Layered> {
  const { topK, minResults, minScore, thresholdSteps } = search.request;
  const layerOf = new Map<string, LayerMatch>();
  const trials: LayerTrial[] = [];
  const tried = new Set<number>();
  const retrievers = new Set<RetrieverName>();
  const degraded: Degradation[] = [];
  const failures: UnavailableError[] = [];
  let added: readonly string[] = [];
  // A least score bounds every layer, but is no step.
  const isStepped = minScore === null;
  for (const layer of layersOf(search.request)) {
    const started = performance.now();
    const before = layerOf.size;
    const steps = isStepped ? (thresholdSteps ?? layerSteps[layer]) : [minScore];
    let threshold: number | null = null;
    try {
      const scores = await scoreLayer(layer, parts, search, signal);
      const { cardIds, similarities } = scores;
      const fresh = scores.order.filter(
        (row) => !layerOf.has(cardIds[row] as string) && (similarities[row] as number) > 0,
      );
      const wanted = Math.max(1, Math.min(minResults, topK) - before);
      const taken = stepDown(fresh, similarities, { steps, minResults: wanted });
      if (isStepped) {
        for (const step of taken.tried) tried.add(step);
        threshold = taken.tried.at(-1) ?? null;
      }
      for (const row of taken.rows) {
        const cardId = cardIds[row] as string;
        layerOf.set(cardId, {
          layer,
          threshold: isStepped ? stepOf(similarities[row] as number, steps) : null,
        });
      }
      added = scores.added;
      degraded.push(...scores.degraded);
      for (const name of scores.retrievers) retrievers.add(name);
    } catch (thrown) {
      if (!(thrown instanceof UnavailableError)) throw thrown;
      failures.push(thrown);
      degraded.push({ part: `layer ${layer}`, reason: `it was skipped: ${thrown.message}` });
    }
    signal.throwIfAborted();
    trials.push({ layer, admitted: layerOf.size - before, threshold, tookMs: performance.now() - started });
    if (isEnough(trials.length, layerOf.size, topK)) break;
  }
  const last = failures.at(-1);
  if (last !== undefined && failures.length === trials.length) throw last;
  const steps = [...tried].sort((a, b) => b - a);
  return {
    cardIds: [...layerOf.keys()],
    layerOf,
    trials,
    tried: steps,
    added,
    retrievers: namesOf(retrievers),
    degraded,
  };
}

async function scoreLayer(
  layer: RecallLayer,
  parts: LayeredParts,
  search: Retrievable,
  signal: AbortSignal,
): Promise<LayerScores> {
  if (layer === 'STRUCTURE') return scoreStructure(parts, search, signal);
  const { index, plan, request } = search;
  const lanes = LAYER_LANES[layer](request);
  const weights = weightsOf(lanes);
  const query = layer === 'EXPANDED' ? expandedByLabels(search, lanes) : withoutExpansion(search.query);
  const candidates = await candidatesOf(parts, { ...search, query, plan: { ...plan, lanes } }, signal);
  const isAsked = (lane: number): boolean => weights[lane] !== 0;
  const scored = await scoreCards(parts, search, { cardIds: scorable(candidates), query, isAsked }, signal);
  const options = { rule: request, among: candidates };
  const { matrix } = labelCandidates(scored.matrix, weights, query, index, options);
  const { order, similarities } = fuse(matrix, weights, 'WEIGHTED');
  const degraded = [...candidates.degraded, ...scored.degraded];
  return { ...candidates, cardIds: matrix.cardIds, order, similarities, added: query.added, degraded };
}

/** The cards whose labels share terms with the query's, scored by {@link structureScore}. */
async function scoreStructure(parts: LayeredParts, search: Retrievable, signal: AbortSignal): Promise<LayerScores> {
  const { index, viewer, request, query, plan } = search;
  const perspective: LabelPerspective = request.operation === 'byError' ? 'error' : 'concept';
  const structure = structureOf(index, query);
  const terms = { ...query.terms, concept: [...structure.terms.concept], error: [...structure.terms.error] };
  const lanes = (['concept', 'error'] as const).map((one) => ({
    kind: 'LEXICAL' as const,
    perspective: one,
    weight: 1,
  }));
  const retrievers: SearchPlan['retrievers'] = plan.candidates === 'retrieved' ? ['lexical'] : [];
  const byLabels = {
    ...search,
    query: { ...withoutExpansion(query), terms },
    plan: { ...plan, lanes, retrievers, enough: 0, voting: 'candidates' as const },
  };
  const hasLabels = terms.concept.length + terms.error.length > 0;
  const candidates = hasLabels
    ? await candidatesOf(parts, byLabels, signal)
    : { cardIds: [], voting: null, retrievers: [], degraded: [] };
  const { cardIds } = candidates;
  const found = await parts.cards.byIds(viewer, cardIds, signal);
  const similarities = Float64Array.from(cardIds, (cardId) => {
    const card = found.get(cardId);
    return card === undefined ? Number.NaN : structureScore(structure, perspective, card);
  });
  const order = cardIds
    .map((_, row) => row)
    .filter((row) => !Number.isNaN(similarities[row] as number))
    .sort((a, b) => (similarities[b] as number) - (similarities[a] as number));
  return { ...candidates, order, similarities, added: [] };
}

async function candidatesOf(parts: LayeredParts, search: Retrievable, signal: AbortSignal): Promise<Candidates> {
  return filterCandidates(parts, search, await retrieve(parts, search, signal), signal);
}

/** The query expanded by its synonyms and by the names of its most likely labels, of the kinds that are asked for. */
function expandedByLabels({ index, query, request }: Retrievable, lanes: readonly LanePlan[]): Query {
  const labels = lanes.flatMap(({ kind, perspective }) => {
    if (kind !== 'INFERRED') return [];
    const asked = query.labels[perspective];
    return [...posteriorsOf(perspective, { index, query, rule: request }, [])]
      .filter(([, posterior]) => asked.kind === 'known' || posterior >= MIN_POSTERIOR)
      .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
      .slice(0, NAMED_LABELS)
      .map(([label]) => label);
  });
  return expandedBy(index, query, labels);
}
