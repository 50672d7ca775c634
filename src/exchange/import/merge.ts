import { isDeepStrictEqual } from 'node:util';
import { type Attachment, MAX_ATTACHMENTS, targetOf } from '../../domain/attachment.js';
import {
  CARD_CONTENT,
  type CardContent,
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

/** Combines two values of a kind that holds several. */
const JOINED = { labels: union, metadata: joined, attachments: attachmentsOfBoth } as const;

/**
 * Adds to the draft what another version of the same question has: missing fields, labels of both, and the later time.
 * Existing fields are kept.
 */
export function filled(draft: CardDraft, other: CardContent, occurredAt: Date | null): CardDraft {
  const { content } = draft;
  const later = occurredAt !== null && occurredAt > content.occurredAt ? occurredAt : content.occurredAt;
  const both = contentFrom((field) => {
    const { kind } = CARD_CONTENT[field];
    const join = isJoined(kind) ? (JOINED[kind] as <T>(own: T, added: T) => T) : undefined;
    return join?.(content[field], other[field]) ?? content[field] ?? other[field];
  });
  return withContent(draft, { ...both, occurredAt: later });
}

function isJoined(kind: FieldKind): kind is keyof typeof JOINED {
  return kind in JOINED;
}

type Attachments = readonly Attachment[];

function attachmentsOfBoth(first: Attachments, second: Attachments): Attachments {
  const added = second.filter((one) => first.every((known) => targetOf(known) !== targetOf(one)));
  return added.length === 0 ? first : [...first, ...added];
}

/** Whether {@link filled} would give the draft more attachments than a card may have. */
export function overflows({ content }: CardDraft, other: Pick<CardContent, 'attachments'>): boolean {
  return attachmentsOfBoth(content.attachments, other.attachments).length > MAX_ATTACHMENTS;
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

type Metadata = readonly MetadataEntry[];

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

function union(first: readonly string[], second: readonly string[]): readonly string[] {
  const added = second.filter((value) => !first.includes(value));
  return added.length === 0 ? first : [...first, ...added].slice(0, MAX_LABELS);
}

function isIn(entries: readonly unknown[], entry: unknown): boolean {
  return entries.some((one) => isDeepStrictEqual(one, entry));
}

/** Both, as far as a card takes entries; for equal keys the value of the first. */
function joined(first: Metadata, second: Metadata): Metadata {
  const added = second.filter(({ key }) => first.every((entry) => entry.key !== key));
  if (added.length === 0) return first;
  return [...first, ...added].slice(0, MAX_METADATA).sort((a, b) => (a.key < b.key ? -1 : 1));
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
  return { ...lasting, topicTags: union(content.topicTags, topicTags) };
}

/**
 * The content of a card after undoing a merge: fields that have changed since stay; labels, entries of the metadata and
 * attachments that only the merge added go.
 */
export function withoutMerged(content: CardContent, { before, after }: RecordedMerge): CardContent {
  const entries = (Object.keys(content) as (keyof CardContent)[]).map((key) => {
    if (isDeepStrictEqual(before[key], after[key])) return [key, content[key]];
    if (isDeepStrictEqual(content[key], after[key])) return [key, before[key]];
    return [key, withoutAdded(content, before, after, key)];
  });
  return Object.fromEntries(entries) as unknown as CardContent;
}

/** How the entries of a list are told apart. */
const IDENTITIES = {
  topicTags: (tag: string) => tag,
  errorTypes: (type: string) => type,
  metadata: ({ key }: CardContent['metadata'][number]) => key,
  attachments: targetOf,
} as const;

function withoutAdded(content: CardContent, before: CardContent, after: CardContent, key: keyof CardContent): unknown {
  if (!(key in IDENTITIES)) return content[key];
  const identify = IDENTITIES[key as keyof typeof IDENTITIES] as (entry: unknown) => string;
  const listed = (of: CardContent): readonly unknown[] => of[key] as readonly unknown[];
  const was = new Set(listed(before).map(identify));
  const added = new Set(
    listed(after)
      .map(identify)
      .filter((one) => !was.has(one)),
  );
  return listed(content).filter((entry) => !added.has(identify(entry)));
}
