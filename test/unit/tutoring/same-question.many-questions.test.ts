import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { asks } from '../../../src/tutoring/same-question.js';

test('each question of the sample is asked by itself, in a request too, and no two that differ are one', () => {
  const cards = ['zh', 'en'].flatMap((language) =>
    readFileSync(join(packageRoot(), 'sample', `notebook.${language}.jsonl`), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { questionText: string }),
  );
  const digitsOf = (text: string): string => text.normalize('NFKC').replace(/\D/g, '');
  let again = 0;
  for (const { questionText } of cards) {
    expect(asks(`老师，这道题我不会：${questionText} 给点提示`)(questionText)).toBe(true);
    const isAsked = asks(questionText);
    const others = cards.filter((other) => other.questionText !== questionText && isAsked(other.questionText));
    for (const other of others) expect(digitsOf(other.questionText)).toBe(digitsOf(questionText));
    again += others.length;
  }
  // The sample has five calculations and equations in several notations.
  expect(again).toBe(19);
});
