import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Card, perspectiveTexts } from '../../src/domain/card.js';
import { passagesOf } from '../../src/domain/passages.js';
import { type ByPerspective, byPerspective, PERSPECTIVES, type Perspective } from '../../src/domain/perspective.js';
import type { CardFilter, SearchRequest } from '../../src/domain/search.js';
import { DEFAULT_VIEWER } from '../../src/domain/viewer.js';
import { BadInputError, NotFoundError, UnavailableError } from '../../src/errors.js';
import { LexicalIndexes } from '../../src/lexical/indexes.js';
import { beliefs } from '../../src/lexical/inferred-lane.js';
import { NotebookIndex } from '../../src/lexical/notebook-index.js';
import type { CardVectors, Embedder, Generation, IndexedCard } from '../../src/ports.js';
import { Engine, type EngineParts } from '../../src/search/engine.js';
import { cardOf, cardsArb, requestOf, textArb, weightsArb } from '../support/generators.js';
import {
  among,
  literalEmbedder,
  literalModel,
  literalWords,
  memoryIndex,
  sourceOf,
  vectorOf,
} from '../support/memory-ports.js';

const live: Generation = { tenantId: 'default', number: 1, modelKey: literalModel, state: 'live' };
const signal = new AbortController().signal;

function vectorsOf(card: Card): ByPerspective<readonly Float32Array[]> {
  const passages = passagesOf(card, literalEmbedder);
  return byPerspective((perspective) => passages[perspective].map(({ text }) => vectorOf(text)));
}

function lets(filter: CardFilter, card: Card): boolean {
  return (
    (filter.subject?.includes(card.subject) ?? true) &&
    card.difficulty >= (filter.difficultyMin ?? 1) &&
    !(filter.excludeCardIds?.includes(card.id) ?? false)
  );
}

interface World {
  readonly cards: readonly Card[];
  /** Stored, and not indexed yet. */
  readonly pending?: readonly Card[];
  /** Indexed, and deleted since. */
  readonly deleted?: readonly string[];
  readonly generation?: Generation | null;
  readonly embedder?: Embedder;
  /** As where too many cards match a filter to score them all: the lanes are asked. */
  readonly neverExact?: boolean;
  readonly reader?: EngineParts['reader'];
  /** What the words here are of, where another gateway has changed the cards since. */
  readonly knownAs?: readonly Card[];
  /** Indexed, but their vectors cannot be read. */
  readonly unreadable?: readonly string[];
}

/** An engine over Maps that hold these cards. */
async function engineOf(world: World): Promise<Engine> {
  const { cards, pending = [], deleted = [], unreadable = [], generation = live, embedder = literalEmbedder } = world;
  const index = memoryIndex();
  const indexed = new Map<string, IndexedCard>();
  const vectors = new Map<string, CardVectors>();
  for (const card of cards) {
    const passages = passagesOf(card, literalEmbedder);
    for (const perspective of PERSPECTIVES) {
      const records = passages[perspective].map(({ text, contentHash }, passage) => ({
        card,
        passage,
        contentHash,
        vector: vectorOf(text),
      }));
      await index.upsert({ tenantId: 'default', generation: 1, perspective }, records);
    }
    const hashes = byPerspective((perspective) => passages[perspective].map(({ contentHash }) => contentHash));
    indexed.set(card.id, { revision: card.revision, indexedAt: card.updatedAt, passages: hashes });
    const stored = byPerspective((perspective) =>
      passages[perspective].map(({ text, contentHash }) => ({ contentHash, vector: vectorOf(text) })),
    );
    vectors.set(card.id, { revision: card.revision, passages: stored });
  }
  const lexical = new LexicalIndexes(literalWords);
  lexical.set('default', world.knownAs ?? cards);
  const store = new Map([...cards, ...pending].map((card) => [card.id, card]));
  for (const id of deleted) store.delete(id);
  const admitted = (filter: CardFilter): ReadonlyMap<string, number> =>
    new Map(cards.filter((card) => store.has(card.id) && lets(filter, card)).map(({ id, revision }) => [id, revision]));
  const parts: EngineParts = {
    cards: { byIds: async (_viewer, ids) => among(store, ids) },
    log: { warn: () => undefined },
    filters: {
      matching: async (_viewer, filter) => {
        const all = admitted(filter);
        const matched = all.size;
        return world.neverExact ? { matched, total: Math.max(1, cards.length), all: null } : { matched, all };
      },
      admit: async (_viewer, filter, _generation, ids) => among(admitted(filter), ids),
    },
    ledger: {
      cards: async (_tenantId, ids) => among(store, ids),
      live: async () => generation,
      indexed: async (_tenantId, _generation, ids) => among(indexed, ids),
    },
    embedders: sourceOf(embedder),
    reader: world.reader ?? index,
    lexical,
    stored: {
      of: async (_tenantId, _generation, wanted) => ({
        vectors: among(
          vectors,
          [...wanted.keys()].filter((id) => !unreadable.includes(id)),
        ),
        failure: unreadable.length > 0 ? new UnavailableError('chroma', 'no answer') : null,
      }),
    },
  };
  return new Engine(parts);
}

