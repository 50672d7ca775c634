import { isDeepStrictEqual } from 'node:util';
import { MAX_ATTACHMENTS, targetOf } from '../../domain/attachment.js';
import {
  CARD_CONTENT,
  type CardContent,
  type ContentField,
  contentFrom,
  LASTING_FIELDS,
  MERGED_FIELDS,
} from '../../domain/card-content.js';
import { type FieldKind, MAX_LABELS, MAX_METADATA, type MetadataEntry } from '../../domain/card-values.js';
import { BadInputError } from '../../domain/errors.js';
import {
  isSameMistake,
  isSameSet,
  isSameTime,
  MAX_OCCURRENCES,
  type MergedContent,
  type NewOccurrence,
} from '../../domain/occurrence.js';
import type { CardDraft, RecordedMerge, TracedOccurrence } from '../../domain/ports/imports.js';
import { describedAsStored } from './folded-files.js';
import type { PreparedRow } from './row.js';

/** Of a list that merging cards adds to. */
interface ListRule {
  /** How its entries are told apart. */
  identify(entry: unknown): string;
  /** How many a card takes: further ones are left out. */
  readonly max: number;
  readonly isSorted?: true;
}

const LISTS = {
  labels: { identify: String, max: MAX_LABELS },
  metadata: { identify: ({ key }: MetadataEntry) => key, max: MAX_METADATA, isSorted: true },
  // A merge with too many is refused: see {@link overflows}.
  attachments: { identify: targetOf, max: Number.POSITIVE_INFINITY },
} as const satisfies { readonly [Kind in FieldKind]?: ListRule };

function listRuleOf(field: ContentField): ListRule | undefined {
  const rules: { readonly [Kind in FieldKind]?: ListRule } = LISTS;
  return rules[CARD_CONTENT[field].kind];
}

/** The first list with those entries of the second that it does not have; itself if there are none. */
function union<T>(first: readonly T[], second: readonly T[], { identify, max, isSorted }: ListRule): readonly T[] {
  const known = new Set(first.map(identify));
  const added = second.filter((entry) => !known.has(identify(entry)));
  if (added.length === 0) return first;
  const both = [...first, ...added].slice(0, max);
  return isSorted ? both.sort((a, b) => (identify(a) < identify(b) ? -1 : 1)) : both;
}

/**
 * Adds to the draft what another version of the same question has: missing fields, labels of both, and the later time.
 * Existing fields are kept.
 */
export function filled(draft: CardDraft, other: CardContent, occurredAt: Date | null): CardDraft {
  const { content } = draft;
  const later = occurredAt !== null && occurredAt > content.occurredAt ? occurredAt : content.occurredAt;
  const both = contentFrom((field) => {
    const rule = listRuleOf(field);
    if (rule === undefined) return content[field] ?? other[field];
    return union(
      content[field] as readonly unknown[],
      other[field] as readonly unknown[],
      rule,
    ) as (typeof content)[typeof field];
  });
  return withContent(draft, { ...both, occurredAt: later });
}

/** Whether {@link filled} would give the draft more attachments than a card may have. */
export function overflows({ content }: CardDraft, other: Pick<CardContent, 'attachments'>): boolean {
  return union(content.attachments, other.attachments, LISTS.attachments).length > MAX_ATTACHMENTS;
}

/** The draft with other content; the same draft if it is equal. */
export function withContent(draft: CardDraft, content: CardContent): CardDraft {
  const keys = Object.keys(content) as (keyof CardContent)[];
  if (keys.every((key) => isDeepStrictEqual(content[key], draft.content[key]))) return draft;
  return { ...draft, content, state: draft.state === 'NEW' ? 'NEW' : 'CHANGED' };
}

export function withOccurrences(draft: CardDraft, added: readonly TracedOccurrence[]): CardDraft {
  if (added.length === 0) return draft;
  const state = draft.state === 'NEW' ? 'NEW' : 'CHANGED';
  return { ...draft, occurrences: [...draft.occurrences, ...added], state };
}

/** Fields of `other` that differ from `content`; null if there are none. */
export function differingFields(content: CardContent, other: CardContent): MergedContent | null {
  const differing = MERGED_FIELDS.filter((field) => {
    const value = other[field];
    if (value === null) return false;
    if (Array.isArray(value)) return !value.every((entry) => isIn(content[field] as readonly unknown[], entry));
    return value !== content[field];
  });
  return differing.length === 0 ? null : Object.fromEntries(differing.map((field) => [field, other[field]]));
}

