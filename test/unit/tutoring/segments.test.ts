import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sentencesOf } from '../../../src/tutoring/segments.js';

function sentences(text: string): readonly string[] {
  return sentencesOf(text).map(({ start, end }) => text.slice(start, end));
}

test('a sentence ends at a full stop, a question mark or a line, in Chinese and English, and not within a number', () => {
  expect(sentences('先通分。再相加！\n得 7/8')).toEqual(['先通分。', '再相加！', '得 7/8']);
  expect(sentences('It is 3.14 m. Then add! So 7.')).toEqual(['It is 3.14 m.', 'Then add!', 'So 7.']);
});

test.each([
  ['dollars', '$$a; b。 c$$'],
  ['brackets', '\\[ x = 1;\n y = 2 \\]'],
  ['an environment', '\\begin{cases} x = 1; \\\\\n y = 2. \\end{cases}'],
  ['a table of Markdown', '| a | b |\n|---|---|\n| 1; | 2。 |'],
  ['a table of HTML', '<table><tr><td>1。</td>\n<td>2;</td></tr></table>'],
  ['a long formula', `$${'x + y; '.repeat(100)}z$`],
])('a formula or a table is never cut: %s', (_name, whole) => {
  const found = sentences(`Before.\n${whole}\nAfter.`);
  expect(found.some((sentence) => sentence.includes(whole))).toBe(true);
});

test('a text without sentence ends is split into chunks of at most 240 characters, never within a character', () => {
  const pieces = sentences('😀'.repeat(500));
  expect(pieces.join('')).toBe('😀'.repeat(500));
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(241);
  expect(pieces.every((piece) => !/\p{Surrogate}/u.test(piece))).toBe(true);
});

test('sentences are in order, do not overlap, and contain every non-blank character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
      const spans = sentencesOf(text);
      let at = 0;
      for (const { start, end } of spans) {
        expect(start).toBeGreaterThanOrEqual(at);
        expect(end).toBeGreaterThan(start);
        at = end;
      }
      const kept = spans.map(({ start, end }) => text.slice(start, end)).join('');
      expect(kept.replace(/\s+/g, '')).toBe(text.replace(/\s+/g, ''));
    }),
  );
});
