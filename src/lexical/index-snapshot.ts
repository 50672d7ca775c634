import { byPerspective, PERSPECTIVES } from '../domain/perspective.js';
import type { EncodedSnapshot } from '../domain/ports/lexical.js';
import type { LabelPerspective } from '../domain/search.js';
import type { CardTableSnapshot } from './card-table.js';
import { CODED_COLUMNS, type FilterColumnsSnapshot } from './filter-columns.js';
import type { ForwardIndexSnapshot } from './forward-index.js';
import type { LabelsSnapshot } from './label-profiles.js';
import { renumbered } from './restore-postings.js';
import type { TextLanesSnapshot } from './text-lanes.js';

/** A lexical index as it was at one moment. */
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

/** Lists the parts in the fixed order that {@link decoded} reads. */
export function encoded({
  cardIds,
  terms,
  revisions,
  updatedAtMs,
  lanes,
  attempts,
  labels,
  filters,
}: IndexSnapshot): EncodedSnapshot {
  const lists = [
    ...[lanes.question, lanes.solution, lanes.concept, lanes.error, attempts],
    ...[labels.concept.labels, labels.concept.nameTerms, labels.error.labels, labels.error.nameTerms],
  ];
  return {
    strings: [cardIds, terms, labels.concept.names, labels.error.names, ...filters.values, filters.metadata.names],
    numbers: [
      ...[revisions, updatedAtMs, ...filters.codes, filters.difficulties, filters.flags, filters.occurredAtMs],
      ...[filters.metadata.counts, filters.metadata.pairs],
      ...lists.flatMap(({ starts, ends, bytes }) => [starts, ends, bytes]),
    ],
  };
}

/** RangeError if the parts are not those of {@link encoded}. */
export function decoded(snapshot: EncodedSnapshot): IndexSnapshot {
  const strings = snapshot.strings.values();
  const numbers = snapshot.numbers.values();
  const next = <T>(from: Iterator<T>): T => {
    const { value, done } = from.next();
    if (done) throw new RangeError('a snapshot has too few parts');
    return value;
  };
  const array = <T>(Kind: abstract new (...none: never[]) => T): T => {
    const found = next<unknown>(numbers);
    if (!(found instanceof Kind)) throw new RangeError('a part of a snapshot has another type');
    return found;
  };
  const lists = (): ForwardIndexSnapshot => ({
    starts: array(Uint32Array),
    ends: array(Uint32Array),
    bytes: array(Uint8Array),
  });
  const labelsOf = (): LabelsSnapshot => ({ names: next(strings), labels: lists(), nameTerms: lists() });
  const cardIds = next(strings);
  const terms = next(strings);
  const [revisions, updatedAtMs] = [array(Uint32Array), array(Float64Array)];
  const codes = CODED_COLUMNS.map(() => array(Uint32Array));
  const [difficulties, flags, occurredAtMs] = [array(Uint16Array), array(Uint16Array), array(Float64Array)];
  const [counts, pairs] = [array(Uint32Array), array(Uint32Array)];
  const lanes = byPerspective(lists);
  const attempts = lists();
  const labels = { concept: labelsOf(), error: labelsOf() };
  const values = CODED_COLUMNS.map(() => next(strings));
  const metadata = { names: next(strings), counts, pairs };
  const byDoc = [labels.concept.labels, labels.error.labels, ...Object.values(lanes), attempts].map(
    ({ starts }) => starts,
  );
  if (
    [revisions, updatedAtMs, ...codes, difficulties, flags, occurredAtMs, counts, ...byDoc].some(
      ({ length }) => length !== cardIds.length,
    )
  ) {
    throw new RangeError('the parts of a snapshot differ in length');
  }
  const filters = { values, codes, difficulties, flags, occurredAtMs, metadata };
  return { cardIds, terms, revisions, updatedAtMs, lanes, attempts, labels, filters };
}
