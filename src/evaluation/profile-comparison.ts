import type { MeasuredCase, MeasuredList } from './measured.js';
import type { ChangedCase, ProfileComparison, ShownCard } from './report.js';
import type { Resampling } from './statistics.js';
import { byMetric, difference } from './summarise.js';

/** Losses and gains that are shown with their hits, of each. */
const CHANGED = 5;

/** Hits of each list that are shown. */
const HITS = 5;

/** Where the lists of the two profiles stand in a measured case: that of the profile first, then what it is set against. */
const AFTER = 0;
const BEFORE = 1;

/** The first profile beside the second, and the cases that it changed most. `textsOf` reads the questions of cards. */
export async function profileComparison(
  cases: readonly MeasuredCase[],
  names: Pick<ProfileComparison, 'before' | 'after'>,
  resampling: Resampling,
  textsOf: (cardIds: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<ProfileComparison> {
  const differences = byMetric((metric) => difference(cases, [BEFORE, AFTER], metric, resampling));
  const byChange = cases
    .map((one) => ({ one, change: ndcgOf(one, AFTER) - ndcgOf(one, BEFORE) }))
    .sort((a, b) => a.change - b.change || (a.one.id < b.one.id ? -1 : 1));
  const losses = byChange.filter(({ change }) => change < 0).slice(0, CHANGED);
  const gains = byChange.filter(({ change }) => change > 0).slice(-CHANGED);
  const most = [...losses, ...gains].sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
  const shown = most.flatMap(({ one }) => [...hitsOf(one, BEFORE), ...hitsOf(one, AFTER)]);
  const texts = await textsOf([...new Set(shown)]);
  const cardsOf = (one: MeasuredCase, place: number): readonly ShownCard[] =>
    hitsOf(one, place).map((cardId) => ({
      cardId,
      grade: one.grades.get(cardId) ?? 0,
      text: texts.get(cardId) ?? '',
    }));
  return {
    ...names,
    differences,
    changes: byChange.map(({ change }) => change),
    changed: most.map(
      ({ one }): ChangedCase => ({
        id: one.id,
        text: one.text,
        before: ndcgOf(one, BEFORE),
        after: ndcgOf(one, AFTER),
        hitsBefore: cardsOf(one, BEFORE),
        hitsAfter: cardsOf(one, AFTER),
      }),
    ),
  };
}

function ndcgOf({ lists }: MeasuredCase, place: number): number {
  return (lists[place] as MeasuredList).values.ndcgAt10;
}

function hitsOf({ lists }: MeasuredCase, place: number): readonly string[] {
  return (lists[place] as MeasuredList).top.slice(0, HITS);
}
