import type { ProfileSettings } from '../domain/search.js';

/** A label that a query may be about. */
export interface LikelyLabel {
  readonly label: string;
  /** 0 .. 1: how much of the query the profile of the label covers. */
  readonly score: number;
  /** 0 .. 1: how much of the label's name, by the weight of its terms, the query has. */
  readonly named: number;
  /** How many cards carry the label. */
  readonly cards: number;
}

/** How many of the best profiles count. */
export const PROFILE_DEPTH = 20;

/**
 * How many of the nearest cards are evidence for their labels. With votes of ten, labels that few cards carry lose
 * against those of hundreds that happen to be near.
 */
export const NEAREST_CARDS = 30;

/** A card with half of the score has 1/256 of the vote. */
const VOTE_POWER = 8;

/** How the views of a label become a posterior. */
export type PosteriorRule = Pick<ProfileSettings, 'profilePower' | 'voteShare'>;

export const POSTERIOR_RULE: PosteriorRule = { profilePower: 4, voteShare: 0.4 };

/**
 * What a label's views weigh in the log-linear model, beside `profilePower` for its profile. Fitted by leave-one-out on
 * the cards of four public sets, each labelled card a query without its own words and labels, then rounded and compared
 * on their questions: docs/quality.md.
 */
const WEIGHTS = {
  /** Times `voteShare`. */
  bestCard: 4,
  /** Times `voteShare`. */
  votes: 3,
  name: 1.5,
  /** Of ln(1 + cards): a label that many cards carry is likelier. */
  cards: 0.3,
  /** The weight of "none of these labels". */
  none: 5,
} as const;

/** A card that is evidence for its labels. */
export interface LabelledNeighbour {
  readonly labels: readonly string[];
  /** 0 .. 1, by the lanes of texts. */
  readonly score: number;
}

/** Evidence for a query's labels from the tenant's cards. */
export interface LabelEvidence {
  /** The best label profiles. */
  readonly likely: readonly LikelyLabel[];
  /** The nearest cards, best first. */
  readonly nearest: readonly LabelledNeighbour[];
  /** How many cards carry a label. */
  readonly cardsOf: (label: string) => number;
}

/**
 * The probability of each label given the query; with that of "none of these" they sum to 1. A log-linear model of five
 * views: the label's profile, its best card, the kNN vote of the nearest cards, its name, and how many cards carry it;
 * profile, best card and votes count as shares of the greatest. Labels without any evidence are left out.
 */
export function labelPosteriors(
  { likely, nearest, cardsOf }: LabelEvidence,
  { profilePower, voteShare }: PosteriorRule = POSTERIOR_RULE,
): ReadonlyMap<string, number> {
  const profiles = sharesOfGreatest(new Map(likely.map(({ label, score }) => [label, score])));
  const names = new Map(likely.map(({ label, named }) => [label, named]));
  const best = new Map<string, number>();
  const votes = new Map<string, number>();
  for (const { labels, score } of nearest.slice(0, NEAREST_CARDS)) {
    for (const label of labels) {
      best.set(label, Math.max(score, best.get(label) ?? 0));
      votes.set(label, (votes.get(label) ?? 0) + score ** VOTE_POWER);
    }
  }
  const bestCards = sharesOfGreatest(best);
  const voted = sharesOfGreatest(votes);
  const values = new Map<string, number>();
  let total = Math.exp(WEIGHTS.none);
  for (const label of new Set([...profiles.keys(), ...bestCards.keys()])) {
    const evidence =
      profilePower * (profiles.get(label) ?? 0) +
      voteShare * (WEIGHTS.bestCard * (bestCards.get(label) ?? 0) + WEIGHTS.votes * (voted.get(label) ?? 0)) +
      WEIGHTS.name * (names.get(label) ?? 0) +
      WEIGHTS.cards * Math.log(1 + cardsOf(label));
    const value = Math.exp(evidence);
    values.set(label, value);
    total += value;
  }
  for (const [label, value] of values) values.set(label, value / total);
  return values;
}

