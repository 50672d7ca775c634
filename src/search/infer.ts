import { LABEL_PERSPECTIVES, LANES, type LabelPerspective } from '../domain/search.js';
import { beliefs, inferredScore, VOTERS } from '../lexical/inferred-lane.js';
import type { NotebookIndex } from '../lexical/notebook-index.js';
import { textWeight, weightsOf } from './fuse.js';
import type { LanePlan } from './plan.js';
import type { Query, QueryLabels } from './query.js';
import type { ScoredCard } from './score.js';

/** How many of the inferred labels a receipt names. */
const NAMED = 5;

/** How far a query is believed to be about each label, 0 .. 1. */
type Beliefs = ReadonlyMap<string, number>;

/** Cards with the scores of the inferred lanes, and what was inferred. */
export interface Inferred {
  readonly cards: readonly ScoredCard[];
  /** The most believed labels, best first: see the receipt. */
  readonly inferredConcepts: readonly string[];
}

/**
 * Scores the candidates in the inferred lanes that were asked for: how far the query is believed to be about the card's
 * labels, by the profiles and by the votes of the nearest of the candidates. Where nothing speaks for any label the lane is
 * left out; else a card without labels scores 0, as one about something else does: left out of the lane instead, such cards
 * took nDCG@10 of topic search in Chinese from .372 to .354, since nothing speaks for them. Pure.
 */
export function infer(
  cards: readonly ScoredCard[],
  plan: readonly LanePlan[],
  query: Pick<Query, 'labels'>,
  index: NotebookIndex,
): Inferred {
  const asked = LABEL_PERSPECTIVES.filter((one) => plan.some((lane) => isInferred(lane, one)));
  const nearest = nearestOf(cards, plan);
  const believed = new Map<LabelPerspective, Beliefs>();
  for (const perspective of asked) {
    const near = nearest.map(({ cardId, score }) => ({ labels: index.labelsOf(perspective, cardId), score }));
    const found = believe(query.labels[perspective], near);
    if (found.size > 0) believed.set(perspective, found);
  }
  const lanes = LANES.map(({ kind, perspective }) =>
    kind === 'INFERRED' && believed.has(perspective) ? { perspective, beliefs: believed.get(perspective) } : null,
  );
  return {
    cards: cards.map(({ cardId, scores }) => ({
      cardId,
      scores: scores.map((score, place) => {
        const lane = lanes[place];
        if (lane == null || lane.beliefs === undefined) return score;
        return inferredScore(index.labelsOf(lane.perspective, cardId), lane.beliefs);
      }),
    })),
    inferredConcepts: namesOf(asked.map((perspective) => [query.labels[perspective], believed.get(perspective)])),
  };
}

/** What is believed of the labels before any card is scored: the known ones fully, the others as the profiles say. */
export function believe(labels: QueryLabels, nearest: Parameters<typeof beliefs>[1]): Beliefs {
  if (labels.kind === 'known') return new Map(labels.labels.map((label) => [label, 1]));
  return beliefs(labels.labels, nearest);
}

/** Whether the lane is the inferred one of the perspective. */
export function isInferred({ kind, perspective }: LanePlan, of: LabelPerspective): boolean {
  return kind === 'INFERRED' && perspective === of;
}

/** The cards that may vote, best first, by the lanes that know no inferred label. */
function nearestOf(
  cards: readonly ScoredCard[],
  plan: readonly LanePlan[],
): readonly { readonly cardId: string; readonly score: number }[] {
  const weights = weightsOf(plan.filter(({ kind }) => kind !== 'INFERRED'));
  const scored = cards.flatMap(({ cardId, scores }) => {
    const total = textWeight(scores, weights);
    if (total === 0) return [];
    return [{ cardId, score: weights.reduce((sum, weight, lane) => sum + weight * (scores[lane] ?? 0), 0) / total }];
  });
  return scored.sort((a, b) => b.score - a.score || (a.cardId < b.cardId ? -1 : 1)).slice(0, VOTERS);
}

function namesOf(all: readonly (readonly [QueryLabels, Beliefs | undefined])[]): readonly string[] {
  return all
    .flatMap(([{ kind }, believed]) => (kind === 'inferred' ? [...(believed ?? [])] : []))
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, NAMED)
    .map(([label]) => label);
}
