import { describe, expect, test } from 'vitest';
import { BadInputError, NotFoundError, UnavailableError } from '../../../src/domain/errors.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { Engine } from '../../../src/search/engine.js';
import { live, partsOf, searchIn, type World } from '../../support/engine-world.js';
import { cardOf, requestOf, unit } from '../../support/generators.js';
import { literalEmbedder } from '../../support/memory-ports.js';

describe('Engine', () => {
  test('describes the search in the receipt', async () => {
    const cards = ['a', 'b', 'c'].map((id) => cardOf({ id, difficulty: id === 'c' ? 5 : 1 }));
    const world = { cards };
    const filtered = await searchIn(world, requestOf({ topK: 1, filter: { difficultyMin: 5 } }));
    expect(filtered.receipt).toMatchObject({
      requestedTopK: 1,
      retrievers: ['exact'],
      filterPlan: 'exact',
      matchedByFilter: 1,
      candidates: 1,
      strategy: 'FUSED',
      fusion: 'WEIGHTED',
      layers: [],
      expandedQuery: null,
      inferredConcepts: [],
      embeddingModel: 'literal:16:f32:1',
      rerankModel: null,
      degraded: [],
    });
    expect(filtered.receipt.stages.map(({ stage }) => stage)).toEqual([
      'embed',
      'plan',
      'retrieve',
      'filter',
      'score',
      'label',
      'fuse',
      'cut',
      'hydrate',
      'select',
      'explain',
    ]);
    const { receipt } = await searchIn(world, requestOf());
    expect(receipt).toMatchObject({ retrievers: ['chroma'], filterPlan: 'none', matchedByFilter: null, candidates: 3 });
  });

  test('finds what matches its filter if the columns are dropped while the model answers', async () => {
    const cards = Array.from({ length: 1_200 }, (_, place) =>
      cardOf({
        id: `c${place}`,
        questionText: place < 5 ? 'rare' : `x${place}`,
        subject: place < 5 ? 'physics' : 'math',
      }),
    );
    const world = { cards, columns: true, vectorOf: (text: string) => unit(text === 'rare' ? [0, 1] : [1, 0]) };
    const parts = await partsOf({
      ...world,
      get columns() {
        return world.columns;
      },
      embedder: {
        ...literalEmbedder,
        embed: async (texts) => {
          world.columns = false;
          return texts.map(world.vectorOf);
        },
      },
    });
    const weights = { question: 0.5, solution: 0, concept: 0.5, error: 0 };
    const asked = { weights, lexicalShare: 0.5, thresholdSteps: [0], topK: 5 };
    const request = requestOf({ ...asked, filter: { subject: ['physics'] } });
    const { hits } = await new Engine(parts).search(DEFAULT_VIEWER, request, new AbortController().signal);
    expect(hits.map(({ card }) => card.id).sort()).toEqual(['c0', 'c1', 'c2', 'c3', 'c4']);
  });

  test('never finds a card by itself, and finds its twin with a full score', async () => {
    const text = { questionText: '解方程 x+1=2' };
    const world = { cards: [cardOf({ id: 'a', ...text }), cardOf({ id: 'b', ...text })] };
    for (const filter of [{}, { subject: ['math'] }]) {
      const request = requestOf({ subject: { kind: 'card', cardId: 'a' }, filter });
      const { hits } = await searchIn(world, request);
      expect(hits.map(({ card }) => card.id)).toEqual(['b']);
      expect(hits[0]?.score).toBeCloseTo(1, 6);
    }
  });

  test('never answers with a deleted card that the index still has', async () => {
    const world = { cards: [cardOf({ id: 'a' }), cardOf({ id: 'b' })], deleted: ['a'] };
    const { hits } = await searchIn(world, requestOf());
    expect(hits.map(({ card }) => card.id)).toEqual(['b']);
  });

  test('asks Chroma for candidates where the notebook is larger than the limit of exact search, and only there', async () => {
    const cards = Array.from({ length: 120 }, (_, place) => cardOf({ id: `c${place}` }));
    const isChromaAsked = async (world: Pick<World, 'exactLimit' | 'columns'>): Promise<boolean> => {
      let calls = 0;
      const nearest = async () => {
        calls += 1;
        return [];
      };
      await searchIn({ cards, alone: true, vectorStore: { nearest }, ...world }, requestOf({ topK: 5 }));
      return calls > 0;
    };
    for (const columns of [true, false]) {
      expect(await isChromaAsked({ columns })).toBe(false);
      expect(await isChromaAsked({ columns, exactLimit: 120 })).toBe(false);
      expect(await isChromaAsked({ columns, exactLimit: 119 })).toBe(true);
      expect(await isChromaAsked({ columns, exactLimit: 0 })).toBe(true);
    }
  });

  test('leaves out hits below minScore', async () => {
    const cards = [cardOf({ id: 'a', questionText: '勾股定理' }), cardOf({ id: 'b', questionText: 'sign error' })];
    const world = { cards };
    const request = requestOf({ subject: { kind: 'text', text: '勾股定理' }, minScore: 0.99 });
    const { hits } = await searchIn(world, request);
    expect(hits.map(({ card }) => card.id)).toEqual(['a']);
  });

  test('searches by a card that is not indexed yet, embedding its text as it is now', async () => {
    const old = cardOf({ id: 'a', questionText: 'sign error' });
    const twin = cardOf({ id: 'b', questionText: '勾股定理' });
    const changed = cardOf({ id: 'a', questionText: '勾股定理', revision: 2 });
    const created = cardOf({ id: 'n', questionText: '勾股定理' });
    const world = { cards: [old, twin], pending: [changed, created] };
    for (const cardId of ['a', 'n']) {
      const { hits } = await searchIn(world, requestOf({ subject: { kind: 'card', cardId } }));
      expect(hits[0]).toMatchObject({ card: { id: 'b' } });
      expect(hits[0]?.score).toBeCloseTo(1, 6);
    }
  });

  test('embeds nothing to search by a card that is indexed', async () => {
    const embedder = { ...literalEmbedder, embed: () => Promise.reject(new Error('embedded')) };
    const world = { cards: [cardOf({ id: 'a' }), cardOf({ id: 'b' })], embedder };
    const { hits } = await searchIn(world, requestOf({ subject: { kind: 'card', cardId: 'a' } }));
    expect(hits).toHaveLength(1);
  });

  test('says which perspective a card has no text for', async () => {
    const world = { cards: [cardOf({ id: 'a' })] };
    const weights = { question: 0, solution: 0, concept: 1, error: 1 };
    const searching = searchIn(world, requestOf({ subject: { kind: 'card', cardId: 'a' }, weights }));
    await expect(searching).rejects.toThrow(
      new BadInputError('cardId', 'the card has no text for the perspective concept or error'),
    );
  });

  test('searches by the texts that a card has where it lacks some of those asked for', async () => {
    const world = { cards: [cardOf({ id: 'a' }), cardOf({ id: 'b' })] };
    const weights = { question: 1, solution: 1, concept: 1, error: 1 };
    const request = requestOf({ subject: { kind: 'card', cardId: 'a' }, weights });
    expect((await searchIn(world, request)).hits).toHaveLength(1);
  });

  test('has no answer for a card that there is not, or for a text without words', async () => {
    const world = { cards: [] };
    const byCard = searchIn(world, requestOf({ subject: { kind: 'card', cardId: 'x' } }));
    await expect(byCard).rejects.toThrow(NotFoundError);
    const byText = searchIn(world, requestOf({ subject: { kind: 'text', text: '?!' } }));
    await expect(byText).rejects.toThrow(BadInputError);
  });

  test('is unavailable, never empty, while there is no index, or one of another model and only vectors count', async () => {
    for (const generation of [null, { ...live, modelKey: 'builtin:512:f32:0' }]) {
      const world = { cards: [cardOf({ id: 'a' })], generation };
      await expect(searchIn(world, requestOf({ lexicalShare: 0 }))).rejects.toThrow(UnavailableError);
    }
  });

  test('answers by words and labels while the index of another model is being rebuilt, and says so', async () => {
    const cards = [cardOf({ id: 'a', questionText: 'area of a circle' }), cardOf({ id: 'b', questionText: 'speed' })];
    const world = { cards, generation: { ...live, modelKey: 'builtin:512:f32:0' } };
    const request = requestOf({ subject: { kind: 'text', text: 'circle' }, lexicalShare: 0.5 });
    const { hits, receipt } = await searchIn(world, request);
    expect(hits.map(({ card }) => card.id)).toEqual(['a']);
    expect(receipt.degraded).toEqual([{ part: 'index', reason: expect.stringContaining('builtin:512:f32:0') }]);
  });

  test('says how many candidates have no vectors at hand, and scores them by their words', async () => {
    const world = { cards: ['a', 'b', 'c'].map((id) => cardOf({ id })), unreadable: ['a', 'c'] };
    const reason = '2 candidates could not be compared by their vectors: chroma is unavailable: no answer';
    const degraded = [{ part: 'vector cache', reason }];
    const dense = await searchIn(world, requestOf());
    expect(dense.hits.map(({ card }) => card.id)).toEqual(['b']);
    expect(dense.receipt.degraded).toEqual(degraded);
    const subject = { kind: 'text', text: 'question of c' } as const;
    const both = await searchIn(world, requestOf({ subject, lexicalShare: 0.5 }));
    expect(both.hits.map(({ card }) => card.id).sort()).toEqual(['a', 'b', 'c']);
    expect(both.hits[0]).toMatchObject({ card: { id: 'c' }, score: 1 });
    expect(both.receipt.degraded).toEqual(degraded);
  });

  test('answers by words and labels while Chroma is away, and names the dense lanes', async () => {
    const nearest = () => Promise.reject(new UnavailableError('chroma', 'no answer'));
    const cards = [cardOf({ id: 'a', questionText: 'area of a circle' }), cardOf({ id: 'b', questionText: 'speed' })];
    const world = { cards, vectorStore: { nearest } };
    const request = requestOf({ subject: { kind: 'text', text: 'circle' }, lexicalShare: 0.5 });
    const { hits, receipt } = await searchIn(world, request);
    expect(hits.map(({ card }) => card.id)).toEqual(['a']);
    expect(receipt.degraded).toEqual([{ part: 'dense question', reason: 'chroma is unavailable: no answer' }]);
  });

  test('scores a card that another gateway has changed or created by its words as they are now', async () => {
    const knownAs = [cardOf({ id: 'a', questionText: 'speed of a train' })];
    const cards = [
      cardOf({ id: 'a', questionText: 'circle area', revision: 2 }),
      cardOf({ id: 'b', questionText: 'circle area' }),
    ];
    const world = { cards, knownAs };
    const request = requestOf({ subject: { kind: 'text', text: 'circle area' }, lexicalShare: 0.5 });
    const { hits } = await searchIn(world, request);
    expect(hits.map(({ card, score }) => [card.id, score])).toEqual([
      ['a', expect.closeTo(1, 6)],
      ['b', expect.closeTo(1, 6)],
    ]);
  });

  test('lifts the cards of the topic that it infers, and names the topic', async () => {
    const cards = [
      cardOf({ id: 'a1', questionText: 'round area pi', topicTags: ['circle'] }),
      cardOf({ id: 'a2', questionText: 'pi times radius', topicTags: ['circle'] }),
      cardOf({ id: 'a3', questionText: 'pi times diameter', topicTags: ['circle'] }),
      cardOf({ id: 'b', questionText: 'train speed', topicTags: ['motion'] }),
    ];
    const world = { cards };
    const request = requestOf({ subject: { kind: 'text', text: 'pi radius' }, lexicalShare: 1 });
    const { hits, receipt } = await searchIn(world, request);
    expect(hits.map(({ card }) => card.id)).toEqual(['a2', 'a1', 'a3']);
    const lane = hits[1]?.lanes.find(({ kind }) => kind === 'INFERRED');
    expect(lane).toMatchObject({ perspective: 'concept', kind: 'INFERRED', weight: 0.55, rank: 1 });
    expect(lane?.score).toBeGreaterThan(0.5);
    expect(lane?.contribution).toBeCloseTo(0.55 * (lane?.score ?? 0), 12);
    expect(receipt.inferredConcepts).toEqual(['circle']);
  });

  test('infers no label with expand: false', async () => {
    const cards = [
      cardOf({ id: 'a', questionText: 'pi radius', topicTags: ['circle'] }),
      cardOf({ id: 'b', questionText: 'area', topicTags: ['circle'] }),
    ];
    const subject = { kind: 'text', text: 'pi radius' } as const;
    const { hits, receipt } = await searchIn({ cards }, requestOf({ subject, lexicalShare: 1, expand: false }));
    expect(hits.map(({ card }) => card.id)).toEqual(['a']);
    expect(hits[0]?.lanes.map(({ kind }) => kind)).not.toContain('INFERRED');
    expect(receipt.inferredConcepts).toEqual([]);
  });

  test('shows every lane that a hit has a text for, and those that were not asked for without a say', async () => {
    const card = cardOf({ id: 'a', questionText: '勾股定理', topicTags: ['circle'], errorTypes: ['sign error'] });
    const subject = { kind: 'text', text: '勾股定理' } as const;
    const { hits } = await searchIn({ cards: [card] }, requestOf({ subject }));
    expect(hits[0]?.lanes.map(({ kind, perspective, weight, rank }) => [kind, perspective, weight, rank])).toEqual([
      ['DENSE', 'question', 1, 1],
      ['DENSE', 'concept', 0, null],
      ['DENSE', 'error', 0, null],
      ['LEXICAL', 'question', 0, null],
      ['LEXICAL', 'concept', 0, null],
      ['LEXICAL', 'error', 0, null],
    ]);
    expect(hits[0]?.lanes.map(({ contribution }) => contribution)).toEqual([expect.closeTo(1, 6), 0, 0, 0, 0, 0]);
  });

  test('refuses a text of common words alone where nothing but words counts, unless that was learned', async () => {
    const embedder = { ...literalEmbedder, embeds: () => true };
    const words = requestOf({ subject: { kind: 'text', text: '?!' }, lexicalShare: 1 });
    await expect(searchIn({ cards: [], embedder }, words)).rejects.toThrow(BadInputError);
    for (const other of [{ lexicalShare: 0.5 }, { profile: 'learned' }]) {
      await expect(searchIn({ cards: [], embedder }, { ...words, ...other })).resolves.toMatchObject({ hits: [] });
    }
  });

  test('takes a card to be about its own labels, and infers none', async () => {
    const cards = [
      cardOf({ id: 'a', questionText: 'x', topicTags: ['circle'] }),
      cardOf({ id: 'b', questionText: 'y', topicTags: ['circle'] }),
      cardOf({ id: 'c', questionText: 'z', topicTags: ['motion'] }),
    ];
    const world = { cards };
    const request = requestOf({ subject: { kind: 'card', cardId: 'a' }, lexicalShare: 0.5 });
    const { hits, receipt } = await searchIn(world, request);
    expect(hits[0]?.card.id).toBe('b');
    expect(hits[0]?.lanes.find(({ kind }) => kind === 'INFERRED')?.score).toBe(1);
    expect(receipt.inferredConcepts).toEqual([]);
  });

  test('ends with the reason of the abort', async () => {
    const world = { cards: [cardOf({ id: 'a' })] };
    const aborted = AbortSignal.abort(new Error('the client went away'));
    await expect(searchIn(world, requestOf(), aborted)).rejects.toThrow('the client went away');
  });
});
