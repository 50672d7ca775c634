import { expect, test } from 'vitest';
import { withBackslashes } from '../../../../src/exchange/formats/values/lost-backslashes.js';
import { cardOf } from '../../../support/files.js';
import { contentReader } from './content-reader.js';

const TEXT = String.raw`求 $\frac{1}{2}\times\theta\neq\beta$ 和 $\left(\vec{a}\right)\tan x$ $$x\neq 1$$`;
/** As a script writes it that does not double backslashes. */
const LOST = TEXT.replace(/\\([btnvfr])/g, (_, letter: string) => '\b\t\n\v\f\r'['btnvfr'.indexOf(letter)] ?? '');

test('commands of LaTeX get their backslashes again, and other texts stay as they are', () => {
  expect(withBackslashes(LOST)).toBe(TEXT);
  const texts = ['a\tan apple\neq. 3\right', '第1题\v在△ABC中\f第2题', 'a $5,\tand extra $6', TEXT, '$x$\neq'];
  expect(texts.map(withBackslashes)).toEqual(texts);
});

test('texts and choices of files are read so', async () => {
  const cell = (text: string): string => `"${text}"`;
  const csv = await contentReader('csv');
  const { rows } = await csv(`题目,学科,难度,正解,A,B\n${[LOST, 'math', '2', LOST, LOST, 'b'].map(cell)}\n`);
  expect(cardOf(rows[0])).toMatchObject({ questionText: TEXT, goldSolutionBrief: TEXT, choices: [TEXT, 'b'] });
  const jsonl = await contentReader('jsonl');
  const row = { questionText: LOST, subject: 'math', difficulty: 2, goldSolutionBrief: LOST, choices: [LOST, 'b'] };
  const { rows: lines } = await jsonl(JSON.stringify(row));
  expect(cardOf(lines[0])).toMatchObject({ questionText: TEXT, goldSolutionBrief: TEXT, choices: [TEXT, 'b'] });
});
