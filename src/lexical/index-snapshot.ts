import { type ByPerspective, byPerspective } from '../domain/perspective.js';
import type { EncodedSnapshot } from '../domain/ports/lexical.js';
import type { LabelPerspective } from '../domain/search.js';
import type { LabelsSnapshot } from './label-profiles.js';
import type { PostingsSnapshot } from './postings.js';
import type { VersionsSnapshot } from './versions.js';

/** A notebook's index as it was at one moment, by what its arrays mean. */
export interface IndexSnapshot {
  /** By slot; '' where there is no card. */
  readonly cardIds: readonly string[];
  /** By number; '' where there is none. */
  readonly terms: readonly string[];
  readonly versions: VersionsSnapshot;
  readonly lanes: ByPerspective<PostingsSnapshot>;
  readonly labels: Readonly<Record<LabelPerspective, LabelsSnapshot>>;
}

/** The copy as parts in one fixed order, for whoever keeps it and need not know what they mean. */
export function packed({ cardIds, terms, versions, lanes, labels }: IndexSnapshot): EncodedSnapshot {
  const lists = [
    ...[lanes.question, lanes.solution, lanes.concept, lanes.error],
    ...[labels.concept, labels.error].flatMap(({ carried, ownTerms }) => [carried, ownTerms]),
  ];
  return {
    strings: [cardIds, terms, labels.concept.names, labels.error.names],
    numbers: [
      ...[versions.revisions, versions.updatedAtMs],
      ...lists.flatMap(({ starts, lengths, keys, counts }) => [starts, lengths, keys, counts]),
    ],
  };
}

/** The reverse of {@link packed}. RangeError where the parts are not its own. */
export function unpacked(copy: EncodedSnapshot): IndexSnapshot {
  const strings = copy.strings.values();
  const numbers = copy.numbers.values();
  const taken = <T>(from: Iterator<T>): T => {
    const { value, done } = from.next();
    if (done) throw new RangeError('a copy of an index has too few parts');
    return value;
  };
  const array = <T>(Kind: abstract new (...none: never[]) => T): T => {
    const found = taken<unknown>(numbers);
    if (!(found instanceof Kind)) throw new RangeError('a part of a copy has another type');
    return found;
  };
  const lists = (): PostingsSnapshot => ({
    starts: array(Uint32Array),
    lengths: array(Uint32Array),
    keys: array(Uint32Array),
    counts: array(Uint16Array),
  });
  const labelsOf = (): LabelsSnapshot => ({ names: taken(strings), carried: lists(), ownTerms: lists() });
  const cardIds = taken(strings);
  const whole = {
    cardIds,
    terms: taken(strings),
    versions: { revisions: array(Uint32Array), updatedAtMs: array(Float64Array) },
    lanes: byPerspective(lists),
    labels: { concept: labelsOf(), error: labelsOf() },
  };
  const bySlot = [
    ...[whole.versions.revisions, whole.versions.updatedAtMs, whole.labels.concept.carried.lengths],
    ...[whole.labels.error.carried.lengths, ...Object.values(whole.lanes).map(({ lengths }) => lengths)],
  ];
  if (bySlot.some(({ length }) => length !== cardIds.length)) throw new RangeError('the parts of a copy do not fit');
  return whole;
}
