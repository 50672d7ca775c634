import type { MessageKey } from '../app/i18n.js';
import type { CardFields, CardFilter, FoundFields, HitFields, OneCardResult } from '../generated/operations.js';
import type { Asked, Tuning } from './state.js';

type Card = NonNullable<OneCardResult['card']>;

export interface Reason {
  /** `no` keeps the card out; `yes` does not; `found`: it is there. */
  readonly kind: 'no' | 'yes' | 'found';
  readonly key: MessageKey;
  readonly values?: Readonly<Record<string, number>>;
  /** The names of the filters that keep it out. */
  readonly filters?: readonly MessageKey[];
}

/** A filter that lets the card through and as few others as can be: the API has none by id. */
export function aloneFilter(card: CardFields): CardFilter {
  const next = new Date(new Date(card.occurredAt).getTime() + 1).toISOString();
  return {
    subjects: [card.subject],
    ...(card.grade !== null && { grades: [card.grade] }),
    difficultyMin: card.difficulty,
    difficultyMax: card.difficulty,
    ...(card.topicTags[0] !== undefined && { topicTags: [card.topicTags[0]] }),
    ...(card.errorTypes[0] !== undefined && { errorTypes: [card.errorTypes[0]] }),
    occurredAfter: card.occurredAt,
    occurredBefore: next,
  };
}

/** The fields that the page filters by, as it calls them. */
const FILTER_NAMES = {
  subjects: 'field.subject',
  grades: 'field.grade',
  qualityGrades: 'field.qualityGrade',
  topicTags: 'field.topicTags',
  errorTypes: 'field.errorTypes',
  difficultyMin: 'field.difficulty',
  difficultyMax: 'field.difficulty',
  owners: 'group.students',
} as const satisfies Partial<Record<keyof CardFilter, MessageKey>>;

type FilterField = keyof typeof FILTER_NAMES;
const FILTER_FIELDS = Object.keys(FILTER_NAMES) as readonly FilterField[];

/** Their values may also be aliases of a label of the card, or broader labels: only the gateway knows. */
const LABELS: readonly FilterField[] = ['topicTags', 'errorTypes'];

/**
 * A filter by which the gateway finds the card if its labels match `filter`; null if that is no question, because they
 * have the very values, or because another field does not match.
 */
export function labelsFilter(card: CardFields, filter: CardFilter): CardFilter | null {
  const failed = failedFields(card, filter);
  if (failed.length === 0 || failed.some((field) => !LABELS.includes(field))) return null;
  const { topicTags, errorTypes, ...alone } = aloneFilter(card);
  return { ...filter, ...alone };
}

/** Each field of the filter that the card does not pass, by its values alone. */
function failedFields(card: CardFields, filter: CardFilter): readonly FilterField[] {
  const oneOf = (values: readonly unknown[] | null | undefined, own: readonly unknown[]): boolean =>
    values == null || own.some((value) => values.includes(value));
  const passes: Readonly<Record<FilterField, boolean>> = {
    subjects: oneOf(filter.subjects, [card.subject]),
    grades: oneOf(filter.grades, [card.grade]),
    qualityGrades: oneOf(filter.qualityGrades, [card.qualityGrade]),
    topicTags: oneOf(filter.topicTags, card.topicTags),
    errorTypes: oneOf(filter.errorTypes, card.errorTypes),
    difficultyMin: card.difficulty >= (filter.difficultyMin ?? 1),
    difficultyMax: card.difficulty <= (filter.difficultyMax ?? 5),
    owners: oneOf(filter.owners, [card.owner]),
  };
  return FILTER_FIELDS.filter((field) => passes[field] === false);
}

/** Why the card is not in the list, the first cause first. */
export function reasonsOf({
  card,
  asked,
  queryCardId,
  tuning,
  found,
  further,
  hit,
  labelsMatch,
}: {
  card: Card;
  asked: Asked;
  /** Of the card that is searched from; not `asked.cardId` if that card was merged into it. */
  queryCardId: string | null;
  tuning: Tuning;
  found: FoundFields;
  /** The same search for 50 hits. */
  further: FoundFields;
  /** What the card scores by itself; null if it is no candidate even then. */
  hit: HitFields | null;
  /** What the gateway answered to `labelsFilter`. */
  labelsMatch: boolean;
}): readonly Reason[] {
  const rankIn = ({ hits }: FoundFields): number | undefined => hits.find((one) => one.card.id === card.id)?.rank;
  const rank = rankIn(found);
  if (rank !== undefined) return [{ kind: 'found', key: 'whyNot.isThere', values: { rank } }];
  if (queryCardId === card.id) return [{ kind: 'no', key: 'whyNot.itself' }];
  const reasons: Reason[] = [];
  if (card.index.indexedRevision === null) reasons.push({ kind: 'no', key: 'whyNot.notIndexed' });
  else if (card.index.state !== 'INDEXED') reasons.push({ kind: 'no', key: 'whyNot.outdated' });
  else reasons.push({ kind: 'yes', key: 'whyNot.indexed' });
  const failed = failedFields(card, asked.filter).filter((field) => !LABELS.includes(field) || !labelsMatch);
  if (failed.length > 0)
    return [...reasons, { kind: 'no', key: 'whyNot.filter', filters: failed.map((field) => FILTER_NAMES[field]) }];
  reasons.push({ kind: 'yes', key: 'whyNot.passes' });

  const later = rankIn(further);
  const last = found.hits.at(-1);
  const threshold =
    found.hits.map((one) => one.threshold).find((step) => step !== null) ?? found.receipt.thresholdsTried.at(-1);
  if (later !== undefined) {
    reasons.push({ kind: 'no', key: 'whyNot.later', values: { rank: later, length: found.hits.length } });
  } else if (hit === null) reasons.push({ kind: 'no', key: 'whyNot.noCandidate' });
  else if (found.receipt.nothingClose) reasons.push({ kind: 'no', key: 'whyNot.gate' });
  else if (threshold !== undefined && hit.score < threshold) {
    reasons.push({ kind: 'no', key: 'whyNot.threshold', values: { score: hit.score, threshold } });
  } else if (last !== undefined && hit.score <= last.score) {
    reasons.push({ kind: 'no', key: 'whyNot.score', values: { score: hit.score, last: last.score } });
  } else if ((tuning.diversity ?? 0) > 0) reasons.push({ kind: 'no', key: 'whyNot.diversity' });
  else reasons.push({ kind: 'no', key: 'whyNot.unclear', values: { score: hit.score } });
  return reasons;
}
