/** Fields of a hit that the metrics read. */
export interface HitFacts {
  /** Equal for two cards whose questions have the same tokens. */
  readonly questionKey: string;
  readonly topics: readonly string[];
}

export interface JudgedList {
  /** Card ids, best first, each once. */
  readonly hits: readonly string[];
  /** By card id, whole numbers, at least one above 0; a card that is not here counts as 0. */
  readonly grades: ReadonlyMap<string, number>;
  readonly factsOf: (cardId: string) => HitFacts;
  /** Hits requested. */
  readonly k: number;
}

/** The metrics, in display order. */
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
export type Metric = (typeof METRICS)[number];

/** The main metrics, which are also reported by slice. */
export const MAIN_METRICS = ['ndcgAt10', 'mrr'] as const satisfies readonly Metric[];
export type MainMetric = (typeof MAIN_METRICS)[number];

export function byMetric<T>(make: (metric: Metric) => T): Readonly<Record<Metric, T>> {
  return Object.fromEntries(METRICS.map((metric) => [metric, make(metric)])) as Record<Metric, T>;
}

export function byMain<T>(make: (metric: MainMetric) => T): Readonly<Record<MainMetric, T>> {
  return { ndcgAt10: make('ndcgAt10'), mrr: make('mrr') };
}

export type MetricValues = Readonly<Record<Metric, number>>;

/** Direction of improvement; null if neither is better by itself. */
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

/** Cut-off of the metrics: hits that a student looks at. */
const TOP = 10;

/**
 * All metrics of one list; reports show their means over cases.
 *
 * nDCG@10: the sum of grade / log2(rank + 1) over the first 10 hits, divided by that of the best possible list
 * (Jarvelin and Kekalainen, TOIS 2002, with the grade itself as the gain). MRR: 1 / rank of the first hit with a grade
 * above 0, 0 without one. Recall@k: the share of all cards with a grade above 0 that are among the first k hits. P@10:
 * the share of 10 places that such cards have, empty places included. Zero-result rate: 1 for an empty list. Duplicate
 * rate: the share of the first 10 hits that repeat the question of a hit above them. Topics: how many different ones
 * the first 10 hits carry.
 */
export function measure({ hits, grades, factsOf, k }: JudgedList): MetricValues {
  const gained = hits.map((cardId) => grades.get(cardId) ?? 0);
  const relevant = [...grades.values()].filter((grade) => grade > 0);
  if (relevant.length === 0) throw new Error('a list is measured without any relevant card');
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

/** Discounted cumulative gain of the first 10. */
export function discounted(grades: readonly number[]): number {
  return grades.slice(0, TOP).reduce((sum, grade, place) => sum + grade / Math.log2(place + 2), 0);
}
