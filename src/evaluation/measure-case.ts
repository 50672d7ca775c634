import type { TakeTurn } from '../domain/background.js';
import type { GoldenCase } from '../domain/golden.js';
import type { CardStore } from '../domain/ports/cards.js';
import type { RequestMaker, RescorerSource } from '../domain/ports/evaluation.js';
import type { SearchEngine } from '../domain/ports/gateway.js';
import type { SearchProfile } from '../domain/profile.js';
import { LANES, laneName, type SearchReceipt, type SearchRequest } from '../domain/search.js';
import type { Viewer } from '../domain/viewer.js';
import type { MeasuredCase, MeasuredList, RankingName } from './measured.js';
import { measure } from './metrics.js';
import type { EvaluatedCollection } from './notebook.js';
import { slicesOf } from './slices.js';

/** What measuring a case asks. */
export interface CaseParts {
  readonly engine: SearchEngine;
  readonly trials: RescorerSource;
  readonly cards: Pick<CardStore, 'byIds'>;
  readonly requestOf: RequestMaker;
  /** Searches of clients come first. */
  readonly takeTurn: TakeTurn;
}

/** How cases are measured. */
export interface CaseSettings {
  readonly viewer: Viewer;
  readonly profile: SearchProfile;
  /** Null: no other profile. */
  readonly against: SearchProfile | null;
  /** How many hits are asked for. */
  readonly k: number;
  readonly notebook: EvaluatedCollection;
}

/** A measured case and what was wrong with it. */
export interface CaseResult {
  readonly measured: MeasuredCase;
  /** Relevant cards that are not in the notebook. */
  readonly missing: number;
  /** Whether a part of a search did not do what it should. */
  readonly degraded: boolean;
  readonly embeddingModel: string;
}

/** Hits of a list that a report can show. */
const SHOWN = 10;

/** The whole search, and words counted the plain way, as reports call them. */
const SEARCH = 'search';
const BASELINE = 'plain BM25';

/** A card that was created while the evaluation ran. */
const UNSEEN = { questionKey: '', topics: [] };

/** What the lists of a measured case are, in their order. */
export function rankingNames(against: SearchProfile | null): readonly RankingName[] {
  return [
    { name: SEARCH, kind: 'search' },
    ...(against === null ? [] : [{ name: `${SEARCH} by ${against.name}`, kind: 'search' } as const]),
    ...LANES.map((lane) => ({ name: laneName(lane), kind: 'lane' }) as const),
    { name: BASELINE, kind: 'baseline' },
  ];
}

/**
 * Asks every ranking for one case. Lanes are ranked by the scores of one trial, so that they cost no search each. Null where
 * no relevant card, or not the card that is searched from, is in the notebook: nothing could be right or wrong there.
 */
export async function measureCase(
  { engine, trials, cards, requestOf, takeTurn }: CaseParts,
  { viewer, profile, against, k, notebook }: CaseSettings,
  one: GoldenCase,
  signal: AbortSignal,
): Promise<CaseResult | null> {
  const relevant = one.judgements.filter(({ grade }) => grade > 0);
  const there = relevant.filter(({ cardId }) => notebook.factsOf(cardId) !== undefined);
  const text = await textOf(cards, viewer, one);
  if (there.length === 0 || text === null) return null;
  const grades = new Map(there.map(({ cardId, grade }) => [cardId, grade]));
  const factsOf = (cardId: string) => notebook.factsOf(cardId) ?? UNSEEN;
  const listOf = (hits: readonly string[], tookMs: number | null): MeasuredList => {
    return { top: hits.slice(0, SHOWN), values: measure({ hits, grades, factsOf, k }), tookMs };
  };
  const receipts: SearchReceipt[] = [];
  const served = async (request: SearchRequest): Promise<MeasuredList> => {
    const { hits, receipt } = await takeTurn(() => engine.search(viewer, request, signal));
    receipts.push(receipt);
    const cardIds = hits.map(({ card }) => card.id);
    return listOf(cardIds, receipt.tookMs);
  };
  const request = requestOf(profile.settings, one, k);
  const lists = [await served(request)];
  if (against !== null) lists.push(await served(requestOf(against.settings, one, k)));
  const trial = await takeTurn(() => trials.trial(viewer, request, signal));
  for (const lane of LANES.keys()) lists.push(await takeTurn(() => listOf(trial.byLane(lane, k), null)));
  const byPlainBm25 = () => notebook.byPlainBm25(one.operation, text, k, new Set(trial.cardIds));
  lists.push(listOf(await takeTurn(byPlainBm25), null));
  const slices = slicesOf(one, text, (cardId) => notebook.factsOf(cardId));
  return {
    measured: { id: one.id, text, slices, grades, lists },
    missing: relevant.length - there.length,
    degraded: receipts.some(({ degraded }) => degraded.length > 0),
    embeddingModel: receipts[0]?.embeddingModel ?? '',
  };
}

/** The query's text; null where it is a card that is not there. */
async function textOf(
  cards: Pick<CardStore, 'byIds'>,
  viewer: Viewer,
  { subject }: GoldenCase,
): Promise<string | null> {
  if (subject.kind === 'text') return subject.text;
  return (await cards.byIds(viewer, [subject.cardId])).get(subject.cardId)?.questionText ?? null;
}
