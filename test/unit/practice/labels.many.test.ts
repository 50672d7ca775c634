import { expect, test } from 'vitest';
import type { OwnedAttempt } from '../../../src/domain/ports/practice.js';
import type { LabelledCard } from '../../../src/domain/practice.js';
import { atOnce } from '../../../src/domain/steps.js';
import { classOverviewSteps } from '../../../src/practice/class-overview.js';
import { MasteryService } from '../../../src/practice/mastery-service.js';
import { fingerprintSteps } from '../../../src/practice/mistake-fingerprint.js';
import { mistakeSteps } from '../../../src/practice/mistakes.js';
import { modelOf, StudentModel } from '../../../src/practice/student-model.js';

const NOW = new Date('2026-06-01T00:00:00Z');
const WINDOW = { from: null, to: NOW };
const DAY_MS = 86_400_000;
/** As many as a card may have. */
const LABELS = 50;

const labels = (prefix: string): string[] => Array.from({ length: LABELS }, (_, n) => `${prefix} ${n}`);

/** Of each day a card with labels of its own, the first of yesterday. */
function cardsOf(count: number): readonly LabelledCard[] {
  return Array.from({ length: count }, (_, place) => {
    const id = `card ${place}`;
    const own = { topicTags: labels(`topic ${place}`), errorTypes: labels(`error ${place}`) };
    const mistakes = [{ at: new Date(NOW.getTime() - (place + 1) * DAY_MS), errorTypes: [] }];
    return { id, ownerId: 'amy', difficulty: 3, questionKey: id, ...own, mistakes };
  });
}

const attemptAt = ({ id }: LabelledCard, place: number): OwnedAttempt => ({
  ...{ key: id, ownerId: 'amy', cardId: id, reviewOf: null, at: new Date(NOW.getTime() - (place + 1) * 60_000) },
  ...{ correct: place % 2 === 0, hints: 0, durationMs: null, changedAnswer: false },
});

test('a fingerprint counts the errors and topics of the latest mistakes, however many each card has', () => {
  // 2,500 pairs of each card, of which 100,000 are counted.
  const cards = cardsOf(42).map((card, place) => (place < 41 ? card : { ...card, errorTypes: ['rare'] }));
  const mistakes = atOnce(mistakeSteps(cards, [], WINDOW));
  const model = atOnce(StudentModel.steps([], new Map()));
  const facts = { cards, log: [], inferred: new Map(), model, window: WINDOW };
  const cellsOf = (some: typeof mistakes) =>
    atOnce(fingerprintSteps({ ...facts, mistakes: some })).cells.map(({ errorType }) => errorType);
  expect(cellsOf(mistakes.slice(0, 1))).toContain('rare');
  expect(cellsOf(mistakes.slice(0, 2))).toContain('error 40 0');
  expect(mistakes).toHaveLength(42);
  const { cells, mostWorth } = atOnce(fingerprintSteps({ ...facts, mistakes }));
  expect(cells).toHaveLength(100);
  expect(mostWorth).toMatchObject([{ cardIds: ['card 0'] }, { cardIds: ['card 0'] }, { cardIds: ['card 0'] }]);
  // Twice as many mistakes as the oldest two have would be the most frequent.
  const often = [mistakes[0], mistakes[0], mistakes[1], mistakes[1]].flatMap((one) => one ?? []);
  expect(cellsOf([...often, ...mistakes.slice(2)])).not.toContain('rare');
});

test('a class overview of many labels is sorted in steps, with equal results', () => {
  const cards = cardsOf(60).map((card, place) => ({ ...card, ownerId: `student ${place % 3}` }));
  const facts = { cards, wrong: [], wrongFrom: null, right: [], window: WINDOW, minStudents: 1 };
  let steps = 0;
  const overview = classOverviewSteps(facts);
  let step = overview.next();
  for (; !step.done; step = overview.next()) steps += 1;
  // Each label is counted, of either kind, and of changes too.
  expect(steps).toBeGreaterThan(4 * 60 * LABELS);
  const names = cards.flatMap(({ errorTypes }) => errorTypes).sort();
  expect(step.value.errors.map(({ name }) => name)).toEqual(names.slice(0, 20));
  expect(atOnce(classOverviewSteps({ ...facts, minStudents: 2 }))).toMatchObject({
    ...{ errors: [], topics: [], questions: [], changes: [], suppressed: (2 * LABELS + 1) * 60 },
  });
});

test('the mastery of thousands of labels is listed in turns, the weakest first', async () => {
  const cards = cardsOf(50);
  const service = new MasteryService({
    attempts: { log: async () => cards.map(attemptAt) },
    overviews: { cards: async () => cards },
    labels: { described: async () => [] },
  });
  const { signal } = new AbortController();
  const amy = { tenantId: 'north', ownerId: 'amy', role: 'student' } as const;
  const list = (first: number) =>
    service.list(amy, { ownerId: null, topicTags: null, errorTypes: null, first, after: null }, NOW, signal);
  const { edges, totalCount } = await list(100 * cards.length);
  expect(totalCount).toBe(2 * LABELS * cards.length);
  const abilities = edges.map(({ node }) => node.ability);
  expect(abilities).toEqual(abilities.toSorted((a, b) => a - b));
  expect(await list(3)).toMatchObject({ totalCount, edges: edges.slice(0, 3), hasNextPage: true });
});

test('a model or an overview that nobody waits for any more ends at its next pause', async () => {
  const cards = cardsOf(2_000);
  const gone = new AbortController();
  const attempts = {
    log: async () => {
      setImmediate(() => gone.abort(new Error('gone')));
      return cards.map(attemptAt);
    },
    rightAnswers: async () => [],
  };
  const overviews = { cards: async () => cards, group: async () => null };
  const teacher = { tenantId: 'north', ownerId: 'tess', role: 'teacher' } as const;
  await expect(modelOf({ attempts, overviews }, teacher, 'amy', null, gone.signal)).rejects.toThrow('gone');
});
