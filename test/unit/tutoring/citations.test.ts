import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CitationChecker } from '../../../src/tutoring/citations.js';
import { runs } from '../../support/runs.js';

/** What comes out of a checker that is given the text in pieces of this length. */
function check(text: string, size = text.length, known: readonly string[] = ['S1', 'S2', 'S3']) {
  const checker = new CitationChecker(known);
  const pieces = [];
  for (let at = 0; at < text.length; at += Math.max(1, size)) pieces.push(...checker.push(text.slice(at, at + size)));
  pieces.push(...checker.end());
  return {
    text: pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join(''),
    cited: pieces.flatMap((piece) => (piece.kind === 'citation' ? piece.label : [])),
    dropped: checker.dropped,
  };
}

describe.each([1, 2, 3, 5, 100])('in pieces of %i characters', (size) => {
  test.each([
    ['one label', 'a [S1] b', 'a [S1] b', ['S1'], 0],
    ['two in one bracket', 'a [S1, S2].', 'a [S1][S2].', ['S1', 'S2'], 0],
    ['a range', 'a [S1-S3]', 'a [S1][S2][S3]', ['S1', 'S2', 'S3'], 0],
    ['other brackets and widths', '甲【S1】乙［Ｓ２］丙〔s3〕', '甲[S1]乙[S2]丙[S3]', ['S1', 'S2', 'S3'], 0],
    ['one that is not in the context', 'a [S9] b', 'a  b', [], 1],
    ['both in one bracket', 'a [S9；S1]', 'a [S1]', ['S1'], 1],
    ['one with blanks and invisible characters', 'a [ S\u200b9 ] [S\u20601]', 'a  [S1]', ['S1'], 1],
    ['one with words behind it', 'a [S9, page 3]', 'a page 3]', [], 1],
    ['one that never ends', 'a [S9', 'a ', [], 1],
    ['a footnote', 'a [^S1]', 'a [S1]', ['S1'], 0],
    ['a link', '[S9](https://evil.example) [S1](x)', '(https://evil.example) [S1](x)', ['S1'], 1],
    ['brackets of other kinds', 'x[0], [1, 2], [a], [[S1]], []', 'x[0], [1, 2], [a], [[S1]], []', ['S1'], 0],
    ['markers of refusals', 'a [REFUSE]b【refuse】c［Refuse］', 'a bc', [], 0],
    ['a marker within a bracket', '[[REFUSE]S9] [S[REFUSE]9]', '[…S9] [S…9]', [], 0],
    ['brackets that begin like a marker', '[R] [Ref] [REFUSED] [REFUSE', '[R] [Ref] [REFUSED] [REFUSE', [], 0],
    ['an interval and a matrix', '$[0, 1)$ \\left[ x \\right]', '$[0, 1)$ \\left[ x \\right]', [], 0],
  ])('%s', (_name, text, expected, cited, dropped) => {
    expect(check(text, size)).toEqual({ text: expected, cited, dropped });
  });
});

test('no label in brackets passes that is not in the context, for any text in any chunks', () => {
  const part = fc.constantFrom(
    '[',
    ']',
    '【',
    '］',
    'S',
    's',
    '9',
    '1',
    '12',
    ',',
    ' ',
    '-',
    'text',
    '\u200b',
    '^',
    '^S9',
    '[S9]',
    '[S1]',
    'Ｓ',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), fc.integer({ min: 1, max: 8 }), (parts, size) => {
      const { text, cited } = check(parts.join(''), size);
      const shown = text.normalize('NFKC').replace(/\p{Cf}/gu, '');
      for (const [, label] of shown.matchAll(/[[【〔][\s^]*s\s*(\d+)/giu)) expect(['1', '2', '3']).toContain(label);
      for (const label of cited) expect(['S1', 'S2', 'S3']).toContain(label);
      expect(check(parts.join(''))).toEqual(check(parts.join(''), size));
    }),
    { numRuns: runs(300) },
  );
});
