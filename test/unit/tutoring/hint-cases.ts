import { expect, test } from 'vitest';
import { LeakGuard } from '../../../src/tutoring/leak-guard.js';
import { cardOf } from '../../support/generators.js';

/** Hints for one question, a student's attempt at it and its reference solution. */
export interface HintCase {
  readonly question: string;
  readonly attempt: string;
  readonly reference: string;
  readonly leaks: readonly string[];
  readonly useful: readonly string[];
}

/** One test for each hint: leaks are found, useful hints are not held back. */
export function testHints(cases: readonly HintCase[]): void {
  for (const { question, attempt, reference, leaks, useful } of cases) {
    const card = cardOf({
      id: 'a',
      questionText: question,
      studentSolutionText: attempt,
      goldSolutionBrief: reference,
    });
    const guard = LeakGuard.of({ card, sources: [], question });
    for (const hint of leaks)
      test(`${hint} is a leak of: ${reference}`, () => expect(guard.leakIn(hint)).not.toBeNull());
    for (const hint of useful) test(`${hint} is no leak of: ${reference}`, () => expect(guard.leakIn(hint)).toBeNull());
  }
}
