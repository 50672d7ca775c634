import { MAX_ATTACHMENTS } from '../../domain/attachment.js';
import type { OnDuplicate, Owner } from '../../domain/duplicates.js';
import { type ImportedRow, NO_COUNTS, type RowOutcome, type RowProblem, rowContent } from '../../domain/import.js';
import { LabelSpelling } from '../../domain/labels.js';
import { isSameMistake, MAX_OCCURRENCES } from '../../domain/occurrence.js';
import type { CardDraft, Folded, StoredCards, TracedOccurrence } from '../../domain/ports/imports.js';
import type { BadRow } from '../formats/rows.js';
import { Drafts } from './drafts.js';
import { FoldedFiles } from './folded-files.js';
import { keptNotice, MAX_KEPT_NOTICES, renewedNotice, sameTimeNotice } from './kept-fields.js';
import {
  differingFields,
  filled,
  givenBy,
  hasOccurrence,
  isEqual,
  lastingOf,
  ofAllOccurrences,
  overflows,
  withContent,
  withOccurrences,
} from './merge.js';
import { dividedAs, occurrencesOf, type PreparedRow, spelledAsStored } from './row.js';

export interface FoldParts {
  readonly owner: Owner;
  readonly onDuplicate: OnDuplicate;
  /** Ids of earlier rows of the same import. */
  readonly earlierIds: ReadonlySet<string>;
  /** Notices about kept fields of earlier rows. */
  readonly earlierKept: number;
  readonly newId: () => string;
}

interface KeptFolded extends Folded {
  readonly kept: number;
}

/** Outcome of one row; `reason` is reported. */
interface Outcome {
  readonly kind: RowOutcome;
  /** The card that the row became or belongs to. */
  readonly cardId?: string;
  readonly reason?: string;
  readonly column?: string;
  /** The reason names fields that the card keeps. */
  readonly isKept?: boolean;
}

const TOO_MANY_ATTACHMENTS = `the card would have more than ${MAX_ATTACHMENTS} attachments`;

interface Folding {
  readonly drafts: Drafts;
  readonly ids: Set<string>;
  /** Ids of cards whose question was replaced. */
  readonly replaced: Set<string>;
  readonly parts: FoldParts;
}

/**
 * Folds rows into the stored cards, in order: each becomes a card, a new version or an occurrence of one, or changes
 * nothing; an invalid row is a problem. Pure: `view` is not changed. `kept`: the number of notices about fields which
 * cards keep; those beyond {@link MAX_KEPT_NOTICES} are not among the problems.
 */
export function fold(rows: readonly (PreparedRow | BadRow)[], view: StoredCards, parts: FoldParts): KeptFolded {
  const drafts = new Drafts(view);
  const folding: Folding = { drafts, ids: new Set(parts.earlierIds), replaced: new Set(), parts };
  const spelling = new LabelSpelling(view.labels);
  const counts = { ...NO_COUNTS };
  const problems: RowProblem[] = [];
  let kept = 0;
  const outcomes: ImportedRow[] = [];
  const files = new FoldedFiles(parts.owner.ownerId, view.files);
  for (const given of rows) {
    counts.read += 1;
    if ('problems' in given) {
      counts.failed += 1;
      problems.push(...given.problems);
      outcomes.push({ outcome: 'failed', cardId: null });
      continue;
    }
    const row = files.resolved(spelledAsStored(given, spelling), drafts);
    const outcome = 'problem' in row ? refused(row.problem, 'attachments') : foldRow(row, folding);
    const { kind, reason, column = null, cardId = null, isKept } = outcome;
    if (given.card.id !== null) folding.ids.add(given.card.id);
    counts[kind] += 1;
    outcomes.push({ outcome: kind, cardId });
    if (kind !== 'failed') problems.push(...given.notices);
    if (isKept) kept += 1;
    if (reason === undefined || (isKept && parts.earlierKept + kept > MAX_KEPT_NOTICES)) continue;
    const failed = kind === 'failed';
    const content = failed ? rowContent(Object.entries(given.card)) : null;
    problems.push({ failed, sheet: given.sheet, row: given.row, column, reason, content });
  }
  const written = drafts.toWrite();
  return { drafts: written, files: files.heldBy(written), counts, problems, rows: outcomes, kept };
}

