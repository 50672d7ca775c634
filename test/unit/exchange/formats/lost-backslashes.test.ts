import { expect, test } from 'vitest';
import { withBackslashes } from '../../../../src/exchange/formats/values/lost-backslashes.js';
import { cardOf } from '../../../support/files.js';
import { contentReader } from './content-reader.js';

const readLines = await contentReader('jsonl');
const readCsv = await contentReader('csv');

const TEXT = String.raw`求 $\frac{1}{2}\times\theta\neq\beta$ 和 $\left(\vec{a}\right)\tan x$ $$x\neq 1$$`;
/** As a script writes it that does not double backslashes. */
const LOST = TEXT.replace(/\\([btnvfr])/g, (_, letter: string) => '\b\t\n\v\f\r'['btnvfr'.indexOf(letter)] ?? '');

test('commands of LaTeX get their backslashes again, and other texts stay as they are', () => {
  expect(withBackslashes(LOST)).toBe(TEXT);
  const texts = ['a\tan apple\neq. 3\right', '第1题\v在△ABC中\f第2题', 'a $5,\tand extra $6', TEXT, '$x$\neq'];
  expect(texts.map(withBackslashes)).toEqual(texts);
});

test.each([
  '$a\ne b$',
  '$$x \ne0$$',
  '$|x|\ne-1$',
  '$(x)\ne \\frac{1}{2}$',
  '$\\alpha\ne\\beta$',
  '$a &\neq b$',
  '$x\neq e^{2}$',
])('a line break behind an operand that was \\ne or \\neq is the command again: %j', (text) => {
  expect(withBackslashes(text)).toBe(text.replace('\n', '\\n'));
});

const MULTILINE = [
  '$$\ne^{x}-ax=0\n$$',
  '$$f(x)=\ne^x$$',
  '$$\\begin{cases}x=1\\\\\ne^y=2\\end{cases}$$',
  '$$\\begin{cases}x=1\\\\[2pt]\ne y=2\\end{cases}$$',
  '$$x^2\ne^{x}$$',
  '$$2\\cdot\ne x$$',
  '$$a=1,\ne \\approx 2.7$$',
  '$$a=1\\quad\ne\\approx 2.7$$',
  '$$F=\neq$$',
];

test.each(MULTILINE)('the number e at the beginning of a line stays: %j', async (text) => {
  expect(withBackslashes(text)).toBe(text);
  const { rows } = await readLines(JSON.stringify({ questionText: text, subject: 'math', difficulty: 2, notes: text }));
  expect(cardOf(rows[0])).toMatchObject({ questionText: text, notes: text });
});

test('texts and choices of files are read so', async () => {
  const cell = (text: string): string => `"${text}"`;
  const { rows } = await readCsv(`题目,学科,难度,正解,A,B\n${[LOST, 'math', '2', LOST, LOST, 'b'].map(cell)}\n`);
  expect(cardOf(rows[0])).toMatchObject({ questionText: TEXT, goldSolutionBrief: TEXT, choices: [TEXT, 'b'] });
  const row = { questionText: LOST, subject: 'math', difficulty: 2, goldSolutionBrief: LOST, choices: [LOST, 'b'] };
  const { rows: lines } = await readLines(JSON.stringify(row));
  expect(cardOf(lines[0])).toMatchObject({ questionText: TEXT, goldSolutionBrief: TEXT, choices: [TEXT, 'b'] });
});
