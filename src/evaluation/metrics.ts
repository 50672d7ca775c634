/** What is known of a card that was found, as far as a measure asks. */
export interface HitFacts {
  /** The same for two cards that ask the same question in the same words. */
  readonly questionKey: string;
  readonly topics: readonly string[];
}

/** One list of hits beside what it should have been. */
export interface JudgedList {
  /** Card ids, best first, each once. */
  readonly hits: readonly string[];
  /** By card id, whole numbers, at least one above 0; a card that is not here counts as 0. */
  readonly grades: ReadonlyMap<string, number>;
  readonly factsOf: (cardId: string) => HitFacts;
  /** How many hits were asked for. */
  readonly k: number;
}

/** The measures, in the order in which they are shown. */
export const METRICS = [
  'ndcgAt10',
  'mrr',
  'recallAt5',
  'recallAt10',
  'recallAtK',
  'precisionAt10',
  'zeroResultRate',
  'duplicateRate',
  'topics',
] as const;
/** One of {@link METRICS}. */
export type Metric = (typeof METRICS)[number];

/** A value for each measure. */
export type MetricValues = Readonly<Record<Metric, number>>;

/** Which way a measure improves; null where neither way is better by itself. */
export const BETTER: Readonly<Record<Metric, 'higher' | 'lower' | null>> = {
  ndcgAt10: 'higher',
  mrr: 'higher',
  recallAt5: 'higher',
  recallAt10: 'higher',
  recallAtK: 'higher',
  precisionAt10: 'higher',
  zeroResultRate: 'lower',
  duplicateRate: 'lower',
  topics: null,
};

/** What a student looks at. */
const TOP = 10;

/**
 * All measures of one list; their means over cases are what is reported.
 *
 * nDCG@10: the sum of grade / log2(rank + 1) over the first 10 hits, divided by that of the best possible list (Jarvelin and
 * Kekalainen, TOIS 2002, with the grade itself as the gain). MRR: 1 / rank of the first hit with a grade above 0, 0 without
 * one. Recall@k: the share of all cards with a grade above 0 that are among the first k hits. P@10: the share of 10 places
 * that such cards have, empty places included. Zero-result rate: 1 for an empty list. Duplicate rate: the share of the first
 * 10 hits that repeat the question of a hit above them. Topics: how many different ones the first 10 hits carry.
 */
export function measure({ hits, grades, factsOf, k }: JudgedList): MetricValues {
  const gained = hits.map((cardId) => grades.get(cardId) ?? 0);
  const relevant = [...grades.values()].filter((grade) => grade > 0);
  if (relevant.length === 0) throw new Error('a list is measured without any card that should be in it');
  const foundIn = (depth: number): number => gained.slice(0, depth).filter((grade) => grade > 0).length;
  const first = gained.findIndex((grade) => grade > 0);
  const top = hits.slice(0, TOP).map(factsOf);
  const questions = new Set(top.map(({ questionKey }) => questionKey));
  return {
    ndcgAt10: discounted(gained) / discounted(relevant.sort((a, b) => b - a)),
    mrr: first < 0 ? 0 : 1 / (first + 1),
    recallAt5: foundIn(5) / relevant.length,
    recallAt10: foundIn(10) / relevant.length,
    recallAtK: foundIn(k) / relevant.length,
    precisionAt10: foundIn(TOP) / TOP,
    zeroResultRate: hits.length === 0 ? 1 : 0,
    duplicateRate: top.length === 0 ? 0 : (top.length - questions.size) / top.length,
    topics: new Set(top.flatMap(({ topics }) => topics)).size,
  };
}

/** What the first 10 are worth, the later the less. */
function discounted(grades: readonly number[]): number {
  return grades.slice(0, TOP).reduce((sum, grade, place) => sum + grade / Math.log2(place + 2), 0);
}
