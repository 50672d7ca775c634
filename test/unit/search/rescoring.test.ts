import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampleNotebook } from '../../../bench/card-files.js';
import { FUSION_NAMES, LANES, SEARCH_OPERATIONS, type SearchRequest } from '../../../src/domain/search.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { Engine } from '../../../src/search/engine.js';
import { BUILTIN_SETTINGS, requestBy } from '../../../src/search/profile.js';
import type { Rescorer } from '../../../src/search/rescoring.js';
import { idsIn, partsOf, searchIn, type World } from '../../support/engine-world.js';
import { cardOf, cardsArb, requestOf, textArb, weightsArb } from '../../support/generators.js';
import { sampleEngine } from '../../support/sample-engine.js';

const { signal } = new AbortController();

async function rescorerIn(world: World, request: SearchRequest): Promise<Rescorer> {
  return new Engine(await partsOf(world)).rescorer(DEFAULT_VIEWER, request, signal);
}

/** A filter that lets every card through, so that the search scores them all, as a rescorer does. */
const EVERYTHING = { difficultyMin: 1 };

/** Everything that a profile decides and that the order depends on. */
const settingsArb = fc.record({
  weights: weightsArb.map((weights) => ({ ...weights, question: weights.question + 0.1 })),
  lexicalShare: fc.constantFrom(0, 0.3, 0.5, 1),
  inferredWeight: fc.constantFrom(0, 0.2, 0.4, 0.95),
  fusion: fc.constantFrom(...FUSION_NAMES),
  profilePower: fc.constantFrom(1, 4, 12),
  voteShare: fc.constantFrom(0, 0.4, 1),
});

/** Names of labels that the cards have: a search by such a name covers no other label. */
const nameArb = fc.constantFrom('勾股定理', '方程', 'sign error');

const worldArb = cardsArb(12).chain((cards) =>
  fc.record({
    cards: fc.constant(cards),
    subject: fc.oneof(
      fc.record({ kind: fc.constant('text' as const), text: fc.oneof(textArb, nameArb) }),
      fc.record({ kind: fc.constant('card' as const), cardId: fc.constantFrom(...cards.map(({ id }) => id)) }),
    ),
    made: settingsArb,
    asked: settingsArb,
  }),
);

