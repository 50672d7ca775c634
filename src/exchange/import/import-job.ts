import { join } from 'node:path';
import type { FileLimits } from '../../domain/attachment.js';
import { asError, BadInputError } from '../../domain/errors.js';
import type { FileFormat } from '../../domain/import.js';
import type { ImportJobStore, ImportStore, OwnedJob } from '../../domain/ports/imports.js';
import type { WorkerLimits } from '../../runtime/workers/protocol.js';
import { foldChunk, openReader, READER_LIMITS } from './reader/reader.js';

export interface ImportParts {
  readonly jobs: ImportJobStore;
  readonly imports: Pick<ImportStore, 'fold'>;
  /** Folder of files whose jobs have not ended; not shared with other gateways. */
  readonly folder: string;
  /** Of files that rows hold. */
  readonly fileLimits: FileLimits;
  /** Limits of the reading process, if not the default ones. */
  readonly limits?: WorkerLimits;
}

export interface CheckedJob extends OwnedJob {
  /** Aborts when the file has been validated. */
  readonly checked: AbortController;
}

export interface Outcome {
  readonly state: 'DONE' | 'REFUSED' | 'FAILED';
  readonly problem: string | null;
}

/**
 * Validates the job's file and stores its rows, from the first one that is not stored yet. ENDED if the job was ended,
 * or claimed, by another gateway.
 */
export async function importJob(
  { jobs, imports, folder, fileLimits, limits = READER_LIMITS }: ImportParts,
  { viewer, job: { id }, checked }: CheckedJob,
  signal: AbortSignal,
): Promise<Outcome | 'ENDED'> {
  const job = await jobs.job(viewer, id);
  const { mapping, onDuplicate, dryRun } = job.options;
  const { createdAt: now, read: stored } = job;
  let { total } = job;
  const format = job.format as FileFormat;
  const path = join(folder, id);
  const file = { path, format, mapping, owner: viewer, onDuplicate, now, stored, limits: fileLimits };
  const reader = await openReader(file, limits, signal);
  try {
    if (job.state === 'CHECKING') {
      const found = await reader.call('check', null).catch((thrown: unknown) => {
        if (thrown instanceof BadInputError) return thrown;
        throw asError(thrown);
      });
      if (found instanceof BadInputError) return { state: 'REFUSED', problem: found.problem };
      total = found.rows;
      await jobs.checked(viewer, id, total, found.notices);
      if ((await jobs.job(viewer, id)).finishedAt !== null) return 'ENDED';
    }
    checked.abort();
    for (let read = stored; ; ) {
      const wanted = await reader.call('next', null);
      if (wanted === null) return outcomeOf(read, total);
      const options = { step: { jobId: id, read }, dryRun, bulk: true };
      const folded = await imports.fold(viewer, wanted, (view) => foldChunk(reader, view), options);
      if (folded === null) return 'ENDED';
      read += folded.counts.read;
    }
  } finally {
    await reader.close();
  }
}

/** A file that was written before a power failure may have lost its end. */
function outcomeOf(read: number, total: number | null): Outcome {
  if (total === null || read >= total) return { state: 'DONE', problem: null };
  return { state: 'FAILED', problem: `the file ended after ${read} of ${total} rows: import it again` };
}
