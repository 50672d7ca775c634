/** Random cards, vectors and weights for properties, and plain ones for examples. */
import fc from 'fast-check';
import type { Card, CardContent } from '../../src/domain/card.js';
import { type ByPerspective, PERSPECTIVES } from '../../src/domain/perspective.js';
import type { SearchRequest } from '../../src/domain/search.js';
import { DEFAULT_VIEWER } from '../../src/domain/viewer.js';
import { DEFAULT_SEARCH } from './default-search.js';

/** A card of the default viewer; `id` and what matters to the test are given. */
export function cardOf(given: Partial<Card> & { readonly id: string }): Card {
  const moment = new Date('2026-03-01T08:00:00Z');
  return {
    tenantId: DEFAULT_VIEWER.tenantId,
    ownerId: DEFAULT_VIEWER.ownerId,
    subject: 'math',
    grade: 'G7',
    difficulty: 3,
    questionText: `question of ${given.id}`,
    choices: [],
    studentSolutionText: null,
    goldSolutionBrief: null,
    topicTags: [],
    errorTypes: [],
    qualityGrade: null,
    source: null,
    notes: null,
    occurredAt: moment,
    metadata: [],
    attachments: [],
    revision: 1,
    occurrences: 1,
    createdAt: moment,
    updatedAt: moment,
    ...given,
  };
}

/**
 * A search for a text by the question and by vectors alone, in which every candidate is alike enough to be a hit; what
 * matters to the test is given.
 */
export function requestOf(given: Partial<SearchRequest> = {}): SearchRequest {
  return {
    ...DEFAULT_SEARCH,
    operation: 'hybridSearch',
    subject: { kind: 'text', text: 'a question' },
    weights: { question: 1, solution: 0, concept: 0, error: 0 },
    lexicalShare: 0,
    topK: 10,
    thresholdSteps: [0],
    ...given,
  };
}

/** Four values, one for each perspective. */
export function byPerspectiveArb<T>(value: fc.Arbitrary<T>): fc.Arbitrary<ByPerspective<T>> {
  return fc.record({ question: value, solution: value, concept: value, error: value });
}

/** Weights as clients write them: many zeros, at least one above zero, ratios up to 1 : 1,000,000. */
export const weightsArb: fc.Arbitrary<ByPerspective<number>> = byPerspectiveArb(
  fc.oneof(fc.constant(0), fc.constantFrom(0.2, 0.6, 1), fc.double({ min: 0.001, max: 1_000, noNaN: true })),
).filter((weights) => PERSPECTIVES.some((perspective) => weights[perspective] > 0));

/** A score in 0 .. 1, often one that others have too. */
export const scoreArb = fc.oneof(fc.constantFrom(0, 0.25, 0.5, 1), fc.double({ min: 0, max: 1, noNaN: true }));

/** A unit vector, `Float32Array[dims]`. */
export function unitVectorArb(dims: number): fc.Arbitrary<Float32Array> {
  return fc
    .array(fc.integer({ min: -100, max: 100 }), { minLength: dims, maxLength: dims })
    .filter((values) => values.some((value) => value !== 0))
    .map((values) => unit(values));
}

/** The vector of length 1 in the direction of `values`. */
export function unit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
}

/** Short texts of a small vocabulary, so that different cards share texts, and a card gets an old text back. */
export const textArb = fc
  .array(fc.constantFrom('解方程', '勾股定理', 'area of a circle', 'sign error', '🧮 counts', 'x+1=2'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((words) => words.join('。'));

/** What a client writes of a card: any part that may be absent sometimes is. */
export const contentArb: fc.Arbitrary<Partial<CardContent>> = fc.record({
  subject: fc.constantFrom('math', 'physics'),
  difficulty: fc.integer({ min: 1, max: 5 }),
  questionText: textArb,
  studentSolutionText: fc.option(textArb),
  goldSolutionBrief: fc.option(textArb),
  topicTags: fc.uniqueArray(fc.constantFrom('勾股定理', 'circle', '方程'), { maxLength: 2 }),
  errorTypes: fc.uniqueArray(fc.constantFrom('计算错误', 'sign error'), { maxLength: 2 }),
});

/** Different cards of the default viewer, `c0`, `c1`, ... */
export function cardsArb(maxLength: number): fc.Arbitrary<readonly Card[]> {
  return fc
    .array(contentArb, { minLength: 1, maxLength })
    .map((contents) => contents.map((content, place) => cardOf({ ...content, id: `c${place}` })));
}

/** Surrogates, which are no characters, are skipped. */
const codePointArb = fc.integer({ min: 0, max: 0x10ffff - 0x800 }).map((place) => {
  return String.fromCodePoint(place < 0xd800 ? place : place + 0x800);
});

/** A text of any code points. Building fast-check's own (`unit: 'binary'`) takes two seconds. */
export function anyText(limits: { readonly maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ ...limits, unit: codePointArb });
}
