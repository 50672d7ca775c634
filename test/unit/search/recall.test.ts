import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { UnavailableError } from '../../../src/domain/errors.js';
import { type ByPerspective, byPerspective, type Perspective } from '../../../src/domain/perspective.js';
import type { CardFilterStore, MatchingCards } from '../../../src/domain/ports/cards.js';
import type { VectorReader } from '../../../src/domain/ports/collections.js';
import type { Generation } from '../../../src/domain/ports/ledger.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import type { QueryVectors } from '../../../src/search/embed.js';
import type { CardScanner } from '../../../src/search/exact-scan.js';
import { DEEPEST, plan, type SearchPlan } from '../../../src/search/plan.js';
import type { Query } from '../../../src/search/query.js';
import { recall } from '../../../src/search/recall.js';
import { notScanned } from '../../support/engine-world.js';
import { cardOf, requestOf, unit } from '../../support/generators.js';
import { literalWords } from '../../support/memory-ports.js';

const generation: Generation = { tenantId: 'default', number: 3, modelKey: 'm', state: 'live' };
const request = { viewer: DEFAULT_VIEWER, filter: {}, generation };
const weights = { question: 0.6, solution: 0.2, concept: 0.2, error: 0 };
const planned = plan(requestOf({ weights }), null, 4);
const noLabels = { kind: 'inferred', labels: [] } as const;
/** A query by vectors alone. */
function queryOf(vectors: QueryVectors): Query {
  const features = byPerspective(() => []);
  const labels = { concept: noLabels, error: noLabels };
  return { text: 'x', card: null, vectors, features, expanded: features, added: [], labels };
}
const oneEach = queryOf(byPerspective(() => [unit([1, 0])]));
const cards: MatchingCards = new Map(['a', 'b', 'c', 'd'].map((id) => [id, 7]));

/** Lanes that answer with these card ids, or do what the function does. */
function readerOf(
  lanes: Partial<ByPerspective<readonly string[] | (() => Promise<never>)>>,
): Pick<VectorReader, 'nearest'> {
  return {
    nearest: async ({ perspective }) => {
      const lane = lanes[perspective] ?? [];
      if (typeof lane === 'function') return lane();
      return lane.map((cardId) => ({ cardId, similarity: 0.5 }));
    },
  };
}

const scanner = notScanned;
/** What lanes took is looked at in its own test. */
const onLane = (): void => undefined;
/** What the log would be told is not looked at here. */
const log = { warn: () => undefined };

/** The cards by their words and labels; `x` exists no more. */
const index = new LexicalIndex(literalWords);
for (const [id, questionText, topicTags] of [
  ['a', 'area of a circle', ['circles']],
  ['b', 'sign of a root', []],
  ['c', 'sum of angles', ['circles']],
  ['d', 'speed of a train', ['motion']],
  ['x', 'circle', []],
] as const) {
  index.set(cardOf({ id, questionText, topicTags }));
}

/** Lets `cards` through; of them no more than `most` are known by name. */
function filtersOf(most = 100): CardFilterStore {
  return {
    matching: async () =>
      cards.size > most ? { matched: cards.size, all: null } : { matched: cards.size, all: cards },
    admit: async (_viewer, _filter, _generation, ids) => new Map([...cards].filter(([id]) => ids.includes(id))),
  };
}

const away = (): Promise<never> => Promise.reject(new UnavailableError('chroma', 'the vector server does not answer'));
const never = (): Promise<never> => new Promise(() => undefined);
const signal = new AbortController().signal;

/** What is recalled for {@link oneEach} by {@link planned} where the test does not say otherwise, of cards that match. */
function recallBy(
  reader: Pick<VectorReader, 'nearest'>,
  more: { readonly plan?: SearchPlan; readonly query?: Query; readonly filters?: CardFilterStore } = {},
) {
  const parts = { reader, filters: more.filters ?? filtersOf(), index, scanner, onLane, log };
  return recall(parts, request, more.plan ?? planned, more.query ?? oneEach, signal);
}

