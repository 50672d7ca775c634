import { type Card, questionOf } from '../domain/card.js';
import { LANES, type SearchSubject } from '../domain/search.js';
import type { Degradation, LaneScore, SearchHit } from '../domain/search-result.js';
import { inSteps } from '../domain/steps.js';
import type { LexicalIndex } from '../lexical/lexical-index.js';
import type { Fused } from './fuse.js';
import type { LaneWeights } from './lanes.js';
import { termsOfLabels } from './query/label-lookup.js';
import type { Query } from './query/query.js';
import type { SearchScope } from './scope.js';
import { type ScoreMatrix, type ScoreParts, scoreCards } from './score.js';
import { coverage, hasOtherWords, namedLabelsIn, numbersOf, sameNumbers, sharedLabels, verdict } from './verdict.js';

export interface ExplainInput {
  /** All candidates, in the lanes that were asked. */
  readonly matrix: ScoreMatrix;
  readonly fused: Fused;
  readonly weights: LaneWeights;
  readonly query: Query;
  /** The hits: rows of the matrix with their cards. */
  readonly hits: readonly { readonly row: number; readonly card: Card }[];
  /** The cosine of unrelated texts. */
  readonly floor: number;
}

export type Explanation = Pick<SearchHit, 'lanes' | 'verdict'>;

/** Scores the hits in the other lanes too, and reads their verdicts; in the order of the hits. */
export async function explain(
  parts: ScoreParts,
  { request: { subject }, index, generation }: SearchScope,
  input: ExplainInput,
  signal: AbortSignal,
): Promise<{ readonly explanations: readonly Explanation[]; readonly degraded: readonly Degradation[] }> {
  const { query, weights, hits } = input;
  const cardIds = hits.map(({ card }) => card.id);
  const isAsked = (lane: number): boolean => weights[lane] === 0;
  const others = await scoreCards(parts, { index, generation }, { cardIds, query, isAsked }, signal);
  const lanes = laneScores({ ...input, rows: hits.map(({ row }) => row), others: others.matrix });
  const steps = explainSteps({ index, subject }, input, lanes);
  return { explanations: await inSteps(steps, parts.pause, signal), degraded: others.degraded };
}

/** The explanations of the hits, which have these lane scores, in steps: reading a long card takes 20 ms. */
export function* explainSteps(
  { index, subject }: { readonly index: Pick<LexicalIndex, 'termsOf'>; readonly subject: SearchSubject },
  { query, hits, floor }: Pick<ExplainInput, 'query' | 'hits' | 'floor'>,
  lanes: readonly (readonly LaneScore[])[],
): Generator<void, readonly Explanation[]> {
  const { card: from } = query;
  let known: readonly string[] | undefined;
  const asked = (): readonly string[] => (known ??= index.termsOf([query.text]));
  // Without keywords and choices, which may say anything.
  const question = from?.questionText ?? (subject.kind === 'text' ? subject.text : '');
  let ofQuery: readonly string[] | undefined;
  const numbers = (): readonly string[] => (ofQuery ??= numbersOf(from === null ? question : questionOf(from)));
  const said = { terms: query.terms.question, synonyms: query.expanded.question };
  const namedLabels = namedLabelsIn(said, termsOfLabels(index));
  const explanations: Explanation[] = [];
  for (const [place, { card }] of hits.entries()) {
    yield;
    const ownTerms = (): readonly string[] => index.termsOf([questionOf(card)]);
    const context = {
      floor,
      sameNumbers: () => sameNumbers(numbers(), numbersOf(questionOf(card))),
      hasOtherWords: () => hasOtherWords(question, card.questionText),
      coverage: () => coverage(asked(), ownTerms()),
      named: from === null ? namedLabels(card) : null,
      shared: from === null ? null : sharedLabels(from, card),
    };
    const scores = lanes[place] as readonly LaneScore[];
    explanations.push({ lanes: scores, verdict: verdict(scores, context) });
  }
  return explanations;
}

export interface ExplainedRows extends Pick<ExplainInput, 'matrix' | 'fused' | 'weights'> {
  readonly rows: readonly number[];
  /** These rows, in order, in the lanes that were not asked. */
  readonly others: ScoreMatrix;
}

/** Of each row, every lane that the card has a text for, in the order of LANES. Pure. */
export function laneScores({ matrix, fused, weights, rows, others }: ExplainedRows): readonly (readonly LaneScore[])[] {
  const ranks = matrix.lanes.map((scores) => scores && ranksIn(scores, rows, matrix.cardIds, fused.scores));
  return rows.map((row, place) =>
    LANES.flatMap(({ perspective, kind }, lane): LaneScore[] => {
      const asked = matrix.lanes[lane] ?? null;
      const score = (asked === null ? others.lanes[lane]?.[place] : asked[row]) ?? Number.NaN;
      if (Number.isNaN(score)) return [];
      const contribution = asked === null ? 0 : fused.contribution(lane, row);
      const rank = ranks[lane]?.[place] ?? null;
      return [{ perspective, kind, score, weight: weights[lane] as number, contribution, rank }];
    }),
  );
}

/**
 * The ranks of these rows by one lane alone, among all that have a score in `hits`, from 1; equal scores by card id. In
 * one pass: a student's candidates are all of their cards.
 */
function ranksIn(
  scores: Float64Array,
  rows: readonly number[],
  cardIds: readonly string[],
  hits: Float64Array,
): readonly number[] {
  const compare = (a: number, b: number): number =>
    (scores[b] as number) - (scores[a] as number) || ((cardIds[a] as string) < (cardIds[b] as string) ? -1 : 1);
  const ranked = rows.filter((row) => !Number.isNaN(scores[row] as number)).sort(compare);
  // By place among them: how many come before this one, but not before the one above it.
  const before = new Uint32Array(ranked.length + 1);
  for (let other = 0; other < scores.length; other++) {
    if (Number.isNaN(hits[other] as number) || Number.isNaN(scores[other] as number)) continue;
    let low = 0;
    let high = ranked.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(other, ranked[middle] as number) < 0) high = middle;
      else low = middle + 1;
    }
    before[low] = (before[low] as number) + 1;
  }
  const ranks = new Map<number, number>();
  let rank = 1;
  for (const [place, row] of ranked.entries()) {
    rank += before[place] as number;
    ranks.set(row, rank);
  }
  return rows.map((row) => ranks.get(row) as number);
}
