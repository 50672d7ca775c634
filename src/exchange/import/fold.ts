import { type CardContent, MAX_LABELS } from '../../domain/card.js';
import type { OnDuplicate, Owner } from '../../domain/duplicates.js';
import { type ImportCounts, NO_COUNTS, type RowProblem } from '../../domain/import.js';
import { isSameMistake, isSameSet, MAX_OCCURRENCES, type NewOccurrence } from '../../domain/occurrence.js';
import type { CardDraft, Folded, NotebookView, QuestionJudge, TracedOccurrence } from '../../domain/ports/notebooks.js';
import type { BadRow } from '../formats/rows.js';
import { Drafts } from './drafts.js';
import { filled, tells, unsaid, withContent, withOccurrences } from './merge.js';
import { type PreparedRow, timesOf } from './row.js';

/** How rows are folded into a notebook. */
export interface FoldParts {
  readonly owner: Owner;
  readonly onDuplicate: OnDuplicate;
  readonly judge: QuestionJudge;
  /** The ids that rows before these gave, in the same import. */
  readonly earlierIds: ReadonlySet<string>;
  readonly newId: () => string;
}

/** What became of one row; with a reason, there is something to say of it. */
interface Outcome {
  readonly kind: Exclude<keyof ImportCounts, 'read'>;
  readonly reason?: string;
  readonly column?: string;
}

/** The rows that were folded so far, and what the next one needs to know of them. */
interface Folding {
  readonly drafts: Drafts;
  /** The ids that earlier rows of the import gave. */
  readonly ids: Set<string>;
  /** The ids of cards that got another question. */
  readonly replaced: Set<string>;
  readonly parts: FoldParts;
}

/**
 * Folds rows into a notebook, in their order: each becomes a card, a new version of one, an occurrence of one, or nothing new; a
 * row that is no card stays a problem. Pure: `view` stays as it is.
 */
export function fold(rows: readonly (PreparedRow | BadRow)[], view: NotebookView, parts: FoldParts): Folded {
  const drafts = new Drafts(view, parts.judge);
  const folding: Folding = { drafts, ids: new Set(parts.earlierIds), replaced: new Set(), parts };
  const counts = { ...NO_COUNTS };
  const problems: RowProblem[] = [];
  for (const row of rows) {
    counts.read += 1;
    if ('problems' in row) {
      counts.failed += 1;
      problems.push(...row.problems);
      continue;
    }
    const { kind, reason, column } = foldRow(row, folding);
    if (row.card.id !== null) folding.ids.add(row.card.id);
    counts[kind] += 1;
    if (reason === undefined) continue;
    problems.push({ failed: kind === 'failed', sheet: row.sheet, row: row.row, column: column ?? null, reason });
  }
  return { drafts: drafts.toWrite(), counts, problems };
}

