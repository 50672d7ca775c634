import { delay } from '../domain/async.js';
import type { ImportJob, RowProblem } from '../domain/import.js';
import { entriesOf, type GatewayClient, type Page } from './gateway-client.js';
import { ProgressBar } from './progress.js';

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

export async function readProblems(client: GatewayClient, { id }: JobReport): Promise<readonly RowProblem[]> {
  const problems: RowProblem[] = [];
  const pages = entriesOf(async (after) => {
    const answer = await client.ask<{ importJob: { rowProblems: Page<RowProblem> } }>('importProblems', { id, after });
    return answer.importJob.rowProblems;
  });
  for await (const problem of pages) problems.push(problem);
  return problems;
}
