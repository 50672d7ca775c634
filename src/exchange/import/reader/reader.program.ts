/** Reads one file outside of the gateway's process. See {@link ReaderCalls}. */
import { slicesOf } from '../../../domain/async.js';
import { contentChars } from '../../../domain/occurrence.js';
import type { OwnedFile } from '../../../domain/ports/files.js';
import type { CardDraft, Folded, StoredCards } from '../../../domain/ports/imports.js';
import { MESSAGE_CHARS } from '../../../runtime/workers/protocol.js';
import { serve } from '../../../runtime/workers/serve.js';
import { FileChunks } from './chunks.js';
import type { FileToRead } from './file.js';

let chunks: FileChunks;
let cards: CardDraft[] = [];
let drafts: Iterator<readonly CardDraft[]> = [].values();
let files: Iterator<OwnedFile> = [].values();

const calls = {
  /** Opens the file that the other calls read. */
  open: (file: FileToRead): void => {
    chunks = new FileChunks(file);
  },
  check: (_: null) => chunks.check(),
  next: (_: null) => chunks.next(),
  /** Cards to fold the chunk into. */
  view: (some: readonly CardDraft[]): void => void cards.push(...some),
  /** Folds the chunk into the cards of all `view`s since `next`. */
  fold: (ids: Omit<StoredCards, 'cards'>): Omit<Folded, 'drafts' | 'files' | 'rows'> => {
    const folded = chunks.fold({ cards, ...ids });
    cards = [];
    drafts = slicesOf(folded.drafts, ({ content, occurrences }) => contentChars(content, occurrences), MESSAGE_CHARS);
    files = folded.files.values();
    return { counts: folded.counts, problems: folded.problems };
  },
  /** The next slice of the folded cards; null after the last. */
  drafts: (_: null): readonly CardDraft[] | null => {
    const next = drafts.next();
    return next.done === true ? null : next.value;
  },
  /** The next file of the folded cards; null after the last. */
  files: (_: null): OwnedFile | null => {
    const next = files.next();
    return next.done === true ? null : next.value;
  },
};
/** Cards are passed in slices of {@link MESSAGE_CHARS}. */
export type ReaderCalls = typeof calls;
serve(calls);
