import { randomUUID } from 'node:crypto';
import type { ImportJob, ImportOptions } from '../../domain/import.js';
import type { Folded, ImportStore, JobStep, QuestionJudge } from '../../domain/ports/notebooks.js';
import type { Viewer } from '../../domain/viewer.js';
import type { BadRow, CardRow } from '../formats/rows.js';
import { fold } from './fold.js';
import { pace } from './pace.js';
import { type PreparedRow, RowPreparer } from './row.js';

/** Rows a transaction: some 200 ms, during which the owner's other imports wait. */
const CHUNK_ROWS = 500;
/** The texts of one chunk, in UTF-16 units, however few its rows are. */
const CHUNK_CHARS = 4_000_000;

/** What rows are stored with. */
export interface StoreRowsParts {
  readonly notebook: Pick<ImportStore, 'fold'>;
  readonly judge: QuestionJudge;
  readonly viewer: Viewer;
  readonly options: ImportOptions;
  /** See {@link RowPreparer}. */
  readonly scope: string;
}

/** Stores the rows of one import in their order, chunk by chunk. */
export class RowStorer {
  readonly #preparer: RowPreparer;
  readonly #ids = new Set<string>();
  readonly #breathe = pace();

  constructor(private readonly parts: StoreRowsParts) {
    this.#preparer = new RowPreparer(parts.viewer, parts.judge, parts.scope);
  }

  /**
   * Goes through all rows of a job and stores those after the first `job.read`, which an earlier run has stored. Each chunk is one
   * transaction with the job's progress. False where another run has taken the job over.
   */
  async storeAll(job: ImportJob, rows: AsyncIterable<CardRow>, signal: AbortSignal): Promise<boolean> {
    let place = 0;
    let stored = job.read;
    let chunk: (PreparedRow | BadRow)[] = [];
    let chars = 0;
    const flush = async (): Promise<boolean> => {
      if (chunk.length === 0) return true;
      const folded = await this.store(chunk, { jobId: job.id, read: stored });
      stored += chunk.length;
      chunk = [];
      chars = 0;
      return folded !== null;
    };
    for await (const row of rows) {
      signal.throwIfAborted();
      await this.#breathe();
      place += 1;
      const prepared = this.prepare(row);
      if (place <= job.read) {
        this.#remember(prepared);
        continue;
      }
      chunk.push(prepared);
      chars += charsOf(prepared);
      if (chunk.length < CHUNK_ROWS && chars < CHUNK_CHARS) continue;
      if (!(await flush())) return false;
    }
    return flush();
  }

  /** Stores rows in one transaction; null where the job no longer stands at the step. */
  async store(rows: readonly (PreparedRow | BadRow)[], step: JobStep | null): Promise<Folded | null> {
    const { notebook, judge, viewer, options } = this.parts;
    const cards = rows.filter((row): row is PreparedRow => 'card' in row);
    const folded = await notebook.fold(
      viewer,
      {
        ids: cards.flatMap(({ card }) => card.id ?? []),
        keys: cards.map(({ prints }) => prints.key),
        bands: [...new Set(cards.flatMap(({ prints }) => prints.bands))],
        origins: cards.map(({ origin }) => origin),
      },
      (view) =>
        fold(rows, view, {
          owner: viewer,
          onDuplicate: options.onDuplicate,
          judge,
          earlierIds: this.#ids,
          newId: randomUUID,
        }),
      { step, dryRun: options.dryRun },
    );
    for (const row of cards) this.#remember(row);
    return folded;
  }

  /** The row as it is stored; a bad one stays as it is. */
  prepare(row: CardRow): PreparedRow | BadRow {
    return 'card' in row ? this.#preparer.prepare(row) : row;
  }

  #remember(row: PreparedRow | BadRow): void {
    if ('card' in row && row.card.id !== null) this.#ids.add(row.card.id);
  }
}

function charsOf(row: PreparedRow | BadRow): number {
  if ('problems' in row) return row.problems.reduce((chars, { reason }) => chars + reason.length, 0);
  const { questionText, studentSolutionText, goldSolutionBrief, notes } = row.card;
  const times = row.occurrences?.length ?? 0;
  return (
    questionText.length +
    (studentSolutionText?.length ?? 0) +
    (goldSolutionBrief?.length ?? 0) +
    (notes?.length ?? 0) +
    times * 100
  );
}
