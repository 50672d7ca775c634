import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byPerspective } from '../../../../src/domain/perspective.js';
import type { LabelPerspective } from '../../../../src/domain/search.js';
import { LexicalIndex } from '../../../../src/lexical/lexical-index.js';
import { type CardJoin, joinCards } from '../../../../src/search/retrievers/card-join.js';
import { SparseColumns } from '../../../../src/vectors/columns.js';
import { PackedVectors } from '../../../../src/vectors/packed.js';
import { cardOf, contentArb, unit } from '../../../support/generators.js';
import { literalWords } from '../../../support/memory-ports.js';
import { runs } from '../../../support/runs.js';

const vectors = PackedVectors.of({ revision: 1, passages: byPerspective(() => [unit([1, 2])]) });
const onlyQuestion = PackedVectors.of({
  revision: 1,
  passages: { ...byPerspective(() => []), question: [unit([1, 2])] },
});

/** A change of one side, or a look at both. */
const stepArb = fc.oneof(
  { weight: 1, arbitrary: fc.constant({ kind: 'join' } as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('indexed', 'unindexed', 'compared', 'partly', 'forgotten'),
      place: fc.nat(2),
      content: contentArb,
    }),
  },
);

function contentsOf({ docs, numbers, lanes, labels, both }: CardJoin, columns: SparseColumns, index: LexicalIndex) {
  const cards = columns.cardIds.length;
  // By card: a number that tells which labels are in its set.
  const labelsOf = (perspective: LabelPerspective): readonly number[] => {
    const { sets, setOf } = labels[perspective];
    const profiles = index.profiles[perspective];
    const posteriors = new Map(profiles.labels.toSorted().map((label, place) => [label, 2 ** -(place + 1)]));
    const scores = profiles.scoresBySet({ posteriors, common: 0 }, sets);
    return Array.from(setOf.subarray(0, cards), (set) => scores[set] as number);
  };
  return {
    both,
    concepts: labelsOf('concept'),
    errors: labelsOf('error'),
    docs: Array.from(docs.subarray(0, cards)),
    lanes: Array.from(lanes.subarray(0, cards)),
    numbers: Array.from(numbers.subarray(0, index.cards.docs)),
    spare: [...docs.subarray(cards), ...numbers.subarray(index.cards.docs)].every((one) => one === -1),
  };
}

describe('the join of vector columns and lexical index', () => {
  test('brought up to date after any changes of either side is the one that is made anew', () => {
    fc.assert(
      fc.property(fc.array(stepArb, { maxLength: 60 }), (steps) => {
        const index = new LexicalIndex(literalWords);
        const columns = new SparseColumns();
        // Room for the cards that the steps bring.
        for (let place = 0; place < 120; place++) {
          index.set(cardOf({ id: `old${place}` }));
          columns.set(`old${place}`, vectors);
        }
        let known: CardJoin | undefined;
        for (const [revision, step] of steps.entries()) {
          if (step.kind !== 'join') {
            const id = `c${step.place}`;
            if (step.kind === 'indexed') index.set(cardOf({ ...step.content, id, revision: revision + 1 }));
            else if (step.kind === 'unindexed') index.delete(id);
            else if (step.kind === 'forgotten') columns.delete(id);
            else columns.set(id, step.kind === 'compared' ? vectors : onlyQuestion);
            continue;
          }
          known = joinCards(columns, index, known);
          expect(contentsOf(known, columns, index)).toEqual(
            contentsOf(joinCards(columns, index, undefined), columns, index),
          );
        }
      }),
      { numRuns: runs(300) },
    );
  });

  test('forgets sets of labels that no card has any more', () => {
    const index = new LexicalIndex(literalWords);
    const columns = new SparseColumns();
    columns.set('c', vectors);
    let known: CardJoin | undefined;
    for (let revision = 1; revision <= 1_500; revision++) {
      index.set(cardOf({ id: 'c', revision, topicTags: [`topic ${revision}`] }));
      known = joinCards(columns, index, known);
    }
    expect(known?.labels.concept.sets.size).toBeLessThan(1_100);
    expect(known?.labels.concept.setOf[0]).toBeGreaterThan(0);
  });

  test('is made anew after more changes than either side remembers, and where cards have got other numbers', () => {
    const index = new LexicalIndex(literalWords);
    const columns = new SparseColumns();
    for (let place = 0; place < 5; place++) index.set(cardOf({ id: `c${place}` }));
    let known = joinCards(columns, index, undefined);
    for (let round = 0; round < 600; round++) {
      for (let place = 0; place < 5; place++) columns.set(`c${(place + round) % 5}`, vectors);
      if (round % 150 > 0) continue;
      known = joinCards(columns, index, known);
      expect(known.both).toBe(5);
      expect(contentsOf(known, columns, index)).toEqual(
        contentsOf(joinCards(columns, index, undefined), columns, index),
      );
    }
  });
});
