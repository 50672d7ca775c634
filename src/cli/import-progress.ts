import type { SingleBar } from 'cli-progress';
import { delay } from '../domain/async.js';
import type { ImportJob, RowProblem } from '../domain/import.js';
import type { GatewayClient } from './gateway-client.js';
import { entriesOf, type Page } from './pages.js';
import { progressBar } from './progress-bar.js';

/** Poll interval, in ms. */
const POLL_MS = 250;

/** A job as the API returns it. */
export interface JobReport extends Omit<ImportJob, 'format' | 'options' | 'state' | 'createdAt' | 'finishedAt'> {
  readonly state: string;
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

/** Shows the progress of a job until it ends, or the signal aborts; returns its last state. */
export async function followJob(client: GatewayClient, begun: JobReport, signal: AbortSignal): Promise<JobReport> {
  let job = begun;
  return withBar(begun.name, 'rows', async (bar) => {
    bar.start(job.total ?? 0, job.read);
    while (job.finishedAt === null && !signal.aborted) {
      await delay(POLL_MS, signal);
      job = (await client.ask<{ importJob: JobReport }>('importJob', { id: job.id })).importJob;
      if (job.total !== null) bar.setTotal(job.total);
      bar.update(job.read);
    }
    return job;
  });
}

/** Shows the progress of indexing until every card is indexed. */
export async function followIndexing(client: GatewayClient, signal: AbortSignal): Promise<void> {
  await withBar('search index', 'cards', async (bar) => {
    let total = 0;
    for (;;) {
      const { indexStatus } = await client.ask<{ indexStatus: { pending: number } }>('indexStatus');
      if (total === 0) {
        total = indexStatus.pending;
        if (total === 0) return;
        bar.start(total, 0);
      }
      bar.update(Math.max(0, total - indexStatus.pending));
      if (indexStatus.pending === 0 || signal.aborted) return;
      await delay(POLL_MS, signal);
    }
  });
}

/** All problems of the job. */
export async function readProblems(client: GatewayClient, { id }: JobReport): Promise<readonly RowProblem[]> {
  const problems: RowProblem[] = [];
  const pages = entriesOf(async (after) => {
    const answer = await client.ask<{ importJob: { rowProblems: Page<RowProblem> } }>('importProblems', { id, after });
    return answer.importJob.rowProblems;
  });
  for await (const problem of pages) problems.push(problem);
  return problems;
}

/** Stops the bar when the work settles: a running bar keeps the process alive. */
async function withBar<T>(name: string, unit: string, work: (bar: SingleBar) => Promise<T>): Promise<T> {
  const bar = progressBar(name, unit);
  try {
    return await work(bar);
  } finally {
    bar.stop();
  }
}