/** True if the draft has this occurrence; without a date, if it has the same mistake at any time. */
export function hasOccurrence(draft: CardDraft, occurrence: NewOccurrence, dated: boolean): boolean {
  return draft.occurrences.some((one) => (dated ? isSameTime(one, occurrence) : isSameMistake(one, occurrence)));
}

export function isEqual(a: NewOccurrence, b: NewOccurrence): boolean {
  return (
    a.occurredAt.getTime() === b.occurredAt.getTime() &&
    a.wrongSolution === b.wrongSolution &&
    isSameSet(a.errorTypes, b.errorTypes)
  );
}

/** Merges two cards: all fields of the first, missing ones from the second, occurrences of both. BadInputError. */
export function mergeDrafts(into: CardDraft, from: CardDraft): CardDraft {
  if (overflows(into, from.content)) {
    throw new BadInputError('from', `and into have more than ${MAX_ATTACHMENTS} attachments together`);
  }
  const merged = filled(into, from.content, from.content.occurredAt);
  const rest = differingFields(merged.content, from.content);
  const moved = from.occurrences.map((one, place) => {
    // The first occurrence records the id of the merged card.
    if (place === 0) return { ...one, mergedId: from.id, merged: bothOf(one.merged, rest) };
    // A row that is imported again is compared with what its own occurrence records.
    return one.origin === null ? one : { ...one, merged: bothOf(rest, one.merged) };
  });
  if (into.occurrences.length + moved.length > MAX_OCCURRENCES)
    throw new BadInputError('from', `and into have more than ${MAX_OCCURRENCES} occurrences together`);
  return withOccurrences(merged, moved);
}

function bothOf(first: MergedContent | null, second: MergedContent | null): MergedContent | null {
  return first === null || second === null ? (first ?? second) : { ...first, ...second };
}

function isIn(entries: readonly unknown[], entry: unknown): boolean {
  return entries.some((one) => isDeepStrictEqual(one, entry));
}

/** Fields that the row gives (after parsing, an omitted field is null or empty). */
export function givenBy({ card: { id: _, ...said }, dated }: PreparedRow, content: CardContent): Partial<CardContent> {
  const attachments = describedAsStored(content.attachments, said.attachments);
  const entries = Object.entries({ ...said, attachments }).filter(([key, value]) => {
    if (key === 'occurredAt') return dated;
    return value !== null && !(Array.isArray(value) && value.length === 0);
  });
  return Object.fromEntries(entries);
}

/** Fields of the row that do not depend on one occurrence. */
export function lastingOf(given: Partial<CardContent>): Partial<CardContent> {
  const lasting: readonly string[] = LASTING_FIELDS;
  return Object.fromEntries(Object.entries(given).filter(([field]) => lasting.includes(field)));
}

/**
 * Fields that one of several rows of a card gives for the card as a whole: its labels are added to those of the other
 * rows.
 */
export function ofAllOccurrences(given: Partial<CardContent>, content: CardContent): Partial<CardContent> {
  const { topicTags = [], ...lasting } = lastingOf(given);
  return { ...lasting, topicTags: union(content.topicTags, topicTags, LISTS.labels) };
}

/**
 * The content of a card after undoing a merge: fields that have changed since stay; labels, entries of the metadata and
 * attachments that only the merge added go.
 */
export function withoutMerged(content: CardContent, { before, after }: RecordedMerge): CardContent {
  return contentFrom((field) => {
    if (isDeepStrictEqual(before[field], after[field])) return content[field];
    if (isDeepStrictEqual(content[field], after[field])) return before[field];
    const rule = listRuleOf(field);
    if (rule === undefined) return content[field];
    const identities = (of: CardContent): readonly string[] => (of[field] as readonly unknown[]).map(rule.identify);
    const was = new Set(identities(before));
    const added = new Set(identities(after).filter((one) => !was.has(one)));
    const left = (content[field] as readonly unknown[]).filter((entry) => !added.has(rule.identify(entry)));
    return left as readonly unknown[] as CardContent[typeof field];
  });
}
