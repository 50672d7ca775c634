/** The interfaces between what measures and tunes search, and the edges that it stands on. */
import type { GoldenCase, GoldenSet } from '../golden.js';
import type { GoldenSetChange, HitJudgement } from '../parse/golden.js';
import type { ProfileSettings, SearchProfile } from '../profile.js';
import type { FilterPlan, SearchOperation, SearchRequest, StageTiming } from '../search.js';
import type { SearchMetrics } from '../search-metrics.js';
import type { Viewer } from '../viewer.js';
import type { PageRequest } from './cards.js';

/**
 * One query with the scores that cards have in every lane: whatever weighs the lanes, the same scores are weighed, so that any
 * number of settings can be tried without searching again.
 */
export interface Rescorer {
  /** The cards that were scored: all that the filter lets through, where they are not too many. */
  readonly cardIds: readonly string[];
  /** The best cards by one lane alone (its place in LANES), best first, equal ones by id; none with a score of 0. */
  byLane(lane: number, limit: number): readonly string[];
  /** The same query with the best cards of each lane alone, `limit` each: what settings are tried on by the hundred. */
  narrowed(limit: number): Rescorer;
  /** The cards in the order in which a search with these settings puts them, best first. */
  byRequest(request: SearchRequest, limit: number): readonly string[];
}

