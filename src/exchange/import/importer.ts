import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { delay, once } from '../../domain/async.js';
import { asError, BadInputError, RateLimitedError, UnavailableError } from '../../domain/errors.js';
import type { FileFormat, FileToImport, ImportJob } from '../../domain/import.js';
import type { ImportJobStore, ImportStore, OwnedJob, QuestionJudge } from '../../domain/ports/notebooks.js';
import type { Viewer } from '../../domain/viewer.js';
import { readFileRows, TYPED } from '../formats/read/file.js';
import { cardRow } from '../formats/rows.js';
import { checkFile } from './check.js';
import { RowStorer } from './store-rows.js';

/** How long a request waits to hear whether its file can be used; a larger file is checked after the answer. */
const CHECK_WAIT_MS = 5_000;
/** Files of one owner that may be on their way or waiting here at once: each takes up to 128 MB of this gateway's disk. */
const MAX_UNFINISHED = 5;
/** When it is worth trying again where there are as many: a file of some thousand rows is stored by then. */
const RETRY_MS = 10_000;
/** The pause after which a job goes on whose database was away. */
const OUTAGE_PAUSE_MS = 1_000;

interface Log {
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** What imports work with. */
export interface ImporterParts {
  readonly jobs: ImportJobStore;
  readonly notebook: Pick<ImportStore, 'fold'>;
  readonly judge: QuestionJudge;
  /** Where files are kept until their job has ended; this gateway's alone. */
  readonly folder: string;
  /** Whether no other gateway works on this database: then a job whose file is not here will never go on. */
  readonly alone: boolean;
  readonly log: Log;
}

/** How a job ends, and why where it did not end well. */
interface Outcome {
  readonly state: 'DONE' | 'REFUSED' | 'FAILED';
  readonly problem: string | null;
}

/** Imports files, one job after the other, and goes on after a restart where it was. */
export class Importer {
  readonly #parts: ImporterParts;
  readonly #stopping = new AbortController();
  readonly #queue: OwnedJob[] = [];
  /** How many files of an owner are on their way to the disk. */
  readonly #uploads = new Map<string, number>();
  readonly #checked = new Map<string, AbortController>();
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
    const id = await this.#uploading(viewer, () => this.#receive(viewer, file, body));
    const checked = this.#checked.get(id)?.signal;
    if (checked !== undefined) await delay(CHECK_WAIT_MS, AbortSignal.any([checked, this.#stopping.signal]));
    return this.#parts.jobs.job(viewer, id);
  }

  /** Stops after the chunk in hand; the next start goes on there. */
  readonly close = once(async () => {
    this.#stopping.abort(new Error('the importer is stopping'));
    await this.#loop;
  });

  /** Counts the file as its owner's for as long as `receive` takes; after that it stands in the queue. */
  async #uploading<T>(viewer: Viewer, receive: () => Promise<T>): Promise<T> {
    const owner = ownerOf(viewer);
    const uploads = this.#uploads.get(owner) ?? 0;
    const queued = this.#queue.filter((waiting) => ownerOf(waiting.viewer) === owner).length;
    if (uploads + queued >= MAX_UNFINISHED) {
      throw new RateLimitedError('POST /import', RETRY_MS, `has ${MAX_UNFINISHED} files of yours to finish first`);
    }
    this.#uploads.set(owner, uploads + 1);
    try {
      return await receive();
    } finally {
      const left = (this.#uploads.get(owner) ?? 0) - 1;
      if (left > 0) this.#uploads.set(owner, left);
      else this.#uploads.delete(owner);
    }
  }

  /** Writes the file to the disk and puts its job into the queue; the job's id. */
  async #receive(viewer: Viewer, file: FileToImport, body: AsyncIterable<Buffer>): Promise<string> {
    const { jobs, folder } = this.#parts;
    const id = randomUUID();
    const path = join(folder, id);
    const hash = createHash('sha256').update(JSON.stringify([file.format, file.options]));
    const hashing = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    try {
      await pipeline(body, hashing, createWriteStream(path, { mode: 0o600 }));
      const key = `file:${hash.digest('base64url')}`;
      const { job, joined } = await jobs.begin(viewer, { ...file, id, key, body: null });
      if (joined) await this.#join(job, path);
      if (!joined || !this.#isHere(job.id)) this.#enqueue({ viewer, job });
      return job.id;
    } catch (thrown) {
      await rm(path, { force: true });
      throw thrown;
    }
  }

  /** A job that is under way already, and whose file may be gone: this is the same file. */
  async #join(job: ImportJob, path: string): Promise<void> {
    const { folder } = this.#parts;
    const own = join(folder, job.id);
    if (this.#isHere(job.id) || (await exists(own))) await rm(path, { force: true });
    else await rename(path, own);
  }

  #isHere(id: string): boolean {
    return this.#checked.has(id);
  }

  #enqueue(owned: OwnedJob): void {
    this.#checked.set(owned.job.id, new AbortController());
    this.#queue.push(owned);
    this.#loop ??= this.#run();
  }