function foldRow(given: PreparedRow, folding: Folding): Outcome {
  const { drafts, ids, parts } = folding;
  const { id } = given.card;
  const named = id === null ? undefined : drafts.byId(id);
  const row = named === undefined ? given : dividedAs(named.content, given, parts.owner);
  const known = named !== undefined && drafts.isSameQuestion(row, named) ? named : undefined;
  const isFirst = id === null || !ids.has(id);
  if (known !== undefined && parts.onDuplicate === 'REJECT') return refused('there is a card with this id', 'id');
  // The same id twice in one import is another occurrence of the mistake, not a correction.
  if (known !== undefined && isFirst) return renew(row, known, drafts);
  const again = drafts.withOrigin(row.origin);
  if (again !== undefined) return complete(row, again, drafts);
  const merged = id === null ? undefined : drafts.withMergedId(id);
  const mergedInto = merged !== undefined && drafts.isSameQuestion(row, merged) ? merged : undefined;
  if (known !== undefined || mergedInto !== undefined)
    return addOccurrences(row, (known ?? mergedInto) as CardDraft, drafts);
  if (named !== undefined && parts.onDuplicate !== 'REJECT') {
    if (isFirst) return replaceQuestion(row, named, folding);
    if (folding.replaced.has(named.id) && hasAllOccurrences(row, named)) {
      return refused(`an earlier row with the id ${id} has another question`, 'questionText');
    }
  }
  if (id !== null && drafts.isForeign(id)) {
    return refused(`the card ${id} belongs to another owner: only that owner and admins may change it`, 'id');
  }

  const isTaken = id !== null && (named !== undefined || drafts.isTaken(id));
  if (isTaken && parts.onDuplicate === 'REJECT') return refused('the id is that of another question', 'id');
  const notice = isTaken
    ? { reason: `the id ${id} is that of another question: the card got a new one`, column: 'id' }
    : {};
  const duplicate = parts.onDuplicate === 'KEEP' ? undefined : drafts.duplicateOf(row, parts.owner.ownerId);
  if (duplicate === undefined) return { ...create(row, isTaken ? null : id, drafts, parts), ...notice };
  if (parts.onDuplicate === 'REJECT') return refused(`the card ${duplicate.id} asks the same question`, 'questionText');
  return addOccurrences(row, duplicate, drafts);
}

/**
 * The card as the row has it now, with the row's question, unless the row is one that another card already tells of.
 */
function replaceQuestion(row: PreparedRow, card: CardDraft, { drafts, replaced, parts }: Folding): Outcome {
  const duplicate = parts.onDuplicate === 'KEEP' ? undefined : drafts.duplicateOf(row, parts.owner.ownerId);
  if (duplicate !== undefined && hasAllOccurrences(row, duplicate)) return complete(row, duplicate, drafts);
  replaced.add(card.id);
  const reason = `the card ${card.id} had another question`;
  return { ...renew(row, card, drafts), reason, column: 'id', isKept: false };
}

/** True if the row says when the mistake was made. */
const isDated = (row: PreparedRow): boolean => row.dated || row.occurrences !== null;

/** True if the card has all occurrences of the row, with equal times. */
function hasAllOccurrences(row: PreparedRow, card: CardDraft): boolean {
  return isDated(row) && occurrencesOf(row).every((one) => hasOccurrence(card, one, true));
}

function refused(reason: string, column: string): Outcome {
  return { kind: 'failed', reason, column };
}

function tooOften({ id, occurrences }: CardDraft): Outcome {
  return refused(
    `the card ${id} has ${occurrences.length} occurrences: at most ${MAX_OCCURRENCES} are kept`,
    'occurredAt',
  );
}

/**
 * Adds missing fields of a card from a row of a known occurrence; usually nothing. Other fields and the occurrence
 * itself stay, because the card may have been corrected since; a notice names the fields that differ.
 */