/** Where trials come from. */
export interface RescorerSource {
  /** As {@link SearchEngine.search}, with the same errors, up to the scores. */
  trial(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<Rescorer>;
}

/** Makes a profile's settings a search for the subject of a case. */
export type RequestMaker = (
  settings: ProfileSettings,
  search: Pick<SearchRequest, 'operation' | 'subject' | 'filter'>,
  topK: number,
) => SearchRequest;

// --- golden sets ---------------------------------------------------------------------------------------------------

/** Cases of a set, in their order. */
export interface GoldenPage {
  readonly cases: readonly GoldenCase[];
  /** What to ask for the next ones with; null after the last. */
  readonly next: string | null;
}

/** A hit that was judged, and how to take that back. */
export interface JudgedHit {
  /** For {@link GoldenStore.undo}. */
  readonly judgementId: string;
  readonly set: string;
  /** The case of the query, with all that was judged in it. */
  readonly goldenCase: GoldenCase;
}

/** What came of taking a judgement back. */
export interface UndoneJudgement {
  readonly set: string;
  /** The case as it is now; null where it was made by judging and nothing is left in it. */
  readonly goldenCase: GoldenCase | null;
}

/** The golden sets in PostgreSQL; those of one tenant are nobody else's. */
export interface GoldenStore {
  /** By name. */
  sets(viewer: Viewer): Promise<readonly GoldenSet[]>;
  /** NotFoundError */
  set(viewer: Viewer, name: string): Promise<GoldenSet>;
  /** BadInputError (`after`) for a cursor that this did not give; no cases for a set that there is not. */
  cases(viewer: Viewer, name: string, page: PageRequest): Promise<GoldenPage>;
  /** Makes the set or changes it, in one transaction; cases that are given take the place of all that are there. */
  save(viewer: Viewer, change: GoldenSetChange): Promise<GoldenSet>;
  /** Adds a case at the end, or puts it in the place of the one with its id. NotFoundError without the set. */
  addCase(viewer: Viewer, set: string, one: GoldenCase): Promise<GoldenSet>;
  /** False where there was no such set. */
  delete(viewer: Viewer, name: string): Promise<boolean>;
  /** Keeps what was said of a hit beside what was said before; the case of the query, and the set, are made where they are missing. */
  judge(viewer: Viewer, judged: NamedHitJudgement): Promise<JudgedHit>;
  /** Takes a judgement of a hit back: what was said before counts again. NotFoundError */
  undo(viewer: Viewer, judgementId: string): Promise<UndoneJudgement>;
}

/** A judged hit with the case that it belongs to. */
export type NamedHitJudgement = HitJudgement & { readonly set: string; readonly caseId: string };

/** The golden sets, as the API calls them: as the store does, and ForbiddenError for a student. */
export interface GoldenSets extends Omit<GoldenStore, 'judge'> {
  /** Keeps what was said of a hit. NotFoundError where it, or the card that was searched from, is not there. */
  judge(viewer: Viewer, judged: HitJudgement): Promise<JudgedHit>;
}

// --- search profiles -----------------------------------------------------------------------------------------------

/** The search profiles in PostgreSQL. */
export interface ProfileStore {
  /** By name. */
  list(viewer: Viewer): Promise<readonly SearchProfile[]>;
  /** Null where there is none of this name. */
  find(viewer: Viewer, name: string): Promise<SearchProfile | null>;
  /** The names that any tenant has given its profiles, each once. */
  names(): Promise<readonly string[]>;
  save(viewer: Viewer, profile: SearchProfile): Promise<void>;
  /** False where there was none. */
  delete(viewer: Viewer, name: string): Promise<boolean>;
}

/** The profiles, as the API calls them. */
export interface SearchProfiles {
  /** The profile of searches that name none: that of SEARCH_PROFILE, and the default one for a tenant that has none of its name. */
  chosen(viewer: Viewer): Promise<SearchProfile>;
  /** BadInputError, whose field is `field`, where there is none of this name. */
  named(viewer: Viewer, name: string, field: string): Promise<SearchProfile>;
  /** Those that every gateway has first, then by name. */
  list(viewer: Viewer): Promise<readonly SearchProfile[]>;
  /** BadInputError, whose field is `field`, for the name of one that every gateway has. */
  refuseBuiltin(name: string, field: string): void;
  /** BadInputError for the name of one that every gateway has, ForbiddenError for a student. */
  save(viewer: Viewer, profile: SearchProfile): Promise<SearchProfile>;
  /** False where there was none; the same errors as for saving. */
  delete(viewer: Viewer, name: string): Promise<boolean>;
}

// --- the log of searches -----------------------------------------------------------------------------------------

/** One search as the log keeps it. */
export interface SearchRecord {
  readonly at: Date;
  readonly operation: SearchOperation;
  /** 16 bytes, the same for the same subject: tells repeated searches from others without saying what was searched. */
  readonly queryHash: Uint8Array;
  /** Null where texts are not to be kept, and for a search from a card. */
  readonly queryText: string | null;
  /** Null where it ended without an answer. */
  readonly filterPlan: FilterPlan | null;
  /** The names of the lanes that were asked: `dense question`. */
  readonly lanes: readonly string[];
  readonly hitIds: readonly string[];
  /** The parts that did not do what they should. */
  readonly degraded: readonly string[];
  /** The code of the error that it ended with; null where it was answered. */
  readonly error: string | null;
  readonly tookMs: number;
  readonly stages: readonly StageTiming[];
}

/** From when, inclusive, until when, exclusive; null: without an end on that side. */
export interface TimeWindow {
  readonly after: Date | null;
  readonly before: Date | null;
}

/** A text that found nothing, however often it was searched for. */
export interface ZeroResultRecord {
  readonly operation: SearchOperation;
  readonly text: string;
  readonly searches: number;
  readonly lastAt: Date;
}

/** The log of searches in PostgreSQL. */
export interface SearchRecords {
  append(tenantId: string, records: readonly SearchRecord[]): Promise<void>;
  /** Deletes at most `limit` searches of any tenant that are older than `days` by the store's clock, and answers how many those were. */
  forget(days: number, limit: number): Promise<number>;
  /** How the logged searches of a time went. */
  metrics(viewer: Viewer, window: TimeWindow): Promise<SearchMetrics>;
  /** Texts whose unfiltered searches found nothing, the most frequent ones first. */
  zeroResults(viewer: Viewer, window: TimeWindow, limit: number): Promise<readonly ZeroResultRecord[]>;
}

/** The log of searches, as the API calls it. BadInputError (`after`) where no searches are logged. */
export interface LoggedSearches {
  metrics(viewer: Viewer, window: TimeWindow): Promise<SearchMetrics>;
  /** ForbiddenError for a student: these are the words of others. */
  zeroResults(viewer: Viewer, window: TimeWindow, limit: number): Promise<readonly ZeroResultRecord[]>;
}

// --- evaluations ---------------------------------------------------------------------------------------------------

/** An evaluation as a job. */
export interface EvaluationJob {
  readonly id: string;
  readonly set: string;
  readonly profile: string;
  readonly against: string | null;
  readonly k: number;
  readonly state: 'RUNNING' | 'DONE' | 'FAILED';
  /** Cases that were measured, and how many there are. */
  readonly done: number;
  readonly total: number;
  /** Why it failed, for people; null where it did not. */
  readonly error: string | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** The evaluations in PostgreSQL. One that was not heard of for a minute reads as failed: its gateway has ended. */
export interface EvaluationStore {
  /** Begins one; the oldest of the tenant beyond 50 are forgotten. */
  begin(
    viewer: Viewer,
    job: Pick<EvaluationJob, 'set' | 'profile' | 'against' | 'k' | 'total'>,
  ): Promise<EvaluationJob>;
  /** Says that it goes on. */
  progress(viewer: Viewer, id: string, done: number): Promise<void>;
  /** `report` is kept as JSON. */
  finish(viewer: Viewer, id: string, report: object): Promise<void>;
  fail(viewer: Viewer, id: string, error: string): Promise<void>;
  /** NotFoundError */
  job(viewer: Viewer, id: string): Promise<EvaluationJob>;
  /** Newest first. */
  jobs(viewer: Viewer, limit: number): Promise<readonly EvaluationJob[]>;
  /** The report of a job that is done, else null. */
  report(viewer: Viewer, id: string): Promise<object | null>;
}

/** What somebody wants to have evaluated, by name. */
export interface EvaluationOrder {
  readonly set: string;
  readonly profile: string;
  /** Null: nothing to compare with. */
  readonly against: string | null;
  /** The name of a profile to make of better settings than `profile` has, which are looked for on half of the cases; null: none. */
  readonly tune: string | null;
  /** 10 .. 50 */
  readonly k: number;
}

/** Evaluations, as the API calls them; ForbiddenError for a student. */
export interface Evaluations extends Pick<EvaluationStore, 'job' | 'jobs' | 'report'> {
  /**
   * Begins an evaluation. NotFoundError without the set, BadInputError for an unknown profile, the name of one that every gateway has
   * to tune, or a set without a measurable case, ConflictError while another one of the tenant runs here, RateLimitedError while those of
   * many tenants do.
   */
  start(viewer: Viewer, order: EvaluationOrder): Promise<EvaluationJob>;
}
