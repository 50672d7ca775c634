import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UnavailableError } from '../../../src/domain/errors.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { Engine, type EngineParts } from '../../../src/search/engine.js';
import { isEnough, LAYER_LANES, layersOf } from '../../../src/search/layered.js';
import { partsOf, searchIn, type World } from '../../support/engine-world.js';
import { cardOf, requestOf, unit, weightsArb } from '../../support/generators.js';

/**
 * Cards of one word each, seen from the query `q`: s1 .. s5 are near it by their vectors alone, k1 .. k3 share its word
 * and no more, and x1 carries the label of k1, but is like the query in nothing else.
 */
const notebook = [
  ...['s1', 's2', 's3', 's4', 's5'].map((id) => cardOf({ id, questionText: id })),
  ...['k1', 'k2', 'k3'].map((id) =>
    cardOf({ id, questionText: `q ${id}`, topicTags: [`t${id}`], errorTypes: [`e${id}`] }),
  ),
  cardOf({ id: 'x1', questionText: 'x1', topicTags: ['tk1'] }),
];

function vectorOf(text: string): Float32Array {
  if (text === 'q') return unit([1, 0]);
  return text.startsWith('s') ? unit([0.9, 0.1]) : unit([0, 1]);
}

function worldOf(...ids: readonly string[]): World {
  return { cards: notebook.filter(({ id }) => ids.includes(id)), vectorOf };
}

const layered = requestOf({
  subject: { kind: 'text', text: 'q' },
  lexicalShare: 0.5,
  strategy: 'LAYERED',
  thresholdSteps: [0.8, 0.3],
  topK: 5,
});

/** What each layer brought, in order. */
async function trialsOf(world: World, request = layered) {
  const { receipt } = await searchIn(world, request);
  return receipt.layers.map(({ layer, admitted }) => [layer, admitted]);
}

const chromaAway = { nearest: () => Promise.reject(new UnavailableError('chroma', 'no answer')) };

describe('a layered search', () => {
  test('reads each label once for its layer and at most once for the verdicts, however many cards carry it', async () => {
    const cards = Array.from({ length: 20 }, (_, place) =>
      cardOf({ id: `c${place}`, questionText: `c${place}`, topicTags: ['q shared', `q ${place % 2}`] }),
    );
    const parts = await partsOf({ cards });
    const index = await parts.indexes.of(DEFAULT_VIEWER, new AbortController().signal);
    const read: string[] = [];
    const termsOf = index.termsOf.bind(index);
    index.termsOf = (texts) => {
      read.push(...texts);
      return termsOf(texts);
    };
    const request = { ...layered, operation: 'byConcept' as const, weights: { ...layered.weights, concept: 1 } };
    await new Engine(parts).search(DEFAULT_VIEWER, request, new AbortController().signal);
    for (const label of ['q 0', 'q 1', 'q shared']) {
      const times = read.filter((text) => text === label).length;
      expect(times).toBeGreaterThanOrEqual(1);
      expect(times).toBeLessThanOrEqual(2);
    }
  });

  test('ends after the vectors if they return 80 percent of the requested hits', async () => {
    expect(await trialsOf(worldOf('s1', 's2', 's3', 's4', 'k1', 'x1'))).toEqual([['SEMANTIC', 4]]);
  });

  test('ends after the words at 70 percent', async () => {
    expect(await trialsOf(worldOf('s1', 's2', 's3', 'k1', 'x1'))).toEqual([
      ['SEMANTIC', 3],
      ['KEYWORD', 1],
    ]);
  });

  test('continues with likely labels of the searched kind, and names them', async () => {
    const { hits, receipt } = await searchIn(worldOf('s1', 'k1', 'x1'), layered);
    expect(receipt.layers).toEqual([
      { layer: 'SEMANTIC', admitted: 1, threshold: 0.3, tookMs: expect.any(Number) },
      { layer: 'KEYWORD', admitted: 1, threshold: 0.3, tookMs: expect.any(Number) },
      { layer: 'EXPANDED', admitted: 1, threshold: 0.3, tookMs: expect.any(Number) },
    ]);
    expect(receipt.retrievers).toEqual(['chroma', 'lexical', 'label']);
    expect(receipt).toMatchObject({ strategy: 'LAYERED', thresholdsTried: [0.8, 0.3], candidates: 3 });
    expect(receipt.expandedQuery).toBe('q tk1');
    expect(new Map(hits.map(({ card, layer }) => [card.id, layer]))).toEqual(
      new Map([
        ['s1', 'SEMANTIC'],
        ['k1', 'KEYWORD'],
        ['x1', 'EXPANDED'],
      ]),
    );
  });

  test('ends after the words if expand is off', async () => {
    const { hits, receipt } = await searchIn(worldOf('s1', 'k1', 'x1'), { ...layered, expand: false });
    expect(receipt.layers.map(({ layer }) => layer)).toEqual(['SEMANTIC', 'KEYWORD']);
    expect(receipt.expandedQuery).toBeNull();
    expect(hits.map(({ card }) => card.id).sort()).toEqual(['k1', 's1']);
  });

  test('gives each hit the highest step that it reached in its layer', async () => {
    const { hits } = await searchIn(worldOf('s1', 'k1', 'x1'), layered);
    const thresholds = Object.fromEntries(hits.map(({ card, threshold }) => [card.id, threshold]));
    expect(thresholds).toEqual({ s1: 0.8, k1: 0.3, x1: 0.3 });
  });

  test('uses no lower step of a layer than necessary', async () => {
    const request = { ...layered, minResults: 1, topK: 1 };
    const { receipt } = await searchIn(worldOf('s1', 'k1'), request);
    expect(receipt.thresholdsTried).toEqual([0.8]);
    expect(receipt.layers).toMatchObject([{ layer: 'SEMANTIC', admitted: 1, threshold: 0.8 }]);
  });

  test('returns an empty list, and every layer in the receipt, if nothing reaches the thresholds', async () => {
    const { hits, receipt } = await searchIn(worldOf('s1', 'k1', 'x1'), { ...layered, thresholdSteps: [1] });
    expect(hits).toEqual([]);
    expect(receipt.layers.map(({ layer, admitted }) => [layer, admitted])).toEqual([
      ['SEMANTIC', 0],
      ['KEYWORD', 0],
      ['EXPANDED', 0],
    ]);
    expect(receipt.thresholdsTried).toEqual([1]);
  });

  test('scores its hits in all lanes, like a FUSED search', async () => {
    const request = { ...layered, expand: false, thresholdSteps: [0] };
    const world = worldOf('s1', 's2', 'k1', 'k2');
    const atOnce = await searchIn(world, { ...request, strategy: 'FUSED' });
    const byLayers = await searchIn(world, request);
    const scores = (hits: typeof atOnce.hits) => hits.map(({ card, score, lanes }) => [card.id, score, lanes]);
    expect(scores(byLayers.hits)).toEqual(scores(atOnce.hits));
  });

  test('applies its filter in every layer', async () => {
    const request = { ...layered, filter: { excludeCardIds: ['s1', 'k1'] } };
    for (const neverExact of [true, false]) {
      const { hits } = await searchIn({ ...worldOf('s1', 's2', 'k1', 'k2', 'x1'), neverExact }, request);
      // x1 has the label of k1, which votes although the filter leaves it out.
      expect(hits.map(({ card }) => card.id).sort()).toEqual(['k2', 's2', 'x1']);
    }
  });
});

