import { SignJWT } from 'jose';
import { delay } from '../src/domain/async.js';
import { AnsweredError } from './gateway.js';

const SECRET = 'a secret of a benchmark, with more than 32 bytes';
const ISSUER = 'https://school.example';
const AUDIENCE = 'errata';

/** Settings of a gateway that accepts the credentials of {@link bearerOf}. */
export const SCHOOL_SETTINGS = { JWT_SECRET: SECRET, JWT_ISSUER: ISSUER, JWT_AUDIENCE: AUDIENCE, RATE_LIMIT: '0' };

/** A credential for a day. */
export async function bearerOf(who: {
  readonly sub: string;
  readonly tenant: string;
  readonly role: string;
}): Promise<string> {
  const { sub, ...claims } = who;
  const token = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).setSubject(sub);
  return token
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt()
    .setExpirationTime('1 day')
    .sign(new TextEncoder().encode(SECRET));
}

/** A client of a gateway with one credential; its requests end with the signal. */
export class Client {
  constructor(
    private readonly url: string,
    readonly bearer: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Sends one operation; AnsweredError if the response has errors. */
  async ask<T>(query: string, variables: object = {}): Promise<T> {
    const response = await this.post('/graphql', 'application/json', JSON.stringify({ query, variables }));
    const answer = (await response.json()) as {
      data: T;
      errors?: readonly [{ message: string; extensions: { code: string } }];
    };
    if (answer.errors) throw new AnsweredError(answer.errors[0].message, answer.errors[0].extensions.code);
    return answer.data;
  }

  /** Sends a body to a route. */
  post(path: string, type: string, body: string): Promise<Response> {
    const headers = { 'content-type': type, authorization: `Bearer ${this.bearer}` };
    return fetch(new URL(path, this.url), { method: 'POST', headers, body, signal: this.signal });
  }

  /** Exports cards; returns the number of bytes. */
  async export(request: object): Promise<number> {
    const response = await this.post('/export', 'application/json', JSON.stringify(request));
    if (!response.ok) throw new Error(await response.text());
    let bytes = 0;
    for await (const piece of response.body ?? []) bytes += (piece as Uint8Array).length;
    return bytes;
  }

  /** Imports JSON Lines, keeping duplicates, and waits until all are stored. */
  async import(lines: string, signal: AbortSignal): Promise<void> {
    const response = await this.post('/import?name=cards.jsonl&onDuplicate=KEEP', 'application/x-ndjson', lines);
    if (!response.ok) throw new Error(await response.text());
    const { importJob } = (await response.json()) as { importJob: { id: string } };
    const query = 'query ($id: ID!) { importJob(id: $id) { state finishedAt problem } }';
    for (;;) {
      const { importJob: job } = await this.ask<{ importJob: ImportJob }>(query, { id: importJob.id });
      if (job.finishedAt !== null) {
        if (job.state === 'DONE') return;
        throw new Error(`the import ended as ${job.state}: ${job.problem}`);
      }
      await delay(100, signal);
    }
  }

  /** Number of cards that searches do not find yet, plus one while a new index is built. */
  async pending(): Promise<number> {
    const query = '{ indexStatus { pending building } }';
    const { indexStatus } = await this.ask<{ indexStatus: { pending: number; building: boolean } }>(query);
    return indexStatus.pending + (indexStatus.building ? 1 : 0);
  }
}

interface ImportJob {
  readonly state: string;
  readonly finishedAt: string | null;
  readonly problem: string | null;
}
