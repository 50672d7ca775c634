import { isDeepStrictEqual } from 'node:util';
import { MERGED_FIELDS } from '../../domain/card-content.js';
import { cleanText } from '../../domain/clean-text.js';
import type { RowProblem } from '../../domain/import.js';
import { isSameSet } from '../../domain/occurrence.js';
import type { CardDraft } from '../../domain/ports/imports.js';
import { differingFields } from './merge.js';
import type { PreparedRow } from './row.js';

/** Limit of notices about kept fields in one run of an import. */
export const MAX_KEPT_NOTICES = 1_000;

interface KeptNotice {
  readonly reason?: string;
  readonly isKept?: true;
}

/**
 * Says which fields of a row, imported before, have other values than its card, which keeps its own; empty if there are
 * none. `next` is the card with the row's missing fields.
 */
export function keptNotice(card: CardDraft, next: CardDraft, row: PreparedRow): KeptNotice {
  const kept = fieldsKept(card, next, row).join(', ');
  if (kept === '') return {};
  const reason =
    row.card.id === card.id
      ? `the card ${card.id} keeps its own ${kept}: an earlier row with its id, or a later change, has other values`
      : `the card ${card.id} keeps its own ${kept}: a row with this id changes them`;
  return { reason, isKept: true };
}

/**
 * Says that a row with the card's id became an occurrence of the same time as another one of the card: it may have been
 * meant as a correction. `next`: the card with the row.
 */
export function sameTimeNotice(card: CardDraft, next: CardDraft, row: PreparedRow): KeptNotice {
  if (row.card.id !== card.id || row.occurrences !== null || !row.dated) return {};
  const times = new Set(card.occurrences.map(({ occurredAt }) => occurredAt.getTime()));
  const added = next.occurrences.slice(card.occurrences.length);
  if (!added.some(({ occurredAt }) => times.has(occurredAt.getTime()))) return {};
  const reason = `the card ${card.id} has an occurrence of the same time: the row became another one, and corrected none`;
  return { reason, isKept: true };
}

/** As {@link sameTimeNotice}, or where the row added topic tags and the card keeps others that it does not have. */
export function renewedNotice(card: CardDraft, next: CardDraft, row: PreparedRow): KeptNotice {
  const [before, after] = [card.content.topicTags, next.content.topicTags];
  const keepsOthers = before.some((tag) => !row.card.topicTags.includes(tag) && after.includes(tag));
  if (!keepsOthers || after.length === before.length) return sameTimeNotice(card, next, row);
  const reason = `the card ${card.id} keeps its other topic tags: rows of a card with several occurrences only add some`;
  return { reason, isKept: true };
}

function fieldsKept(card: CardDraft, { content, occurrences }: CardDraft, row: PreparedRow): readonly string[] {
  const own = occurrences.filter(({ origin }) => origin === row.origin);
  const compared = own.length > 0 ? own : occurrences;
  // Only a card of this row alone is expected to have its topic tags and no others.
  const hasOtherTags =
    own.length === occurrences.length &&
    !isSameSet(content.topicTags, row.card.topicTags) &&
    row.card.topicTags.some((tag) => !card.content.topicTags.includes(tag));
  const differing = differingFields(content, row.card);
  return MERGED_FIELDS.filter((field) => {
    if (field === 'topicTags' && hasOtherTags) return true;
    const value = differing?.[field];
    // The name of the sheet is a default, which is no correction.
    if (value === undefined || (field === 'source' && value === row.sheet)) return false;
    return ![content, ...compared.map(({ merged }) => merged)].some((one) => isSameValue(one?.[field], value));
  });
}

/** Spreadsheet programs change blanks when they save a table. */
function isSameValue(a: unknown, b: unknown): boolean {
  return typeof a === 'string' && typeof b === 'string' ? cleanText(a) === cleanText(b) : isDeepStrictEqual(a, b);
}

/** Counts the notices beyond the limit, at the last row of the import. */
export function moreKept(notices: number, { sheet, row }: Pick<RowProblem, 'sheet' | 'row'>): readonly RowProblem[] {
  if (notices <= MAX_KEPT_NOTICES) return [];
  const more = notices - MAX_KEPT_NOTICES;
  const place = { failed: false, sheet, row, column: null, content: null };
  return [{ ...place, reason: `${more} more rows have other values than their cards, which stay` }];
}
