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

/** A client of a gateway with one credential, or with none (''); its requests end with the signal. */
export class Client {
  readonly #gateway: GatewayClient;

  constructor(
    url: string,
    readonly bearer: string,
    private readonly signal: AbortSignal,
  ) {
    this.#gateway = new GatewayClient(url, bearer || null);
  }

  /** Sends one operation; AnsweredError if the response has errors. */
  async ask<T>(query: string, variables: object = {}): Promise<T> {
    // Not the client's own signal: fetch leaves its listeners on it until they are collected, thousands of them.
    const ended = new AbortController();
    const request = this.#post('graphql', 'application/json', JSON.stringify({ query, variables }), ended.signal);
    const answer = await abortable(
      request.then((response) => response.json() as Promise<Answer<T>>),
      this.signal,
    ).finally(() => ended.abort());
    return answered(answer).data as T;
  }

  /** Exports cards; returns the number of bytes. */
  async export(request: object): Promise<number> {
    const response = await this.#post('export', 'application/json', JSON.stringify(request), this.signal);
    let bytes = 0;
    for await (const piece of response.body ?? []) bytes += (piece as Uint8Array).length;
    return bytes;
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

  /** Number of cards that searches do not find yet, plus one while a new index is built. */
  async pending(): Promise<number> {
    const query = '{ indexStatus { pending building } }';
    const { indexStatus } = await this.ask<{ indexStatus: { pending: number; building: boolean } }>(query);
    return indexStatus.pending + (indexStatus.building ? 1 : 0);
  }

  #post(route: string, type: string, body: string, signal: AbortSignal): Promise<Response> {
    return this.#gateway.post(route, { headers: { 'content-type': type }, body, signal });
  }
}
