import { byPerspective, PERSPECTIVES } from '../domain/perspective.js';
import type { LabelPerspective } from '../domain/search.js';
import type { CardTableSnapshot } from './card-table.js';
import type { FilterColumnsSnapshot } from './filter-columns.js';
import type { ForwardIndexSnapshot } from './forward-index.js';
import type { LabelsSnapshot } from './label-profiles.js';
import { renumbered } from './restore-postings.js';
import type { TextLanesSnapshot } from './text-lanes.js';

/** A lexical index as it was at one moment: lists of strings and typed arrays, at any depth. */
export interface IndexSnapshot extends CardTableSnapshot, TextLanesSnapshot {
  /** By number; '' for a free one. */
  readonly terms: readonly string[];
  readonly labels: Readonly<Record<LabelPerspective, LabelsSnapshot>>;
  readonly filters: FilterColumnsSnapshot;
}

/** Numbers the terms of a snapshot of some docs anew, in steps: it keeps those that these have, of all `names`. */
export function* withOwnTerms(
  part: Omit<IndexSnapshot, 'terms'>,
  names: readonly string[],
): Generator<void, IndexSnapshot> {
  const { lists, kept } = yield* renumbered(termListsOf(part), names.length);
  const next = lists.values();
  const list = (): ForwardIndexSnapshot => next.next().value as ForwardIndexSnapshot;
  const [lanes, attempts] = [byPerspective(list), list()];
  const concept = { ...part.labels.concept, nameTerms: list() };
  const error = { ...part.labels.error, nameTerms: list() };
  const terms = Array.from(kept, (term) => names[term] as string);
  return { ...part, lanes, attempts, labels: { concept, error }, terms };
}

/** The lists of terms, in the order in which {@link withOwnTerms} reads them. */
function termListsOf({ lanes, attempts, labels }: Omit<IndexSnapshot, 'terms'>): readonly ForwardIndexSnapshot[] {
  return [
    ...PERSPECTIVES.map((perspective) => lanes[perspective]),
    attempts,
    labels.concept.nameTerms,
    labels.error.nameTerms,
  ];
}
