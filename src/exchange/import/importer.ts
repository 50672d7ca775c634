import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { delay, once } from '../../domain/async.js';
import { periodicLoop } from '../../domain/background-loop.js';
import { Concurrency, type ConcurrencyLimits } from '../../domain/concurrency.js';
import { asError, BadInputError, ForbiddenError, UnavailableError } from '../../domain/errors.js';
import type { FileToImport, ImportJob } from '../../domain/import.js';
import type { OwnedJob } from '../../domain/ports/imports.js';
import type { Log } from '../../domain/ports/log.js';
import { ownerKey, type Viewer } from '../../domain/viewer.js';
import { WorkerSpentError } from '../../runtime/workers/worker-process.js';
import { type CheckedJob, type ImportParts, importJob, type Outcome } from './import-job.js';
import { storeFile } from './uploads.js';

/** How long a request waits for the validation of its file; a larger file is validated after the response. */
const CHECK_WAIT_MS = 5_000;
/** Delay before a job is resumed after the database was unavailable. */
const OUTAGE_PAUSE_MS = 1_000;
/** Uploads and queued files: each takes up to 128 MB of this gateway's disk, which all schools share. */
const MAX_UNFINISHED: ConcurrencyLimits = { perViewer: 5, perTenant: 40, inAll: Number.POSITIVE_INFINITY };
/** A client is told to wait this long beyond that: a file of some thousand rows is stored by then. */
const RETRY_MS = 10_000;
/** A file that exceeds the reader's limits gets a second attempt, because a busy machine may have been the cause. */
const MAX_SPENT_ATTEMPTS = 2;
/** A request takes seconds: one that is older ended with its gateway. Also the interval of looking for such, in ms. */
const LOST_REQUEST_MS = 300_000;
/** After so many attempts that ended with the gateway, the job may be what kills it. */
const MAX_ATTEMPTS = 5;

export interface ImporterParts extends ImportParts {
  /** True for the only gateway on the database: then a job without a file here can never be resumed. */
  readonly alone: boolean;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

/** A job with its file in this gateway's folder. */
interface QueuedJob extends CheckedJob {
  readonly cancelled: AbortController;
}

/** Imports files, one job at a time, and resumes them after a restart. */
export class Importer {
  readonly #stopping = new AbortController();
  readonly #queue: QueuedJob[] = [];
  readonly #uploads = new Concurrency('POST /import', 'unfinished files', MAX_UNFINISHED, RETRY_MS);
  #loop: Promise<void> | undefined;
  readonly #requests = periodicLoop(
    LOST_REQUEST_MS,
    () =>
      this.parts.jobs.failLostRequests(LOST_REQUEST_MS, 'the gateway ended before a row was stored: import them again'),
    (err) => this.parts.log.warn({ err }, 'imports of rows that were lost could not be ended; it will be retried'),
  );

  constructor(private readonly parts: ImporterParts) {}

  /**
   * Resumes jobs with files here, fails those whose file is lost, and removes files without a job. Fails the imports of
   * rows whose gateway was killed, from now on.
   */
  async start(): Promise<void> {
    const { jobs, folder, alone } = this.parts;
    await mkdir(folder, { recursive: true });
    const files = new Set(await readdir(folder));
    for (const owned of await jobs.underWay()) {
      const { viewer, job } = owned;
      if (files.delete(job.id)) this.#enqueue(owned);
      else if (job.read === job.total) await jobs.finish(viewer, job.id, 'DONE', null);
      else if (alone) await jobs.finish(viewer, job.id, 'FAILED', 'the file of this import was lost: import it again');
    }
    for (const file of files) await this.#remove(join(folder, file));
    this.#requests.start();
  }

