import type { SingleBar } from 'cli-progress';
import { delay } from '../domain/async.js';
import type { RowProblem } from '../domain/import.js';
import type { GatewayClient } from './gateway-client.js';
import { progressBar } from './progress-bar.js';

/** How often the gateway is asked how far it is. */
const POLL_MS = 250;
/** Problems a request. */
const PAGE = 1_000;

/** An import as the API tells of it. */
export interface JobReport {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly problem: string | null;
  readonly notices: readonly string[];
  readonly total: number | null;
  readonly read: number;
  readonly created: number;
  readonly updated: number;
  readonly merged: number;
  readonly skipped: number;
  readonly failed: number;
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

/** Shows how far a job is until it has ended, or the signal aborts; the job as it is then. */
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

/** Shows how far the index is until searches find every card. */
export async function consumeChanges(client: GatewayClient, signal: AbortSignal): Promise<void> {
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

/** Every row of the job of which there is something to say. */
export async function readProblems(client: GatewayClient, { id }: JobReport): Promise<readonly RowProblem[]> {
  const problems: RowProblem[] = [];
  for (;;) {
    const variables = { id, first: PAGE, after: problems.length };
    const { importJob } = await client.ask<{ importJob: { problems: readonly RowProblem[] } }>(
      'importProblems',
      variables,
    );
    problems.push(...importJob.problems);
    if (importJob.problems.length < PAGE) return problems;
  }
}

/** A bar that goes on keeps the process from ending: whatever becomes of the work, the bar stops with it. */
async function withBar<T>(name: string, unit: string, work: (bar: SingleBar) => Promise<T>): Promise<T> {
  const bar = progressBar(name, unit);
  try {
    return await work(bar);
  } finally {
    bar.stop();
  }
}
