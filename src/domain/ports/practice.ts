/** Ports of practice: attempts, reviews, settings, fitted schedules, overviews. */
import type { Owner } from '../duplicates.js';
import type { Page } from '../page.js';
import type {
  Attempt,
  AttemptResult,
  AttemptToRecord,
  FittedSchedule,
  LabelledCard,
  PracticeSettings,
  ReviewState,
  StoredAttempt,
} from '../practice.js';
import type { CardFilter } from '../search.js';
import type { Viewer } from '../viewer.js';
import type { PageRequest } from './cards.js';

/** The log of attempts, and the review states that are derived from it. */
export interface AttemptStore {
  /**
   * Stores those attempts that are new, and derives the review states of their cards anew, in one transaction for all
   * owners; only one at a time for each owner. The results of an owner are in the order of the attempts. ForbiddenError
   * for attempts of another owner, unless the viewer is an admin.
   */
  record(
    viewer: Viewer,
    byOwner: ReadonlyMap<string, readonly AttemptToRecord[]>,
  ): Promise<ReadonlyMap<string, readonly AttemptResult[]>>;
  /** The newest `limit` attempts that the viewer may see, of these owners or at these cards, in order of time. */
  log(viewer: Viewer, which: AttemptSelection, range: LogRange, signal?: AbortSignal): Promise<readonly OwnedAttempt[]>;
  /** How often each of these owners answered each card right, of the attempts that the viewer may see. */
  rightAnswers(
    viewer: Viewer,
    ownerIds: readonly string[],
    range: Pick<LogRange, 'after' | 'before'>,
    signal?: AbortSignal,
  ): Promise<readonly RightAnswers[]>;
}

/** An attempt as it is stored, and whose it is. */
export interface LoggedAttempt extends StoredAttempt {
  readonly ownerId: string;
}

export interface AttemptList {
  readonly ownerId: string;
  /** Only attempts at this card; null: at all. */
  readonly cardId: string | null;
  /** Inclusive; null: from the first one. */
  readonly from: Date | null;
  /** Exclusive; null: to the last one. */
  readonly to: Date | null;
}

export interface AttemptPages {
  /** Those of the owner that the viewer may see, the latest first. BadInputError (`after`). */
  page(viewer: Viewer, wanted: AttemptList, page: PageRequest, signal?: AbortSignal): Promise<Page<LoggedAttempt>>;
}

/** Right attempts of one owner at one card. */
export interface RightAnswers {
  readonly ownerId: string;
  readonly cardId: string;
  /** At least 1. */
  readonly count: number;
}

export type AttemptSelection = { readonly ownerIds: readonly string[] } | { readonly cardIds: readonly string[] };

export interface LogRange {
  /** Inclusive; null or missing: from the first one. */
  readonly after?: Date | null;
  /** Exclusive; null or missing: to the last one. */
  readonly before?: Date | null;
  /** Only right or only wrong ones; missing: all. */
  readonly correct?: boolean;
  readonly limit: number;
}

/** A card that is to be practised: one with a review state, or one that was never attempted. */
export type DueEntry =
  | { readonly cardId: string; readonly review: ReviewState }
  | { readonly cardId: string; readonly review: null; readonly createdAt: Date };

/** Due cards, before daily limits. */
export interface DueList {
  /**
   * The reviews that are due, first those that have been due longest; then cards that were never attempted, the newest
   * first.
   */
  readonly entries: readonly DueEntry[];
  /** Reviews that are due, all of them. */
  readonly dueReviews: number;
}

export interface DueRequest {
  readonly filter: CardFilter;
  /** Cards in a learning step, minutes after an attempt, are due from their very moment on. */
  readonly at: Date;
  /** All others are due for the whole of their day. Exclusive. */
  readonly dueBefore: Date;
  readonly maxCards: number;
  /** Cards that were practised since then are listed in addition to `maxCards`. */
  readonly practisedSince: Date;
  /** Of these, cards that were never attempted; they come only where reviews leave room. */
  readonly maxNew: number;
}

/** Cards that an owner has practised in a period. */
export interface DoneCards {
  readonly cardIds: readonly string[];
  /** Number of cards that were served, by themselves or by siblings; a sibling is not served itself. */
  readonly served: number;
  /** Of these, those that had never been attempted before. */
  readonly firstTime: number;
}

export interface ReviewStore {
  due(viewer: Viewer, request: DueRequest, signal?: AbortSignal): Promise<DueList>;
  done(viewer: Viewer, from: Date, to: Date, signal?: AbortSignal): Promise<DoneCards>;
  /** How many reviews fall due before the first bound, between the first and the second, and so on. */
  forecast(viewer: Viewer, bounds: readonly Date[], signal?: AbortSignal): Promise<readonly number[]>;
  /** The viewer's own, by card id; without cards that the viewer has not attempted. */
  states(viewer: Viewer, cardIds: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, ReviewState>>;
}

export interface PracticeSettingsStore {
  /** By owner id; without owners who have none, or whose settings the viewer may not see. */
  settings(viewer: Viewer, ownerIds: readonly string[]): Promise<ReadonlyMap<string, PracticeSettings>>;
  /**
   * Changes the viewer's own, from the defaults where there are none; if that changes the retention or the time zone,
   * derives all review states of the viewer anew, in the same transaction. Returns all settings.
   */
  save(viewer: Viewer, change: Partial<PracticeSettings>): Promise<PracticeSettings>;
}

export interface LogSize {
  readonly attempts: number;
  /** Attempts on a later day than the one before at the same card. */
  readonly reviews: number;
}

/** FSRS parameters fitted to students' attempts. Gateways write them, no viewer does. */
export interface FittedScheduleStore {
  /** Null if nothing was fitted, or the viewer may not see it. */
  find(viewer: Viewer, owner: Owner): Promise<FittedSchedule | null>;
  /** The parameters in force, by owner id; without owners who are scheduled by the defaults, as the viewer sees it. */
  weights(viewer: Viewer, ownerIds: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>>;
  /** `offsetMs` is from UTC to the student's days. */
  logSize(student: Owner, offsetMs: number): Promise<LogSize>;
  /**
   * Stores a fit, unless all attempts were deleted meanwhile. If other parameters are in force by it, derives the
   * student's review states anew, in the same transaction.
   */
  save(student: Owner, fit: Omit<FittedSchedule, 'fittedAt'>): Promise<void>;
  /** Students who are scheduled by fitted parameters. */
  students(limit: number): Promise<readonly Owner[]>;
  /** Deletes the fit of a student, and derives the review states anew by the defaults. */
  remove(student: Owner): Promise<void>;
}

/** A named set of students, such as a class. */
export interface StudentGroup {
  readonly name: string;
  readonly owners: readonly string[];
}

export interface OwnedAttempt extends Attempt {
  readonly ownerId: string;
}

/** Input of the overviews, limited to what the viewer may see. */
export interface OverviewStore {
  /** The cards of these owners, or these cards: the newest `limit`. */
  cards(viewer: Viewer, which: AttemptSelection, limit: number, signal?: AbortSignal): Promise<readonly LabelledCard[]>;
  groups(viewer: Viewer): Promise<readonly StudentGroup[]>;
  group(viewer: Viewer, name: string): Promise<StudentGroup | null>;
  saveGroup(viewer: Viewer, group: StudentGroup): Promise<void>;
  /** False if there was none. */
  deleteGroup(viewer: Viewer, name: string): Promise<boolean>;
}
