import { randomUUID } from 'node:crypto';
import { asError } from '../../domain/errors.js';
import type { ImportJob, ImportOptions } from '../../domain/import.js';
import type { RequestKey } from '../../domain/ports/cards.js';
import type { Folded, StoredCards } from '../../domain/ports/imports.js';
import type { Log } from '../../domain/ports/log.js';
import { inTurns } from '../../domain/steps.js';
import type { Viewer } from '../../domain/viewer.js';
import { cardRow } from '../formats/rows.js';
import { type FoldableRow, RowFolder } from './fold-rows.js';
import type { ImportParts } from './import-job.js';

export interface RequestImporterParts extends Pick<ImportParts, 'jobs' | 'imports' | 'fileLimits'> {
  readonly log: Pick<Log, 'error'>;
}

/** Imports rows sent in requests: each request is a job, and its rows are stored in one transaction. */
export class RequestImporter {
  constructor(private readonly parts: RequestImporterParts) {}

  /**
   * Parses and stores the rows of a request. With the key of an earlier request of the viewer it is the same import: it
   * is resumed, or returned as it is. ConflictError if the key was used with another body.
   */
  async importInputs(
    viewer: Viewer,
    inputs: readonly unknown[],
    options: ImportOptions,
    request: RequestKey | null,
  ): Promise<ImportJob> {
    const { jobs } = this.parts;
    const { job } = await jobs.begin(viewer, {
      id: randomUUID(),
      key: `rows:${request?.key ?? randomUUID()}`,
      body: request?.body ?? null,
      name: 'rows',
      format: 'rows',
      options,
    });
    if (job.finishedAt !== null) return job;
    try {
      await this.#store(viewer, job, inputs);
    } catch (thrown) {
      await this.#fail(viewer, job.id);
      throw thrown;
    }
    await jobs.finish(viewer, job.id, 'DONE', null);
    return jobs.job(viewer, job.id);
  }

  /** Stores the rows of a job, unless another request with its key has: only one of them can advance it from row 0. */
  async #store(viewer: Viewer, job: ImportJob, inputs: readonly unknown[]): Promise<void> {
    const { jobs, imports, fileLimits: limits } = this.parts;
    const { mapping } = job.options;
    const parts = { mapping, typed: true, now: job.createdAt, limits };
    const { onDuplicate, dryRun } = job.options;
    const folder = new RowFolder({ owner: viewer, onDuplicate, scope: job.id });
    const rows: FoldableRow[] = [];
    await inTurns(inputs, (input) => {
      const cells = Object.entries(input as object).map(([header, value]) => ({ header, value }));
      rows.push(folder.prepare(cardRow({ sheet: null, row: rows.length + 1, cells }, parts)));
    });
    await jobs.checked(viewer, job.id, rows.length, []);
    const step = { jobId: job.id, read: 0 };
    const fold = (view: StoredCards): Folded => {
      const folded = folder.fold(rows, view);
      return dryRun ? withoutNewIds(folded) : folded;
    };
    await imports.fold(viewer, folder.wantedBy(rows), fold, { step, dryRun });
  }

  /** Marks the job as failed. If that fails too, the caller still gets the first error. */
  async #fail(viewer: Viewer, id: string): Promise<void> {
    const { jobs, log } = this.parts;
    await jobs
      .finish(viewer, id, 'FAILED', 'no row was stored')
      .catch((thrown: unknown) =>
        log.error({ err: asError(thrown), job: id }, 'the failure of an import could not be stored'),
      );
  }
}

/** A dry run does not store the cards that these ids would belong to. */
function withoutNewIds(folded: Folded): Folded {
  const ids = new Set(folded.drafts.filter(({ state }) => state === 'NEW').map(({ id }) => id));
  const rows = folded.rows.map((row) => (ids.has(row.cardId ?? '') ? { ...row, cardId: null } : row));
  return { ...folded, rows };
}
