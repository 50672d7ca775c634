import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { spansOf, split } from '../../../src/domain/split.js';
import { expectGrowthBelow } from '../../support/cpu-time.js';
import { anyText } from '../../support/generators.js';
import { runs } from '../../support/runs.js';

const FORMULAS = ['$x^2+1$', '$$\\frac{1}{2}$$', '\\(a, b\\)', '\\[c. d\\]', '\\begin{cases}x\\\\y\\end{cases}'];
const TABLE = '| a | b |\n|---|---|\n| 1 | 2 |\n';
const textArb = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '。',
        '\n',
        '\n\n',
        '. ',
        ' ',
        '，',
        '👩‍🏫',
        '𝑥',
        '勾股定理',
        'word',
        '（1）',
        '第二步',
        '$',
        '|',
        '\\[',
      ),
      fc.constantFrom(...FORMULAS, `\n${TABLE}`),
      anyText(),
    ),
  )
  .map((parts) => parts.join(''));
const maxCharsArb = fc.integer({ min: 2, max: 60 });

describe('split', () => {
  test('returns spans that cover the text in order, none too long, each with new text', () => {
    fc.assert(
      fc.property(textArb, maxCharsArb, (text, maxChars) => {
        const spans = spansOf(text, maxChars);
        expect(spans[0]?.start).toBe(0);
        expect(spans.at(-1)?.end).toBe(text.length);
        spans.forEach(({ start, end }, place) => {
          expect(end - start).toBeLessThanOrEqual(maxChars);
          const before = spans[place - 1];
          if (before === undefined) return;
          expect(start).toBeGreaterThan(before.start);
          expect(start).toBeLessThanOrEqual(before.end);
          expect(end).toBeGreaterThan(before.end);
          // The overlap is an eighth at most.
          expect(before.end - start).toBeLessThanOrEqual(maxChars / 8);
        });
      }),
      { numRuns: runs(500) },
    );
  });

  test('never splits a character', () => {
    // A lone surrogate does not survive the way to UTF-8 and back.
    fc.assert(
      fc.property(textArb, maxCharsArb, (text, maxChars) => {
        for (const piece of split(text, maxChars)) expect(Buffer.from(piece).toString()).toBe(piece);
      }),
    );
  });

  test('never splits a formula or table that fits into a chunk', () => {
    const plainArb = fc
      .array(fc.constantFrom('勾股定理', '。', '，', 'word ', '\n', '解得'), { maxLength: 30 })
      .map((parts) => parts.join(''));
    const wholeArb = fc.constantFrom(...FORMULAS, TABLE);
    const piecesArb = fc.array(fc.tuple(plainArb, wholeArb), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(piecesArb, fc.integer({ min: TABLE.length + 1, max: 80 }), (pieces, maxChars) => {
        const wholes: { start: number; end: number }[] = [];
        let text = '';
        for (const [plain, whole] of pieces) {
          text += whole === TABLE ? `${plain}\n` : plain;
          wholes.push({ start: text.length, end: text.length + whole.length });
          text += whole;
        }
        for (const cut of spansOf(text, maxChars).flatMap(({ start, end }) => [start, end])) {
          expect(wholes.filter(({ start, end }) => cut > start && cut < end)).toEqual([]);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test('does not split a short text', () => {
    expect(split('勾股定理。', 5)).toEqual(['勾股定理。']);
    expect(split('', 5)).toEqual(['']);
  });

  test.each([
    ['a paragraph before a line', 'aaaa\n\nbb\ncccc', 10, ['aaaa\n\n', 'bb\ncccc']],
    ['a line before a sentence', 'aaaaaa\nb. cccccc', 11, ['aaaaaa\n', 'b. cccccc']],
    ['a step before a sentence', '得a=1。故有（2）代入得c', 12, ['得a=1。故有', '（2）代入得c']],
    ['a sentence before a clause', '直角三角形。斜边，两直角边', 10, ['直角三角形。', '斜边，两直角边']],
    ['a clause before a word', 'long words, of a text', 16, ['long words, of ', 'a text']],
  ])('cuts at %s', (_name, text, maxChars, pieces) => {
    expect(split(text, maxChars)).toEqual(pieces);
  });

  test('does not treat a function argument as a step', () => {
    expect(split('因此函数值f(1)=2成立所以得证', 10)[0]).toBe('因此函数值f(1)=');
  });

  test('overlaps by the last sentence if it is short', () => {
    const sentences = Array.from({ length: 12 }, (_, place) => `第${'一二三四五六七八九十甲乙'[place]}句话。`);
    const pieces = split(sentences.join(''), 40);
    expect(pieces.length).toBeGreaterThan(1);
    for (const [place, piece] of pieces.slice(1).entries()) {
      const last = /[^。]+。$/.exec(pieces[place] ?? '')?.[0];
      expect(piece.startsWith(String(last))).toBe(true);
    }
    const long = `${'很长的句子'.repeat(5)}。`;
    expect(split(long.repeat(2), 30).join('')).toBe(long.repeat(2));
  });

  test('splits formulas and tables only if they are longer than a chunk, tables between rows', () => {
    const rows = Array.from({ length: 8 }, (_, row) => `| 第${row}行 | ${row} |\n`).join('');
    for (const piece of split(rows, 40)) expect(piece).toMatch(/^(\| 第\d行 \| \d \|\n)+$/);
    expect(split(`$${'x+'.repeat(30)}1$`, 20).every((piece) => piece.length <= 20)).toBe(true);
  });

  test('splits at the last boundary, so that there are few chunks', () => {
    expect(split('one. two. three. four.', 18)).toEqual(['one. two. three. ', 'four.']);
  });

  test('does not split in the first half for a better boundary, so that there are few chunks', () => {
    expect(split('a\n\nbbbb cccc dddd', 12)).toEqual(['a\n\nbbbb ', 'cccc dddd']);
  });

  test.each(['\\begin{a}', '$', '$a$,', '\\[', '\\(', '<table', '\n|a|', '\n', '\n ', '（1）', 'a'])(
    'takes time in proportion to a text that repeats %j',
    (part) => {
      const ofLength = (length: number): (() => unknown) => {
        const text = part.repeat(Math.ceil(length / part.length));
        return () => split(text, 500);
      };
      // Up to ten times the longest field.
      expectGrowthBelow(8, ofLength, 16_384);
    },
  );

  test('recognises environments in capitals too, but not without their end', () => {
    expect(split('ab \\BEGIN{A}c d\\end{a} ef', 22)).toEqual(['ab \\BEGIN{A}c d\\end{a}', ' ef']);
    expect(split('<table a b c d e', 10)).toEqual(['<table a ', 'b c d e']);
    expect(split('\\( a \\[ b c\\] d e', 13)).toEqual(['\\( a \\[ b c\\]', ' d e']);
  });
});
