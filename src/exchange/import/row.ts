import { createHash } from 'node:crypto';
import type { CanonicalQuestion, Owner, QuestionFingerprints } from '../../domain/duplicates.js';
import { type NewOccurrence, ownOccurrence } from '../../domain/occurrence.js';
import type { QuestionJudge } from '../../domain/ports/notebooks.js';
import type { GoodRow } from '../formats/rows.js';
import { cleanText } from '../formats/values/text.js';

/** A row with all that it is compared by. */
export interface PreparedRow extends GoodRow {
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
  prepare(row: GoodRow): PreparedRow {
    const canonical = this.judge.canonical(row.card.questionText);
    const prints = this.judge.prints(this.owner, row.card.questionText, canonical);
    return { ...row, canonical, prints, origin: this.#origin(row, prints.key) };
  }

  #origin({ card, dated }: GoodRow, key: string): string {
    const facts = JSON.stringify([
      this.owner.ownerId,
      dated ? card.occurredAt.toISOString() : this.scope,
      card.id ?? '',
      key,
      // Programs that save a table again change the blanks in it.
      cleanText(card.studentSolutionText ?? ''),
      card.errorTypes.map(cleanText).sort(),
    ]);
    const digest = createHash('sha256').update(facts).digest('base64url').slice(0, 22);
    const count = (this.#seen.get(digest) ?? 0) + 1;
    this.#seen.set(digest, count);
    return `${digest}.${count}`;
  }
}

/** The times that the row tells of, at least one. */
export function timesOf(row: GoodRow): readonly NewOccurrence[] {
  return row.occurrences ?? [ownOccurrence(row.card)];
}
