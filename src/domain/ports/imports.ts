import type { FileType } from '../attachment.js';
import type { Card, CardContent } from '../card.js';
import type { ComparedCard, QuestionFingerprints } from '../duplicates.js';
import type { ImportCounts, ImportedRow, ImportJob, RowProblem } from '../import.js';
import type { LabelKind, LabelSpellings } from '../labels.js';
import type { NewOccurrence, Occurrence } from '../occurrence.js';
import type { CardFilter } from '../search.js';
import type { Viewer } from '../viewer.js';
import type { OwnedFile } from './files.js';

/** An occurrence, with the row and file that it was imported from. */
export interface TracedOccurrence extends NewOccurrence {
  readonly origin: string | null;
}

/** A card and its occurrences while rows are folded into it; written after the last row. */
export interface CardDraft {
  readonly id: string;
  readonly ownerId: string;
  readonly content: CardContent;
  readonly fingerprints: QuestionFingerprints;
  /** Stored ones come first and keep their numbers. */
  readonly occurrences: readonly TracedOccurrence[];
  /** NEW: not stored yet. CHANGED: differs from the stored card. */
  readonly state: 'NEW' | 'STORED' | 'CHANGED';
}

/** Keys of the cards that rows may be duplicates or new versions of. */
export interface WantedCards {
  readonly ids: readonly string[];
  readonly keys: readonly string[];
  readonly bands: readonly number[];
  readonly origins: readonly string[];
  /** As the rows spell them. */
  readonly labels: Readonly<Record<LabelKind, readonly string[]>>;
  /** Digests of uploaded files that the rows name and do not hold. */
  readonly files: readonly string[];
  /** Of the files that the rows hold, in bytes. */
  readonly heldBytes: number;
}

export interface StoredCards {
  /** Cards that the viewer may change. */
  readonly cards: readonly CardDraft[];
  /** Wanted ids of cards that the viewer may not change. */
  readonly taken: ReadonlySet<string>;
  /** The subset of `taken` that the viewer may see. */
  readonly foreign: ReadonlySet<string>;
  readonly labels: LabelSpellings;
  /** The wanted files that the viewer has, by digest. */
  readonly files: ReadonlyMap<string, { readonly contentType: FileType; readonly bytes: number }>;
}

export interface Folded {
  /** New and changed cards. */
  readonly drafts: readonly CardDraft[];
  /** Files that the rows hold and that these cards have. */
  readonly files: readonly OwnedFile[];
  readonly counts: ImportCounts;
  readonly problems: readonly RowProblem[];
  /** Every row, in order; empty for the chunks of a file, whose rows are not kept. */
  readonly rows: readonly ImportedRow[];
}

/** Progress of an import: recorded in the transaction that stores the cards, and only if the job is at `read` rows. */
export interface JobStep {
  readonly jobId: string;
  readonly read: number;
}

/** Two cards to merge, with the revisions that the client has seen of them. */
export interface MergedCards {
  readonly into: string;
  readonly from: string;
  readonly intoRevision?: number | null;
  readonly fromRevision?: number | null;
}

export interface RecordedMerge {
  /** The card that was kept, before and after it. */
  readonly before: CardContent;
  readonly after: CardContent;
  /** The card that went; its attachments as far as their files are still there. */
  readonly from: Pick<CardDraft, 'content' | 'occurrences'>;
  /** The occurrence of the kept card that is the first of the other one. */
  readonly firstNumber: number;
  readonly occurrences: number;
}

/** A merge to undo: the card that went, and the revision that the client has seen of the card that was kept. */
export interface UndoneMerge {
  readonly id: string;
  readonly expectedRevision: number | null;
}

export interface FoldOptions {
  readonly step: JobStep | null;
  readonly dryRun: boolean;
  /** The cards are indexed after the changes that somebody waits for; default false. */
  readonly bulk?: boolean;
}

