import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { delay, once } from '../../domain/async.js';
import { asError, BadInputError, UnavailableError } from '../../domain/errors.js';
import type { FileFormat, FileToImport, ImportJob } from '../../domain/import.js';
import type { ImportJobStore, ImportStore, OwnedJob } from '../../domain/ports/notebooks.js';
import type { Viewer } from '../../domain/viewer.js';
import type { WorkerLimits } from '../../runtime/workers/protocol.js';
import { WorkerSpentError } from '../../runtime/workers/worker-process.js';
import { FileReader, READER_LIMITS } from './reader/reader.js';
import { keepFile, ownerOf, Uploads } from './uploads.js';

/** How long a request waits to hear whether its file can be used; a larger file is checked after the answer. */
const CHECK_WAIT_MS = 5_000;
/** The pause after which a job goes on whose database was away. */
const OUTAGE_PAUSE_MS = 1_000;
/** A file whose reader has used more than it may gets a second attempt, because a busy machine may have been to blame. */
const MAX_SPENT_ATTEMPTS = 2;
/** A gateway that was killed amid so many attempts may have been killed by them. */
const MAX_ATTEMPTS = 5;

interface Log {
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** What imports work with. */
export interface ImporterParts {
  readonly jobs: ImportJobStore;
  readonly notebook: Pick<ImportStore, 'fold'>;
  /** Where files are kept until their job has ended; this gateway's alone. */
  readonly folder: string;
  /** Whether no other gateway works on this database: then a job whose file is not here will never go on. */
  readonly alone: boolean;
  readonly log: Log;
  /** What reading one file may take, where that is not what it is by default. */
  readonly limits?: WorkerLimits;
}

/** How a job ends, and why where it did not end well. */
interface Outcome {
  readonly state: 'DONE' | 'REFUSED' | 'FAILED';
  readonly problem: string | null;
}

/** A job whose file is here. */
interface QueuedJob extends OwnedJob {
  /** Aborts when it is known whether the file can be used. */
  readonly checked: AbortController;
  /** Aborts when the job is cancelled here. */
  readonly cancelled: AbortController;
}

/** Imports files, one job after the other, and goes on after a restart where it was. */
export class Importer {
  readonly #parts: ImporterParts;
  readonly #stopping = new AbortController();
  readonly #queue: QueuedJob[] = [];
  readonly #uploads = new Uploads((owner) => this.#queue.filter(({ viewer }) => ownerOf(viewer) === owner).length);
  #lastOwner = '';
  #loop: Promise<void> | undefined;

  constructor(parts: ImporterParts) {
    this.#parts = parts;
  }

  /** Goes on with the jobs whose files are here, ends those that only lack it, and removes files that no job needs. */
  async start(): Promise<void> {
    const { jobs, folder, alone } = this.#parts;
    await mkdir(folder, { recursive: true });
    const files = new Set(await readdir(folder));
    for (const owned of await jobs.underWay()) {
      const { viewer, job } = owned;
      if (files.delete(job.id)) this.#enqueue(owned);
      else if (job.read === job.total) await jobs.finish(viewer, job.id, 'DONE', null);
      else if (alone) await jobs.finish(viewer, job.id, 'FAILED', 'what it imports is gone: import it again');
    }
    for (const file of files) await rm(join(folder, file), { force: true });
  }

  /**
   * Keeps the file and begins to import it; answers when it is known whether it can be used, or after some seconds. The same file
   * with the same options that is being imported already is that job. What `body` throws is thrown; RateLimitedError, before any
   * of `body` is read, where too many of the viewer's files have not been imported yet.
   */
  async importFile(viewer: Viewer, file: FileToImport, body: AsyncIterable<Buffer>): Promise<ImportJob> {
    const id = await this.#uploads.during(viewer, () => this.#receive(viewer, file, body));
    const checked = this.#queued(id)?.checked.signal;
    if (checked !== undefined) await delay(CHECK_WAIT_MS, AbortSignal.any([checked, this.#stopping.signal]));
    return this.#parts.jobs.job(viewer, id);
  }

  /** Ends a job that is under way; what it has stored stays. NotFoundError; ForbiddenError where it may only be seen. */
  async cancel(viewer: Viewer, id: string): Promise<ImportJob> {
    const job = await this.#parts.jobs.cancel(viewer, id);
    this.#queued(id)?.cancelled.abort(new Error('the import was cancelled'));
    return job;
  }

  /** Ends the reader in hand; the next start goes on with the chunk that it was at. */
  readonly close = once(async () => {
    this.#stopping.abort(new Error('the importer is stopping'));
    await this.#loop;
  });

  /** Writes the file to the disk and puts its job into the queue; the job's id. */
  async #receive(viewer: Viewer, file: FileToImport, body: AsyncIterable<Buffer>): Promise<string> {
    const { jobs, folder } = this.#parts;
    const id = randomUUID();
    const path = join(folder, id);
    try {
      const key = `file:${await keepFile(path, [file.format, file.options], body)}`;
      const { job, joined } = await jobs.begin(viewer, { ...file, id, key, body: null });
      if (joined) await this.#join(job, path);
      if (this.#queued(job.id) === undefined) this.#enqueue({ viewer, job });
      return job.id;
    } catch (thrown) {
      await rm(path, { force: true });
      throw thrown;
    }
  }

  /** A job that is under way already, and whose file may be gone: this is the same file. */
  async #join(job: ImportJob, path: string): Promise<void> {
    const own = join(this.#parts.folder, job.id);
    if (this.#queued(job.id) !== undefined || existsSync(own)) await rm(path, { force: true });
    else await rename(path, own);
  }

  #queued(id: string): QueuedJob | undefined {
    return this.#queue.find(({ job }) => job.id === id);
  }

  #enqueue(owned: OwnedJob): void {
    this.#queue.push({ ...owned, checked: new AbortController(), cancelled: new AbortController() });
    this.#loop ??= this.#run();
  }

  async #run(): Promise<void> {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#lastOwner = ownerOf(next.viewer);
      const isOver = await this.#runJob(next);
      if (this.#stopping.signal.aborted) return;
      this.#queue.splice(this.#queue.indexOf(next), 1);
      if (!isOver) this.#queue.push(next);
    }
    this.#loop = undefined;
  }

  /** The oldest job of another owner than the last one: nobody waits for all the files of somebody else. */
  #next(): QueuedJob | undefined {
    return this.#queue.find(({ viewer }) => ownerOf(viewer) !== this.#lastOwner) ?? this.#queue[0];
  }

