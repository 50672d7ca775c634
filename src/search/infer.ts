import { LABEL_PERSPECTIVES, LANES, type LabelPerspective } from '../domain/search.js';
import { beliefs, inferredScore, VOTERS } from '../lexical/inferred-lane.js';
import type { NotebookIndex } from '../lexical/notebook-index.js';
import { textWeight, weightsOf } from './fuse.js';
import type { LanePlan } from './plan.js';
import type { Query, QueryLabels } from './query.js';
import type { ScoredCard } from './score.js';

/** How many of the inferred labels a receipt names. */
const NAMED = 5;

/**
 * A card without labels is trusted to be about the same as far as its texts are the same: one that says just what the query
 * says scores 1, one that is half like it next to nothing. nDCG@10 of topic search in Chinese, where half of the cards have no
 * topic: .358 with 0 for such cards, .355 with this, .353 with the sixth power, .329 where the lane is left out for them;
 * with 0, the very card that was searched for would have a score of 0.6.
 */
const UNLABELLED_POWER = 8;

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
 * labels, by the profiles and by the votes of the nearest of the candidates. Where nothing speaks for any label, the lane is
 * left out. Pure.
 */
export function infer(
  cards: readonly ScoredCard[],
  plan: readonly LanePlan[],
  query: Pick<Query, 'labels'>,
  index: NotebookIndex,
): Inferred {
  const asked = LABEL_PERSPECTIVES.filter((one) => plan.some((lane) => isInferred(lane, one)));
  const byTexts = scoresByTexts(cards, plan);
  const nearest = nearestOf(byTexts);
  const believed = new Map<LabelPerspective, Beliefs>();
  for (const perspective of asked) {
    const near = nearest.map(([cardId, score]) => ({ labels: index.labelsOf(perspective, cardId), score }));
    const found = believe(query.labels[perspective], near);
    if (found.size > 0) believed.set(perspective, found);
  }
  const scoreIn = (perspective: LabelPerspective, cardId: string): number | null => {
    const beliefs = believed.get(perspective);
    if (beliefs === undefined) return null;
    const labels = index.labelsOf(perspective, cardId);
    return labels.length > 0 ? inferredScore(labels, beliefs) : (byTexts.get(cardId) ?? 0) ** UNLABELLED_POWER;
  };
  return {
    cards: cards.map(({ cardId, scores }) => ({
      cardId,
      scores: LANES.map((lane, place) =>
        lane.kind === 'INFERRED' ? scoreIn(lane.perspective, cardId) : (scores[place] ?? null),
      ),
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

/** Each card's score by the lanes that know no inferred label; no card without a text that was asked for. */
function scoresByTexts(cards: readonly ScoredCard[], plan: readonly LanePlan[]): ReadonlyMap<string, number> {
  const weights = weightsOf(plan.filter(({ kind }) => kind !== 'INFERRED'));
  return new Map(
    cards.flatMap(({ cardId, scores }): [string, number][] => {
      const total = textWeight(scores, weights);
      if (total === 0) return [];
      return [[cardId, weights.reduce((sum, weight, lane) => sum + weight * (scores[lane] ?? 0), 0) / total]];
    }),
  );
}

/** The cards that may vote, best first, equal ones by id. */
function nearestOf(scores: ReadonlyMap<string, number>): readonly (readonly [cardId: string, score: number])[] {
  return [...scores].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, VOTERS);
}

function namesOf(all: readonly (readonly [QueryLabels, Beliefs | undefined])[]): readonly string[] {
  return all
    .flatMap(([{ kind }, believed]) => (kind === 'inferred' ? [...(believed ?? [])] : []))
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, NAMED)
    .map(([label]) => label);
}