export interface ImportStore {
  /**
   * Reads the wanted cards, lets `decide` fold rows into them, and writes the result, in one transaction; one at a time
   * for each owner. `decide` is called again if the transaction is retried, so it must be free of side effects; if it
   * rejects, nothing is written. With a step, the job's progress is part of the transaction; null, and nothing written,
   * if the job is not at that step. BadInputError (`file`) if the files of the rows do not fit into the tenant's limit.
   */
  fold(
    viewer: Viewer,
    wanted: WantedCards,
    decide: (view: StoredCards) => Folded | Promise<Folded>,
    options: FoldOptions,
  ): Promise<Folded | null>;
  /** The occurrences of each of the viewer's cards, by card id, in order; absent and foreign ones are missing. */
  occurrences(viewer: Viewer, cardIds: readonly string[]): Promise<ReadonlyMap<string, readonly Occurrence[]>>;
  /** The viewer's matching cards by ascending id: the first `limit` after `afterId`. */
  cardsAfter(viewer: Viewer, filter: CardFilter, afterId: string | null, limit: number): Promise<readonly Card[]>;
  /**
   * Merges one card into another of the same owner and deletes it; attempts at it become attempts at the other one.
   * NotFoundError; ForbiddenError; ConflictError for cards of two owners, and for another revision than the expected
   * one.
   */
  merge(viewer: Viewer, cards: MergedCards, decide: MergeDecision): Promise<void>;
  /**
   * Undoes a merge: the card that went is there again, and the other one has no longer what came from it; returns that
   * one's id. NotFoundError; ForbiddenError; ConflictError for another revision than the expected one, where the id is
   * taken, and for a merge of which nothing was recorded.
   */
  unmerge(viewer: Viewer, merge: UndoneMerge, without: UnmergeDecision): Promise<string>;
  /**
   * Groups of card ids that may be duplicates of each other, among the cards that match the filter; an id may be in
   * several groups.
   */
  duplicateCandidates(viewer: Viewer, filter: CardFilter, signal: AbortSignal): Promise<readonly (readonly string[])[]>;
  /** Fields to compare of each of the viewer's cards; absent and foreign cards are missing. */
  compared(viewer: Viewer, cardIds: readonly string[]): Promise<readonly ComparedCard[]>;
  /** The number of cards without fingerprints, of every tenant. */
  withoutFingerprints(): Promise<number>;
  /** Computes the fingerprints of up to `limit` of them; returns of how many. 0 if there are none left. */
  fingerprintMissing(limit: number): Promise<number>;
}

/** What becomes of two cards. */
export type MergeDecision = (into: CardDraft, from: CardDraft) => CardDraft;

/** What the kept card says without what came from the other one. */
export type UnmergeDecision = (content: CardContent, merge: RecordedMerge) => CardContent;

/** Its id is a UUID. */
export interface NewJob extends Pick<ImportJob, 'id' | 'name' | 'format' | 'options'> {
  /** For a file, a digest of its content and options; for the rows of a request, the client's key. */
  readonly key: string;
  /** Everything that the import depends on; null if the key is a digest of it. */
  readonly body: string | null;
}

export interface OwnedJob {
  readonly viewer: Viewer;
  readonly job: ImportJob;
}

export interface ImportJobStore {
  /**
   * The new job, or the one with the same key (`joined`): of a file one that is running, of a request's rows also one
   * that is done. ConflictError if that one has another body.
   */
  begin(viewer: Viewer, job: NewJob): Promise<{ readonly job: ImportJob; readonly joined: boolean }>;
  /** The file has been validated: its rows are stored from now on. */
  checked(viewer: Viewer, id: string, total: number, notices: readonly string[]): Promise<void>;
  /**
   * Counts one more attempt at a running job; returns the number of attempts. Null if the job has ended. Attempts that
   * are still counted when the job is resumed have not ended in order: they were given up, or the gateway was killed.
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
  /** The rows of the viewer's import, in order; null for an import of a file. */
  rows(viewer: Viewer, id: string): Promise<readonly ImportedRow[] | null>;
  /** Every running job of every tenant, the oldest first. */
  underWay(): Promise<readonly OwnedJob[]>;
  /** Fails the jobs of requests that began longer ago and of which no row was stored: their gateway was killed. */
  failLostRequests(olderThanMs: number, problem: string): Promise<void>;
}
