import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { UnavailableError } from '../../../src/domain/errors.js';
import { byPerspective, type Perspective } from '../../../src/domain/perspective.js';
import type { VectorStore } from '../../../src/domain/ports/collections.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { plan } from '../../../src/search/plan.js';
import { filterCandidates, retrieve } from '../../../src/search/retrieve.js';
import { FilterBitmap } from '../../../src/search/scope.js';
import { cardOf, requestOf, unit } from '../../support/generators.js';
import { literalEmbedder, literalWords } from '../../support/memory-ports.js';
import {
  away,
  candidatesBy,
  generation,
  indexOf,
  never,
  noLabels,
  oneEach,
  planned,
  queryOf,
  readerOf,
  retrieversOf,
  silent,
  uncovered,
  vocabulary,
  weights,
} from './retrieve-world.js';

describe('retrieval', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('brings the neighbours of all lanes together, each once, and only those that exist', async () => {
    const reader = readerOf({ question: ['a', 'b', 'deleted'], solution: ['b', 'c'], error: ['d'] });
    const candidates = await candidatesBy(reader);
    expect(candidates.cardIds).toEqual(['a', 'b', 'c']);
    expect(candidates.degraded).toEqual([]);
  });

  test('asks Chroma beside exact retrieval where that may lack a card, and then brings what both found', async () => {
    const reader = readerOf({ question: ['b'] });
    const retrieved = { ids: ['a'], voting: ['a'], degraded: [], answered: true };
    const exact = {
      limit: Number.POSITIVE_INFINITY,
      covers: () => true,
      coversAll: () => false,
      retrieve: async () => retrieved,
    };
    const retrievers = { ...retrieversOf(reader), exact };
    for (const coveredAll of [true, false]) {
      const planned = plan(requestOf({ weights }), null, { ...uncovered(1_000), covered: true, coveredAll });
      const candidates = await candidatesBy(reader, { plan: planned, retrievers });
      expect([...candidates.cardIds].sort()).toEqual(coveredAll ? ['a'] : ['a', 'b']);
      expect(candidates.retrievers).toEqual(coveredAll ? ['exact'] : ['chroma', 'exact']);
      expect(candidates.degraded).toEqual([]);
    }
  });

  test('asks Chroma and the lexical index if the columns were dropped after the search was planned', async () => {
    const reader = readerOf({ question: ['b'] });
    const gone = { ids: [], voting: [], degraded: [], answered: false };
    const exact = { limit: 0, covers: () => true, coversAll: () => true, retrieve: async () => gone };
    const all = { ...uncovered(1_000), covered: true, coveredAll: true };
    const candidates = await candidatesBy(reader, {
      plan: plan(requestOf({ weights }), null, all),
      retrievers: { ...retrieversOf(reader), exact },
    });
    expect(candidates.cardIds).toEqual(['b']);
    expect(candidates.retrievers).toContain('chroma');
  });

  test('asks the lexical index too if only Chroma answers, since the columns that were planned with it are gone', async () => {
    const gone = { ids: [], voting: [], degraded: [], answered: false };
    const exact = { limit: 0, covers: () => true, coversAll: () => false, retrieve: async () => gone };
    const nearly = { ...uncovered(1_000), covered: true };
    const candidates = await candidatesBy(readerOf({ question: ['b'] }), {
      plan: plan(requestOf({ weights, lexicalShare: 0.5 }), null, nearly),
      query: { ...oneEach, terms: byPerspective(() => ['circle']) },
      retrievers: { ...retrieversOf(readerOf({ question: ['b'] })), exact },
    });
    expect([...candidates.cardIds].sort()).toEqual(['a', 'b']);
  });

  test('names the server that has the vectors of the tenant', async () => {
    const reader = readerOf({ question: ['a'] });
    const small = { ...generation, inChroma: false };
    expect((await candidatesBy(reader)).retrievers).toEqual(['chroma']);
    expect((await candidatesBy(reader, { generation: small })).retrievers).toEqual(['postgres']);
  });

  test('asks the lanes of the plan once for each query vector, in the live generation, at the planned depth', async () => {
    const asked: { perspective: Perspective; generation: number; tenantId: string; limit: number }[] = [];
    const reader: Pick<VectorStore, 'nearest'> = {
      nearest: async (key, _vectors, limit) => {
        asked.push({ ...key, limit });
        return [];
      },
    };
    const query = queryOf({ ...oneEach.vectors, question: [unit([1, 0]), unit([0, 1])], concept: [] });
    await candidatesBy(reader, { query });
    const expected = ['question', 'question', 'solution'].map((perspective) => ({
      perspective,
      generation: 3,
      tenantId: 'default',
      limit: planned.depth,
    }));
    expect(asked).toEqual(expected);
  });

  test('does not ask any lane where every match is scored', async () => {
    const filter = { excludeCardIds: ['b'] };
    const all = { ...uncovered(4), limit: 4 };
    const reader = readerOf({ question: away, solution: away, concept: away });
    const candidates = await candidatesBy(reader, { plan: plan(requestOf({ weights, filter }), 3, all), filter });
    expect(candidates).toEqual({ cardIds: ['a', 'c', 'd'], voting: null, retrievers: ['exact'], degraded: [] });
  });

  test('lets those vote that a search without the filter would have found, though they do not match', async () => {
    const filter = { excludeCardIds: ['a'] };
    const reader = readerOf({ question: ['a', 'b'] });
    const candidates = await candidatesBy(reader, { filter });
    expect(candidates.cardIds).toEqual(['b']);
    expect([...(candidates.voting ?? [])]).toEqual(['a', 'b']);
  });

  test('indexes a card that Chroma has and that another gateway indexed just now', async () => {
    const index = new LexicalIndex(literalWords);
    const cards = async (_tenantId: string, ids: readonly string[]) => new Map(ids.map((id) => [id, cardOf({ id })]));
    const parts = { retrievers: retrieversOf(readerOf({ question: ['new'] })), ledger: { cards } };
    const matches = new FilterBitmap(index, {}, vocabulary);
    const scope = { viewer: DEFAULT_VIEWER, request: requestOf(), filter: {}, matches, index, vocabulary, generation };
    const search = { ...scope, card: null, embedder: literalEmbedder, degraded: [], plan: planned, query: oneEach };
    const { cardIds } = await filterCandidates(parts, search, await retrieve(parts, search, never), never);
    expect(cardIds).toEqual(['new']);
    expect(index.cards.revisionOf('new')).toBe(1);
  });

  test('a card that is deleted while it is read from PostgreSQL does not come back', async () => {
    const index = new LexicalIndex(literalWords);
    const cards = async (_tenantId: string, ids: readonly string[]) => {
      const read = new Map(ids.map((id) => [id, cardOf({ id })]));
      index.delete('gone');
      return read;
    };
    const parts = { retrievers: retrieversOf(readerOf({ question: ['gone', 'new'] })), ledger: { cards } };
    const matches = new FilterBitmap(index, {}, vocabulary);
    const scope = { viewer: DEFAULT_VIEWER, request: requestOf(), filter: {}, matches, index, vocabulary, generation };
    const search = { ...scope, card: null, embedder: literalEmbedder, degraded: [], plan: planned, query: oneEach };
    await retrieve(parts, search, never);
    expect(index.cards.ids()).toEqual(['new']);
  });

  test('names a lane that fails, and the others answer', async () => {
    const reader = readerOf({ question: ['a'], solution: away, concept: ['c'] });
    const candidates = await candidatesBy(reader);
    expect([...candidates.cardIds]).toEqual(['a', 'c']);
    expect(candidates.degraded).toEqual([
      { part: 'dense solution', reason: 'chroma is unavailable: the vector server does not answer' },
    ]);
  });

  test('leaves a lane out that does not answer in time, and says so', async () => {
    const reader = readerOf({ question: ['a'], solution: silent, concept: ['c'] });
    const answer = candidatesBy(reader);
    await vi.advanceTimersByTimeAsync(1_000);
    const candidates = await answer;
    expect([...candidates.cardIds]).toEqual(['a', 'c']);
    expect(candidates.degraded).toEqual([
      { part: 'dense solution', reason: 'chroma is unavailable: no answer within 1000 ms' },
    ]);
  });

  test('leaves no timer behind', async () => {
    await candidatesBy(readerOf({ question: ['a'] }));
    expect(vi.getTimerCount()).toBe(0);
  });

  test('scores every card where no lane answers, and says so of each lane', async () => {
    const reader = readerOf({ question: away, solution: away, concept: away });
    const candidates = await candidatesBy(reader);
    expect(candidates.cardIds).toEqual(['a', 'b', 'c', 'd']);
    expect(candidates.degraded.map(({ part }) => part)).toEqual(['dense question', 'dense solution', 'dense concept']);
    for (const { reason } of candidates.degraded)
      expect(reason).toMatch(/does not answer; all 4 cards were scored instead$/);
  });

  const lanes = plan(requestOf({ weights, lexicalShare: 0.5 }), null, uncovered(4));
  const circle = { ...oneEach, terms: byPerspective(() => ['circle']) };

  test('adds the cards that share words with the query, asked within the process', async () => {
    const reader = readerOf({ question: ['d'] });
    const candidates = await candidatesBy(reader, { plan: lanes, query: circle });
    expect([...candidates.cardIds].sort()).toEqual(['a', 'd']);
  });

  test('looks for the words that were added to the query too', async () => {
    const added = { ...circle, expanded: byPerspective(() => ['circle', 'speed']) };
    const reader = readerOf({});
    const candidates = await candidatesBy(reader, { plan: lanes, query: added });
    expect([...candidates.cardIds].sort()).toEqual(['a', 'd']);
  });

  test('adds the cards that carry an inferred or a known label, though no word or vector finds them', async () => {
    const inferred = {
      kind: 'inferred',
      labels: [{ label: 'circles', score: 0.5, named: 0, cards: 2 }],
      mentioned: false,
    } as const;
    const known = { kind: 'known', labels: ['motion'], unshared: [] } as const;
    for (const [concept, found] of [
      [inferred, ['a', 'c']],
      [known, ['a', 'd']],
    ] as const) {
      const query = { ...circle, labels: { concept, error: noLabels } };
      const candidates = await candidatesBy(readerOf({}), { plan: lanes, query });
      expect([...candidates.cardIds].sort()).toEqual(found);
    }
  });

  test('answers by the words where no dense lane does, however many cards there are, and names the lanes that failed', async () => {
    const reader = readerOf({ question: away, solution: away, concept: away });
    const candidates = await candidatesBy(reader, { plan: lanes, query: circle });
    expect([...candidates.cardIds]).toEqual(['a']);
    expect(candidates.degraded).toEqual(
      ['question', 'solution', 'concept'].map((perspective) => ({
        part: `dense ${perspective}`,
        reason: 'chroma is unavailable: the vector server does not answer',
      })),
    );
  });

  test('asks no dense lane where the words alone count', async () => {
    const reader = readerOf({ question: away, solution: away, concept: away });
    const words = plan(requestOf({ weights, lexicalShare: 1 }), null, uncovered(4));
    const candidates = await candidatesBy(reader, { plan: words, query: circle });
    expect([...candidates.cardIds]).toEqual(['a']);
    expect(candidates.degraded).toEqual([]);
  });

  test('says that the index is unavailable where no lane answers and there are too many cards to score', async () => {
    const reader = readerOf({ question: away, solution: away, concept: away });
    const answer = candidatesBy(reader, { index: indexOf(20_001, () => 1) });
    await expect(answer).rejects.toThrow(UnavailableError);
  });

  test('ends with the reason of the abort as soon as the request is aborted', async () => {
    const request = new AbortController();
    const reader = readerOf({ question: silent, solution: silent, concept: silent });
    const answer = candidatesBy(reader, { signal: request.signal });
    request.abort(new Error('the client went away'));
    await expect(answer).rejects.toThrow('the client went away');
  });
});
