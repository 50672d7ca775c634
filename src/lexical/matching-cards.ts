import { type CardFilter, LABEL_PERSPECTIVES, type LabelPerspective } from '../domain/search.js';
import type { CardTable } from './card-table.js';
import { DocSet } from './doc-set.js';
import type { FilterColumns } from './filter-columns.js';
import type { LabelProfiles } from './label-profiles.js';

/** Labels by a name that a client uses for them. */
export type LabelsMeant = (perspective: LabelPerspective, name: string) => readonly string[];

/** The parts of an index that a filter asks. */
export interface FilteredParts {
  readonly cards: CardTable;
  readonly columns: FilterColumns;
  readonly profiles: Readonly<Record<LabelPerspective, LabelProfiles>>;
}

/**
 * The cards that match a filter, by doc number; `meant` returns the labels of the index that a name in the lists of any
 * labels means.
 */
export function matchingCards(
  { cards, columns, profiles }: FilteredParts,
  filter: CardFilter,
  meant: LabelsMeant,
): DocSet {
  const found = columns.matching(filter);
  const keep = (perspective: LabelPerspective, labels: readonly string[]): void => {
    const labelled = DocSet.below(cards.docs);
    for (const label of labels) for (const doc of profiles[perspective].docsOf(label)) labelled.add(doc);
    found.intersect(labelled);
  };
  const any = { concept: filter.topicTags, error: filter.errorTypes };
  const all = { concept: filter.allTopicTags, error: filter.allErrorTypes };
  for (const perspective of LABEL_PERSPECTIVES) {
    const names = any[perspective];
    if (names !== undefined)
      keep(
        perspective,
        names.flatMap((name) => meant(perspective, name)),
      );
    for (const name of all[perspective] ?? []) keep(perspective, meant(perspective, name));
  }
  for (const cardId of filter.excludeCardIds ?? []) {
    const doc = cards.docOf(cardId);
    if (doc !== undefined) found.delete(doc);
  }
  return found;
}
