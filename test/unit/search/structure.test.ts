import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LABEL_PERSPECTIVES, type LabelPerspective } from '../../../src/domain/search.js';
import { type Structured, type StructureQuery, structureScore } from '../../../src/search/structure.js';
import { literalWords } from '../../support/memory-ports.js';
import { runs } from '../../support/runs.js';

const labelArb = fc.constantFrom('linear equation', 'quadratic equation', 'sign error', 'circle', '?!');
const labelsArb = fc.uniqueArray(labelArb, { maxLength: 3 });
const gradeArb = fc.constantFrom('G5', 'G6', null);
const subjectArb = fc.constantFrom('math', 'physics');
const cardArb: fc.Arbitrary<Structured> = fc.record({
  topicTags: labelsArb,
  errorTypes: labelsArb,
  subject: subjectArb,
  grade: gradeArb,
});
const queryArb: fc.Arbitrary<StructureQuery> = fc
  .record({
    concept: labelsArb,
    error: labelsArb,
    place: fc.option(fc.record({ subject: subjectArb, grade: gradeArb })),
  })
  .map(({ concept, error, place }) => queryOf({ concept, error }, place));
const perspectiveArb = fc.constantFrom(...LABEL_PERSPECTIVES);

function queryOf(
  labels: Record<LabelPerspective, readonly string[]>,
  place: StructureQuery['place'] = null,
): StructureQuery {
  const words = (all: readonly string[]): ReadonlySet<string> => new Set(all.flatMap(literalWords));
  return { terms: { concept: words(labels.concept), error: words(labels.error) }, place, termsOf: literalWords };
}

/** .4 own labels, .35 the other ones, .25 subject and grade, over what both sides have; NaN without own labels. */
function naive(query: StructureQuery, perspective: LabelPerspective, card: Structured): number {
  const match = (one: LabelPerspective): number | undefined => {
    const labels = one === 'concept' ? card.topicTags : card.errorTypes;
    const shares = labels.map((label) => {
      const words = literalWords(label);
      return words.length === 0 ? 0 : words.filter((word) => query.terms[one].has(word)).length / words.length;
    });
    return labels.length === 0 || query.terms[one].size === 0 ? undefined : Math.max(...shares);
  };
  const own = match(perspective);
  if (own === undefined) return Number.NaN;
  const other = match(perspective === 'concept' ? 'error' : 'concept');
  const parts = [[0.4, own]];
  if (other !== undefined) parts.push([0.35, other]);
  if (query.place !== null) {
    const { subject, grade } = query.place;
    const equal = [subject === card.subject];
    if (grade !== null && card.grade !== null) equal.push(grade === card.grade);
    parts.push([0.25, equal.filter(Boolean).length / equal.length]);
  }
  const sum = (of: (part: number[]) => number): number => parts.reduce((all, part) => all + of(part), 0);
  return sum(([weight = 0, score = 0]) => weight * score) / sum(([weight = 0]) => weight);
}

describe('structureScore', () => {
  test('equals .4 own labels, .35 other labels and .25 subject and grade, over what both sides have', () => {
    fc.assert(
      fc.property(queryArb, perspectiveArb, cardArb, (query, perspective, card) => {
        const given = structureScore(query, perspective, card);
        const expected = naive(query, perspective, card);
        if (Number.isNaN(expected)) expect(given).toBeNaN();
        else expect(given).toBeCloseTo(expected, 12);
        expect(Number.isNaN(given) || (given >= 0 && given <= 1 + 1e-12)).toBe(true);
      }),
      { numRuns: runs(500) },
    );
  });

  const card: Structured = { topicTags: ['linear equation'], errorTypes: ['sign error'], subject: 'math', grade: 'G7' };

  test('is 1 for a card that carries the same labels, in the same subject and grade', () => {
    const query = queryOf({ concept: card.topicTags, error: card.errorTypes }, card);
    for (const perspective of LABEL_PERSPECTIVES) expect(structureScore(query, perspective, card)).toBeCloseTo(1, 12);
  });

  test('compares by the best matching label name', () => {
    const query = queryOf({ concept: ['equation'], error: [] });
    expect(structureScore(query, 'concept', { ...card, topicTags: ['circle', 'linear equation'] })).toBe(0.5);
  });

  test('does not penalise a card for missing labels of the other kind', () => {
    const query = queryOf({ concept: card.topicTags, error: card.errorTypes }, card);
    expect(structureScore(query, 'concept', { ...card, errorTypes: [] })).toBeCloseTo(1, 12);
  });

  test('does not treat a missing grade as different', () => {
    const query = queryOf({ concept: card.topicTags, error: [] }, card);
    expect(structureScore(query, 'concept', { ...card, grade: null })).toBeCloseTo(1, 12);
    expect(structureScore(query, 'concept', { ...card, grade: 'G9' })).toBeCloseTo((0.4 + 0.125) / 0.65, 12);
  });

  test('has no score if card or query lacks labels of the searched kind', () => {
    const query = queryOf({ concept: card.topicTags, error: [] }, card);
    expect(structureScore(query, 'concept', { ...card, topicTags: [] })).toBeNaN();
    expect(structureScore(query, 'error', card)).toBeNaN();
  });
});
