/** Reads one file outside of the gateway's process. See {@link ReaderCalls}. */
import { slicesOf } from '../../../domain/grouped.js';
import { contentChars } from '../../../domain/occurrence.js';
import type { CardDraft, Folded, StoredCards } from '../../../domain/ports/imports.js';
import { MESSAGE_CHARS } from '../../../runtime/workers/protocol.js';
import { serve } from '../../../runtime/workers/serve.js';
import { FileChunks, type FileToRead } from './chunks.js';

type FoldedPart = Pick<Folded, 'drafts' | 'files'>;

function readerCalls() {
  let chunks: FileChunks;
  let cards: CardDraft[] = [];
  let parts: Iterator<FoldedPart> = [].values();
  return {
    open: (file: FileToRead): void => {
      chunks = new FileChunks(file);
    },
    check: (_: null) => chunks.check(),
    next: (_: null) => chunks.next(),
    /** Cards to fold the chunk into. */
    view: (some: readonly CardDraft[]): void => void cards.push(...some),
    /** Folds the chunk into the cards of all `view`s since `next`. */
    fold: (ids: Omit<StoredCards, 'cards'>): Pick<Folded, 'counts' | 'problems'> => {
      const folded = chunks.fold({ cards, ...ids });
      cards = [];
      parts = partsOf(folded);
      return { counts: folded.counts, problems: folded.problems };
    },
    /** The next slice or file of the folded cards; null after the last. */
    part: (_: null): FoldedPart | null => {
      const next = parts.next();
      return next.done === true ? null : next.value;
    },
  };
}
/** Cards are passed in slices of {@link MESSAGE_CHARS}. */
export type ReaderCalls = ReturnType<typeof readerCalls>;
serve(readerCalls);

function* partsOf({ drafts, files }: Folded): Generator<FoldedPart> {
  for (const slice of slicesOf(drafts, contentChars, MESSAGE_CHARS)) yield { drafts: slice, files: [] };
  for (const file of files) yield { drafts: [], files: [file] };
}
