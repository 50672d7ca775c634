import { useMemo } from 'preact/hooks';
import { textLanguage } from './text-language.js';

/** One of two texts, with what the other has not marked. */
export function Difference({ own, other }: { own: string; other: string }) {
  const pieces = useMemo(() => piecesOf(own, other), [own, other]);
  return (
    <span class="difference" lang={textLanguage(own)}>
      {pieces.map((piece, place) =>
        piece.shared ? (
          piece.text
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of two texts do not move
          <ins key={place}>{piece.text}</ins>
        ),
      )}
    </span>
  );
}

interface Piece {
  readonly text: string;
  /** Whether the other text has it too, in the same order. */
  readonly shared: boolean;
}

/** Above this many comparisons the texts are compared as wholes: two texts of 2,000 words each. */
const MAX_CELLS = 4_000_000;

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });
const wordsOf = (text: string): readonly string[] => [...segmenter.segment(text)].map(({ segment }) => segment);

/** `own` in pieces: the longest common subsequence of words with `other`, and what is between. */
function piecesOf(own: string, other: string): readonly Piece[] {
  if (own === other) return own === '' ? [] : [{ text: own, shared: true }];
  const [a, b] = [wordsOf(own), wordsOf(other)];
  if (a.length * b.length > MAX_CELLS) return [{ text: own, shared: false }];
  const width = b.length + 1;
  // lengths[i * width + j]: of the longest common subsequence of a[i..] and b[j..].
  const lengths = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pieces: Piece[] = [];
  const add = (text: string, shared: boolean): void => {
    const last = pieces.at(-1);
    if (last?.shared === shared) pieces[pieces.length - 1] = { text: last.text + text, shared };
    else pieces.push({ text, shared });
  };
  for (let i = 0, j = 0; i < a.length; ) {
    const word = a[i] ?? '';
    if (j < b.length && word === b[j]) {
      add(word, true);
      i += 1;
      j += 1;
    } else if (j < b.length && at(i, j + 1) > at(i + 1, j)) j += 1;
    else {
      add(word, false);
      i += 1;
    }
  }
  return pieces;
}
