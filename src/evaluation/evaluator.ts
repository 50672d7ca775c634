import type { Card } from '../domain/card.js';
import type { GoldenCase } from '../domain/golden.js';
import type { SearchProfile } from '../domain/profile.js';
import { LANES, laneName } from '../domain/search.js';
import type { Viewer } from '../domain/viewer.js';
import type { RequestMaker, Trial, TrialSource } from '../evaluation-ports.js';
import type { CardStore, IndexLedger, SearchEngine } from '../ports.js';
import type { MeasuredCase, MeasuredList, RankingName } from './measured.js';
import { type JudgedList, measure } from './metrics.js';
import { type EvaluatedNotebook, readNotebook } from './notebook.js';
import { profileComparison } from './profile-comparison.js';
import type { EvaluationReport } from './report.js';
import { slicesOf } from './slices.js';
import { RESAMPLING, type Resampling } from './statistics.js';
import { byMain, contestsOf, rankingReports } from './summarise.js';

/** What an evaluation asks. */
export interface EvaluatorParts {
  readonly engine: SearchEngine;
  readonly trials: TrialSource;
  readonly ledger: Pick<IndexLedger, 'cardsAfter'>;
  readonly cards: Pick<CardStore, 'byIds'>;
  readonly requestOf: RequestMaker;
  /** The words of a text, as plain BM25 counts them. */
  readonly words: (text: string) => readonly string[];
  /** Gives others the thread for a moment. */
  readonly breathe: () => Promise<void>;
}

/** What is to be evaluated. */
export interface EvaluationRequest {
  readonly set: string;
  readonly cases: readonly GoldenCase[];
  readonly profile: SearchProfile;
  /** Another profile, which the first one is compared with; null: none. */
  readonly against: SearchProfile | null;
  /** How many hits are asked for: 10 .. 50. */
  readonly k: number;
}

/** What an evaluation tells while it runs. */
export type Progress = (done: number, total: number) => void;

/** Cases under way at a time: the searches of two use both cores of a small machine, and more would only wait for each other. */
const AT_A_TIME = 2;

/** Hits of a list that a report can show. */
const SHOWN = 10;

/** The whole search, as the report calls it. */
const SEARCH = 'search';
const BASELINE = 'plain BM25';

interface CaseResult {
  readonly measured: MeasuredCase;
  readonly missing: number;
  readonly embeddingModel: string;
}

/**
 * Measures search on golden cases: the search as clients get it, every lane of it alone, plain BM25 beside them, and a second
 * profile where one is named. Lanes are ranked by the scores of one trial of each case, so that they cost no search each.
 */
export class Evaluator {
  constructor(private readonly parts: EvaluatorParts) {}