  async #run(): Promise<void> {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      if (this.#stopping.signal.aborted) return;
      await this.#runJob(next);
      if (this.#stopping.signal.aborted) return;
      this.#queue.shift();
    }
    this.#loop = undefined;
  }

  /** Runs a job to its end, or until this gateway stops or another one goes on with it; pauses while the database is away. */
  async #runJob(owned: OwnedJob): Promise<void> {
    const { jobs, folder, log } = this.#parts;
    const { viewer, job } = owned;
    const { signal } = this.#stopping;
    let outcome: Outcome | null = null;
    while (!signal.aborted) {
      try {
        outcome ??= await this.#attempt(owned);
        if (outcome !== null) await jobs.finish(viewer, job.id, outcome.state, outcome.problem);
        await rm(join(folder, job.id), { force: true });
        break;
      } catch (thrown) {
        if (signal.aborted) return;
        const error = asError(thrown);
        if (error instanceof UnavailableError) {
          log.warn({ err: error, job: job.id }, 'an import pauses');
          await delay(OUTAGE_PAUSE_MS, signal);
        } else {
          const errorId = randomUUID();
          log.error({ err: error, job: job.id, errorId }, 'an import failed');
          outcome = { state: 'FAILED', problem: `internal error ${errorId}` };
        }
      }
    }
    this.#checked.get(job.id)?.abort();
    this.#checked.delete(job.id);
  }

  /** What came of the job's file; null where another gateway has taken the job over, and ends it. */
  async #attempt({ viewer, job: { id } }: OwnedJob): Promise<Outcome | null> {
    const { jobs, notebook, judge, folder } = this.#parts;
    const { signal } = this.#stopping;
    const path = join(folder, id);
    let job = await jobs.job(viewer, id);
    const { mapping } = job.options;
    const format = job.format as FileFormat;
    if (job.state === 'CHECKING') {
      try {
        const { rows, notices } = await checkFile(path, format, mapping, signal);
        await jobs.checked(viewer, id, rows, notices);
      } catch (thrown) {
        if (thrown instanceof BadInputError) return { state: 'REFUSED', problem: thrown.problem };
        throw thrown;
      }
      job = await jobs.job(viewer, id);
    }
    this.#checked.get(id)?.abort();
    const source = readFileRows(format, { path, mapping, onNotice: () => undefined });
    const parts = { mapping, typed: TYPED.has(format), now: job.createdAt };
    const rows = (async function* () {
      for await (const row of source) yield cardRow(row, parts);
    })();
    const storer = new RowStorer({ notebook, judge, viewer, options: job.options, scope: '' });
    return (await storer.storeAll(job, rows, signal)) ? { state: 'DONE', problem: null } : null;
  }
}

function ownerOf({ tenantId, ownerId }: Viewer): string {
  return JSON.stringify([tenantId, ownerId]);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