  /**
   * Stores the file and starts its import; resolves when it has been validated, or after {@link CHECK_WAIT_MS}. If the
   * same file is being imported with the same options, returns that job. Rethrows errors of `body`; RateLimitedError,
   * before `body` is read, if the viewer or the school has too many unfinished files.
   */
  async importFile(viewer: Viewer, file: FileToImport, body: AsyncIterable<Buffer>): Promise<ImportJob> {
    const queued = this.#queue.map((job) => job.viewer);
    const release = this.#uploads.take(viewer, queued);
    const id = await this.#receive(viewer, file, body).finally(release);
    const checked = this.#queued(id)?.checked.signal;
    if (checked !== undefined) await delay(CHECK_WAIT_MS, checked, this.#stopping.signal);
    return this.parts.jobs.job(viewer, id);
  }

  /** Cancels a running job; stored rows stay. NotFoundError; ForbiddenError if the viewer may only see it. */
  async cancel(viewer: Viewer, id: string): Promise<ImportJob> {
    const job = await this.parts.jobs.cancel(viewer, id);
    this.#queued(id)?.cancelled.abort(new Error('the import was cancelled'));
    return job;
  }

  /** Stops the current reader; the next start resumes at its chunk. */
  readonly close = once(async () => {
    this.#stopping.abort(new Error('the importer is stopping'));
    await this.#requests.close();
    await this.#loop;
  });

  /** Writes the file to disk and enqueues its job; returns the job's id. */
  async #receive(viewer: Viewer, file: FileToImport, body: AsyncIterable<Buffer>): Promise<string> {
    const { jobs, folder } = this.parts;
    const id = randomUUID();
    const path = join(folder, id);
    try {
      const key = `file:${await storeFile(path, [file.format, file.options], body)}`;
      const { job, joined } = await jobs.begin(viewer, { ...file, id, key, body: null });
      if (joined) await this.#join(job, path);
      if (this.#queued(job.id) === undefined) this.#enqueue({ viewer, job });
      return job.id;
    } catch (thrown) {
      await rm(path, { force: true });
      throw thrown;
    }
  }

  /** Joins a running job; the new copy replaces its file if that is lost. */
  async #join(job: ImportJob, path: string): Promise<void> {
    const own = join(this.parts.folder, job.id);
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
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      const isOver = await this.#runJob(next);
      if (this.#stopping.signal.aborted) return;
      this.#queue.splice(this.#queue.indexOf(next), 1);
      if (!isOver) this.#queue.push(next);
      this.#giveWay(next.viewer);
    }
    this.#loop = undefined;
  }

  /** Schools take turns, and so do the owners of a school: these jobs go to the end of the queue. */
  #giveWay(served: Viewer): void {
    const nearness = ({ viewer }: QueuedJob): number =>
      Number(viewer.tenantId === served.tenantId) + Number(ownerKey(viewer) === ownerKey(served));
    this.#queue.sort((one, other) => nearness(one) - nearness(other));
  }

  /**
   * Runs a job until it ends, this gateway stops, or another gateway takes it over; pauses while the database is
   * unavailable. False if it must be retried.
   */
  async #runJob(queued: QueuedJob): Promise<boolean> {
    const { jobs, folder, log } = this.parts;
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
        } else if (error instanceof ForbiddenError) {
          outcome = { state: 'FAILED', problem: error.message };
        } else if (error instanceof UnavailableError) {
          log.warn({ err: error, job: job.id }, 'import paused; it will be retried');
          await delay(OUTAGE_PAUSE_MS, signal);
        } else {
          const errorId = randomUUID();
          log.error({ err: error, job: job.id, errorId }, 'an import failed');
          // The end of the job could not be stored: trying at once would fail in the same way.
          if (outcome !== undefined) await delay(OUTAGE_PAUSE_MS, signal);
          outcome = { state: 'FAILED', problem: `internal error ${errorId}` };
        }
      }
    }
    if (!isOver && !cancelled.signal.aborted) {
      if (attempts !== null && outcome === undefined) await this.#takeBack(queued);
      return false;
    }
    await this.#remove(join(folder, job.id));
    checked.abort();
    return true;
  }

  /** A file that cannot be removed is tried again at the next start. */
  async #remove(path: string): Promise<void> {
    await rm(path, { force: true }).catch((thrown: unknown) =>
      this.parts.log.warn({ err: asError(thrown), path }, 'the file of an import could not be removed'),
    );
  }

  /** Uncounts an attempt that was stopped in order. */
  async #takeBack({ viewer, job }: QueuedJob): Promise<void> {
    const { jobs, log } = this.parts;
    await jobs
      .attemptStopped(viewer, job.id)
      .catch((thrown: unknown) =>
        log.warn({ err: asError(thrown), job: job.id }, 'a stopped attempt could not be uncounted'),
      );
  }

  async #attempt(queued: QueuedJob, attempts: number, signal: AbortSignal): Promise<Outcome | 'AGAIN' | 'ENDED'> {
    if (attempts > MAX_ATTEMPTS) {
      return { state: 'FAILED', problem: `the gateway ended ${MAX_ATTEMPTS} times while it was imported` };
    }
    try {
      return await importJob(this.parts, queued, signal);
    } catch (thrown) {
      if (!(thrown instanceof WorkerSpentError)) throw thrown;
      this.parts.log.warn({ job: queued.job.id, attempts, how: thrown.how }, thrown.message);
      return attempts < MAX_SPENT_ATTEMPTS
        ? 'AGAIN'
        : { state: 'FAILED', problem: `${thrown.message}: split the file` };
    }
  }
}
