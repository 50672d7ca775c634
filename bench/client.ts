import { request } from 'node:http';
import { type Answer, answered, GatewayClient } from '../src/cli/gateway-client.js';
import { abortable, delay } from '../src/domain/async.js';

/** An import that has ended. */
export interface ImportJob {
  readonly state: string;
  readonly finishedAt: string | null;
  readonly problem: string | null;
  readonly read: number;
  readonly created: number;
  readonly merged: number;
  readonly failed: number;
}

export interface ImportOptions {
  readonly onDuplicate?: 'KEEP' | 'MERGE';
  readonly dryRun?: boolean;
  /** Called with the rows that were read so far. */
  readonly onRead?: (rows: number) => void;
}

const POLL_MS = 100;

export const PROGRESS = '{ indexStatus { cards pending next { cards held } } }';
export interface IndexProgress {
  readonly cards: number;
  readonly pending: number;
  readonly next: { readonly cards: number; readonly held: number } | null;
}

/** All cards of a first index are pending until it is complete: what it holds shows how far it is. */
export function unindexed({ pending, next }: IndexProgress): number {
  return next === null ? pending : Math.max(1, next.cards - next.held);
}

/** A client of a gateway with one credential, or with none (''); its requests end with the signal. */
export class Client {
  readonly #gateway: GatewayClient;

  constructor(
    private readonly url: string,
    readonly bearer: string,
    private readonly signal: AbortSignal,
  ) {
    this.#gateway = new GatewayClient(url, bearer || null);
  }

  /** Sends one operation; AnsweredError if the response has errors. */
  async ask<T>(query: string, variables: object = {}): Promise<T> {
    // Not the client's own signal: fetch leaves its listeners on it until they are collected, thousands of them.
    const ended = new AbortController();
    const sent = this.#post('graphql', 'application/json', JSON.stringify({ query, variables }), ended.signal);
    const answer = await abortable(
      sent.then((response) => response.json() as Promise<Answer<T>>),
      this.signal,
    ).finally(() => ended.abort());
    return answered(answer).data as T;
  }

  /**
   * Exports cards; returns the number of bytes. By `http`: reading papers by `fetch` took this process up to .6 of a
   * core, which the gateway lacked (by hand).
   */
  export(order: object): Promise<number> {
    const authorization = this.bearer === '' ? {} : { authorization: `Bearer ${this.bearer}` };
    const headers = { 'content-type': 'application/json', ...authorization };
    const options = { method: 'POST', headers, signal: this.signal };
    return new Promise((resolve, reject) => {
      const sent = request(new URL('export', this.url), options, (response) => {
        let bytes = 0;
        response.on('data', (piece: Buffer) => {
          bytes += piece.length;
        });
        response.on('error', reject);
        response.on('end', () => {
          if (response.statusCode === 200) resolve(bytes);
          else reject(new Error(`the export was answered ${response.statusCode}`));
        });
      });
      sent.on('error', reject);
      sent.end(JSON.stringify(order));
    });
  }

  /** Imports JSON Lines, by default keeping duplicates, and waits until all are stored. */
  async import(
    lines: string,
    { onDuplicate = 'KEEP', dryRun = false, onRead }: ImportOptions = {},
  ): Promise<ImportJob> {
    const options = new URLSearchParams({ name: 'cards.jsonl', onDuplicate, dryRun: String(dryRun) });
    const response = await this.#post(`import?${options}`, 'application/x-ndjson', lines, this.signal);
    const { importJob } = (await response.json()) as { importJob: { id: string } };
    const query = 'query ($id: ID!) { importJob(id: $id) { state finishedAt problem read created merged failed } }';
    for (;;) {
      const { importJob: job } = await this.ask<{ importJob: ImportJob }>(query, { id: importJob.id });
      onRead?.(job.read);
      if (job.finishedAt !== null) {
        if (job.state === 'DONE') return job;
        throw new Error(`the import ended as ${job.state}: ${job.problem}`);
      }
      await delay(POLL_MS, this.signal);
    }
  }

  /** Number of cards that searches do not find yet, or that a new index lacks while it is built: at least one then. */
  async pending(): Promise<number> {
    const { indexStatus } = await this.ask<{ indexStatus: IndexProgress }>(PROGRESS);
    return unindexed(indexStatus);
  }

  #post(route: string, type: string, body: string, signal: AbortSignal): Promise<Response> {
    return this.#gateway.post(route, { headers: { 'content-type': type }, body, signal });
  }
}
