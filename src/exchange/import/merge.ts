import { isDeepStrictEqual } from 'node:util';
import { type CardContent, MAX_LABELS, MAX_METADATA, type MetadataEntry } from '../../domain/card.js';
import { BadInputError } from '../../domain/errors.js';
import {
  isSameMistake,
  isSameTime,
  type LastingContent,
  MAX_OCCURRENCES,
  type MergedContent,
  type NewOccurrence,
} from '../../domain/occurrence.js';
import type { CardDraft, TracedOccurrence } from '../../domain/ports/imports.js';

/**
 * Adds to the draft what another version of the same question has: missing fields, labels of both, and the later time. Existing
 * fields are kept.
 */
export function filled(draft: CardDraft, other: CardContent, occurredAt: Date | null): CardDraft {
  const { content } = draft;
  const later = occurredAt !== null && occurredAt > content.occurredAt ? occurredAt : content.occurredAt;
  return withContent(draft, {
    ...content,
    grade: content.grade ?? other.grade,
    studentSolutionText: content.studentSolutionText ?? other.studentSolutionText,
    goldSolutionBrief: content.goldSolutionBrief ?? other.goldSolutionBrief,
    qualityGrade: content.qualityGrade ?? other.qualityGrade,
    source: content.source ?? other.source,
    notes: content.notes ?? other.notes,
    topicTags: union(content.topicTags, other.topicTags),
    errorTypes: union(content.errorTypes, other.errorTypes),
    occurredAt: later,
    metadata: joined(content.metadata, other.metadata),
  });
}

/** The draft with other content; the same draft if it is equal. */
export function withContent(draft: CardDraft, content: CardContent): CardDraft {
  const keys = Object.keys(content) as (keyof CardContent)[];
  if (keys.every((key) => isDeepStrictEqual(content[key], draft.content[key]))) return draft;
  return { ...draft, content, state: draft.state === 'NEW' ? 'NEW' : 'CHANGED' };
}

/** Appends occurrences to the draft. */
export function withOccurrences(draft: CardDraft, added: readonly TracedOccurrence[]): CardDraft {
  if (added.length === 0) return draft;
  const state = draft.state === 'NEW' ? 'NEW' : 'CHANGED';
  return { ...draft, occurrences: [...draft.occurrences, ...added], state };
}

/** Fields of `other` that differ from `content`; null if there are none. */
export function unsaid(content: CardContent, other: CardContent): MergedContent | null {
  const differing = LASTING.filter((key) => {
    const value = other[key];
    if (value === null) return false;
    if (key === 'topicTags') return !other.topicTags.every((tag) => content.topicTags.includes(tag));
    if (key === 'metadata') return !other.metadata.every((entry) => isIn(content.metadata, entry));
    return value !== content[key];
  });
  return differing.length === 0 ? null : Object.fromEntries(differing.map((key) => [key, other[key]]));
}

const LASTING: readonly (keyof LastingContent)[] = [
  'subject',
  'grade',
  'difficulty',
  'questionText',
  'goldSolutionBrief',
  'topicTags',
  'qualityGrade',
  'source',
  'notes',
  'metadata',
];

/** True if the draft has this occurrence; without a date, if it has the same mistake at any time. */
export function tells(draft: CardDraft, time: NewOccurrence, dated: boolean): boolean {
  return draft.occurrences.some((one) => (dated ? isSameTime(one, time) : isSameMistake(one, time)));
}

type Metadata = readonly MetadataEntry[];

/** Merges two cards: all fields of the first, missing ones from the second, occurrences of both. BadInputError. */
export function mergeDrafts(into: CardDraft, from: CardDraft): CardDraft {
  const merged = filled(into, from.content, from.content.occurredAt);
  const rest = unsaid(merged.content, from.content);
  const moved = from.occurrences.map((one, place) =>
    // The first occurrence records the id of the merged card.
    place === 0 ? { ...one, mergedId: from.id, merged: { ...one.merged, ...rest } } : one,
  );
  if (into.occurrences.length + moved.length > MAX_OCCURRENCES)
    throw new BadInputError('from', `and into have more than ${MAX_OCCURRENCES} occurrences together`);
  return withOccurrences(merged, moved);
}

function union(first: readonly string[], second: readonly string[]): readonly string[] {
  const added = second.filter((value) => !first.includes(value));
  return added.length === 0 ? first : [...first, ...added].slice(0, MAX_LABELS);
}

function isIn(metadata: Metadata, { key, value }: MetadataEntry): boolean {
  return metadata.some((entry) => entry.key === key && entry.value === value);
}

/** Both, as far as a card takes entries; for equal keys the value of the first. */
function joined(first: Metadata, second: Metadata): Metadata {
  const added = second.filter(({ key }) => first.every((entry) => entry.key !== key));
  if (added.length === 0) return first;
  return [...first, ...added].slice(0, MAX_METADATA).sort((a, b) => (a.key < b.key ? -1 : 1));
}
