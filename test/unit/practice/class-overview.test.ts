import { expect, test } from 'vitest';
import type { OwnedAttempt } from '../../../src/domain/ports/practice.js';
import type { LabelledCard } from '../../../src/domain/practice.js';
import { atOnce } from '../../../src/domain/steps.js';
import { classOverviewSteps } from '../../../src/practice/class-overview.js';

const STUDENTS = 30;
const CARDS = 10;
const TO = new Date('2026-06-01T00:00:00Z');
const ago = (days: number): Date => new Date(TO.getTime() - days * 86_400_000);

/** A class whose students each got every one of their cards wrong once. `onRead`: the student of an attempt is read. */
function classOf(onRead: () => void) {
  const cards = Array.from({ length: STUDENTS * CARDS }, (_, place): LabelledCard => {
    const labels = { topicTags: [`topic ${place % 7}`], errorTypes: [`error ${place % 5}`] };
    const asked = { difficulty: 3, questionKey: `question ${place % CARDS}`, mistakes: [] };
    return { id: `card ${place}`, ownerId: `student ${place % STUDENTS}`, ...labels, ...asked };
  });
  const wrong = cards.map(({ id, ownerId }, place): OwnedAttempt => {
    const answer = { correct: false, hints: 0, durationMs: null, changedAnswer: false, reviewOf: null };
    return {
      ...{ key: id, cardId: id, at: ago(1 + (place % 10)), ...answer },
      get ownerId() {
        onRead();
        return ownerId;
      },
    };
  });
  return { cards, wrong, wrongFrom: null, right: [], window: { from: null, to: TO }, minStudents: 2 };
}

test('the overview of a large class is made in as many steps as it has mistakes, and more', () => {
  const facts = classOf(() => undefined);
  const steps = classOverviewSteps(facts);
  let count = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) count += 1;
  expect(count).toBeGreaterThan(facts.cards.length + facts.wrong.length);
  expect(step.value).toEqual(atOnce(classOverviewSteps(facts)));
  expect(step.value.students).toBe(STUDENTS);
});

test('an attempt is not looked at once for each student', () => {
  let reads = 0;
  const facts = classOf(() => {
    reads += 1;
  });
  atOnce(classOverviewSteps(facts));
  expect(reads / facts.wrong.length).toBeLessThan(10);
});