/** The score of every card that the request lets through, by looking at all of them. */
function bruteForce(cards: readonly Card[], request: SearchRequest): ReadonlyMap<string, number> {
  const { subject, weights, lexicalShare, filter, minScore } = request;
  const own = subject.kind === 'card' ? cards.find(({ id }) => id === subject.cardId) : undefined;
  const query = subject.kind === 'text' ? byPerspective(() => [vectorOf(subject.text)]) : own && vectorsOf(own);
  if (query === undefined) throw new Error('no such card');
  const texts = own === undefined ? undefined : perspectiveTexts(own);
  const wordsOf = (perspective: Perspective): readonly string[] =>
    subject.kind === 'text' ? literalWords(subject.text) : (texts?.[perspective] ?? []).flatMap(literalWords);
  const index = new NotebookIndex(literalWords);
  for (const card of cards) index.set(card);

  const byTexts = cards.flatMap((card) => {
    if (card === own || !lets(filter, card)) return [];
    const vectors = vectorsOf(card);
    let sum = 0;
    let total = 0;
    for (const perspective of PERSPECTIVES) {
      const pairs = query[perspective].flatMap((q) =>
        vectors[perspective].map((v) => q.reduce((dot, value, place) => dot + value * (v[place] ?? Number.NaN), 0)),
      );
      const words = wordsOf(perspective);
      const [byWords = null] = words.length === 0 ? [] : index.scores(perspective, words, [card.id]);
      if (pairs.length === 0 || byWords === null) continue;
      const byVectors = Math.min(1, Math.max(0, ...pairs));
      sum += weights[perspective] * ((1 - lexicalShare) * byVectors + lexicalShare * byWords);
      total += weights[perspective];
    }
    return total === 0 ? [] : [{ card, score: sum / total }];
  });
  const near = [...byTexts].sort((a, b) => b.score - a.score || (a.card.id < b.card.id ? -1 : 1));

  const errorShare = weights.error / PERSPECTIVES.reduce((sum, perspective) => sum + weights[perspective], 0);
  const inferred = (['concept', 'error'] as const).flatMap((perspective) => {
    const weight = 0.4 * (perspective === 'error' ? errorShare : 1 - errorShare);
    const labelsOf = (card: Card): readonly string[] => (perspective === 'error' ? card.errorTypes : card.topicTags);
    const known = own === undefined ? [] : labelsOf(own);
    const asked = subject.kind === 'text' ? wordsOf('question') : [...wordsOf('question'), ...wordsOf('solution')];
    const believed =
      known.length > 0
        ? new Map(known.map((label) => [label, 1]))
        : beliefs(
            index.infer(perspective, asked, 20),
            near.map(({ card, score }) => ({ labels: labelsOf(card), score })),
          );
    return weight === 0 || lexicalShare === 0 || believed.size === 0 ? [] : [{ weight, labelsOf, believed }];
  });
  const scores = new Map<string, number>();
  for (const { card, score } of byTexts) {
    const ofTexts = lexicalShare === 0 ? 1 : 0.6;
    let sum = ofTexts * score;
    let total = ofTexts;
    for (const { weight, labelsOf, believed } of inferred) {
      const labels = labelsOf(card);
      const best = Math.max(0, ...labels.map((label) => believed.get(label) ?? 0));
      sum += weight * (labels.length > 0 ? best : score ** 8);
      total += weight;
    }
    if (minScore === null || sum / total >= minScore) scores.set(card.id, sum / total);
  }
  return scores;
}

