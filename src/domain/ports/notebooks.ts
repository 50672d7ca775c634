import type { Card, CardContent } from '../card.js';
import type { CanonicalQuestion, ComparedCard, Owner, QuestionFingerprints } from '../duplicates.js';
import type { FileFormat, ImportCounts, ImportJob, ImportOptions, RowProblem } from '../import.js';
import type { NewOccurrence, Occurrence } from '../occurrence.js';
import type { CardFilter } from '../search.js';
import type { Viewer } from '../viewer.js';

/** Tells whether two questions are one, typed twice. Pure. */
export interface QuestionJudge {
  canonical(text: string): CanonicalQuestion;
  prints(owner: Owner, text: string, canonical: CanonicalQuestion): QuestionFingerprints;
  /** How alike two questions are, 0 .. 1. */
  nearness(a: CanonicalQuestion, b: CanonicalQuestion): number;
  /** The nearness from which on two questions are taken for one. */
  readonly double: number;
}

/** An occurrence with what tells it again: which row of which file made it. */
export interface TracedOccurrence extends NewOccurrence {
  readonly origin: string | null;
}

/** A card and its occurrences while rows are folded into it; what is stored is written when all rows have been. */
export interface CardDraft {
  readonly id: string;
  readonly ownerId: string;
  readonly content: CardContent;
  readonly prints: QuestionFingerprints;
  /** In order: those that are stored come first, and keep their numbers. */
  readonly occurrences: readonly TracedOccurrence[];
  /** NEW: not stored yet. CHANGED: stored otherwise. */
  readonly state: 'NEW' | 'STORED' | 'CHANGED';
}

/** Which cards rows may be doubles or new versions of. */
export interface WantedCards {
  readonly ids: readonly string[];
  readonly keys: readonly string[];
  readonly bands: readonly number[];
  readonly origins: readonly string[];
}

/** The cards that were wanted, as they are stored now. */
export interface NotebookView {
  /** Those that the viewer may change. */
  readonly cards: readonly CardDraft[];
  /** Of the wanted ids those of cards that the viewer may not change. */
  readonly taken: ReadonlySet<string>;
  /** Of the taken ids those of cards that the viewer may see. */
  readonly foreign: ReadonlySet<string>;
}

/** What came of folding rows into a notebook. */
export interface Folded {
  /** New and changed cards. */
  readonly drafts: readonly CardDraft[];
  readonly counts: ImportCounts;
  readonly problems: readonly RowProblem[];
}

/** A step of an import: recorded in the transaction that stores its cards, and only where the job stands at `read` rows. */
export interface JobStep {
  readonly jobId: string;
  readonly read: number;
}

/** Notebooks as a whole: rows folded into them, doubles found and merged. */
export interface ImportStore {
  /**
   * Reads what is wanted, lets `decide` fold rows into it, and writes the outcome, in one transaction; only one at a time for
   * each owner. `decide` may be called again where the transaction is repeated, so it must have no effect of its own; where it
   * rejects, nothing is written. With a step, the job's progress is part of the transaction; null where the job no longer stands there, and nothing is written.
   */
  fold(
    viewer: Viewer,
    wanted: WantedCards,
    decide: (view: NotebookView) => Folded | Promise<Folded>,
    options: { readonly step: JobStep | null; readonly dryRun: boolean },
  ): Promise<Folded | null>;
  /** The occurrences of each of the viewer's cards, by card id, in order; absent and foreign ones are missing. */
  occurrences(viewer: Viewer, cardIds: readonly string[]): Promise<ReadonlyMap<string, readonly Occurrence[]>>;
  /** The viewer's cards that the filter lets through, by ascending id: the first `limit` after `afterId`. */
  cardsAfter(viewer: Viewer, filter: CardFilter, afterId: string | null, limit: number): Promise<readonly Card[]>;
  /** Merges one card into another of the same owner and deletes it. NotFoundError; ForbiddenError; ConflictError for cards of two owners. */
  merge(
    viewer: Viewer,
    into: string,
    from: string,
    decide: (into: CardDraft, from: CardDraft) => CardDraft,
  ): Promise<void>;
  /** Ids of cards that may be doubles of each other, among those that the filter lets through; the same id may be in several. */
  doubleCandidates(viewer: Viewer, filter: CardFilter, signal: AbortSignal): Promise<readonly (readonly string[])[]>;
  /** What is compared of each of the viewer's cards; absent and foreign ones are missing. */
  compared(viewer: Viewer, cardIds: readonly string[]): Promise<readonly ComparedCard[]>;
  /** Computes the prints of up to `limit` cards that have none; how many those were. */
  printMissing(limit: number): Promise<number>;
}

export interface NewJob {
  /** A UUID. */
  readonly id: string;
  /** Of a file a digest of its content and options; of a request's rows the sender's own. */
  readonly key: string;
  /** Everything that the import depends on; null if the key is a digest of it. */
  readonly body: string | null;
  readonly name: string;
  readonly format: FileFormat | 'rows';
  readonly options: ImportOptions;
}

/** A job and who began it. */
export interface OwnedJob {
  readonly viewer: Viewer;
  readonly job: ImportJob;
}

export interface ImportJobStore {
  /**
   * The new job, or the one with the same key (`joined`): of a file one that is running, of a request's rows also one that is
   * done. ConflictError if that one has another body.
   */
  begin(viewer: Viewer, job: NewJob): Promise<{ readonly job: ImportJob; readonly joined: boolean }>;
  /** The file has been checked: its rows are stored from now on. */
  checked(viewer: Viewer, id: string, total: number, notices: readonly string[]): Promise<void>;
  /**
   * Counts one more attempt at a running job; returns the number of attempts. Null if the job has ended. Attempts that are still
   * counted when the job is resumed have not ended in order: they were given up, or the gateway was killed.
   */
  attempt(viewer: Viewer, id: string): Promise<number | null>;
  /** Uncounts the attempt: it was stopped in order. */
  attemptStopped(viewer: Viewer, id: string): Promise<void>;
  /** Cancels a running job and returns it. NotFoundError; ForbiddenError if the viewer may only see it. */
  cancel(viewer: Viewer, id: string): Promise<ImportJob>;
  /** Ends a running job. The rows of a request cannot have failed once they are stored: then it keeps running. */
  finish(viewer: Viewer, id: string, state: 'DONE' | 'REFUSED' | 'FAILED', problem: string | null): Promise<void>;
  /** The viewer's job. NotFoundError. */
  job(viewer: Viewer, id: string): Promise<ImportJob>;
  /** Rows with problems in the order of the file, after the `after`-th (0: from the first). */
  problems(viewer: Viewer, id: string, first: number, after: number): Promise<readonly RowProblem[]>;
  /** Every running job of every tenant, the oldest first. */
  underWay(): Promise<readonly OwnedJob[]>;
}