describe('a layered search by error', () => {
  const weights = { question: 0, solution: 0, concept: 0, error: 1 };
  const request = requestOf({
    operation: 'byError',
    subject: { kind: 'card', cardId: 'own' },
    weights,
    strategy: 'LAYERED',
    lexicalShare: 0.5,
    thresholdSteps: [0.5],
    topK: 5,
  });

  test('compares the labels of all matches of its filter, however many other cards have the same labels', async () => {
    const cards = Array.from({ length: 1_200 }, (_, place) =>
      cardOf({
        id: `c${String(place).padStart(4, '0')}`,
        questionText: 'other',
        errorTypes: place % 2 === 0 ? ['q'] : ['r'],
        grade: place > 1_150 ? 'G9' : 'G8',
      }),
    );
    const matches = cards.filter(({ errorTypes, grade }) => errorTypes.includes('q') && grade === 'G9');
    const request = {
      ...layered,
      operation: 'byError' as const,
      weights: { ...layered.weights, error: 1 },
      subject: { kind: 'text' as const, text: 'q more' },
      filter: { grade: ['G9'] },
      thresholdSteps: [0.95],
      topK: 50,
    };
    const { hits } = await searchIn({ cards, vectorOf, columns: true }, request);
    const found = new Set(hits.map(({ card }) => card.id));
    expect(matches).toHaveLength(24);
    expect(matches.filter(({ id }) => !found.has(id))).toEqual([]);
  });

  test('compares labels, other labels, subject and grade after the vectors', async () => {
    const cards = [
      cardOf({ id: 'own', errorTypes: ['sign error'] }),
      cardOf({ id: 'same', errorTypes: ['error sign'] }),
      cardOf({ id: 'half', errorTypes: ['unit error'], subject: 'physics', grade: 'G9' }),
      cardOf({ id: 'bare' }),
    ];
    const { hits, receipt } = await searchIn({ cards }, { ...request, thresholdSteps: [0.9] });
    expect(receipt.layers.slice(0, 2).map(({ layer, admitted }) => [layer, admitted])).toEqual([
      ['SEMANTIC', 0],
      ['STRUCTURE', 1],
    ]);
    expect(hits.find(({ card }) => card.id === 'same')).toMatchObject({ layer: 'STRUCTURE', threshold: 0.9 });
    const lower = await searchIn({ cards }, { ...request, thresholdSteps: [0.3] });
    expect(lower.hits.map(({ card }) => card.id).sort()).toEqual(['half', 'same']);
  });
});

