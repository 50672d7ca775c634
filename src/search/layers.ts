import type { RecallLayer, SearchOperation, SearchRequest } from '../domain/search.js';
import { type LanePlan, lanesOf } from './lanes.js';

/** Questions and solutions are prose. */
const PROSE: readonly RecallLayer[] = ['SEMANTIC', 'KEYWORD', 'EXPANDED'];

/** Topic tags and error types are labels: which ones a card carries says more than how they are worded. */
const LABELS: readonly RecallLayer[] = ['SEMANTIC', 'STRUCTURE', 'KEYWORD', 'EXPANDED'];

/** The layers of each search, in the order in which they are tried. */
const LAYERS: Readonly<Record<SearchOperation, readonly RecallLayer[]>> = {
  similarQuestions: PROSE,
  bySolution: PROSE,
  byConcept: LABELS,
  byError: LABELS,
  hybridSearch: PROSE,
};

/** The layers of a request; one that may not be expanded has no layer for that. */
export function layersOf({ operation, expand }: Pick<SearchRequest, 'operation' | 'expand'>): readonly RecallLayer[] {
  return LAYERS[operation].filter((layer) => expand || layer !== 'EXPANDED');
}

/**
 * After the first, the second and the third layer: the share of the wanted number that is enough to stop. Each layer reaches
 * further than the one before, so that less and less is gained by one more.
 */
const ENOUGH = [0.8, 0.7, 0.6] as const;

/** Whether `admitted` cards are enough after this many layers. */
export function isEnough(layersTried: number, admitted: number, wanted: number): boolean {
  const share = ENOUGH[layersTried - 1];
  return share !== undefined && admitted >= share * wanted;
}

/** The lanes that a layer asks: the vectors; the words; the words and the inferred labels. STRUCTURE compares labels itself. */
export const LAYER_LANES: Readonly<
  Record<Exclude<RecallLayer, 'STRUCTURE'>, (request: SearchRequest) => readonly LanePlan[]>
> = {
  SEMANTIC: (request) => lanesOf({ ...request, lexicalShare: 0, expand: false }),
  KEYWORD: (request) => lanesOf({ ...request, lexicalShare: 1, expand: false }),
  EXPANDED: (request) => lanesOf({ ...request, lexicalShare: 1, expand: true }),
};
