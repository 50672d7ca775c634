import { eachOf } from '../domain/async.js';
import { questionOf } from '../domain/card.js';
import { BadInputError } from '../domain/errors.js';
import type { GoldenCase } from '../domain/golden.js';
import type { Viewer } from '../domain/viewer.js';
import { nullIfEmpty } from '../search/empty-query.js';
import { type EvaluatedCardsParts, readEvaluatedCards } from './evaluated-cards.js';
import {
  type CaseParts,
  type CaseResult,
  type CaseSettings,
  type FilteredCase,
  measureCase,
  type RankingName,
  rankingNames,
} from './measure-case.js';
import { byMain } from './metrics.js';
import { withTexts } from './reports/profile-comparison.js';
import type { EvaluationReport } from './reports/report.js';
import type { Statistician } from './reports/statistician.js';
import { RESAMPLING } from './statistics.js';

export interface EvaluatorParts extends CaseParts, EvaluatedCardsParts {
  readonly statistics: Pick<Statistician, 'summary'>;
}

interface EvaluationRequest extends Pick<CaseSettings, 'profile' | 'against' | 'k'> {
  readonly set: string;
  readonly cases: readonly GoldenCase[];
}

/** Cases measured concurrently: while one waits for a server, the other is computed. */
const CASES_AT_A_TIME = 2;

/**
 * Measures search on golden cases: the search of clients, each lane alone, plain BM25, and a second profile if one is
 * given.
 */
export class Evaluator {
  constructor(private readonly parts: EvaluatorParts) {}

  /** BadInputError if no case can be measured, UnavailableError if a search fails. */
  async evaluate(
    viewer: Viewer,
    { set, cases, profile, against, k }: EvaluationRequest,
    onProgress: (done: number) => void,
    signal: AbortSignal,
  ): Promise<EvaluationReport> {
    const started = performance.now();
    const { statistics, cards } = this.parts;
    const operations = new Set(cases.map(({ operation }) => operation));
    const evaluated = await readEvaluatedCards(this.parts, { tenantId: viewer.tenantId, operations }, signal);
    const all = await this.#measureAll({ viewer, profile, against, k, evaluated }, cases, onProgress, signal);
    const results = all.filter((result) => 'measured' in result);
    const filteredCases = all.filter((result) => 'id' in result);
    if (results.length === 0)
      throw new BadInputError(
        'set',
        'has no case whose cards are in the notebook, and in its filter, and whose query has something to search for',
      );
    const names = rankingNames(against);
    const silent = silentLanes(results, names);
    const withHits = <T>(all: readonly T[]): readonly T[] =>
      all.filter((_, place) => !silent.has(names[place] as RankingName));
    const measured = results.map((result) => ({ ...result.measured, lists: withHits(result.measured.lists) }));
    const compared = against === null ? null : { before: against.name, after: profile.name };
    const order = { names: withHits(names), compared };
    const { rankings, contests, comparison } = await statistics.summary(viewer.tenantId, measured, order, signal);
    const textsOf = async (cardIds: readonly string[]): Promise<ReadonlyMap<string, string>> => {
      const found = await cards.byIds(viewer, cardIds);
      return new Map([...found].map(([id, card]) => [id, questionOf(card)]));
    };
    const caseReports = measured.map(({ id, text, lists }) => ({
      id,
      text,
      values: lists.map(({ values }) => byMain((metric) => values[metric])),
    }));
    return {
      format: 1,
      set,
      profile: profile.name,
      cases: measured.length,
      skippedCases: cases.length - measured.length,
      filteredCases,
      missingCards: results.reduce((sum, { missing }) => sum + missing, 0),
      degradedCases: results.filter(({ degraded }) => degraded).length,
      cards: evaluated.size,
      embeddingModel: results[0]?.embeddingModel ?? '',
      k,
      resampling: RESAMPLING,
      rankings,
      silentLanes: [...silent].map(({ name }) => name),
      contests,
      comparison: comparison && (await withTexts(comparison, textsOf)),
      tuning: null,
      caseReports,
      finishedAt: new Date().toISOString(),
      tookMs: performance.now() - started,
    };
  }

  /** In the order of the cases; cases that cannot be measured are missing. */
  async #measureAll(
    settings: CaseSettings,
    cases: readonly GoldenCase[],
    onProgress: (done: number) => void,
    signal: AbortSignal,
  ): Promise<readonly (CaseResult | FilteredCase)[]> {
    const results: (CaseResult | FilteredCase | null)[] = cases.map(() => null);
    let done = 0;
    await eachOf([...cases.entries()], CASES_AT_A_TIME, async ([place, one]) => {
      signal.throwIfAborted();
      results[place] = await nullIfEmpty(() => measureCase(this.parts, settings, one, signal));
      done += 1;
      onProgress(done);
    });
    return results.filter((result) => result !== null);
  }
}

/** Lanes without a hit in any case, as if no card has a text there. */
function silentLanes(results: readonly CaseResult[], names: readonly RankingName[]): ReadonlySet<RankingName> {
  const hasHit = (place: number): boolean =>
    results.some(({ measured }) => (measured.lists[place]?.top.length ?? 0) > 0);
  return new Set(names.filter(({ kind }, place) => kind === 'lane' && !hasHit(place)));
}