describe('a layer that fails', () => {
  /** Searches with some parts in place of a world's own. */
  async function searchWith(world: World, parts: (own: EngineParts) => Partial<EngineParts>) {
    const own = await partsOf(world);
    return new Engine({ ...own, ...parts(own) }).search(DEFAULT_VIEWER, layered, new AbortController().signal);
  }

  const away = (): Promise<never> => Promise.reject(new UnavailableError('postgres', 'no answer'));

  test('is skipped and named, and the others return hits', async () => {
    // Chroma proposes a card that is to be read from PostgreSQL first.
    const vectorStore = { nearest: async () => [[{ cardId: 'unknown', similarity: 0.9 }]] };
    const world = { ...worldOf('s1', 'k1', 'k2'), vectorStore };
    const { hits, receipt } = await searchWith(world, ({ ledger }) => ({ ledger: { ...ledger, cards: away } }));
    expect(hits.map(({ card }) => card.id).sort()).toEqual(['k1', 'k2']);
    expect(receipt.layers[0]).toMatchObject({ layer: 'SEMANTIC', admitted: 0, threshold: null });
    expect(receipt.degraded[0]).toEqual({
      part: 'layer SEMANTIC',
      reason: 'it was skipped: postgres is unavailable: no answer',
    });
  });

  test('has its lanes named if all cards are scored instead', async () => {
    const { receipt } = await searchIn({ ...worldOf('s1', 'k1'), vectorStore: chromaAway }, layered);
    expect(receipt.layers[0]).toMatchObject({ layer: 'SEMANTIC', admitted: 1 });
    expect(receipt.degraded[0]).toEqual({
      part: 'dense question',
      reason: 'chroma is unavailable: no answer; all 2 cards were scored instead',
    });
  });

  test('is unavailable, never empty, if all layers fail', async () => {
    const searching = searchWith(worldOf('s1', 'k1'), () => ({ stored: { of: away } }));
    await expect(searching).rejects.toThrow(UnavailableError);
  });

  test('with an internal error fails the search', async () => {
    const broken = (): Promise<never> => Promise.reject(new TypeError('a bug'));
    const searching = searchWith(worldOf('s1', 'k1'), () => ({ stored: { of: broken } }));
    await expect(searching).rejects.toThrow(TypeError);
  });

  test('because of an abort ends the search with its reason', async () => {
    const abort = new AbortController();
    const nearest = async (): Promise<never> => {
      abort.abort(new Error('the client went away'));
      throw new UnavailableError('chroma', 'no answer');
    };
    const searching = searchIn({ ...worldOf('s1', 'k1'), vectorStore: { nearest } }, layered, abort.signal);
    await expect(searching).rejects.toThrow('the client went away');
  });
});

describe('the layers of a search', () => {
  test('are three for texts, and four for labels, which are also compared as labels', () => {
    const prose = ['SEMANTIC', 'KEYWORD', 'EXPANDED'];
    const labels = ['SEMANTIC', 'STRUCTURE', 'KEYWORD', 'EXPANDED'];
    for (const operation of ['similarQuestions', 'bySolution', 'hybridSearch'] as const) {
      expect(layersOf({ operation, expand: true })).toEqual(prose);
    }
    for (const operation of ['byConcept', 'byError'] as const) {
      expect(layersOf({ operation, expand: true })).toEqual(labels);
    }
  });

  test('are all except the expanded one if expand is off', () => {
    expect(layersOf({ operation: 'byError', expand: false })).toEqual(['SEMANTIC', 'STRUCTURE', 'KEYWORD']);
    expect(layersOf({ operation: 'bySolution', expand: false })).toEqual(['SEMANTIC', 'KEYWORD']);
  });

  test('compare by vectors only, by words only, and by words and inferred labels', () => {
    fc.assert(
      fc.property(weightsArb, fc.constantFrom(0, 0.3, 1), fc.boolean(), (weights, lexicalShare, expand) => {
        const request = requestOf({ weights, lexicalShare, expand });
        const kinds = (layer: keyof typeof LAYER_LANES): unknown => [
          ...new Set(LAYER_LANES[layer](request).map(({ kind }) => kind)),
        ];
        expect(kinds('SEMANTIC')).toEqual(['DENSE']);
        expect(kinds('KEYWORD')).toEqual(['LEXICAL']);
        expect(kinds('EXPANDED')).toEqual(['LEXICAL', 'INFERRED']);
      }),
    );
  });

  test('end at 80, 70 and 60 percent of the requested hits after the first, second and third', () => {
    for (let wanted = 1; wanted <= 50; wanted += 1) {
      for (let admitted = 0; admitted <= wanted; admitted += 1) {
        [8, 7, 6].forEach((tenths, place) => {
          expect(isEnough(place + 1, admitted, wanted)).toBe(10 * admitted >= tenths * wanted);
        });
        expect(isEnough(4, admitted, wanted)).toBe(false);
      }
    }
  });
});
