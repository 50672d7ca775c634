import { createHash } from 'node:crypto';
import type { NewCard } from '../../domain/card.js';
import type { CanonicalQuestion, Owner, QuestionFingerprints } from '../../domain/duplicates.js';
import { type NewOccurrence, ownOccurrence } from '../../domain/occurrence.js';
import type { QuestionJudge } from '../../domain/ports/notebooks.js';

/** A card as a row of a file says it, parsed. */
export interface ParsedRow {
  readonly sheet: string | null;
  /** The first row or line of the file is 1. */
  readonly row: number;
  readonly card: NewCard;
  /** Whether the row says when the mistake happened; else it happened when it was imported. */
  readonly dated: boolean;
  /** Where the row tells of several times that the mistake was made: all of them. */
  readonly occurrences: readonly NewOccurrence[] | null;
}

/** A row with all that it is compared by. */
export interface PreparedRow extends ParsedRow {
  readonly canonical: CanonicalQuestion;
  readonly prints: QuestionFingerprints;
  /** Tells the row again when it is imported once more: what it says, and which of the rows that say so it is. */
  readonly origin: string;
}

/** Prepares the rows of one import, in their order: it counts how often the same row has come. */
export class RowPreparer {
  readonly #seen = new Map<string, number>();

  /**
   * @param scope set where the same rows without a date mean another time each: two requests of an app are two mistakes, while
   *   a file that is imported again is still the same file.
   */
  constructor(
    private readonly owner: Owner,
    private readonly judge: QuestionJudge,
    private readonly scope: string,
  ) {}

  /** The row with what it is compared by. */
  prepare(row: ParsedRow): PreparedRow {
    const canonical = this.judge.canonical(row.card.questionText);
    const prints = this.judge.prints(this.owner, row.card.questionText, canonical);
    return { ...row, canonical, prints, origin: this.#origin(row, prints.key) };
  }

  #origin({ card, dated }: ParsedRow, key: string): string {
    const facts = JSON.stringify([
      this.owner.ownerId,
      dated ? card.occurredAt.toISOString() : this.scope,
      card.id ?? '',
      key,
      card.studentSolutionText ?? '',
      [...card.errorTypes].sort(),
    ]);
    const digest = createHash('sha256').update(facts).digest('base64url').slice(0, 22);
    const count = (this.#seen.get(digest) ?? 0) + 1;
    this.#seen.set(digest, count);
    return `${digest}.${count}`;
  }
}

/** The times that the row tells of, at least one. */
export function timesOf(row: ParsedRow): readonly NewOccurrence[] {
  return row.occurrences ?? [ownOccurrence(row.card)];
}
