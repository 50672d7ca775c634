import { expect, test } from 'vitest';
import { questionName } from '../../../studio/ui/question-name.js';

test('a card is named by the beginning of its question, in whole characters', () => {
  expect(questionName({ questionText: ' Solve\n  $x^2 = 4$. ' })).toBe('Solve $x^2 = 4$.');
  const long = '𝑥'.repeat(61);
  expect(questionName({ questionText: long })).toBe(`${'𝑥'.repeat(60)}…`);
  expect(questionName({ questionText: long.slice(2) })).toBe(long.slice(2));
});
