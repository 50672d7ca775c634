import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Card, QUALITY_GRADES } from '../../../src/domain/card.js';
import { LANGUAGES } from '../../../src/domain/language.js';
import type { CardFilter } from '../../../src/domain/search.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { cardOf } from '../../support/generators.js';
import { literalWords } from '../../support/memory-ports.js';
import { naivelyMatches } from '../../support/naive-filter.js';
import { runs } from '../../support/runs.js';

const DAY_MS = 86_400_000;
const IDS = Array.from({ length: 70 }, (_, place) => `c${place}`);
const SUBJECTS = ['math', 'physics', '语文'];
const GRADES = ['G1', 'G10', '初二'];
const LABELS = ['面积', 'force', 'sign error'];
const SOURCES = ['a book', 'an exam'];
const METADATA = [
  { key: 'class', value: '7b' },
  { key: 'unit', value: '1' },
];
const OWNERS = ['amy', 'ben'];

const dayArb = fc.integer({ min: 0, max: 5 }).map((day) => new Date(day * DAY_MS));

/** What a card now is; null if it is deleted. */
const changeArb = fc.record({
  id: fc.constantFrom(...IDS),
  content: fc.option(
    fc.record({
      ownerId: fc.constantFrom(...OWNERS),
      subject: fc.constantFrom(...SUBJECTS),
      grade: fc.option(fc.constantFrom(...GRADES)),
      difficulty: fc.integer({ min: 1, max: 5 }),
      qualityGrade: fc.option(fc.constantFrom(...QUALITY_GRADES)),
      topicTags: fc.subarray(LABELS),
      errorTypes: fc.subarray(LABELS),
      occurredAt: dayArb,
      source: fc.option(fc.constantFrom(...SOURCES)),
      questionText: fc.constantFrom('1 + 1', '求面积'),
      goldSolutionBrief: fc.option(fc.constant('2')),
      metadata: fc.subarray(METADATA),
    }),
    { freq: 4 },
  ),
});
const changesArb = fc.array(changeArb, { maxLength: 150 });

const anyOf = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 });
/** One condition of each kind. */
const conditionsArb: fc.Arbitrary<Required<CardFilter>> = fc.record({
  subject: anyOf([...SUBJECTS, 'none']),
  grade: anyOf([...GRADES, 'none']),
  difficultyMin: fc.integer({ min: 1, max: 5 }),
  difficultyMax: fc.integer({ min: 1, max: 5 }),
  qualityGrade: anyOf(QUALITY_GRADES),
  topicTags: anyOf([...LABELS, 'none']),
  errorTypes: anyOf([...LABELS, 'none']),
  allTopicTags: anyOf(LABELS),
  allErrorTypes: anyOf([...LABELS, 'none']),
  owners: anyOf([...OWNERS, 'none']),
  sources: anyOf([...SOURCES, 'none']),
  languages: anyOf(LANGUAGES),
  hasSolution: fc.boolean(),
  unlabelled: fc.boolean(),
  metadata: anyOf([...METADATA, { key: 'unit', value: 'none' }]),
  occurredAfter: dayArb,
  occurredBefore: dayArb,
  excludeCardIds: anyOf([...IDS.slice(0, 20), 'none']),
});

/**
 * Each condition alone, and three of them: of 70 cards hardly one matches half of all conditions, and an index that
 * ignores one of them is then not noticed.
 */
const filtersArb: fc.Arbitrary<readonly CardFilter[]> = conditionsArb.chain((conditions) => {
  const each = Object.entries(conditions);
  return fc
    .subarray(each, { minLength: 3, maxLength: 3 })
    .map((some) => [...each.map(([key, value]) => ({ [key]: value })), Object.fromEntries(some), {}]);
});

class Model {
  readonly cards = new Map<string, Card>();
  #revision = 0;

  apply(index: LexicalIndex, changes: Iterable<typeof changeArb extends fc.Arbitrary<infer T> ? T : never>): void {
    for (const { id, content } of changes) {
      if (content === null) {
        this.cards.delete(id);
        index.delete(id);
        continue;
      }
      this.#revision += 1;
      const card = cardOf({ ...content, id, revision: this.#revision });
      this.cards.set(id, card);
      index.set(card);
    }
  }

  idsOf(isWanted: (card: Card) => boolean): string[] {
    return [...this.cards.values()]
      .filter(isWanted)
      .map(({ id }) => id)
      .sort();
  }
}

function expectSame(index: LexicalIndex, model: Model, filter: CardFilter): void {
  const matching = index.matching(filter);
  const expected = model.idsOf((card) => naivelyMatches(filter, card));
  expect(index.cards.idsOf(matching).sort()).toEqual(expected);
  expect(matching.size).toBe(expected.length);
  for (const id of IDS) {
    const doc = index.cards.docOf(id);
    expect(doc !== undefined && matching.has(doc)).toBe(expected.includes(id));
  }
  for (const owner of [...OWNERS, 'none']) {
    expect(index.cards.idsOf(index.matching({ owners: [owner] })).sort()).toEqual(
      model.idsOf(({ ownerId }) => ownerId === owner),
    );
  }
}

describe('filter columns', () => {
  test('after any changes match exactly the cards that a scan matches', () => {
    fc.assert(
      fc.property(changesArb, filtersArb, (changes, filters) => {
        const [index, model] = [new LexicalIndex(literalWords), new Model()];
        model.apply(index, changes);
        for (const filter of filters) expectSame(index, model, filter);
      }),
      { numRuns: runs(200) },
    );
  });

  test('restored from a snapshot match its current cards, and continue correctly', () => {
    fc.assert(
      fc.property(changesArb, changesArb, changesArb, filtersArb, (before, meanwhile, after, filters) => {
        const [index, model] = [new LexicalIndex(literalWords), new Model()];
        model.apply(index, before);
        const snapshot = index.snapshot();
        model.apply(index, meanwhile);

        const restored = new LexicalIndex(literalWords);
        for (const _ of restored.restore(snapshot, (id, { revision }) => model.cards.get(id)?.revision === revision));
        for (const card of model.cards.values()) if (restored.cards.revisionOf(card.id) === 0) restored.set(card);
        for (const filter of filters) expectSame(restored, model, filter);
        model.apply(restored, after);
        for (const filter of filters) expectSame(restored, model, filter);
      }),
      { numRuns: runs(100) },
    );
  });
});
