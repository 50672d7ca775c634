import { default_w } from 'ts-fsrs';
import { expect, test } from 'vitest';
import { expectedLogLoss } from '../../../bench/reviewers.js';
import { mean } from '../../../src/evaluation/statistics.js';
import { fitSchedule } from '../../../src/fsrs/fit.js';
import { studentOf } from './simulated-student.js';

test('parameters fitted to a student predict the other reviews of students with parameters of their own better, where they are used', async () => {
  const gains: number[] = [];
  for (let seed = 1; seed <= 12; seed += 1) {
    const { log, future } = studentOf(seed, 1, 120);
    const fit = await fitSchedule(log, 'UTC', async (step) => step());
    if (!fit?.isUsed) continue;
    gains.push(expectedLogLoss(future, default_w) - expectedLogLoss(future, fit.weights));
  }
  expect(gains.length).toBeGreaterThan(4);
  expect(mean(gains)).toBeGreaterThan(0.002);
});
