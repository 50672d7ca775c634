import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { delay } from '../../../src/domain/async.js';
import type { Gateway } from '../../support/gateway.js';
import { until } from '../../support/until.js';
import { wordOf } from './world.js';

/**
 * Rows of the files in turn: a file of more than 500 rows is stored in several transactions, and a kill may come
 * between two.
 */
const ROWS = [700, 40, 40] as const;
/** Files that differ; when all of them were sent, earlier ones are sent again, and must change nothing. */
const FILES = 3;
/** An import goes on after a restart within seconds; what has not ended by then is stuck. */
const ENDED_WITHIN_MS = 90_000;
const PAUSE_MS = 50;

const JOB = 'query ($id: ID!) { importJob(id: $id) { state problem total read failed finishedAt } }';

interface Job {
  readonly state: string;
  readonly problem: string | null;
  readonly total: number;
  readonly read: number;
  readonly failed: number;
  readonly finishedAt: string | null;
}

/** How far a file is, as far as its client can know. */
type Sent = 'unknown' | 'stored';

/** Imports files and exports all cards, again and again; whoever is cut off may or may not have been heard. */
export class FileTraffic {
  readonly #random: () => number;
  readonly #files = new Map<number, Sent>();
  /** Jobs that were acknowledged and not seen to end, with the file of each. */
  readonly #jobs = new Map<string, number>();
  readonly #problems: string[] = [];
  #imports = 0;
  #exports = 0;
  #next = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Imports that were acknowledged, and exports that were read to their end. */
  get done(): { readonly imports: number; readonly exports: number } {
    return { imports: this.#imports, exports: this.#exports };
  }

  /** How many cards the files have brought, once {@link problems} has looked. */
  get cards(): number {
    return [...this.#files].reduce((sum, [file, sent]) => sum + (sent === 'stored' ? rowsOf(file) : 0), 0);
  }

  /** Imports and exports until `signal` aborts; what is refused or not answered is not repeated. */
  async run(gateway: Gateway, signal: AbortSignal): Promise<void> {
    const again = async (step: () => Promise<void>): Promise<void> => {
      for (; !signal.aborted; await delay(PAUSE_MS, signal)) await step().catch(() => undefined);
    };
    await Promise.all([again(() => this.#import(gateway, signal)), again(() => this.#export(gateway))]);
  }

  /**
   * What is wrong with a gateway: jobs that do not end or end otherwise than done, files that are there by half, and
   * exports that lacked cards.
   */
  async problems(gateway: Gateway): Promise<readonly string[]> {
    const problems = this.#problems.splice(0);
    // Of a file whose sender heard nothing there may be a job all the same. A job's file is kept until the job has
    // ended.
    const atRest = async (): Promise<boolean> => (await readdir(join(gateway.dataDir, 'imports'))).length === 0;
    await until(atRest, { deadlineMs: ENDED_WITHIN_MS, what: 'all imports to end' }).catch((thrown: Error) =>
      problems.push(`an import is stuck: ${thrown.message}`),
    );
    for (const [id, file] of this.#jobs) {
      const job = await this.#ended(gateway, id).catch((thrown: Error) => thrown);
      this.#files.set(file, 'stored');
      if (job instanceof Error) problems.push(`the import of file ${file} is stuck: ${job.message}`);
      else if (job.state !== 'DONE' || job.failed > 0 || job.read !== rowsOf(file)) {
        problems.push(`the import of file ${file} ended as ${JSON.stringify(job)}`);
      }
    }
    this.#jobs.clear();
    for (const [file, sent] of this.#files) {
      const found = await this.#found(gateway, file);
      if (found === rowsOf(file)) this.#files.set(file, 'stored');
      else if (found === 0 && sent === 'unknown') this.#files.delete(file);
      else problems.push(`${rowsOf(file) - found} cards of file ${file} are lost`);
    }
    return problems;
  }

  async #import(gateway: Gateway, signal: AbortSignal): Promise<void> {
    const isNew = this.#next < FILES;
    const file = isNew ? this.#next++ : Math.floor(this.#random() * FILES);
    if (!this.#files.has(file)) this.#files.set(file, 'unknown');
    const response = await fetch(new URL(`/import?name=${file}.jsonl&onDuplicate=KEEP`, gateway.url), {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: linesOf(file),
    });
    const { importJob } = (await response.json()) as { importJob?: { id: string } };
    if (!response.ok || importJob === undefined) return;
    this.#imports += 1;
    this.#jobs.set(importJob.id, file);
    // One after the other, as a client does that waits for its file.
    const isOver = async (): Promise<boolean> => signal.aborted || (await this.#job(gateway, importJob.id)) !== null;
    await until(isOver, { deadlineMs: ENDED_WITHIN_MS, what: 'the import to end' });
  }

  async #export(gateway: Gateway): Promise<void> {
    const expected = [...this.#files].flatMap(([file, sent]) => (sent === 'stored' ? idsOf(file) : []));
    const response = await fetch(new URL('/export', gateway.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ format: 'jsonl' }),
    });
    if (!response.ok) return;
    const ids = (await response.text()).split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).id]));
    this.#exports += 1;
    const found = new Set(ids);
    const lacking = expected.filter((id) => !found.has(id));
    if (lacking.length > 0) this.#problems.push(`an export lacks ${lacking.length} cards, such as ${lacking[0]}`);
    if (found.size < ids.length) this.#problems.push('an export has a card twice');
  }

  #ended(gateway: Gateway, id: string): Promise<Job> {
    return until(() => this.#job(gateway, id), { deadlineMs: ENDED_WITHIN_MS, what: `the import ${id} to end` });
  }

  /** Null while it is under way. */
  async #job(gateway: Gateway, id: string): Promise<Job | null> {
    const job = (await gateway.gql<{ importJob: Job }>(JOB, { id })).data?.importJob;
    return job?.finishedAt == null ? null : job;
  }

  /** How many cards of a file are there, once a database that was killed answers again. */
  async #found(gateway: Gateway, file: number): Promise<number> {
    const query = 'query ($filter: CardFilter) { cards(first: 1, filter: $filter) { totalCount } }';
    const filter = { topicTags: [topicOf(file)] };
    const { cards } = await until(
      async () => (await gateway.gql<{ cards: { totalCount: number } }>(query, { filter })).data,
      { deadlineMs: ENDED_WITHIN_MS, what: 'the cards to be counted' },
    );
    return cards.totalCount;
  }
}

function rowsOf(file: number): number {
  return ROWS[file % ROWS.length] as number;
}

const topicOf = (file: number): string => `of file ${file}`;

function idsOf(file: number): readonly string[] {
  return Array.from({ length: rowsOf(file) }, (_, row) => `file-${file}-${row}`);
}

function linesOf(file: number): string {
  const lines = idsOf(file).map((id, row) => {
    const word = `${wordOf(file)}${wordOf(row)}`;
    return JSON.stringify({
      id,
      subject: 'physics',
      difficulty: 2,
      questionText: `${word} weighs how many pounds?`,
      studentSolutionText: `${word} plus three`,
      topicTags: [topicOf(file)],
      errorTypes: [`unit of ${word}`],
    });
  });
  return `${lines.join('\n')}\n`;
}
