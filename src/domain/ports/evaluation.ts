import type { GoldenCase, GoldenCounts, GoldenSet } from '../golden.js';
import type { Page } from '../page.js';
import type { GoldenSetChange, HitJudgement } from '../parse/golden.js';
import type { LearnedProfile, SearchProfile } from '../profile.js';
import type { Viewer } from '../viewer.js';
import type { PageRequest } from './cards.js';

// --- golden sets ---------------------------------------------------------------------------------------------------

export interface JudgedHit {
  /** For {@link GoldenStore.undo}. */
  readonly judgementId: string;
  readonly set: string;
  /** The case of the query, with all its judgements. */
  readonly goldenCase: GoldenCase;
}

export interface UndoneJudgement {
  readonly set: string;
  /** The case afterwards; null if it was created by judging and its last judgement is undone. */
  readonly goldenCase: GoldenCase | null;
}

export interface GoldenStore {
  /** A page of the sets by name, after that of a cursor. BadInputError (`after`) for an invalid one. */
  sets(viewer: Viewer, page: PageRequest): Promise<readonly GoldenSet[]>;
  /** NotFoundError */
  set(viewer: Viewer, name: string): Promise<GoldenSet>;
  /** By name, of those of these sets that have cases. Reads all of their judgements. */
  counts(viewer: Viewer, names: readonly string[]): Promise<ReadonlyMap<string, GoldenCounts>>;
  /**
   * A page of the cases of each of these sets, by its name, in a fixed number of statements. Many judgements end a page
   * before its limit. BadInputError (`after`) for an invalid cursor; no cases for an unknown set.
   */
  cases(viewer: Viewer, names: readonly string[], page: PageRequest): Promise<ReadonlyMap<string, Page<GoldenCase>>>;
  /** Creates or changes the set in one transaction; given cases replace all of its cases. */
  save(viewer: Viewer, change: GoldenSetChange): Promise<GoldenSet>;
  /** Adds a case at the end, or replaces the one with its id. NotFoundError without the set. */
  addCase(viewer: Viewer, set: string, one: GoldenCase): Promise<GoldenSet>;
  /** False if there was no such set. */
  delete(viewer: Viewer, name: string): Promise<boolean>;
  /** Adds a judgement to earlier ones; creates the query's case and the set if they are missing. */
  judge(viewer: Viewer, judged: NamedHitJudgement): Promise<JudgedHit>;
  /** Undoes a judgement of a hit; the previous one applies again. NotFoundError. */
  undo(viewer: Viewer, judgementId: string): Promise<UndoneJudgement>;
}

export type NamedHitJudgement = HitJudgement & { readonly set: string; readonly caseId: string };

// --- search profiles -----------------------------------------------------------------------------------------------

export interface ProfileStore {
  /** By name. */
  list(viewer: Viewer): Promise<readonly SearchProfile[]>;
  find(viewer: Viewer, name: string): Promise<SearchProfile | null>;
  /** Distinct names of all tenants' profiles. */
  names(): Promise<readonly string[]>;
  save(viewer: Viewer, profile: SearchProfile): Promise<void>;
  /** False if there was none. */
  delete(viewer: Viewer, name: string): Promise<boolean>;
}

/** What was learned from each tenant's notebook, shared by the gateways on one database. */
export interface LearnedProfileStore {
  /** Null if nothing was learned, and for a student. */
  find(viewer: Viewer): Promise<LearnedProfile | null>;
  /**
   * Reserves learning for this gateway, for 15 minutes or until it is saved or released; false if another one has
   * reserved it.
   */
  claim(tenantId: string): Promise<boolean>;
  release(tenantId: string): Promise<void>;
  /** After {@link claim}. */
  save(tenantId: string, learned: Pick<LearnedProfile, 'model' | 'labelledCards' | 'operations'>): Promise<void>;
}

export interface SearchProfiles {
  /**
   * The profile of searches without one: that of SEARCH_PROFILE; `default` for a tenant without a profile of that name.
   */
  chosen(viewer: Viewer): Promise<SearchProfile>;
  /** BadInputError (`field`) if there is none of this name. */
  named(viewer: Viewer, name: string, field: string): Promise<SearchProfile>;
  /** Built-in ones first, then by name. */
  list(viewer: Viewer): Promise<readonly SearchProfile[]>;
  /** BadInputError (`field`) for the name of a built-in profile. */
  refuseBuiltin(name: string, field: string): void;
  /** BadInputError for the name of a built-in profile. */
  save(viewer: Viewer, profile: SearchProfile): Promise<SearchProfile>;
  /** False if there was none; the same errors as for saving. */
  delete(viewer: Viewer, name: string): Promise<boolean>;
}

// --- evaluations ---------------------------------------------------------------------------------------------------

export interface EvaluationJob {
  readonly id: string;
  readonly set: string;
  readonly profile: string;
  /** Null: nothing to compare with. */
  readonly against: string | null;
  /** 10 .. 50 */
  readonly k: number;
  readonly state: 'RUNNING' | 'DONE' | 'FAILED';
  /** Cases measured, and their total. */
  readonly done: number;
  readonly total: number;
  /** Why it failed; null if it did not. */
  readonly error: string | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** A running evaluation that reported no progress for a minute reads as failed: its gateway has ended. */
export interface EvaluationStore {
  /** Starts one; the tenant's oldest beyond 50 are deleted. */
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
  /** The same without what it has of each case. */
  reportHead(viewer: Viewer, id: string): Promise<object | null>;
  /** The cases of a report from a place on, with the names of their rankings; null before there is one. */
  reportCases(
    viewer: Viewer,
    id: string,
    page: { readonly from: number; readonly first: number },
  ): Promise<{
    readonly cases: readonly unknown[];
    readonly total: number;
    readonly rankings: readonly string[];
  } | null>;
}

/** An evaluation request, by names. */
export interface EvaluationOrder extends Pick<EvaluationJob, 'set' | 'profile' | 'against' | 'k'> {
  /** Name of the profile that tuning creates, starting from `profile`; null: no tuning. */
  readonly tune: string | null;
}
