import { questionOf } from '../domain/card.js';
import type { GoldenCase } from '../domain/golden.js';
import type { CardStore } from '../domain/ports/cards.js';
import type { SearchEngine } from '../domain/ports/gateway.js';
import type { SearchProfile } from '../domain/profile.js';
import { LANES, laneName, type SearchRequest } from '../domain/search.js';
import type { SearchReceipt } from '../domain/search-result.js';
import type { Viewer } from '../domain/viewer.js';
import { requestBy, searchSettings } from '../search/profile.js';
import type { EvaluatedCards } from './evaluated-cards.js';
import type { RescoredCasesParts } from './learning/rescored-cases.js';
import { type MetricValues, measure } from './metrics.js';
import { type CaseSlices, groupsOf } from './slices.js';

/**
 * search: the search of clients; lane: one of its lanes alone; baseline: plain BM25. A search that is worse than one of
 * its lanes needs attention.
 */
export type RankingKind = 'search' | 'lane' | 'baseline';

export interface RankingName {
  /** `search`, `dense question`, `plain BM25`, ... */
  readonly name: string;
  readonly kind: RankingKind;
}

/** Result of one ranking for one case. */
export interface MeasuredList {
  /** The first hits, best first, as many as a report shows. */
  readonly top: readonly string[];
  readonly values: MetricValues;
  /** Null if the list was derived from another search. */
  readonly tookMs: number | null;
}

/** One case with the result of every ranking. */
export interface MeasuredCase {
  readonly id: string;
  /** The query, or the question of the query card. */
  readonly text: string;
  readonly slices: CaseSlices;
  /** Grades above 0, by card id. */
  readonly grades: ReadonlyMap<string, number>;
  /** In the order of the rankings. */
  readonly lists: readonly MeasuredList[];
}

export interface CaseParts extends RescoredCasesParts {
  readonly engine: SearchEngine;
}

export interface CaseSettings {
  readonly viewer: Viewer;
  readonly profile: SearchProfile;
  readonly against: SearchProfile | null;
  /** Hits requested. */
  readonly k: number;
  readonly evaluated: EvaluatedCards;
}

export interface CaseResult {
  readonly measured: MeasuredCase;
  /** Relevant cards that are not in the notebook. */
  readonly missing: number;
  readonly degraded: boolean;
  readonly embeddingModel: string;
}

/** A case whose filter leaves out every relevant card, so that any search would be measured as 0. */
export type FilteredCase = Pick<MeasuredCase, 'id' | 'text'>;

/** Hits of a list that a report shows. */
const SHOWN = 10;

const SEARCH = 'search';
const BASELINE = 'plain BM25';

/** Facts of a card that was created during the evaluation. */
const UNSEEN = { questionKey: '', topics: [] };

/** Names of a measured case's lists, in their order. */
export function rankingNames(against: SearchProfile | null): readonly RankingName[] {
  return [
    { name: SEARCH, kind: 'search' },
    ...(against === null ? [] : [{ name: `${SEARCH} by ${against.name}`, kind: 'search' } as const]),
    ...LANES.map((lane) => ({ name: laneName(lane), kind: 'lane' }) as const),
    { name: BASELINE, kind: 'baseline' },
  ];
}

/**
 * Computes every ranking for one case. Lanes are ranked from the lane scores of one search. Null if no relevant card,
 * or not the query card, is in the notebook; id and text alone if the filter leaves out all relevant cards.
 * BadInputError (`text`, `cardId`) for an empty query.
 */
export async function measureCase(
  { engine, rescorers, cards, takeTurn }: CaseParts,
  { viewer, profile, against, k, evaluated }: CaseSettings,
  one: GoldenCase,
  signal: AbortSignal,
): Promise<CaseResult | FilteredCase | null> {
  const relevant = one.judgements.filter(({ grade }) => grade > 0);
  const there = relevant.filter(({ cardId }) => evaluated.factsOf(cardId) !== undefined);
  const text = await textOf(cards, viewer, one);
  if (there.length === 0 || text === null) return null;
  const grades = new Map(there.map(({ cardId, grade }) => [cardId, grade]));
  const factsOf = (cardId: string) => evaluated.factsOf(cardId) ?? UNSEEN;
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
  const requestOf = (by: SearchProfile): SearchRequest =>
    requestBy(searchSettings(one.operation, by, one.subject.kind === 'card' ? one.subject : {}), one, k);
  const request = requestOf(profile);
  const lists = [await served(request)];
  if (against !== null) lists.push(await served(requestOf(against)));
  const rescorer = await takeTurn(() => rescorers.rescorer(viewer, request, signal));
  if (there.every(({ cardId }) => rescorer.filtersOut(cardId))) return { id: one.id, text };
  for (const lane of LANES.keys()) lists.push(await takeTurn(() => listOf(rescorer.byLane(lane, k), null)));
  const byPlainBm25 = () => evaluated.byPlainBm25(one.operation, text, k, new Set(rescorer.cardIds));
  lists.push(listOf(await takeTurn(byPlainBm25), null));
  const slices = groupsOf(one, text, (cardId) => evaluated.factsOf(cardId));
  return {
    measured: { id: one.id, text, slices, grades, lists },
    missing: relevant.length - there.length,
    degraded: receipts.some(({ degraded }) => degraded.length > 0),
    embeddingModel: receipts[0]?.embeddingModel ?? '',
  };
}

/** The query's text; null if it is a card that does not exist. */
async function textOf(
  cards: Pick<CardStore, 'byIds'>,
  viewer: Viewer,
  { subject }: GoldenCase,
): Promise<string | null> {
  if (subject.kind === 'text') return subject.text;
  const card = (await cards.byIds(viewer, [subject.cardId])).get(subject.cardId);
  return card === undefined ? null : questionOf(card);
}