  /**
   * Runs a job until it has ended, this gateway stops, or another gateway goes on with it; pauses while the database is away. False
   * where it has to be tried again.
   */
  async #runJob(queued: QueuedJob): Promise<boolean> {
    const { jobs, folder, log } = this.#parts;
    const { viewer, job, checked, cancelled } = queued;
    const signal = AbortSignal.any([this.#stopping.signal, cancelled.signal]);
    let attempts: number | null = null;
    let outcome: Outcome | 'AGAIN' | 'ENDED' | undefined;
    let isOver = false;
    while (!signal.aborted) {
      try {
        if (outcome === undefined) {
          attempts ??= await jobs.attempt(viewer, job.id);
          outcome = attempts === null ? 'ENDED' : await this.#attempt(queued, attempts, signal);
        }
        if (outcome === 'AGAIN') return false;
        if (outcome !== 'ENDED') await jobs.finish(viewer, job.id, outcome.state, outcome.problem);
        isOver = true;
        break;
      } catch (thrown) {
        if (signal.aborted) break;
        const error = asError(thrown);
        if (error instanceof BadInputError) {
          outcome = { state: 'FAILED', problem: error.problem };
        } else if (error instanceof UnavailableError) {
          log.warn({ err: error, job: job.id }, 'an import pauses');
          await delay(OUTAGE_PAUSE_MS, signal);
        } else {
          const errorId = randomUUID();
          log.error({ err: error, job: job.id, errorId }, 'an import failed');
          outcome = { state: 'FAILED', problem: `internal error ${errorId}` };
        }
      }
    }
    if (!isOver && !cancelled.signal.aborted) {
      if (attempts !== null && outcome === undefined) await this.#takeBack(queued);
      return false;
    }
    await rm(join(folder, job.id), { force: true });
    checked.abort();
    return true;
  }

  /** The attempt is stopped in order: it counts as none. */
  async #takeBack({ viewer, job }: QueuedJob): Promise<void> {
    try {
      await this.#parts.jobs.attemptStopped(viewer, job.id);
    } catch (thrown) {
      this.#parts.log.warn({ err: asError(thrown), job: job.id }, 'an attempt that was stopped stays counted');
    }
  }

  async #attempt(queued: QueuedJob, attempts: number, signal: AbortSignal): Promise<Outcome | 'AGAIN' | 'ENDED'> {
    if (attempts > MAX_ATTEMPTS) {
      return { state: 'FAILED', problem: `the gateway ended ${MAX_ATTEMPTS} times while it was imported` };
    }
    try {
      return await this.#import(queued, signal);
    } catch (thrown) {
      if (!(thrown instanceof WorkerSpentError)) throw thrown;
      this.#parts.log.warn({ job: queued.job.id, attempts, how: thrown.how }, thrown.message);
      return attempts < MAX_SPENT_ATTEMPTS ? 'AGAIN' : { state: 'FAILED', problem: `${thrown.message}: cut it in two` };
    }
  }

  /** What comes of the job's file; ENDED where the job was ended, or taken over, elsewhere. */
  async #import({ viewer, job: { id }, checked }: QueuedJob, signal: AbortSignal): Promise<Outcome | 'ENDED'> {
    const { jobs, notebook, folder, limits = READER_LIMITS } = this.#parts;
    const job = await jobs.job(viewer, id);
    const { mapping, onDuplicate, dryRun } = job.options;
    const { createdAt: now, read: stored } = job;
    const format = job.format as FileFormat;
    const file = { path: join(folder, id), format, mapping, owner: viewer, onDuplicate, now, stored };
    const reader = FileReader.start(file, limits, signal);
    try {
      if (job.state === 'CHECKING') {
        const found = await reader.check().catch((thrown: unknown) => {
          if (thrown instanceof BadInputError) return thrown;
          throw asError(thrown);
        });
        if (found instanceof BadInputError) return { state: 'REFUSED', problem: found.problem };
        await jobs.checked(viewer, id, found.rows, found.notices);
        if ((await jobs.job(viewer, id)).finishedAt !== null) return 'ENDED';
      }
      checked.abort();
      for (let read = stored; ; ) {
        const wanted = await reader.next();
        if (wanted === null) return { state: 'DONE', problem: null };
        const step = { jobId: id, read };
        const folded = await notebook.fold(viewer, wanted, (view) => reader.fold(view), { step, dryRun });
        if (folded === null) return 'ENDED';
        read += folded.counts.read;
      }
    } finally {
      await reader.close();
    }
  }
}