  /** BadInputError where a case asks what no search could answer, UnavailableError where a search fails. */
  async evaluate(
    viewer: Viewer,
    request: EvaluationRequest,
    onProgress: Progress,
    signal: AbortSignal,
  ): Promise<EvaluationReport> {
    const started = performance.now();
    const { ledger, words, breathe } = this.parts;
    const notebook = await readNotebook(ledger, viewer.tenantId, words, signal);
    const { set, profile, against, k, cases } = request;
    const queue = [...cases.entries()];
    const results: (CaseResult | null)[] = cases.map(() => null);
    let done = 0;
    const worker = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        signal.throwIfAborted();
        results[next[0]] = await this.#measure(viewer, next[1], request, notebook, signal);
        done += 1;
        onProgress(done, cases.length);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, worker));
    const found = results.filter((result) => result !== null);
    const names = rankingNames(against);
    const silent = silentLanes(found, names);
    const kept = names.filter((name) => !silent.includes(name));
    const measured = found.map(({ measured: one }) => ({
      ...one,
      lists: one.lists.filter((_, place) => !silent.includes(names[place] as RankingName)),
    }));
    const resampling: Resampling = RESAMPLING;
    const rankings = await rankingReports(measured, kept, resampling, breathe);
    const comparison =
      against === null
        ? null
        : await profileComparison(measured, { before: against.name, after: profile.name }, resampling, (ids) =>
            this.#textsOf(viewer, ids),
          );
    return {
      format: 1,
      set,
      profile: profile.name,
      cases: measured.length,
      skippedCases: cases.length - measured.length,
      missingCards: found.reduce((sum, { missing }) => sum + missing, 0),
      cards: notebook.size,
      embeddingModel: found[0]?.embeddingModel ?? '',
      k,
      resampling,
      rankings,
      silentLanes: silent.map(({ name }) => name),
      contests: contestsOf(measured, rankings, resampling),
      comparison,
      caseReports: measured.map(({ id, text, lists }) => ({
        id,
        text,
        values: lists.map(({ values }) => byMain((metric) => values[metric])),
      })),
      finishedAt: new Date().toISOString(),
      tookMs: performance.now() - started,
    };
  }

  /** Null where no card that is in the notebook is relevant: nothing could be right or wrong there. */
  async #measure(
    viewer: Viewer,
    one: GoldenCase,
    { profile, against, k }: EvaluationRequest,
    notebook: EvaluatedNotebook,
    signal: AbortSignal,
  ): Promise<CaseResult | null> {
    const { engine, trials, requestOf } = this.parts;
    const relevant = one.judgements.filter(({ grade }) => grade > 0);
    const there = relevant.filter(({ cardId }) => notebook.factsOf(cardId) !== undefined);
    if (there.length === 0) return null;
    const text = await this.#textOf(viewer, one);
    if (text === null) return null;
    const request = requestOf(profile.settings, one, k);
    const grades = new Map(there.map(({ cardId, grade }) => [cardId, grade]));
    const listOf = (hits: readonly string[], tookMs: number | null): MeasuredList => {
      const judged: JudgedList = { hits, grades, k, factsOf: (cardId) => notebook.factsOf(cardId) ?? UNSEEN };
      return { top: hits.slice(0, SHOWN), values: measure(judged), tookMs };
    };
    const served = async (asked: typeof request) => {
      const { hits, receipt } = await engine.search(viewer, asked, signal);
      return {
        list: listOf(
          hits.map(({ card }) => card.id),
          receipt.tookMs,
        ),
        receipt,
      };
    };
    const search = await served(request);
    const rival = against === null ? [] : [(await served(requestOf(against.settings, one, k))).list];
    const trial = await trials.trial(viewer, request, signal);
    const plain = notebook.byPlainBm25(one.operation, text, k, new Set(trial.cardIds));
    return {
      measured: {
        id: one.id,
        text,
        slices: slicesOf(one, text, (cardId) => notebook.factsOf(cardId)),
        grades,
        lists: [search.list, ...rival, ...lanesOf(trial, k).map((hits) => listOf(hits, null)), listOf(plain, null)],
      },
      missing: relevant.length - there.length,
      embeddingModel: search.receipt.embeddingModel,
    };
  }

  /** The query's text; null where it is a card that is not there. */
  async #textOf(viewer: Viewer, { subject }: GoldenCase): Promise<string | null> {
    if (subject.kind === 'text') return subject.text;
    return (await this.#textsOf(viewer, [subject.cardId])).get(subject.cardId) ?? null;
  }

  async #textsOf(viewer: Viewer, cardIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const cards: ReadonlyMap<string, Card> = await this.parts.cards.byIds(viewer, cardIds);
    return new Map([...cards].map(([id, { questionText }]) => [id, questionText]));
  }
}

/** A card that was created while the evaluation ran. */
const UNSEEN = { questionKey: '', topics: [] };

function lanesOf(trial: Trial, k: number): readonly (readonly string[])[] {
  return LANES.map((_, lane) => trial.byLane(lane, k));
}

/** What the lists of a measured case are, in their order. */
function rankingNames(against: SearchProfile | null): readonly RankingName[] {
  return [
    { name: SEARCH, kind: 'search' },
    ...(against === null ? [] : [{ name: `${SEARCH} by ${against.name}`, kind: 'search' } as const]),
    ...LANES.map((lane) => ({ name: laneName(lane), kind: 'lane' }) as const),
    { name: BASELINE, kind: 'baseline' },
  ];
}

function silentLanes(found: readonly CaseResult[], names: readonly RankingName[]): readonly RankingName[] {
  const hasHit = (place: number): boolean => found.some(({ measured }) => (measured.lists[place]?.top.length ?? 0) > 0);
  return names.filter(({ kind }, place) => kind === 'lane' && !hasHit(place));
}
