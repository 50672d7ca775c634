import { createHash } from 'node:crypto';
import type { CanonicalQuestion, Owner, QuestionFingerprints } from '../../domain/duplicates.js';
import { type NewOccurrence, ownOccurrence } from '../../domain/occurrence.js';
import type { QuestionJudge } from '../../domain/ports/imports.js';
import type { GoodRow } from '../formats/rows.js';
import { cleanText } from '../formats/values/text.js';

/** A row with the keys that it is compared by. */
export interface PreparedRow extends GoodRow {
  readonly canonical: CanonicalQuestion;
  readonly fingerprints: QuestionFingerprints;
  /** Identifies the row when it is imported again: a hash of its content and its number among equal rows. */
  readonly origin: string;
}

/** Prepares the rows of one import, in order: it numbers equal rows. */
export class RowPreparer {
  readonly #seen = new Map<string, number>();

  /**
   * @param scope set if equal rows without a date are separate occurrences: two requests of an app are two mistakes, while
   *   a file that is imported again is the same file.
   */
  constructor(
    private readonly owner: Owner,
    private readonly judge: QuestionJudge,
    private readonly scope: string,
  ) {}

  prepare(row: GoodRow): PreparedRow {
    const canonical = this.judge.canonical(row.card.questionText);
    const fingerprints = this.judge.fingerprints(this.owner, row.card.questionText, canonical);
    return { ...row, canonical, fingerprints, origin: this.#origin(row, fingerprints.key) };
  }

  #origin({ card, dated }: GoodRow, key: string): string {
    const facts = JSON.stringify([
      this.owner.ownerId,
      dated ? card.occurredAt.toISOString() : this.scope,
      card.id ?? '',
      key,
      // Spreadsheet programs change blanks when they save a table.
      cleanText(card.studentSolutionText ?? ''),
      card.errorTypes.map(cleanText).sort(),
    ]);
    const digest = createHash('sha256').update(facts).digest('base64url').slice(0, 22);
    const count = (this.#seen.get(digest) ?? 0) + 1;
    this.#seen.set(digest, count);
    return `${digest}.${count}`;
  }
}

/** The occurrences of a row, at least one. */
export function timesOf(row: GoodRow): readonly NewOccurrence[] {
  return row.occurrences ?? [ownOccurrence(row.card)];
}