describe('a rescorer', () => {
  test('puts the cards in the order of a search, by any settings, whatever settings it was made with', async () => {
    await fc.assert(
      fc.asyncProperty(worldArb, async ({ cards, subject, made, asked }) => {
        const request = requestOf({ subject, ...asked, filter: EVERYTHING, topK: 50 });
        const result = await searchIn({ cards }, request).catch((error: Error) => error.name);
        // A lexicalShare of 1 and a text without words is refused by the search alone.
        if (typeof result === 'string') return;
        const found = idsIn(result);
        const rescorer = await rescorerIn(
          { cards },
          requestOf({ subject, ...made, filter: EVERYTHING, lexicalShare: 0.5, topK: 50 }),
        );
        expect(rescorer.byRequest(request, 50)).toEqual(found);
        // Cards that no lane scores above 0 are not kept.
        const best = result.hits.slice(0, 1).filter(({ score }) => score > 0);
        const narrowed = rescorer.narrowed(50).byRequest(request, 50);
        expect(narrowed.slice(0, best.length)).toEqual(best.map(({ card }) => card.id));
      }),
    );
  });

  test('covers no other label, as the search, where the text is the name of a topic', async () => {
    const cards = await sampleNotebook();
    const engine = await sampleEngine();
    const topics = [...new Set(cards.flatMap(({ topicTags }) => topicTags))].slice(0, 30);
    for (const text of topics) {
      const subject = { kind: 'text', text } as const;
      const request = requestBy(BUILTIN_SETTINGS, { operation: 'byConcept', subject, filter: {} }, 5);
      const { hits, receipt } = await engine.search(DEFAULT_VIEWER, request, signal);
      expect(receipt.coversLabels).toBe(false);
      const rescorer = await engine.rescorer(DEFAULT_VIEWER, request, signal);
      expect(rescorer.byRequest(request, hits.length)).toEqual(hits.map(({ card }) => card.id));
    }
  });

  test('asks once which labels of the other kind a text means, and ranks by any settings as a search does', async () => {
    let asked = 0;
    const synonyms: World['synonyms'] = {
      of: () => {
        asked += 1;
        return [];
      },
    };
    const cards = [
      cardOf({ id: 'named', questionText: 'apples', topicTags: ['fence posts'], errorTypes: ['sign error'] }),
      cardOf({ id: 'other', questionText: 'fence posts of a path', topicTags: ['roads'], errorTypes: ['units'] }),
    ];
    const subject = { kind: 'text', text: 'fence posts' } as const;
    const requests = [0, 0.5, 1].map((lexicalShare) =>
      requestBy({ ...BUILTIN_SETTINGS, lexicalShare }, { operation: 'byError', subject, filter: EVERYTHING }, 5),
    );
    const all = { ...(requests[1] as SearchRequest), thresholdSteps: [0] };
    const rescorer = (await rescorerIn({ cards, synonyms }, all)).narrowed(50);
    const rankings = requests.map((request) => rescorer.byRequest({ ...request, thresholdSteps: [0] }, 5));
    const before = asked;
    for (const request of requests) rescorer.byRequest({ ...request, thresholdSteps: [0] }, 5);
    expect(asked).toBe(before);
    for (const [place, request] of requests.entries()) {
      expect(rankings[place]).toEqual(idsIn(await searchIn({ cards }, { ...request, thresholdSteps: [0] })));
    }
    expect(rankings[1]?.[0]).toBe('named');
  });

  test('of several searches by a text is that of each of them, also where the cards to score are retrieved', async () => {
    const engine = await sampleEngine();
    const cards = (await sampleNotebook()).filter((_, place) => place % 40 === 0);
    const rankings = (rescorer: Rescorer, request: SearchRequest) => [
      rescorer.cardIds.toSorted(),
      LANES.map((_, lane) => rescorer.byLane(lane, 50)),
      rescorer.byRequest(request, 50),
    ];
    const texts = cards.map((card) => `${card.questionText}\n${card.studentSolutionText ?? ''}`);
    for (const text of [...texts, 'sign error', '勾股定理']) {
      const subject = { kind: 'text', text } as const;
      const requests = SEARCH_OPERATIONS.map((operation) =>
        requestBy(BUILTIN_SETTINGS, { operation, subject, filter: {} }, 50),
      );
      for (const neighbours of [5, 1_000]) {
        const together = await engine.rescorers(DEFAULT_VIEWER, { requests, neighbours }, signal);
        for (const [place, request] of requests.entries()) {
          const [alone] = await engine.rescorers(DEFAULT_VIEWER, { requests: [request], neighbours }, signal);
          expect(rankings(together[place] as Rescorer, request)).toEqual(rankings(alone as Rescorer, request));
        }
      }
    }
    expect(await engine.rescorers(DEFAULT_VIEWER, { requests: [] }, signal)).toEqual([]);
  });

  test('ranks by every lane alone as a search does that asks nothing else, and has no card there with a score of 0', async () => {
    await fc.assert(
      fc.asyncProperty(cardsArb(12), textArb, async (cards, text) => {
        const subject = { kind: 'text', text } as const;
        const rescorer = await rescorerIn({ cards }, requestOf({ subject, lexicalShare: 0.5 }));
        const lane = LANES.findIndex(({ kind, perspective }) => kind === 'DENSE' && perspective === 'question');
        const found = await searchIn({ cards }, requestOf({ subject, lexicalShare: 0, topK: 50 }));
        const positive = found.hits.filter(({ score }) => score > 0).map(({ card }) => card.id);
        expect(rescorer.byLane(lane, 50)).toEqual(positive);
        expect(rescorer.byLane(lane, 2)).toEqual(positive.slice(0, 2));
      }),
    );
  });

  test('never holds the card that is searched from, nor what the filter leaves out', async () => {
    await fc.assert(
      fc.asyncProperty(cardsArb(12), async (cards) => {
        const [first] = cards;
        if (first === undefined) return;
        const subject = { kind: 'card', cardId: first.id } as const;
        const filter = { difficultyMin: 3 };
        const rescorer = await rescorerIn({ cards }, requestOf({ subject, filter, lexicalShare: 0.5 }));
        const expected = cards.filter(({ id, difficulty }) => id !== first.id && difficulty >= 3).map(({ id }) => id);
        expect([...rescorer.cardIds].sort()).toEqual(expected.sort());
        const kept = cards.map(({ id }) => id).filter((id) => !rescorer.filtersOut(id));
        expect(kept.sort()).toEqual(expected);
        expect(rescorer.filtersOut('not indexed')).toBe(false);
      }),
    );
  });
});
