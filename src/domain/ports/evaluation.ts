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
  /** Cursor for the next page; null after the last. */
  readonly next: string | null;
}

export interface JudgedHit {
  /** For {@link GoldenStore.undo}. */
  readonly judgementId: string;
  readonly set: string;
  /** The case of the query, with all its judgements. */
  readonly goldenCase: GoldenCase;
}

export interface UndoneJudgement {
  readonly set: string;
  /** The case as it is now; null if it was made by judging and its last judgement is undone. */
  readonly goldenCase: GoldenCase | null;
}

export interface GoldenStore {
  /** By name. */
  sets(viewer: Viewer): Promise<readonly GoldenSet[]>;
  /** NotFoundError */
  set(viewer: Viewer, name: string): Promise<GoldenSet>;
  /** BadInputError (`after`) for an invalid cursor; no cases for an unknown set. */
  cases(viewer: Viewer, name: string, page: PageRequest): Promise<GoldenPage>;
  /** Creates or changes the set in one transaction; given cases replace all of its cases. */
  save(viewer: Viewer, change: GoldenSetChange): Promise<GoldenSet>;
  /** Adds a case at the end, or replaces the one with its id. NotFoundError without the set. */
  addCase(viewer: Viewer, set: string, one: GoldenCase): Promise<GoldenSet>;
  /** False where there was no such set. */
  delete(viewer: Viewer, name: string): Promise<boolean>;
  /** Adds a judgement to earlier ones; creates the query's case and the set if they are missing. */
  judge(viewer: Viewer, judged: NamedHitJudgement): Promise<JudgedHit>;
  /** Undoes a judgement of a hit: the one before it counts again. NotFoundError */
  undo(viewer: Viewer, judgementId: string): Promise<UndoneJudgement>;
}

/** A judged hit with the case that it belongs to. */
export type NamedHitJudgement = HitJudgement & { readonly set: string; readonly caseId: string };

/** The golden sets for the API: as the store, with ForbiddenError for a student. */
export interface GoldenSets extends Omit<GoldenStore, 'judge'> {
  /** NotFoundError if the hit, or the card that was searched from, does not exist. */
  judge(viewer: Viewer, judged: HitJudgement): Promise<JudgedHit>;
}

// --- search profiles -----------------------------------------------------------------------------------------------

export interface ProfileStore {
  /** By name. */
  list(viewer: Viewer): Promise<readonly SearchProfile[]>;
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

export interface SearchRecord {
  readonly at: Date;
  readonly operation: SearchOperation;
  /** 16 bytes, the same for the same subject: identifies repeated searches without storing what was searched. */
  readonly queryHash: Uint8Array;
  /** Null if texts are not logged, and for a search from a card. */
  readonly queryText: string | null;
  /** Null if it failed. */
  readonly filterPlan: FilterPlan | null;
  /** The names of the lanes that were asked: `dense question`. */
  readonly lanes: readonly string[];
  readonly hitIds: readonly string[];
  /** The parts that failed. */
  readonly degraded: readonly string[];
  /** The code of its error; null if it was answered. */
  readonly error: string | null;
  readonly tookMs: number;
  readonly stages: readonly StageTiming[];
}

/** `after` inclusive, `before` exclusive; null: unlimited. */
export interface TimeWindow {
  readonly after: Date | null;
  readonly before: Date | null;
}

/** A text that found nothing, and how often it was searched for. */
export interface ZeroResultRecord {
  readonly operation: SearchOperation;
  readonly text: string;
  readonly searches: number;
  readonly lastAt: Date;
}

export interface SearchRecords {
  append(tenantId: string, records: readonly SearchRecord[]): Promise<void>;
  /** Deletes at most `limit` searches of any tenant older than `days` by the store's clock; returns how many. */
  forget(days: number, limit: number): Promise<number>;
  metrics(viewer: Viewer, window: TimeWindow): Promise<SearchMetrics>;
  /** Texts whose unfiltered searches found nothing, the most frequent ones first. */
  zeroResults(viewer: Viewer, window: TimeWindow, limit: number): Promise<readonly ZeroResultRecord[]>;
}

/** The log of searches for the API. BadInputError (`after`) if searches are not logged. */
export interface LoggedSearches {
  metrics(viewer: Viewer, window: TimeWindow): Promise<SearchMetrics>;
  /** ForbiddenError for a student: these are texts of others. */
  zeroResults(viewer: Viewer, window: TimeWindow, limit: number): Promise<readonly ZeroResultRecord[]>;
}

// --- evaluations ---------------------------------------------------------------------------------------------------

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
  /** Why it failed; null if it did not. */
  readonly error: string | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** How one ranking did, as far as the API takes a report apart. */
export interface StoredRanking {
  readonly name: string;
  readonly kind: string;
  readonly metrics: Readonly<Record<string, { readonly value: number; readonly low: number; readonly high: number }>>;
  readonly latencyMs: { readonly p50: number; readonly p95: number } | null;
}

/** A running evaluation that reported no progress for a minute reads as failed: its gateway has ended. */
export interface EvaluationStore {
  /** Begins one; the tenant's oldest beyond 50 are deleted. */
  begin(
    viewer: Viewer,
    job: Pick<EvaluationJob, 'set' | 'profile' | 'against' | 'k' | 'total'>,
  ): Promise<EvaluationJob>;
  progress(viewer: Viewer, id: string, done: number): Promise<void>;
  finish(viewer: Viewer, id: string, reportJson: string): Promise<void>;
  fail(viewer: Viewer, id: string, error: string): Promise<void>;
  /** NotFoundError */
  job(viewer: Viewer, id: string): Promise<EvaluationJob>;
  /** Newest first. */
  jobs(viewer: Viewer, limit: number): Promise<readonly EvaluationJob[]>;
  /** The report of a job that is done, as JSON, else null. That of 10,000 cases is some MB. */
  reportJson(viewer: Viewer, id: string): Promise<string | null>;
  /** What that report says of each ranking; none before there is one. */
  rankings(viewer: Viewer, id: string): Promise<readonly StoredRanking[]>;
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
export interface Evaluations extends Pick<EvaluationStore, 'job' | 'jobs' | 'reportJson' | 'rankings'> {
  /**
   * Begins an evaluation. NotFoundError without the set, BadInputError for an unknown profile, the name of one that every gateway has
   * to tune, or a set without a measurable case, ConflictError while another one of the tenant runs here, RateLimitedError while those of
   * many tenants do.
   */
  start(viewer: Viewer, order: EvaluationOrder): Promise<EvaluationJob>;
}
