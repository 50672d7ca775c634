import type { OnDuplicate, Owner } from '../../../domain/duplicates.js';
import type { ColumnMapping, FileFormat } from '../../../domain/import.js';
import type { CardDraft, Folded, NotebookView, WantedCards } from '../../../domain/ports/notebooks.js';

/** A file, and how its rows become cards. */
export interface FileToRead {
  readonly path: string;
  readonly format: FileFormat;
  readonly mapping: ColumnMapping;
  readonly owner: Owner;
  readonly onDuplicate: OnDuplicate;
  /** The moment of a mistake whose row has none. */
  readonly now: Date;
  /** Rows that an earlier run has stored. */
  readonly stored: number;
}

/** A file that can be imported. */
export interface CheckedFile {
  readonly rows: number;
  /** What is passed over in it, for people. */
  readonly notices: readonly string[];
}

/** What a reader process may use. */
export interface ReaderLimits {
  /** Processor time of all its threads. */
  readonly cpuMs: number;
  /** Resident memory. */
  readonly memoryMb: number;
}

/** How a reader process is started. */
export interface ReaderSpec {
  readonly file: FileToRead;
  readonly limits: ReaderLimits;
}

/**
 * What the gateway asks its reader, one question at a time. Cards are passed to and fro in slices, because a message holds the
 * gateway's thread while it is written or read.
 */
export type Question =
  | { readonly kind: 'check' }
  | { readonly kind: 'next' }
  | { readonly kind: 'view'; readonly cards: readonly CardDraft[] }
  | { readonly kind: 'fold'; readonly ids: Omit<NotebookView, 'cards'> }
  | { readonly kind: 'drafts' };

/** What it is answered, by kind of question. */
export interface Answers {
  readonly check: CheckedFile;
  /** Null where there are no more rows. */
  readonly next: WantedCards | null;
  readonly view: null;
  /** Of the cards of all `view`s since `next`. */
  readonly fold: Omit<Folded, 'drafts'>;
  /** The next slice of what was folded; null after the last. */
  readonly drafts: readonly CardDraft[] | null;
}

/** The longest texts of one message, in UTF-16 units: some 5 ms of the gateway's thread. */
export const SLICE_CHARS = 1_000_000;

/** An answer, a file that cannot be used, or an error of ours. */
export type Reply =
  | { readonly kind: 'answer'; readonly answer: Answers[keyof Answers] }
  | { readonly kind: 'refused'; readonly problem: string }
  | { readonly kind: 'failed'; readonly message: string; readonly stack: string };