describe('Engine', () => {
  test('finds what looking at every card finds, for any cards, subjects, weights, shares and filters', async () => {
    const world = cardsArb(25).chain((cards) =>
      fc.record({
        cards: fc.constant(cards),
        neverExact: fc.boolean(),
        request: fc.record<SearchRequest>({
          subject: fc.oneof(
            fc.record({ kind: fc.constant('text' as const), text: textArb }),
            fc.record({ kind: fc.constant('card' as const), cardId: fc.constantFrom(...cards.map(({ id }) => id)) }),
          ),
          weights: weightsArb.map((weights) => ({ ...weights, question: weights.question + 0.1 })),
          lexicalShare: fc.constantFrom(0, 0.3, 0.5, 0.9),
          topK: fc.integer({ min: 1, max: 50 }),
          filter: fc.constantFrom<CardFilter>({}, { subject: ['math'] }, { difficultyMin: 3 }),
          minScore: fc.constantFrom(null, 0.2003),
        }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(world, async ({ cards, neverExact, request }) => {
        const engine = await engineOf({ cards, neverExact });
        const { hits } = await engine.search(DEFAULT_VIEWER, request, signal);
        const expected = bruteForce(cards, request);
        const best = [...expected.values()].sort((a, b) => b - a).slice(0, request.topK);
        expect(hits).toHaveLength(best.length);
        hits.forEach(({ card, score, rank }, place) => {
          expect(rank).toBe(place + 1);
          expect(score).toBeCloseTo(best[place] ?? Number.NaN, 9);
          expect(score).toBeCloseTo(expected.get(card.id) ?? Number.NaN, 9);
        });
      }),
    );
  });

  test('tells in the receipt what it did', async () => {
    const cards = ['a', 'b', 'c'].map((id) => cardOf({ id, difficulty: id === 'c' ? 5 : 1 }));
    const engine = await engineOf({ cards });
    const filtered = await engine.search(DEFAULT_VIEWER, requestOf({ topK: 1, filter: { difficultyMin: 5 } }), signal);
    expect(filtered.receipt).toMatchObject({
      requestedTopK: 1,
      filterPlan: 'exact',
      matchedByFilter: 1,
      candidates: 1,
      embeddingModel: 'literal:16:f32:1',
      degraded: [],
    });
    expect(filtered.receipt.stages.map(({ stage }) => stage)).toEqual([
      'plan',
      'embed',
      'recall',
      'score',
      'infer',
      'fuse',
      'hydrate',
    ]);
    const { receipt } = await engine.search(DEFAULT_VIEWER, requestOf(), signal);
    expect(receipt).toMatchObject({ filterPlan: 'none', matchedByFilter: null, candidates: 3 });
  });

  test('never finds a card by itself, and finds its twin with a full score', async () => {
    const text = { questionText: '解方程 x+1=2' };
    const engine = await engineOf({ cards: [cardOf({ id: 'a', ...text }), cardOf({ id: 'b', ...text })] });
    for (const filter of [{}, { subject: ['math'] }]) {
      const request = requestOf({ subject: { kind: 'card', cardId: 'a' }, filter });
      const { hits } = await engine.search(DEFAULT_VIEWER, request, signal);
      expect(hits.map(({ card }) => card.id)).toEqual(['b']);
      expect(hits[0]?.score).toBeCloseTo(1, 6);
    }
  });

  test('never answers with a deleted card that the index still has', async () => {
    const engine = await engineOf({ cards: [cardOf({ id: 'a' }), cardOf({ id: 'b' })], deleted: ['a'] });
    const { hits } = await engine.search(DEFAULT_VIEWER, requestOf(), signal);
    expect(hits.map(({ card }) => card.id)).toEqual(['b']);
  });

  test('leaves out hits below minScore', async () => {
    const cards = [cardOf({ id: 'a', questionText: '勾股定理' }), cardOf({ id: 'b', questionText: 'sign error' })];
    const engine = await engineOf({ cards });
    const request = requestOf({ subject: { kind: 'text', text: '勾股定理' }, minScore: 0.99 });
    const { hits } = await engine.search(DEFAULT_VIEWER, request, signal);
    expect(hits.map(({ card }) => card.id)).toEqual(['a']);
  });

  test('searches by a card that is not indexed yet, embedding its text as it is now', async () => {
    const old = cardOf({ id: 'a', questionText: 'sign error' });
    const twin = cardOf({ id: 'b', questionText: '勾股定理' });
    const changed = cardOf({ id: 'a', questionText: '勾股定理', revision: 2 });
    const created = cardOf({ id: 'n', questionText: '勾股定理' });
    const engine = await engineOf({ cards: [old, twin], pending: [changed, created] });
    for (const cardId of ['a', 'n']) {
      const { hits } = await engine.search(DEFAULT_VIEWER, requestOf({ subject: { kind: 'card', cardId } }), signal);
      expect(hits[0]).toMatchObject({ card: { id: 'b' } });
      expect(hits[0]?.score).toBeCloseTo(1, 6);
    }
  });

  test('embeds nothing to search by a card that is indexed', async () => {
    const embedder = { ...literalEmbedder, embed: () => Promise.reject(new Error('embedded')) };
    const engine = await engineOf({ cards: [cardOf({ id: 'a' }), cardOf({ id: 'b' })], embedder });
    const { hits } = await engine.search(DEFAULT_VIEWER, requestOf({ subject: { kind: 'card', cardId: 'a' } }), signal);
    expect(hits).toHaveLength(1);
  });

  test('says which perspective a card has no text for', async () => {
    const engine = await engineOf({ cards: [cardOf({ id: 'a' })] });
    const weights = { question: 0, solution: 0, concept: 1, error: 1 };
    const searching = engine.search(
      DEFAULT_VIEWER,
      requestOf({ subject: { kind: 'card', cardId: 'a' }, weights }),
      signal,
    );
    await expect(searching).rejects.toThrow(
      new BadInputError('cardId', 'the card has no text for the perspective concept or error'),
    );
  });

  test('searches by the texts that a card has where it lacks some of those asked for', async () => {
    const engine = await engineOf({ cards: [cardOf({ id: 'a' }), cardOf({ id: 'b' })] });
    const weights = { question: 1, solution: 1, concept: 1, error: 1 };
    const request = requestOf({ subject: { kind: 'card', cardId: 'a' }, weights });
    expect((await engine.search(DEFAULT_VIEWER, request, signal)).hits).toHaveLength(1);
  });

  test('has no answer for a card that there is not, or for a text without words', async () => {
    const engine = await engineOf({ cards: [] });
    const byCard = engine.search(DEFAULT_VIEWER, requestOf({ subject: { kind: 'card', cardId: 'x' } }), signal);
    await expect(byCard).rejects.toThrow(NotFoundError);
    const byText = engine.search(DEFAULT_VIEWER, requestOf({ subject: { kind: 'text', text: '?!' } }), signal);
    await expect(byText).rejects.toThrow(BadInputError);
  });

  test('is unavailable, never empty, while there is no index or one of another model', async () => {
    for (const generation of [null, { ...live, modelKey: 'builtin:512:f32:0' }]) {
      const engine = await engineOf({ cards: [cardOf({ id: 'a' })], generation });
      await expect(engine.search(DEFAULT_VIEWER, requestOf(), signal)).rejects.toThrow(UnavailableError);
    }
  });

  test('says how many candidates have no vectors at hand, and scores them by their words', async () => {
    const engine = await engineOf({ cards: ['a', 'b', 'c'].map((id) => cardOf({ id })), unreadable: ['a', 'c'] });
    const reason = '2 candidates could not be compared by their vectors: chroma is unavailable: no answer';
    const degraded = [{ part: 'vector cache', reason }];
    const dense = await engine.search(DEFAULT_VIEWER, requestOf(), signal);
    expect(dense.hits.map(({ card }) => card.id)).toEqual(['b']);
    expect(dense.receipt.degraded).toEqual(degraded);
    const subject = { kind: 'text', text: 'question of c' } as const;
    const both = await engine.search(DEFAULT_VIEWER, requestOf({ subject, lexicalShare: 0.5 }), signal);
    expect(both.hits.map(({ card }) => card.id).sort()).toEqual(['a', 'b', 'c']);
    expect(both.hits[0]).toMatchObject({ card: { id: 'c' }, score: 1 });
    expect(both.receipt.degraded).toEqual(degraded);
  });

  test('answers by words and labels while Chroma is away, and names the dense lanes', async () => {
    const nearest = () => Promise.reject(new UnavailableError('chroma', 'no answer'));
    const cards = [cardOf({ id: 'a', questionText: 'area of a circle' }), cardOf({ id: 'b', questionText: 'speed' })];
    const engine = await engineOf({ cards, reader: { nearest } });
    const request = requestOf({ subject: { kind: 'text', text: 'circle' }, lexicalShare: 0.5 });
    const { hits, receipt } = await engine.search(DEFAULT_VIEWER, request, signal);
    expect(hits.map(({ card }) => card.id)).toEqual(['a']);
    expect(receipt.degraded).toEqual([{ part: 'dense question', reason: 'chroma is unavailable: no answer' }]);
  });

  test('scores a card that another gateway has changed or created by its words as they are now', async () => {
    const knownAs = [cardOf({ id: 'a', questionText: 'speed of a train' })];
    const cards = [
      cardOf({ id: 'a', questionText: 'circle area', revision: 2 }),
      cardOf({ id: 'b', questionText: 'circle area' }),
    ];
    const engine = await engineOf({ cards, knownAs });
    const request = requestOf({ subject: { kind: 'text', text: 'circle area' }, lexicalShare: 0.5 });
    const { hits } = await engine.search(DEFAULT_VIEWER, request, signal);
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
    const engine = await engineOf({ cards });
    const request = requestOf({ subject: { kind: 'text', text: 'pi radius' }, lexicalShare: 1 });
    const { hits, receipt } = await engine.search(DEFAULT_VIEWER, request, signal);
    expect(hits.map(({ card }) => card.id)).toEqual(['a2', 'a1', 'a3']);
    const lane = hits[1]?.lanes.find(({ kind }) => kind === 'INFERRED');
    expect(lane).toEqual({
      perspective: 'concept',
      kind: 'INFERRED',
      score: 1,
      weight: 0.4,
      contribution: expect.closeTo(0.4, 12),
      rank: 1,
    });
    expect(receipt.inferredConcepts).toEqual(['circle']);
  });

  test('takes a card to be about its own labels, and infers none', async () => {
    const cards = [
      cardOf({ id: 'a', questionText: 'x', topicTags: ['circle'] }),
      cardOf({ id: 'b', questionText: 'y', topicTags: ['circle'] }),
      cardOf({ id: 'c', questionText: 'z', topicTags: ['motion'] }),
    ];
    const engine = await engineOf({ cards });
    const request = requestOf({ subject: { kind: 'card', cardId: 'a' }, lexicalShare: 0.5 });
    const { hits, receipt } = await engine.search(DEFAULT_VIEWER, request, signal);
    expect(hits[0]?.card.id).toBe('b');
    expect(hits[0]?.lanes.find(({ kind }) => kind === 'INFERRED')?.score).toBe(1);
    expect(receipt.inferredConcepts).toEqual([]);
  });

  test('ends with the reason of the abort', async () => {
    const engine = await engineOf({ cards: [cardOf({ id: 'a' })] });
    const aborted = AbortSignal.abort(new Error('the client went away'));
    await expect(engine.search(DEFAULT_VIEWER, requestOf(), aborted)).rejects.toThrow('the client went away');
  });
});
