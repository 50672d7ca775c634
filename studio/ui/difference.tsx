import { useMemo } from 'preact/hooks';
import { type Piece, piecesOf } from './difference-pieces.js';
import { textLanguage } from './text-language.js';

/** One of two texts, with what the other has not marked. */
export function Difference({ own, other }: { own: string; other: string }) {
  const pieces = useMemo(() => piecesOf(own, other), [own, other]);
  return (
    <span class="difference" lang={textLanguage(own)}>
      {pieces.map((piece: Piece, place) =>
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
