import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byPerspective } from '../../../src/domain/perspective.js';
import { fuse } from '../../../src/search/fuse.js';
import { infer } from '../../../src/search/label.js';
import { lanesOf, weightsOf } from '../../../src/search/lanes.js';
import { type Query, queryOfCard, queryOfText } from '../../../src/search/query.js';
import { score } from '../../../src/search/score.js';
import { live, partsOf } from '../../support/engine-world.js';
import { cardOf, cardsArb, requestOf, textArb, weightsArb } from '../../support/generators.js';
import { vectorOf } from '../../support/memory-ports.js';

const signal = new AbortController().signal;
const onLane = (): void => undefined;

const caseArb = fc.record({
  cards: cardsArb(25),
  text: textArb,
  byCard: fc.boolean(),
  weights: weightsArb.map((weights) => ({ ...weights, question: weights.question + 0.1 })),
  lexicalShare: fc.constantFrom(0, 0.3, 0.5, 1),
  synonyms: fc.constantFrom([], ['circle', '分数']),
  limit: fc.integer({ min: 1, max: 8 }),
});

describe('the scan', () => {
  test('proposes the cards that score best when all of them are scored exactly', async () => {
    await fc.assert(
      fc.asyncProperty(caseArb, async ({ cards, text, byCard, weights, lexicalShare, synonyms, limit }) => {
        const { scanner, lexical, stored } = await partsOf({ cards, scanned: true });
        const index = lexical.of('default');
        const revisions = new Map(cards.map(({ id, revision }) => [id, revision]));
        const { vectors } = await stored.of('default', 1, revisions, signal);
        const parts = { index, synonyms: { of: () => synonyms } };
        const own = cards[0];
        const query: Query =
          byCard && own !== undefined
            ? queryOfCard(
                parts,
                own,
                byPerspective((perspective) =>
                  (vectors.get(own.id)?.passages[perspective] ?? []).map(({ vector }) => vector),
                ),
                requestOf(),
              )
            : queryOfText(
                parts,
                text,
                byPerspective(() => [vectorOf(text)]),
                requestOf(),
              );
        const lanes = lanesOf(requestOf({ weights, lexicalShare }));
        const laneWeights = weightsOf(lanes);
        const table = score([...revisions.keys()], { vectors, index }, query, (lane) => laneWeights[lane] !== 0);
        const { scores } = fuse(infer(table, laneWeights, query, index).table, laneWeights, 'WEIGHTED');
        const scoreOf = new Map(table.cardIds.map((id, row) => [id, scores[row] as number]));
        const best = [...scoreOf.values()].filter((one) => one > 1e-6).sort((a, b) => b - a);

        const proposed = scanner.best({ index, generation: live, lanes, query, limit, onLane });
        expect(new Set(proposed).size).toBe(proposed.length);
        const given = proposed.map((id) => scoreOf.get(id) ?? Number.NaN).sort((a, b) => b - a);
        best.slice(0, limit).forEach((expected, place) => {
          expect(given[place]).toBeCloseTo(expected, 6);
        });
      }),
    );
  });

  test('looks at the cards as they are now, whichever of them changed since the last time', async () => {
    const cards = ['a', 'b', 'c'].map((id) => cardOf({ id, questionText: `question ${id}` }));
    const { scanner, lexical } = await partsOf({ cards, scanned: true });
    const index = lexical.of('default');
    const best = (text: string): readonly string[] => {
      const query = queryOfText(
        { index, synonyms: { of: () => [] } },
        text,
        byPerspective(() => []),
        requestOf(),
      );
      const lanes = lanesOf(requestOf({ lexicalShare: 1, expand: false }));
      return scanner.best({ index, generation: live, lanes, query, limit: 1, onLane });
    };
    expect(best('circle')).not.toEqual(['b']);
    index.set(cardOf({ id: 'b', revision: 2, questionText: 'area of a circle' }));
    expect(best('circle')).toEqual(['b']);
    index.delete('b');
    expect(best('circle')).not.toEqual(['b']);
  });

  test('covers a notebook only where the vectors of nearly all of its cards are at hand', async () => {
    const cards = Array.from({ length: 10 }, (_, place) => cardOf({ id: `c${place}` }));
    const { scanner, lexical } = await partsOf({ cards, scanned: true });
    const index = lexical.of('default');
    expect(scanner.covers(index, live)).toBe(true);
    index.set(cardOf({ id: 'new' }));
    expect(scanner.covers(index, live)).toBe(false);
  });

  test('covers all only where no other gateway can know a card that is not here', async () => {
    const cards = ['a', 'b'].map((id) => cardOf({ id }));
    for (const alone of [true, false]) {
      const { scanner, lexical } = await partsOf({ cards, scanned: true, alone });
      const index = lexical.of('default');
      expect(scanner.coversAll(index, live)).toBe(alone);
      // As many as before, but not the same: the vectors of the new one are not here yet.
      index.delete('a');
      index.set(cardOf({ id: 'new' }));
      expect(scanner.coversAll(index, live)).toBe(false);
    }
  });
});
