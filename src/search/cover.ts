import { PERSPECTIVES } from '../domain/perspective.js';
import { LABEL_PERSPECTIVES, type LabelPerspective, type SearchRequest } from '../domain/search.js';
import type { LexicalIndex } from '../lexical/lexical-index.js';
import type { LabelPosteriors } from './label.js';
import { type LaneWeights, labelLane } from './lanes.js';

/** Places that count in the expected DCG. */
const PLACES = 10;

/** Covering up to the tenth place lowers the nDCG@10 of the sample notebook (`errata evaluate`, docs/quality.md). */
const LAST_PLACE = 3;

/** The best cards, of which any may be moved up: every page has as many candidates, and so the same order. */
const POOL = 100;

type CoveringRequest = Pick<
  SearchRequest,
  'coverLabels' | 'subject' | 'weights' | 'strategy' | 'fusion' | 'thresholdSteps' | 'diversity' | 'rerank' | 'avoid'
>;

/**
 * Whether the search asks for topics or errors by a text, whose labels are inferred, and for no other order. A text
 * that is the name of a label is about no other: `named` are the candidates that carry it. Who asks for a question or a
 * solution wants what is most like it.
 */
export function coversLabels(request: CoveringRequest, named: ReadonlySet<string>): boolean {
  if (named.size > 0) return false;
  const { subject, weights, strategy, fusion, thresholdSteps, diversity, rerank, avoid } = request;
  const isAsked = request.coverLabels && subject.kind === 'text' && LABEL_PERSPECTIVES.some((one) => weights[one] > 0);
  const isByScore = strategy === 'FUSED' && fusion === 'WEIGHTED' && thresholdSteps === null;
  return isAsked && isByScore && diversity === 0 && !rerank && PERSPECTIVES.every((one) => avoid[one] === 0);
}

/** The probability that the query is about a label, by row. */
export type LabelChances = (row: number) => ReadonlyMap<string, number>;

/** The chances of the labels of cards: posteriors, times the share of their lane in the weight of all label lanes. */
export function chancesOf(
  cardIds: readonly string[],
  posteriors: LabelPosteriors,
  weights: LaneWeights,
  index: Pick<LexicalIndex, 'profiles'>,
): LabelChances {
  const weightOf = (perspective: LabelPerspective): number => weights[labelLane(perspective)] as number;
  const total = LABEL_PERSPECTIVES.reduce((sum, perspective) => sum + weightOf(perspective), 0);
  return (row) => {
    const chances = new Map<string, number>();
    for (const [perspective, byLabel] of posteriors) {
      for (const label of index.profiles[perspective].labelsOf(cardIds[row] as string)) {
        const chance = ((byLabel.get(label) ?? 0) * weightOf(perspective)) / total;
        if (chance > 0) chances.set(`${perspective} ${label}`, chance);
      }
    }
    return chances;
  };
}

/**
 * Intent-aware order (Agrawal et al., "Diversifying Search Results", WSDM 2009) with inferred labels as the intents.
 * By score, all cards of the likeliest label come first, and if the query is about the second, no hit on the first page
 * is right. The second and the third place go to the best card of the likeliest label that no card before it has, if
 * the list is the better for it: by the sum of its expected DCG@10, to which each card with a right label adds, and of
 * the expected reciprocal rank of the first of them. `rows` are best first. Pure.
 */
export function coverLabels(rows: readonly number[], chancesIn: LabelChances): readonly number[] {
  let pool = interpolated(rows.slice(0, POOL).map((row) => ({ row, chances: chancesIn(row) })));
  const covered = new Set<string>();
  for (let place = 1; place < Math.min(LAST_PLACE, pool.length); place += 1) {
    for (const label of pool[place - 1]?.chances.keys() ?? []) covered.add(label);
    const from = likeliest(pool, covered, place);
    if (from === place) continue;
    const moved = pool.toSpliced(from, 1).toSpliced(place, 0, pool[from] as CandidateLabels);
    if (expectedGain(moved) > expectedGain(pool)) pool = moved;
  }
  return [...pool.map(({ row }) => row), ...rows.slice(POOL)];
}

/** A card without labels is as likely right as the next one with labels, whose score is lower. */
function interpolated(pool: readonly CandidateLabels[]): readonly CandidateLabels[] {
  let chance = 0;
  return pool
    .toReversed()
    .map(({ row, chances }) => {
      if (chances.size === 0) return { row, chances: new Map([[`row ${row}`, chance]]) };
      chance = [...chances.values()].reduce((sum, one) => sum + one, 0);
      return { row, chances };
    })
    .toReversed();
}

/** The first place, from `start` on, with the likeliest labels that are not covered; `start` if there is none. */
function likeliest(pool: readonly CandidateLabels[], covered: ReadonlySet<string>, start: number): number {
  let best = start;
  let most = 0;
  for (let place = start; place < pool.length; place += 1) {
    let chance = 0;
    for (const [label, one] of (pool[place] as CandidateLabels).chances) if (!covered.has(label)) chance += one;
    if (chance > most) [best, most] = [place, chance];
  }
  return best;
}

interface CandidateLabels {
  readonly row: number;
  readonly chances: ReadonlyMap<string, number>;
}

function expectedGain(list: readonly CandidateLabels[]): number {
  const seen = new Set<string>();
  let gain = 0;
  for (const [place, { chances }] of list.entries()) {
    const discount = place < PLACES ? 1 / Math.log2(place + 2) : 0;
    for (const [label, chance] of chances) {
      gain += chance * discount;
      if (seen.has(label)) continue;
      seen.add(label);
      gain += chance / (place + 1);
    }
  }
  return gain;
}
