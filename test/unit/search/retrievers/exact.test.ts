import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byPerspective } from '../../../../src/domain/perspective.js';
import { SEARCH_OPERATIONS } from '../../../../src/domain/search.js';
import { atOnce } from '../../../../src/domain/steps.js';
import { DEFAULT_VIEWER } from '../../../../src/domain/viewer.js';
import { POSTERIOR_RULE } from '../../../../src/lexical/label-posterior.js';
import { fuse } from '../../../../src/search/fuse.js';
import { labelCandidates } from '../../../../src/search/label.js';
import { lanesOf, weightsOf } from '../../../../src/search/lanes.js';
import { cardQuerySteps, type Query, textQuerySteps } from '../../../../src/search/query/query.js';
import { scoreSteps } from '../../../../src/search/score.js';
import { live, partsOf } from '../../../support/engine-world.js';
import { cardOf, cardsArb, requestOf, textArb, weightsArb } from '../../../support/generators.js';
import { vectorOf } from '../../../support/memory-ports.js';

const signal = new AbortController().signal;

const caseArb = fc.record({
  cards: cardsArb(25),
  text: textArb,
  byCard: fc.boolean(),
  operation: fc.constantFrom(...SEARCH_OPERATIONS),
  weights: weightsArb.map((weights) => ({ ...weights, question: weights.question + 0.1 })),
  lexicalShare: fc.constantFrom(0, 0.3, 0.5, 1),
  synonyms: fc.constantFrom([], ['circle', '分数']),
  limit: fc.integer({ min: 1, max: 8 }),
  // Whether the index has a card, by place: that of an owner has not all of the tenant's.
  isKnown: fc.oneof(fc.constant([]), fc.array(fc.boolean(), { maxLength: 25 })),
});

describe('exact retrieval', () => {
  test('proposes the cards that score best when all that the index knows are scored exactly, and no others', async () => {
    await fc.assert(
      fc.asyncProperty(caseArb, async ({ cards: tenants, isKnown, ...asked }) => {
        const { text, byCard, operation, weights, lexicalShare, synonyms, limit } = asked;
        const { retrievers, indexes, stored } = await partsOf({ cards: tenants, columns: true });
        const index = await indexes.of(DEFAULT_VIEWER, signal);
        const cards = tenants.filter((_, place) => isKnown[place] ?? true);
        for (const card of tenants) if (!cards.includes(card)) index.delete(card.id);
        const revisions = new Map(cards.map(({ id, revision }) => [id, revision]));
        const { vectors } = await stored.of('default', 1, revisions, signal);
        const parts = { index, synonyms: { of: () => synonyms, said: () => [] } };
        const own = cards[0];
        const query: Query =
          byCard && own !== undefined
            ? atOnce(
                cardQuerySteps(
                  parts,
                  own,
                  byPerspective((perspective) => vectors.get(own.id)?.passages[perspective] ?? []),
                  requestOf(),
                ),
              )
            : atOnce(
                textQuerySteps(
                  { ...parts, asked: requestOf({ operation }) },
                  text,
                  byPerspective(() => [vectorOf(text)]),
                  requestOf(),
                ),
              );
        const lanes = lanesOf(requestOf({ weights, lexicalShare }));
        const laneWeights = weightsOf(lanes);
        const matrix = atOnce(
          scoreSteps([...revisions.keys()], { vectors, index }, query, (lane) => laneWeights[lane] !== 0),
        );
        const { scores } = fuse(labelCandidates(matrix, laneWeights, query, index).matrix, laneWeights, 'WEIGHTED');
        const scoreOf = new Map(matrix.cardIds.map((id, row) => [id, scores[row] as number]));
        const best = [...scoreOf.values()].filter((one) => one > 1e-6).sort((a, b) => b - a);

        const retrieval = {
          index,
          rule: POSTERIOR_RULE,
          generation: live,
          lanes,
          query,
          depth: limit,
          voteDepth: limit,
          matches: null,
        };
        const retrieved = await retrievers.exact.retrieve(retrieval, signal);
        const proposed = retrieved?.ids ?? [];
        expect(new Set(proposed).size).toBe(proposed.length);
        const known = new Set(cards.map(({ id }) => id));
        expect([...proposed, ...(retrieved?.voting ?? [])].filter((id) => !known.has(id))).toEqual([]);
        const given = proposed.map((id) => scoreOf.get(id) ?? Number.NaN).sort((a, b) => b - a);
        best.slice(0, limit).forEach((expected, place) => {
          // Cards that the 16 bits of a value do not tell apart may take each other's place.
          expect(given[place]).toBeCloseTo(expected, 4);
        });
      }),
    );
  });

  test('looks at the cards as they are now, whichever of them changed since the last time', async () => {
    const cards = ['a', 'b', 'c'].map((id) => cardOf({ id, questionText: `question ${id}` }));
    const { retrievers, indexes } = await partsOf({ cards, columns: true });
    const index = await indexes.of(DEFAULT_VIEWER, signal);
    const best = async (text: string): Promise<readonly string[]> => {
      const query = atOnce(
        textQuerySteps(
          { index, synonyms: { of: () => [], said: () => [] } },
          text,
          byPerspective(() => []),
          requestOf(),
        ),
      );
      const lanes = lanesOf(requestOf({ lexicalShare: 1, expand: false }));
      const retrieval = {
        index,
        rule: POSTERIOR_RULE,
        generation: live,
        lanes,
        query,
        depth: 1,
        voteDepth: 1,
        matches: null,
      };
      return (await retrievers.exact.retrieve(retrieval, signal))?.ids.slice(0, 1) ?? [];
    };
    expect(await best('circle')).not.toEqual(['b']);
    index.set(cardOf({ id: 'b', revision: 2, questionText: 'area of a circle' }));
    expect(await best('circle')).toEqual(['b']);
    index.delete('b');
    expect(await best('circle')).not.toEqual(['b']);
  });

  test('covers a notebook only where the vectors of nearly all of its cards are at hand', async () => {
    const cards = Array.from({ length: 10 }, (_, place) => cardOf({ id: `c${place}` }));
    const { retrievers, indexes } = await partsOf({ cards, columns: true });
    const index = await indexes.of(DEFAULT_VIEWER, signal);
    expect(retrievers.exact.covers(index, live)).toBe(true);
    index.set(cardOf({ id: 'new' }));
    expect(retrievers.exact.covers(index, live)).toBe(false);
  });

  test('covers all only where no other gateway can know a card that is not here', async () => {
    const cards = ['a', 'b'].map((id) => cardOf({ id }));
    for (const alone of [true, false]) {
      const { retrievers, indexes } = await partsOf({ cards, columns: true, alone });
      const index = await indexes.of(DEFAULT_VIEWER, signal);
      expect(retrievers.exact.coversAll(index, live)).toBe(alone);
      // As many as before, but not the same: the vectors of the new one are not here yet.
      index.delete('a');
      index.set(cardOf({ id: 'new' }));
      expect(retrievers.exact.coversAll(index, live)).toBe(false);
    }
  });
});