describe('recall', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('brings the neighbours of all lanes together, each once, and only those that PostgreSQL lets through', async () => {
    const reader = readerOf({ question: ['a', 'b', 'deleted'], solution: ['b', 'c'], error: ['d'] });
    const recalled = await recallBy(reader);
    expect([...recalled.candidates]).toEqual([
      ['a', 7],
      ['b', 7],
      ['c', 7],
    ]);
    expect(recalled.degraded).toEqual([]);
  });

  test('asks Chroma beside a scan only where that may lack a card, and then brings what both found', async () => {
    const planned = plan(requestOf({ weights }), null, 1_000);
    for (const all of [true, false]) {
      const asked: string[] = [];
      const reader: Pick<VectorReader, 'nearest'> = {
        nearest: async ({ perspective }) => {
          asked.push(perspective);
          return [{ cardId: 'b', similarity: 0.5 }];
        },
      };
      const scanning: CardScanner = { covers: () => true, coversAll: () => all, best: () => ['a'] };
      const parts = { reader, filters: filtersOf(), index, scanner: scanning, onLane, log };
      const { candidates, degraded } = await recall(parts, request, planned, oneEach, signal);
      expect([...candidates.keys()]).toEqual(all ? ['a'] : ['a', 'b']);
      expect(asked.length > 0).toBe(!all);
      expect(degraded).toEqual([]);
    }
  });

  test('asks the lanes of the plan once for each query vector, in the live generation, at the planned depth', async () => {
    const asked: { perspective: Perspective; generation: number; tenantId: string; limit: number }[] = [];
    const reader: Pick<VectorReader, 'nearest'> = {
      nearest: async (key, _vector, limit) => {
        asked.push({ ...key, limit });
        return [];
      },
    };
    const query = queryOf({ ...oneEach.vectors, question: [unit([1, 0]), unit([0, 1])], concept: [] });
    await recallBy(reader, { query });
    const expected = ['question', 'question', 'solution'].map((perspective) => ({
      perspective,
      generation: 3,
      tenantId: 'default',
      limit: planned.depth,
    }));
    expect(asked).toEqual(expected);
  });

  test('does not ask any lane where the filter names every card', async () => {
    const exact = plan(requestOf({ weights, filter: { difficultyMin: 1 } }), { matched: 4, all: cards }, 4);
    const reader = readerOf({ question: away, solution: away, concept: away });
    const recalled = await recallBy(reader, { plan: exact });
    expect(recalled).toEqual({ candidates: cards, degraded: [] });
  });

  test('names a lane that fails, and the others answer', async () => {
    const reader = readerOf({ question: ['a'], solution: away, concept: ['c'] });
    const recalled = await recallBy(reader);
    expect([...recalled.candidates.keys()]).toEqual(['a', 'c']);
    expect(recalled.degraded).toEqual([
      { part: 'dense solution', reason: 'chroma is unavailable: the vector server does not answer' },
    ]);
  });

  test('leaves a lane out that does not answer in time, and says so', async () => {
    const reader = readerOf({ question: ['a'], solution: never, concept: ['c'] });
    const recalling = recallBy(reader);
    await vi.advanceTimersByTimeAsync(1_000);
    const recalled = await recalling;
    expect([...recalled.candidates.keys()]).toEqual(['a', 'c']);
    expect(recalled.degraded).toEqual([
      { part: 'dense solution', reason: 'chroma is unavailable: no answer within 1000 ms' },
    ]);
  });

  test('leaves no timer behind', async () => {
    await recallBy(readerOf({ question: ['a'] }));
    expect(vi.getTimerCount()).toBe(0);
  });

  test('scores every card where no lane answers, and says so of each lane', async () => {
    const reader = readerOf({ question: away, solution: away, concept: away });
    const recalled = await recallBy(reader);
    expect(recalled.candidates).toBe(cards);
    expect(recalled.degraded.map(({ part }) => part)).toEqual(['dense question', 'dense solution', 'dense concept']);
    for (const { reason } of recalled.degraded)
      expect(reason).toMatch(/does not answer; all 4 cards were scored instead$/);
  });

  const lanes = plan(requestOf({ weights, lexicalShare: 0.5 }), null, 4);
  const circle = { ...oneEach, features: byPerspective(() => ['circle']) };

  test('adds the cards that share words with the query, asked within the process', async () => {
    const reader = readerOf({ question: ['d'] });
    const recalled = await recallBy(reader, { plan: lanes, query: circle });
    expect([...recalled.candidates.keys()].sort()).toEqual(['a', 'd']);
  });

  test('looks for the words that were added to the query too', async () => {
    const added = { ...circle, expanded: byPerspective(() => ['circle', 'speed']) };
    const reader = readerOf({});
    const recalled = await recallBy(reader, { plan: lanes, query: added });
    expect([...recalled.candidates.keys()].sort()).toEqual(['a', 'd']);
  });

  test('adds the cards that carry an inferred or a known label, though no word or vector finds them', async () => {
    const inferred = { kind: 'inferred', labels: [{ label: 'circles', score: 0.5, cards: 2 }] } as const;
    const known = { kind: 'known', labels: ['motion'] } as const;
    for (const [concept, found] of [
      [inferred, ['a', 'c']],
      [known, ['a', 'd']],
    ] as const) {
      const query = { ...circle, labels: { concept, error: noLabels } };
      const parts = { reader: readerOf({}), filters: filtersOf(), index, scanner, onLane, log };
      const recalled = await recall(parts, request, lanes, query, signal);
      expect([...recalled.candidates.keys()].sort()).toEqual(found);
    }
  });

  test('answers by the words where no dense lane does, however many cards there are, and names the lanes that failed', async () => {
    const reader = readerOf({ question: away, solution: away, concept: away });
    const recalled = await recallBy(reader, { plan: lanes, query: circle, filters: filtersOf(3) });
    expect([...recalled.candidates.keys()]).toEqual(['a']);
    expect(recalled.degraded).toEqual(
      ['question', 'solution', 'concept'].map((perspective) => ({
        part: `dense ${perspective}`,
        reason: 'chroma is unavailable: the vector server does not answer',
      })),
    );
  });

  test('asks no dense lane where the words alone count', async () => {
    const reader = readerOf({ question: away, solution: away, concept: away });
    const words = plan(requestOf({ weights, lexicalShare: 1 }), null, 4);
    const recalled = await recallBy(reader, { plan: words, query: circle });
    expect([...recalled.candidates.keys()]).toEqual(['a']);
    expect(recalled.degraded).toEqual([]);
  });

  test('says that the index is unavailable where no lane answers and there are too many cards to score', async () => {
    const reader = readerOf({ question: away, solution: away, concept: away });
    const recalling = recallBy(reader, { filters: filtersOf(3) });
    await expect(recalling).rejects.toThrow(UnavailableError);
  });

  describe('where a filter lets few through', () => {
    const filtered = { ...request, filter: { difficultyMin: 5 } };
    const matching = requestOf({ weights: { ...weights, solution: 0, concept: 0 }, topK: 1, filter: filtered.filter });
    const names = Array.from({ length: 3_000 }, (_, place) => `n${place}`);
    /** Neighbours in order of their names, as many as are asked for. */
    const nearest: VectorReader['nearest'] = async (_key, _vector, limit) =>
      names.slice(0, limit).map((cardId) => ({ cardId, similarity: 0.5 }));

    /** Lets every `n`th card through; `least` is the first place that may match. Of them no more than `most` are known by name. */
    const everyNth = (n: number, least: number, most: number): CardFilterStore & { readonly asked: number[] } => {
      const all: MatchingCards = new Map(
        names.flatMap((id, place): [string, number][] => (place >= least && place % n === 0 ? [[id, 1]] : [])),
      );
      const asked: number[] = [];
      return {
        asked,
        matching: async () => (all.size > most ? { matched: all.size, all: null } : { matched: all.size, all }),
        admit: async (_viewer, _filter, _generation, ids) => {
          asked.push(ids.length);
          return new Map(ids.flatMap((id): [string, number][] => (all.has(id) ? [[id, 1]] : [])));
        },
      };
    };
    const recalled = async (filters: CardFilterStore, matched: number, reader = { nearest }) => {
      const given = plan(matching, { matched, all: null }, names.length);
      const parts = { reader, filters, index, scanner, onLane, log };
      const { candidates } = await recall(parts, filtered, given, oneEach, signal);
      return { given, ids: [...candidates.keys()] };
    };

    test('asks once where enough of the neighbours match', async () => {
      const filters = everyNth(10, 0, 0);
      const { given, ids } = await recalled(filters, 300);
      expect(filters.asked).toEqual([given.depth]);
      expect(ids.length).toBeGreaterThanOrEqual(given.enough);
    });

    test('asks for more where fewer match than was to be expected, and stops when it has enough', async () => {
      const filters = everyNth(100, 0, 0);
      const { given, ids } = await recalled(filters, 3_000);
      // One of four that are wanted matched: four times as many should do, and half as many again are asked for.
      expect(filters.asked).toEqual([100, 600]);
      expect(ids.length).toBeGreaterThanOrEqual(given.enough);
    });

    test('never asks for more neighbours than the deepest search, and not again where there are no more', async () => {
      const far = everyNth(1, 2_990, 0);
      await recalled(far, 3_000);
      expect(far.asked).toEqual([100, DEEPEST]);
      const few = everyNth(100, 0, 0);
      const nearestOfFew: VectorReader['nearest'] = async (...asked) => (await nearest(...asked)).slice(0, 50);
      await recalled(few, 3_000, { nearest: nearestOfFew });
      expect(few.asked).toEqual([50, 50]);
    });

    test('looks through the matches themselves where none of them is near', async () => {
      const filters = everyNth(1, 2_990, 20);
      const { ids } = await recalled(filters, 3_000);
      expect(ids).toEqual(names.slice(2_990));
    });

    test('answers with what it found where none of many matches is near', async () => {
      const filters = everyNth(1, 995, 20);
      const { ids } = await recalled(filters, 3_000);
      expect(ids.length).toBeGreaterThanOrEqual(4);
      const farther = everyNth(1, 999, 20);
      expect((await recalled(farther, 3_000)).ids).toEqual(['n999']);
    });
  });

  test('ends with the reason of the abort as soon as the request is aborted', async () => {
    const request1 = new AbortController();
    const reader = readerOf({ question: never, solution: never, concept: never });
    const recalling = recall(
      { reader, filters: filtersOf(), index, scanner, onLane, log },
      request,
      planned,
      oneEach,
      request1.signal,
    );
    request1.abort(new Error('the client went away'));
    await expect(recalling).rejects.toThrow('the client went away');
  });
});
