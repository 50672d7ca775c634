import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { delay } from '../domain/async.js';
import { StartupError } from '../domain/errors.js';
import { EXIT, exitCodeOf } from '../domain/exit-codes.js';
import type { ImportJob, RowProblem } from '../domain/import.js';
import { AnsweredError, entriesOf, type GatewayClient, type Page } from './gateway-client.js';
import { ProgressBar } from './progress.js';

/** Interval between two requests for a state, in ms. */
const POLL_MS = 250;

export interface FileReport {
  readonly file: string;
  /** Why the gateway did not accept the file, or null: an accepted one may still fail as `job`. */
  readonly refused: string | null;
  readonly job: JobReport | null;
  readonly problems: readonly RowProblem[];
}

interface SentFile {
  readonly file: string;
  readonly bytes: number;
  /** The parameters of `POST /import`, except the name. */
  readonly query: URLSearchParams;
}

/**
 * Sends a file and follows its import until that ends, or the signal aborts. A refused file is a report too; null if
 * the signal aborts before the gateway has the file. StartupError (66) if it cannot be read.
 */
export async function importFile(
  client: GatewayClient,
  sent: SentFile,
  signal: AbortSignal,
): Promise<FileReport | null> {
  const { file } = sent;
  const answer = await send(client, sent, signal);
  if (answer === null) return null;
  if (answer instanceof AnsweredError) return { file, refused: answer.message, job: null, problems: [] };
  const job = await followJob(client, answer, signal);
  // The gateway answers before it has validated a file for which that takes long.
  if (job.state === 'REFUSED') return { file, refused: `file: ${job.problem}`, job: null, problems: [] };
  return { file, refused: null, job, problems: await readProblems(client, job) };
}

/** The job, or why the file was refused; null if the signal aborts. */
async function send(
  client: GatewayClient,
  { file, bytes, query }: SentFile,
  signal: AbortSignal,
): Promise<JobReport | AnsweredError | null> {
  const parameters = new URLSearchParams([...query, ['name', basename(file)]]);
  const source = createReadStream(file);
  try {
    const response = await client.post(`import?${parameters}`, {
      headers: { 'content-type': 'application/octet-stream', 'content-length': String(bytes) },
      body: Readable.toWeb(source) as ReadableStream,
      duplex: 'half',
      signal,
    });
    return ((await client.json(response)) as { importJob: JobReport }).importJob;
  } catch (thrown) {
    if (signal.aborted) return null;
    // Only problems of the file are part of its report.
    if (thrown instanceof AnsweredError && exitCodeOf(thrown.code) === EXIT.failed) return thrown;
    const cause = source.errored;
    if (cause !== null) throw new StartupError(`${file} cannot be read: ${cause.message}`, EXIT.input, { cause });
    throw thrown;
  }
}

/** A job as the API returns it. */
export interface JobReport extends Omit<ImportJob, 'format' | 'options' | 'state' | 'createdAt' | 'finishedAt'> {
  readonly state: string;
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

/** Shows the progress of a job until it ends, or the signal aborts; returns its last state. */
async function followJob(client: GatewayClient, begun: JobReport, signal: AbortSignal): Promise<JobReport> {
  let job = begun;
  const bar = new ProgressBar(begun.name, 'rows', job.total ?? 0, job.read);
  try {
    while (job.finishedAt === null && !signal.aborted) {
      await delay(POLL_MS, signal);
      job = (await client.ask<{ importJob: JobReport }>('importJob', { id: job.id })).importJob;
      bar.update(job.read, job.total ?? 0);
    }
    return job;
  } finally {
    bar.end();
  }
}

/** Shows the progress of indexing until every card is indexed. */
export async function followIndexing(client: GatewayClient, signal: AbortSignal): Promise<void> {
  const readPending = async (): Promise<number> => {
    const { indexStatus } = await client.ask<{ indexStatus: { pending: number } }>('indexStatus');
    return indexStatus.pending;
  };
  const total = await readPending();
  if (total === 0) return;
  const bar = new ProgressBar('search index', 'cards', total);
  try {
    for (let pending = total; pending > 0 && !signal.aborted; pending = await readPending()) {
      bar.update(Math.max(0, total - pending));
      await delay(POLL_MS, signal);
    }
    if (!signal.aborted) bar.update(total);
  } finally {
    bar.end();
  }
}

async function readProblems(client: GatewayClient, { id }: JobReport): Promise<readonly RowProblem[]> {
  const problems: RowProblem[] = [];
  const pages = entriesOf(async (after) => {
    const answer = await client.ask<{ importJob: { rowProblems: Page<RowProblem> } }>('importProblems', { id, after });
    return answer.importJob.rowProblems;
  });
  for await (const problem of pages) problems.push(problem);
  return problems;
}
