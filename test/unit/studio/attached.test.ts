import { describe, expect, test } from 'vitest';
import { type Attachment, rebased } from '../../../studio/cards/attached.js';

const link = (name: string, altText: string | null = null): Attachment => ({
  kind: 'QUESTION',
  altText,
  url: `https://example.org/${name}`,
  sha256: null,
  contentType: null,
});
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => link(name)) as [Attachment, Attachment, Attachment, Attachment];

describe('attachments that were changed on two sides', () => {
  test.each([
    ['both additions stay', [a, b], [a], [a, c], [a, c, b]],
    ['both removals stay', [b, c], [a, b, c], [a, c], [c]],
    ['my description stays beside their addition', [link('a', 'mine')], [a], [a, d], [link('a', 'mine'), d]],
    ['their description stays if I changed none', [a, b], [a], [link('a', 'theirs')], [link('a', 'theirs'), b]],
    ['an addition of both sides is one', [a, b], [a], [a, b], [a, b]],
    ['without a change of mine they are as stored', [a, b], [a, b], [d], [d]],
  ])('%s', (_title, mine, before, now, result) => {
    expect(rebased(mine, before, now)).toEqual(result);
  });
});