/** The labels of a query, by which cards are scored in a label lane. */
export interface LabelValues {
  /** By label; those of a card's labels are summed: the probability that one of them is the label of the query. */
  readonly posteriors: ReadonlyMap<string, number>;
  /** See {@link commonPart}. */
  readonly common: number;
}

/** Limits of the common part: this many times the part that distinguishes cards, and this share of a certain label. */
const MAX_COMMON = { ofDistinct: 10, ofCertain: 0.9 } as const;

/**
 * What most cards have in common: the sum of the posteriors, each times the square of the share of cards that carry the
 * label, 0 .. .9. A label that nearly all cards carry does not distinguish them: if it counted in full, all would have
 * nearly the same score, whatever their other labels. If there is no evidence for other labels, nothing is subtracted:
 * the query is about what all cards are about.
 */
export function commonPart(
  posteriors: ReadonlyMap<string, number>,
  { cards, cardsOf }: { readonly cards: number; readonly cardsOf: (label: string) => number },
): number {
  let common = 0;
  let distinct = 0;
  for (const [label, posterior] of posteriors) {
    const share = (cardsOf(label) / Math.max(1, cards)) ** 2;
    common += posterior * share;
    distinct += posterior * (1 - share);
  }
  return Math.min(common, MAX_COMMON.ofDistinct * distinct, MAX_COMMON.ofCertain);
}

/**
 * What a sum below the common part keeps, so that the order stays, and a card whose labels are unlikely and rare does
 * not lose more than half of its score.
 */
const KEPT = 0.1;

/**
 * The score of a card in the label lane, 0 .. 1, by the sum of the posteriors of its labels, ascending with it. The
 * fourth root, because the posterior itself leaves the cards of the second and third label far behind, as if the first
 * were certain; a greater exponent lowers nDCG@10.
 */
export function labelScore(sum: number, common: number): number {
  const share = Math.min(1, sum);
  return Math.sqrt(Math.sqrt(Math.max(KEPT * share, (share - common) / (1 - common))));
}

/**
 * Share of the nearest cards' label scores that a card without labels is given. They voted for these labels, so that
 * their scores are too high for other cards.
 */
const UNLABELLED_SHARE = 0.45;

/**
 * The score of a card without labels in the label lane, 0 .. 1, by its score by texts: what the nearest cards with
 * labels lead to expect, by the ratio of their label scores to their scores by texts, weighted as their votes; but at
 * least the sixth power of its score by texts, so that a card with the text of the query has 1. With 0, it would lose
 * the lane's whole weight, whatever its topic is. Chosen on the public sets as they are and with a quarter, a half and
 * three quarters of the labels removed.
 */
export function scoreWithoutLabels(
  nearest: readonly LabelledNeighbour[],
  { posteriors, common }: LabelValues,
): (byTexts: number) => number {
  let ofLabels = 0;
  let ofTexts = 0;
  for (const { labels, score } of nearest.slice(0, NEAREST_CARDS)) {
    if (labels.length === 0) continue;
    const vote = score ** VOTE_POWER;
    const posterior = labels.reduce((sum, label) => sum + (posteriors.get(label) ?? 0), 0);
    ofLabels += vote * labelScore(posterior, common);
    ofTexts += vote * score;
  }
  const ratio = ofTexts === 0 ? 0 : (UNLABELLED_SHARE * ofLabels) / ofTexts;
  return (byTexts) => {
    const cube = byTexts * byTexts * byTexts;
    return Math.max(cube * cube, Math.min(1, ratio * byTexts));
  };
}

/** Divided by the greatest value, without those that are not above 0. */
function sharesOfGreatest(values: ReadonlyMap<string, number>): Map<string, number> {
  const greatest = Math.max(0, ...values.values());
  const shares = new Map<string, number>();
  for (const [label, value] of values) if (value > 0) shares.set(label, value / greatest);
  return shares;
}
