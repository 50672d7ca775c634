import type { LabelPerspective } from '../domain/search.js';
import type { CardTableSnapshot } from './card-table.js';
import type { FilterColumnsSnapshot } from './filter-columns.js';
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
  const { concept, error } = part.labels;
  const termLists = { ...part.lanes, attempts: part.attempts, topics: concept.nameTerms, errors: error.nameTerms };
  const { lists, kept } = yield* renumbered(termLists, names.length);
  const { attempts, topics, errors, ...lanes } = lists;
  const labels = { concept: { ...concept, nameTerms: topics }, error: { ...error, nameTerms: errors } };
  return { ...part, lanes, attempts, labels, terms: Array.from(kept, (term) => names[term] as string) };
}
