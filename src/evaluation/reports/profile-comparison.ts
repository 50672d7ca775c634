import type { MeasuredCase, MeasuredList } from '../measure-case.js';
import { byMetric, type Metric } from '../metrics.js';
import { compare, type PairedDifference } from '../statistics.js';
import type { ChangedCase, ProfileComparison, ShownCard } from './report.js';

/** Losses, and gains, shown with their hits. */
const CHANGED = 5;

/** Hits shown of each list. */
const HITS = 5;

/** Indexes of the two profiles' lists in a measured case. */
const AFTER = 0;
const BEFORE = 1;

/** A {@link ProfileComparison} before the texts of its cards are read. */
export type ComparedProfiles = Omit<ProfileComparison, 'changed'> & {
  readonly changed: readonly (Omit<ChangedCase, 'hitsBefore' | 'hitsAfter'> & {
    readonly hitsBefore: readonly JudgedHit[];
    readonly hitsAfter: readonly JudgedHit[];
  })[];
};

type JudgedHit = Omit<ShownCard, 'text'>;

/** Compares two profiles, with the cases that differ most. */
export function compareProfiles(
  cases: readonly MeasuredCase[],
  names: Pick<ProfileComparison, 'before' | 'after'>,
): ComparedProfiles {
  const differences = byMetric((metric) => difference(cases, [BEFORE, AFTER], metric));
  const byChange = cases
    .map((one) => ({ one, change: ndcgOf(one, AFTER) - ndcgOf(one, BEFORE) }))
    .sort((a, b) => a.change - b.change || (a.one.id < b.one.id ? -1 : 1));
  const losses = byChange.filter(({ change }) => change < 0).slice(0, CHANGED);
  const gains = byChange.filter(({ change }) => change > 0).slice(-CHANGED);
  const most = [...losses, ...gains].sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
  const hitsOf = ({ lists, grades }: MeasuredCase, place: number): readonly JudgedHit[] =>
    (lists[place] as MeasuredList).top.slice(0, HITS).map((cardId) => ({ cardId, grade: grades.get(cardId) ?? 0 }));
  return {
    ...names,
    differences,
    changes: byChange.map(({ change }) => change),
    changed: most.map(({ one }) => ({
      id: one.id,
      text: one.text,
      before: ndcgOf(one, BEFORE),
      after: ndcgOf(one, AFTER),
      hitsBefore: hitsOf(one, BEFORE),
      hitsAfter: hitsOf(one, AFTER),
    })),
  };
}

/** Adds the texts of the shown cards, which `textsOf` reads. */
export async function withTexts(
  { changed, ...comparison }: ComparedProfiles,
  textsOf: (cardIds: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<ProfileComparison> {
  const shown = changed.flatMap(({ hitsBefore, hitsAfter }) => [...hitsBefore, ...hitsAfter]);
  const texts = await textsOf([...new Set(shown.map(({ cardId }) => cardId))]);
  const withText = (hit: JudgedHit): ShownCard => ({ ...hit, text: texts.get(hit.cardId) ?? '' });
  return {
    ...comparison,
    changed: changed.map((one) => ({
      ...one,
      hitsBefore: one.hitsBefore.map(withText),
      hitsAfter: one.hitsAfter.map(withText),
    })),
  };
}

function ndcgOf({ lists }: MeasuredCase, place: number): number {
  return (lists[place] as MeasuredList).values.ndcgAt10;
}

/** The paired difference of two rankings, by their indexes: second minus first. */
export function difference(
  cases: readonly MeasuredCase[],
  [before, after]: readonly [number, number],
  metric: Metric,
): PairedDifference {
  return compare(valuesOf(cases, before, metric), valuesOf(cases, after, metric));
}

/** The values of a ranking, by its index. */
export function valuesOf(cases: readonly MeasuredCase[], place: number, metric: Metric): readonly number[] {
  return cases.map(({ lists }) => (lists[place] as MeasuredList).values[metric]);
}