function complete(row: PreparedRow, card: CardDraft, drafts: Drafts): Outcome {
  if (overflows(card, row.card)) return refused(TOO_MANY_ATTACHMENTS, 'attachments');
  const next = filled(card, { ...row.card, studentSolutionText: null, errorTypes: [] }, null);
  drafts.set(next);
  return { kind: next === card ? 'skipped' : 'updated', cardId: card.id, ...keptNotice(card, next, row) };
}

function create(row: PreparedRow, id: string | null, drafts: Drafts, { owner, newId }: FoldParts): Outcome {
  const { id: _, ...content } = row.card;
  const cardId = id ?? newId();
  drafts.add(row, {
    id: cardId,
    ownerId: owner.ownerId,
    content,
    fingerprints: row.fingerprints,
    occurrences: traced(row, drafts),
    state: 'NEW',
  });
  return { kind: 'created', cardId };
}

/** The occurrences of a row; the first has the row's origin, which must be unique. */
function traced(row: PreparedRow, drafts: Drafts): readonly TracedOccurrence[] {
  const isFirst = drafts.withOrigin(row.origin) === undefined;
  return occurrencesOf(row).map((one, place) => ({ ...one, origin: isFirst && place === 0 ? row.origin : null }));
}

/** Adds occurrences of the row that the card does not have, and missing fields. */
function addOccurrences(row: PreparedRow, card: CardDraft, drafts: Drafts): Outcome {
  const { id, ...content } = row.card;
  // A new row without a date is another occurrence, unless it is that of the merged card with its id.
  const isKnown = (occurrence: TracedOccurrence): boolean =>
    isDated(row)
      ? hasOccurrence(card, occurrence, true)
      : id !== null && card.occurrences.some((one) => one.mergedId === id && isSameMistake(one, occurrence));
  const added = traced(row, drafts).filter((one) => !isKnown(one));
  const [first, ...rest] = added;
  if (first === undefined) return complete(row, card, drafts);
  if (card.occurrences.length + added.length > MAX_OCCURRENCES) return tooOften(card);
  if (overflows(card, content)) return refused(TOO_MANY_ATTACHMENTS, 'attachments');
  const whole = filled(card, content, row.card.occurredAt);
  const mergedId = first.mergedId ?? (id === card.id ? null : id);
  const merged = first.merged ?? differingFields(whole.content, content);
  const next = withOccurrences(whole, [{ ...first, mergedId, merged }, ...rest]);
  drafts.set(next);
  return { kind: 'merged', cardId: card.id, ...sameTimeNotice(card, next, row) };
}

/** Updates the card from the row; fields that the row omits are kept. */
function renew(row: PreparedRow, card: CardDraft, drafts: Drafts): Outcome {
  const { content } = card;
  const occurrences = traced(row, drafts);
  const [own] = card.occurrences;
  const isOnlyOccurrence = card.occurrences.length === 1 && occurrences.length === 1;
  const given = givenBy(row, content);
  const isUnchanged =
    isOnlyOccurrence && own !== undefined && occurrences[0] !== undefined && isEqual(own, occurrences[0]);
  // Error fields belong to one occurrence: for a card of several, only a row with all of them may change the card's
  // own.
  const changes = isUnchanged
    ? lastingOf(given)
    : isOnlyOccurrence || row.occurrences !== null
      ? given
      : ofAllOccurrences(given, content);
  const changed = withContent(card, { ...content, ...changes });
  // The question is now the row's, and so are its fingerprints.
  const renewed = changed === card ? card : { ...changed, fingerprints: row.fingerprints };
  if (isUnchanged) {
    drafts.set(renewed);
  } else if (isOnlyOccurrence && own !== undefined) {
    const { occurredAt, studentSolutionText, errorTypes } = renewed.content;
    const corrected = { ...own, occurredAt, wrongSolution: studentSolutionText, errorTypes };
    drafts.set(renewed === card ? card : { ...renewed, occurrences: [corrected] });
  } else {
    const added = occurrences.filter((one) => !hasOccurrence(card, one, isDated(row)));
    if (card.occurrences.length + added.length > MAX_OCCURRENCES) return tooOften(card);
    drafts.set(withOccurrences(renewed, added));
  }
  const next = drafts.byId(card.id) ?? card;
  return { kind: next === card ? 'skipped' : 'updated', cardId: card.id, ...renewedNotice(card, next, row) };
}
