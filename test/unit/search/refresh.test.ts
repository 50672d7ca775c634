import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { Card } from '../../../src/domain/card.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { Engine } from '../../../src/search/engine.js';
import { bruteForce } from '../../support/brute-force.js';
import { idsIn, matchesFilter, partsOf, searchIn, type World } from '../../support/engine-world.js';
import { cardOf, cardsArb, requestOf, textArb } from '../../support/generators.js';
import { literalWords } from '../../support/memory-ports.js';
import { runs } from '../../support/runs.js';

const worldArb = cardsArb(40).chain((cards) =>
  fc.record({
    cards: fc.constant(cards),
    /** Changed in PostgreSQL, and not indexed yet. */
    pending: fc
      .subarray([...cards])
      .chain((changed) =>
        fc.tuple(...changed.map((card) => fc.integer({ min: 1, max: 5 }).map((difficulty) => ({ card, difficulty })))),
      )
      .map((changed) => changed.map(({ card, difficulty }): Card => ({ ...card, difficulty, revision: 2 }))),
    deleted: fc.subarray(cards.map(({ id }) => id)),
    neverExact: fc.boolean(),
    columns: fc.boolean(),
  }),
);

const requestArb = fc
  .record({
    text: textArb,
    lexicalShare: fc.constantFrom(0, 0.5),
    topK: fc.integer({ min: 1, max: 12 }),
    difficultyMin: fc.integer({ min: 2, max: 4 }),
    concept: fc.constantFrom(0, 0.5),
  })
  .map(({ text, lexicalShare, topK, difficultyMin, concept }) =>
    requestOf({
      subject: { kind: 'text', text },
      weights: { question: 1, solution: 0, concept, error: 0 },
      filter: { difficultyMin },
      lexicalShare,
      topK,
    }),
  );

/** The card as PostgreSQL has it. */
function stored({ cards, pending = [], deleted = [] }: World, id: string): Card | undefined {
  if (deleted.includes(id)) return undefined;
  return [...pending, ...cards].find((card) => card.id === id);
}

describe('a search while the index lags behind PostgreSQL', () => {
  test('returns only cards that match in PostgreSQL, and fills up with others that match', async () => {
    await fc.assert(
      fc.asyncProperty(worldArb, requestArb, async (world, request) => {
        const { hits, receipt } = await searchIn({ ...world, alone: world.columns }, request);
        const scores = [...bruteForce(world.cards, request)].filter(([id]) => {
          const card = stored(world, id);
          return card !== undefined && matchesFilter(request.filter, card);
        });
        const best = scores.map(([, score]) => score).sort((a, b) => b - a);
        expect(hits.map(({ score }) => score)).toEqual(
          best.slice(0, request.topK).map((score) => expect.closeTo(score, 9)),
        );
        for (const { card } of hits) expect(card).toEqual(stored(world, card.id));
        expect(receipt.degraded).toEqual([]);
      }),
      { numRuns: runs(200) },
    );
  });

  test('reports too many changed cards in the receipt', async () => {
    const cards = Array.from({ length: 9_000 }, (_, place) =>
      cardOf({ id: `c${String(place).padStart(4, '0')}`, questionText: 'same' }),
    );
    const changed = cards.slice(0, 8_000).map((card) => ({ ...card, difficulty: 1, revision: 2 }));
    const world = { cards, pending: changed, columns: true, alone: true };
    const request = requestOf({ subject: { kind: 'text', text: 'same' }, filter: { difficultyMin: 2 } });
    const labelled = { ...request, weights: { question: 1, solution: 0, concept: 1, error: 0 } };
    const { hits, receipt } = await searchIn(world, labelled);
    for (const { card } of hits) expect(card.difficulty).toBe(3);
    expect(receipt.degraded).toEqual([{ part: 'index', reason: expect.stringMatching(/^it lags behind changes/) }]);
  });

  test('scores a hit that another gateway has changed by its current terms', async () => {
    const card = cardOf({ id: 'a', questionText: 'circle area', revision: 2 });
    const parts = await partsOf({ cards: [card] });
    const index = new LexicalIndex(literalWords);
    index.set(cardOf({ id: 'a', questionText: 'circle of a train' }));
    const engine = new Engine({ ...parts, indexes: { of: async () => index } });
    const request = requestOf({ subject: { kind: 'text', text: 'circle area' }, lexicalShare: 1 });
    const { hits } = await engine.search(DEFAULT_VIEWER, request, new AbortController().signal);
    expect(hits.map(({ score }) => score)).toEqual([1]);
    expect(index.cards.revisionOf('a')).toBe(2);
  });

  test('a changed card that is deleted while its texts are read does not come back into the index', async () => {
    const card = cardOf({ id: 'a', questionText: 'circle area', revision: 2 });
    const parts = await partsOf({ cards: [card] });
    const index = new LexicalIndex(literalWords);
    index.set(cardOf({ id: 'a', questionText: 'circle of a train' }));
    vi.spyOn(index, 'analyse').mockImplementation(function* () {
      yield;
      index.delete('a');
    });
    // PostgreSQL has it no more, which the next pass of the search is told.
    const ledger = { ...parts.ledger, cards: async () => new Map() };
    const engine = new Engine({ ...parts, ledger, indexes: { of: async () => index } });
    const request = requestOf({ subject: { kind: 'text', text: 'circle area' } });
    await engine.search(DEFAULT_VIEWER, request, new AbortController().signal);
    expect(index.analyse).toHaveBeenCalled();
    expect(index.cards.ids()).toEqual([]);
  });

  test('a card that is deleted while a search reads it does not come back into the index', async () => {
    const parts = await partsOf({ cards: ['a', 'b'].map((id) => cardOf({ id })) });
    const index = await parts.indexes.of(DEFAULT_VIEWER, new AbortController().signal);
    const filters: typeof parts.filters = {
      matching: async (...asked) => {
        const found = await parts.filters.matching(...asked);
        index.delete('a');
        return found;
      },
    };
    await new Engine({ ...parts, filters }).search(DEFAULT_VIEWER, requestOf({}), new AbortController().signal);
    expect(index.cards.ids()).toEqual(['b']);
  });

  test('finds a card that starts to match once it is indexed', async () => {
    const cards = ['a', 'b'].map((id) => cardOf({ id, difficulty: 1 }));
    const parts = await partsOf({ cards, pending: [{ ...(cards[0] as Card), difficulty: 5, revision: 2 }] });
    const index = await parts.indexes.of(DEFAULT_VIEWER, new AbortController().signal);
    const request = requestOf({ filter: { difficultyMin: 5 } });
    const search = () => new Engine(parts).search(DEFAULT_VIEWER, request, new AbortController().signal);
    expect(idsIn(await search())).toEqual([]);
    index.set({ ...(cards[0] as Card), difficulty: 5, revision: 2 });
    const after = await search();
    expect(idsIn(after)).toEqual(['a']);
    expect(after.receipt.matchedByFilter).toBe(1);
  });
});
