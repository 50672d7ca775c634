import { UnavailableError } from '../../../src/domain/errors.js';
import { type ByPerspective, byPerspective } from '../../../src/domain/perspective.js';
import type { VectorStore } from '../../../src/domain/ports/collections.js';
import type { Generation } from '../../../src/domain/ports/ledger.js';
import type { CardFilter } from '../../../src/domain/search.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { ThisThread } from '../../../src/scoring/score-pass.js';
import { plan, type SearchPlan } from '../../../src/search/plan.js';
import type { Query, QueryVectors } from '../../../src/search/query/query.js';
import {
  type Candidates,
  createRetrievers,
  filterCandidates,
  type Retrievers,
  retrieve,
} from '../../../src/search/retrieve.js';
import { FilterBitmap } from '../../../src/search/scope.js';
import { cardOf, requestOf, unit } from '../../support/generators.js';
import { literalEmbedder, literalWords } from '../../support/memory-ports.js';
import { vocabularyOf } from '../../support/vocabulary.js';

export const vocabulary = vocabularyOf();

export const generation: Generation = { tenantId: 'default', number: 3, modelKey: 'm', state: 'live' };
export const uncovered = (cards: number) => ({ cards, covered: false, coveredAll: false, limit: 0, scoresAll: false });
export const weights = { question: 0.6, solution: 0.2, concept: 0.2, error: 0 };
export const planned = plan(requestOf({ weights }), null, uncovered(4));
export const noLabels = { kind: 'inferred', labels: [], mentioned: false } as const;
/** A query by vectors alone. */
export function queryOf(vectors: QueryVectors): Query {
  const terms = byPerspective(() => []);
  const labels = { concept: noLabels, error: noLabels };
  return { text: 'x', card: null, combined: null, vectors, terms, expanded: terms, added: [], labels };
}
export const oneEach = queryOf(byPerspective(() => [unit([1, 0])]));

/** Lanes that answer with these card ids, or do what the function does. */
export function readerOf(
  lanes: Partial<ByPerspective<readonly string[] | (() => Promise<never>)>>,
): Pick<VectorStore, 'nearest'> {
  return {
    nearest: async ({ perspective }) => {
      const lane = lanes[perspective] ?? [];
      if (typeof lane === 'function') return lane();
      return [lane.map((cardId) => ({ cardId, similarity: 0.5 }))];
    },
  };
}

/** The cards by their words and labels. */
const notebook = new LexicalIndex(literalWords);
for (const [id, questionText, topicTags] of [
  ['a', 'area of a circle', ['circles']],
  ['b', 'sign of a root', []],
  ['c', 'sum of angles', ['circles']],
  ['d', 'speed of a train', ['motion']],
] as const) {
  notebook.set(cardOf({ id, questionText, topicTags }));
}

export const away = (): Promise<never> =>
  Promise.reject(new UnavailableError('chroma', 'the vector server does not answer'));
export const silent = (): Promise<never> => new Promise(() => undefined);
export const never = new AbortController().signal;

export function retrieversOf(reader: Pick<VectorStore, 'nearest'>): Retrievers {
  const none = { onLane: () => undefined, log: { warn: () => undefined } };
  return createRetrievers({
    vectorStore: reader,
    vectors: { columns: () => null },
    scorer: new ThisThread(),
    alone: true,
    exactLimit: Number.POSITIVE_INFINITY,
    ...none,
  });
}

/** Cards n0, n1, ..., each of the difficulty that its place has. */
export function indexOf(cards: number, difficultyAt: (place: number) => number): LexicalIndex {
  const index = new LexicalIndex(() => ['word']);
  for (let place = 0; place < cards; place++) index.set(cardOf({ id: `n${place}`, difficulty: difficultyAt(place) }));
  return index;
}

interface Given {
  readonly plan?: SearchPlan;
  readonly query?: Query;
  readonly filter?: CardFilter;
  readonly index?: LexicalIndex;
  readonly retrievers?: Retrievers;
  readonly signal?: AbortSignal;
  readonly generation?: Generation;
}

/** The candidates of {@link oneEach} by {@link planned}, unless the test says otherwise. */
export async function candidatesBy(reader: Pick<VectorStore, 'nearest'>, given: Given = {}): Promise<Candidates> {
  const { retrievers = retrieversOf(reader), filter = {}, index = notebook, signal = never } = given;
  const parts = { retrievers, ledger: { cards: async () => new Map() } };
  const matches = new FilterBitmap(index, filter, vocabulary);
  const scope = { viewer: DEFAULT_VIEWER, request: requestOf(), card: null, filter, matches, index, vocabulary };
  const search = {
    ...scope,
    degraded: [],
    generation: given.generation ?? generation,
    embedder: literalEmbedder,
    plan: given.plan ?? planned,
    query: given.query ?? oneEach,
  };
  return filterCandidates(parts, search, await retrieve(parts, search, signal), signal);
}
