import { expect, test } from 'vitest';
import { hintFigures } from '../../../bench/hints.js';

test('the guard finds most leaks of the sample, and holds back hardly any useful hint', async () => {
  const { train, test: held } = await hintFigures();
  expect([train?.leaks, train?.useful, held?.leaks, held?.useful]).toEqual([88, 88, 88, 88]);
  expect(train?.missed.length).toBeLessThanOrEqual(2);
  expect(held?.missed.length).toBeLessThanOrEqual(17);
  expect(train?.heldBack).toEqual([]);
  expect(held?.heldBack.length).toBeLessThanOrEqual(1);
});
