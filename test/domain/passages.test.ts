import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hashOf, passagesOf, split } from '../../src/domain/passages.js';
import { cardOf } from '../support/generators.js';

const textArb = fc
  .array(
    fc.oneof(
      fc.constantFrom('。', '\n', '\n\n', '. ', ' ', '，', '👩‍🏫', '𝑥', '勾股定理', 'word'),
      fc.string({ unit: 'binary' }),
    ),
  )
  .map((parts) => parts.join(''));
const maxCharsArb = fc.integer({ min: 2, max: 40 });

describe('split', () => {
  test('gives pieces that make up the text again, none of them too long and none empty but of an empty text', () => {
    fc.assert(
      fc.property(textArb, maxCharsArb, (text, maxChars) => {
        const pieces = split(text, maxChars);
        expect(pieces.join('')).toBe(text);
        for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(maxChars);
        if (text !== '') expect(pieces).not.toContain('');
      }),
    );
  });

  test('never cuts a character in two', () => {
    // Half of a surrogate pair does not survive the way to UTF-8 and back.
    fc.assert(
      fc.property(textArb, maxCharsArb, (text, maxChars) => {
        for (const piece of split(text, maxChars)) expect(Buffer.from(piece).toString()).toBe(piece);
      }),
    );
  });

  test('leaves a text whole that is short enough', () => {
    expect(split('勾股定理。', 5)).toEqual(['勾股定理。']);
    expect(split('', 5)).toEqual(['']);
  });

  test.each([
    ['a paragraph before a line', 'aaaa\n\nbb\ncccc', 10, ['aaaa\n\n', 'bb\ncccc']],
    ['a line before a sentence', 'aaaaaa\nb. cccccc', 11, ['aaaaaa\n', 'b. cccccc']],
    ['a sentence before a clause', '直角三角形。斜边，两直角边', 10, ['直角三角形。', '斜边，两直角边']],
    ['a clause before a word', 'long words, of a text', 16, ['long words, of ', 'a text']],
  ])('cuts at %s', (_name, text, maxChars, pieces) => {
    expect(split(text, maxChars)).toEqual(pieces);
  });

  test('cuts at the last border, so that pieces are few', () => {
    expect(split('one. two. three. four.', 18)).toEqual(['one. two. three. ', 'four.']);
  });

  test('does not cut in the first half for a better border, so that pieces are few', () => {
    expect(split('a\n\nbbbb cccc dddd', 12)).toEqual(['a\n\nbbbb ', 'cccc dddd']);
  });
});

describe('passagesOf', () => {
  const embedder = {
    maxChars: 10,
    embeds(text: string): boolean {
      return this.maxChars === 10 && /\p{L}/u.test(text);
    },
  };

  test('gives each piece of each text a passage of its own, in order, with the hash of the piece', () => {
    const card = cardOf({
      id: 'a',
      questionText: '直角三角形。斜边，两直角边',
      studentSolutionText: 'wrong',
      goldSolutionBrief: 'right',
      topicTags: ['方程'],
    });
    const passages = passagesOf(card, embedder);
    const texts = (of: readonly { readonly text: string }[]): readonly string[] => of.map(({ text }) => text);
    expect(texts(passages.question)).toEqual(['直角三角形。', '斜边，两直角边']);
    expect(texts(passages.solution)).toEqual(['wrong', 'right']);
    expect(texts(passages.concept)).toEqual(['方程']);
    expect(passages.error).toEqual([]);
    for (const { text, contentHash } of Object.values(passages).flat()) expect(contentHash).toBe(hashOf(text));
  });

  test('leaves out pieces without anything to embed, as a method of the embedder decides', () => {
    const { question } = passagesOf(cardOf({ id: 'a', questionText: '1234567890word' }), embedder);
    expect(question.map(({ text }) => text)).toEqual(['word']);
  });
});

describe('hashOf', () => {
  test('is the first half of SHA-256, in hex, of the text in UTF-8', () => {
    expect(hashOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223');
    expect(hashOf('错')).toMatch(/^[0-9a-f]{32}$/);
    expect(hashOf('错')).not.toBe(hashOf('错 '));
  });
});
