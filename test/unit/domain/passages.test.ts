import { describe, expect, test } from 'vitest';
import { hashOf, passagesOf } from '../../../src/domain/passages.js';
import { cardOf } from '../../support/generators.js';

describe('passagesOf', () => {
  const embedder = {
    maxChars: 10,
    embeds(text: string): boolean {
      return this.maxChars === 10 && /\p{L}/u.test(text);
    },
  };

  test('creates a passage for each chunk of each text, in order, with its hash', () => {
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

  test('omits chunks that the embedder cannot embed', () => {
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