function foldRow(row: PreparedRow, folding: Folding): Outcome {
  const { drafts, ids, parts } = folding;
  const { id } = row.card;
  const named = id === null ? undefined : drafts.byId(id);
  const known = named !== undefined && drafts.isSameQuestion(row, named) ? named : undefined;
  const isFirst = id === null || !ids.has(id);
  if (known !== undefined && parts.onDuplicate === 'REJECT') return refused('there is a card with this id', 'id');
  // The same id twice in one import is another time of the same mistake, not a correction of the first.
  if (known !== undefined && isFirst) return renew(row, known, drafts);
  const again = drafts.withOrigin(row.origin);
  if (again !== undefined) return complete(row, again, drafts);
  const merged = id === null ? undefined : drafts.withMergedId(id);
  const mergedInto = merged !== undefined && drafts.isSameQuestion(row, merged) ? merged : undefined;
  if (known !== undefined || mergedInto !== undefined) return addTimes(row, (known ?? mergedInto) as CardDraft, drafts);
  if (named !== undefined && parts.onDuplicate !== 'REJECT') {
    if (isFirst) return replaceQuestion(row, named, folding);
    if (folding.replaced.has(named.id) && isTold(row, named)) {
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
  const double = parts.onDuplicate === 'KEEP' ? undefined : drafts.doubleOf(row, parts.owner.ownerId);
  if (double === undefined) return { ...create(row, isTaken ? null : id, drafts, parts), ...notice };
  if (parts.onDuplicate === 'REJECT') return refused(`the card ${double.id} asks the same question`, 'questionText');
  return addTimes(row, double, drafts);
}

/** The card as the row has it now, with the row's question, unless the row is one that another card already tells of. */
function replaceQuestion(row: PreparedRow, card: CardDraft, { drafts, replaced, parts }: Folding): Outcome {
  const double = parts.onDuplicate === 'KEEP' ? undefined : drafts.doubleOf(row, parts.owner.ownerId);
  if (double !== undefined && isTold(row, double)) return complete(row, double, drafts);
  replaced.add(card.id);
  return { ...renew(row, card, drafts), reason: `the card ${card.id} had another question`, column: 'id' };
}

/** Whether the card tells of every time that the row tells of, to the moment. */
function isTold(row: PreparedRow, card: CardDraft): boolean {
  return (row.dated || row.occurrences !== null) && timesOf(row).every((time) => tells(card, time, true));
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
 * Adds to a card what a row about a known time says and the card does not: nothing, as a rule. What went wrong at that time is
 * known, and the card may have been corrected since.
 */
function complete(row: PreparedRow, card: CardDraft, drafts: Drafts): Outcome {
  const next = filled(card, { ...row.card, studentSolutionText: null, errorTypes: [] }, null);
  drafts.set(next);
  return { kind: next === card ? 'skipped' : 'updated' };
}

function create(row: PreparedRow, id: string | null, drafts: Drafts, { owner, newId }: FoldParts): Outcome {
  const { id: _, ...content } = row.card;
  drafts.add(row, {
    id: id ?? newId(),
    ownerId: owner.ownerId,
    content,
    prints: row.prints,
    occurrences: traced(row, drafts),
    state: 'NEW',
  });
  return { kind: 'created' };
}

/** The row's times, the first of which carries the row's origin; an origin stands on one occurrence only. */
function traced(row: PreparedRow, drafts: Drafts): readonly TracedOccurrence[] {
  const isFirst = drafts.withOrigin(row.origin) === undefined;
  return timesOf(row).map((time, place) => ({ ...time, origin: isFirst && place === 0 ? row.origin : null }));
}

/** Adds those of the row's times that the card does not tell of, and whatever else the row says that the card does not. */
function addTimes(row: PreparedRow, card: CardDraft, drafts: Drafts): Outcome {
  const { id, ...content } = row.card;
  const isDated = row.dated || row.occurrences !== null;
  // A row without a date that has not come before is another time, unless it is that of the merged card that it names.
  const isKnown = (time: TracedOccurrence): boolean =>
    isDated
      ? tells(card, time, true)
      : id !== null && card.occurrences.some((one) => one.mergedId === id && isSameMistake(one, time));
  const times = traced(row, drafts).filter((time) => !isKnown(time));
  const [first, ...rest] = times;
  if (first === undefined) return complete(row, card, drafts);
  if (card.occurrences.length + times.length > MAX_OCCURRENCES) return tooOften(card);
  const next = filled(card, content, row.card.occurredAt);
  const mergedId = first.mergedId ?? (id === card.id ? null : id);
  const merged = first.merged ?? unsaid(next.content, content);
  drafts.set(withOccurrences(next, [{ ...first, mergedId, merged }, ...rest]));
  return { kind: 'merged' };
}

/** The card as the row has it now: fields that the row leaves out stay as they are. */
function renew(row: PreparedRow, card: CardDraft, drafts: Drafts): Outcome {
  const { content } = card;
  const times = traced(row, drafts);
  const [own] = card.occurrences;
  const isOnlyTime = card.occurrences.length === 1 && times.length === 1;
  const told = times.every((time) => tells(card, time, row.dated || row.occurrences !== null));
  const given = givenBy(row, content);
  const isUnchanged = isOnlyTime && own !== undefined && times[0] !== undefined && isEqual(own, times[0]);
  // What went wrong belongs to one time: on a card of several, only a row that tells of all of them may change the card's own.
  const changes = isUnchanged
    ? lastingOf(given)
    : isOnlyTime || row.occurrences !== null
      ? given
      : ofAllTimes(given, content);
  const changed = withContent(card, { ...content, ...changes });
  // The question is the row's now, and so are its prints.
  const renewed = changed === card ? card : { ...changed, prints: row.prints };
  if (isUnchanged) {
    drafts.set(renewed);
  } else if (isOnlyTime && own !== undefined) {
    const { occurredAt, studentSolutionText, errorTypes } = renewed.content;
    const corrected = { ...own, occurredAt, wrongSolution: studentSolutionText, errorTypes };
    drafts.set(renewed === card ? card : { ...renewed, occurrences: [corrected] });
  } else {
    const added = told ? [] : times.filter((time) => !tells(card, time, row.dated || row.occurrences !== null));
    if (card.occurrences.length + added.length > MAX_OCCURRENCES) return tooOften(card);
    drafts.set(withOccurrences(renewed, added));
  }
  return { kind: drafts.byId(card.id) === card ? 'skipped' : 'updated' };
}

/** What the row says; a field that it leaves out is null or empty after parsing. A name that it spells as the card does is the card's. */
function givenBy(
  { card: { id: _, ...said }, dated, spelled }: PreparedRow,
  content: CardContent,
): Partial<CardContent> {
  const entries = Object.entries(said).filter(([key, value]) => {
    if (key === 'occurredAt') return dated;
    if ((key === 'subject' || key === 'grade') && spelled[key] === content[key]) return false;
    return value !== null && !(Array.isArray(value) && value.length === 0);
  });
  return Object.fromEntries(entries);
}

function isEqual(a: NewOccurrence, b: NewOccurrence): boolean {
  return (
    a.occurredAt.getTime() === b.occurredAt.getTime() &&
    a.wrongSolution === b.wrongSolution &&
    isSameSet(a.errorTypes, b.errorTypes)
  );
}

/** What the row says that is not about one time. */
function lastingOf(given: Partial<CardContent>): Partial<CardContent> {
  const { studentSolutionText: _text, errorTypes: _types, occurredAt: _at, ...lasting } = given;
  return lasting;
}

/** What one row of several says of the card that they share: its labels are not all of the card's. */
function ofAllTimes(given: Partial<CardContent>, content: CardContent): Partial<CardContent> {
  const { topicTags = [], ...lasting } = lastingOf(given);
  const added = topicTags.filter((tag) => !content.topicTags.includes(tag));
  return added.length === 0
    ? lasting
    : { ...lasting, topicTags: [...content.topicTags, ...added].slice(0, MAX_LABELS) };
}
