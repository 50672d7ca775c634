import { once } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { DEFAULT_CALLER, EVERYONE } from '../../../../src/access/authenticator.js';
import { delay } from '../../../../src/domain/async.js';
import { NO_FOREGROUND, type TakeTurn } from '../../../../src/domain/background.js';
import { UnauthenticatedError, UnavailableError } from '../../../../src/domain/errors.js';
import { ownOccurrence } from '../../../../src/domain/occurrence.js';
import { parseExport } from '../../../../src/domain/parse/export.js';
import { DEFAULT_VIEWER } from '../../../../src/domain/viewer.js';
import { Exporter } from '../../../../src/exchange/export/exporter.js';
import { exportRoute } from '../../../../src/http/export.js';
import { startApi, type TestApi } from '../../../api/gateway.js';
import { cardOf } from '../../../support/generators.js';
import { until } from '../../../support/until.js';

let gateway: TestApi | undefined;
afterEach(() => gateway?.close());

/** Nobody searches here. */
const takeTurn: TakeTurn = async (step) => step();

/**
 * A notebook without an end; `pages` counts the pages that were read of it. With `until`, the one after those cannot be
 * read.
 */
function endless(until = Number.POSITIVE_INFINITY) {
  const read = { pages: 0 };
  const imports = {
    cardsAfter: async () => {
      if (read.pages === until) throw new UnavailableError('database', 'the connection was lost');
      read.pages += 1;
      await delay(1);
      return Array.from({ length: 200 }, (_, n) => cardOf({ id: `${read.pages}-${n}`, notes: 'x'.repeat(1_000) }));
    },
    occurrences: async (_viewer: unknown, ids: readonly string[]) =>
      new Map(ids.map((id) => [id, [{ ...ownOccurrence(cardOf({ id })), number: 1 }]])),
  };
  const papers = {
    write: async () => {
      throw new Error('no paper was asked for');
    },
  };
  const parts = {
    cards: { byIds: async () => new Map(), mergedInto: async () => new Map() },
    imports,
    papers,
    files: { embedded: async () => new Map() },
    takeTurn,
    background: NO_FOREGROUND,
  };
  return { read, exporter: new Exporter(parts) };
}

test.each(['jsonl', 'csv', 'xlsx'])(
  'an export as %s reads no further page after its client has disconnected',
  async (format) => {
    const { read, exporter } = endless();
    gateway = await startApi({}, { files: [exportRoute(exporter, EVERYONE)] });
    const headers = { 'content-type': 'application/json' };
    const client = request(`${gateway.url}/export`, { method: 'POST', headers });
    client.end(JSON.stringify({ format }));
    const [answer] = await once(client, 'response');
    answer.resume();
    await until(() => read.pages > 3, { deadlineMs: 30_000, what: 'some pages to be read' });
    client.destroy();
    // What is under way may end; then nothing comes after it.
    const resting = async (): Promise<boolean> => {
      const before = read.pages;
      await delay(300);
      return read.pages === before;
    };
    await until(resting, { deadlineMs: 30_000, what: 'no page to be read any more' });
  },
);

test.each(['jsonl', 'csv', 'xlsx'])('an export as %s that fails aborts its response, and no other', async (format) => {
  const { exporter } = endless(3);
  gateway = await startApi({}, { files: [exportRoute(exporter, EVERYONE)] });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${gateway.url}/export`, { method: 'POST', headers, body: JSON.stringify({ format }) });
  expect(answer.status).toBe(200);
  await expect(answer.arrayBuffer()).rejects.toThrow();
  expect((await gateway.post('{ __typename }')).data).toEqual({ __typename: 'Query' });
});

test.each(['jsonl', 'csv', 'xlsx'])('an export as %s ends when its credential is revoked', async (format) => {
  const { read, exporter } = endless();
  const authenticate = async () => {
    if (read.pages > 3) throw new UnauthenticatedError('the API key is not valid');
    return DEFAULT_CALLER;
  };
  gateway = await startApi({}, { files: [exportRoute(exporter, { authenticate }, 20)] });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${gateway.url}/export`, { method: 'POST', headers, body: JSON.stringify({ format }) });
  await expect(answer.arrayBuffer()).rejects.toThrow('terminated');
});

test('an export without mistakes, or with those of another student, has no wrong answers, errors or notes, on paper and for Anki', async () => {
  const card = cardOf({
    id: 'a',
    ownerId: 'amy',
    goldSolutionBrief: 'two',
    studentSolutionText: 'mine',
    errorTypes: ['sign'],
    notes: 'n1',
  });
  const papers = {
    write: async (_tenant: string, order: object, slices: AsyncIterable<unknown>) => {
      const cards: unknown[] = [];
      for await (const slice of slices) cards.push(slice);
      return Readable.from([JSON.stringify({ order, cards })]);
    },
  };
  const exporter = new Exporter({
    cards: { byIds: async () => new Map([['a', card]]), mergedInto: async () => new Map() },
    imports: {
      cardsAfter: async () => [],
      occurrences: async () => new Map([['a', [{ ...ownOccurrence(card), number: 1 }]]]),
    },
    papers,
    files: { embedded: async () => new Map() },
    takeTurn,
    background: NO_FOREGROUND,
  });
  for (const format of ['html', 'md', 'anki']) {
    const { isEmpty } = await exporter.export(DEFAULT_VIEWER, parseExport({ format }), new AbortController().signal);
    expect(isEmpty).toBe(true);
    const written = async (options: object): Promise<string> => {
      const { signal } = new AbortController();
      const order = parseExport({ format, cardIds: ['a'], ...options });
      const exported = await exporter.export(DEFAULT_VIEWER, order, signal);
      expect(exported.isEmpty).toBe(false);
      return text(exported.body);
    };
    for (const shown of [{}, { mistakesOf: 'amy' }]) {
      for (const part of ['two', 'mine', 'sign', 'n1']) expect(await written(shown)).toContain(part);
    }
    for (const hidden of [{ withoutMistakes: true }, { mistakesOf: 'bob' }]) {
      expect(await written(hidden)).toContain('two');
      expect(await written(hidden)).not.toMatch(/mine|sign|n1/);
    }
  }
  expect(() => parseExport({ format: 'jsonl', withoutMistakes: true })).toThrow('withoutMistakes: is for the formats');
  expect(() => parseExport({ format: 'csv', mistakesOf: 'amy' })).toThrow('mistakesOf: is for the formats');
  expect(() => parseExport({ format: 'md', mistakesOf: 'amy', withoutMistakes: true })).toThrow('mistakesOf: must not');
});
