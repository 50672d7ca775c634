import { once } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { DEFAULT_CALLER, EVERYONE } from '../../../../src/access/authenticator.js';
import { delay } from '../../../../src/domain/async.js';
import { NO_FOREGROUND, type TakeTurn } from '../../../../src/domain/background.js';
import type { Card } from '../../../../src/domain/card.js';
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

test.each(['jsonl', 'csv', 'xlsx', 'anki'])(
  'cards with hundreds of long wrong answers are read and written as %s some at a time',
  async (format) => {
    const cards = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) =>
      cardOf({ id, questionText: '求 $x^2$'.repeat(1_800), occurrences: 200 }),
    );
    const asked: string[] = [];
    let pauses = 0;
    const exporter = new Exporter({
      cards: { byIds: async () => new Map(), mergedInto: async () => new Map() },
      imports: {
        cardsAfter: async () => cards,
        occurrences: async (_viewer, ids) => {
          asked.push(ids.join(' '));
          const times = Array.from({ length: 200 }, (_, n) => {
            return { ...ownOccurrence(cards[0] as Card), wrongSolution: `${n} $x$`.repeat(500), number: n + 1 };
          });
          return new Map(ids.map((id) => [id, times]));
        },
      },
      papers: { write: () => Promise.reject(new Error('no paper was asked for')) },
      files: { embedded: async () => new Map() },
      takeTurn,
      background: {
        pause: async () => {
          pauses += 1;
          return 0;
        },
      },
    });
    const { signal } = new AbortController();
    const { body } = await exporter.export(DEFAULT_VIEWER, parseExport({ format }), signal);
    const sizes: number[] = [];
    for await (const part of body) sizes.push(part.length);
    expect(asked).toEqual(['a b', 'c d', 'e f']);
    expect(Math.max(...sizes)).toBeLessThan(format === 'csv' ? 300_000 : 1_500_000);
    // Formulas take longest.
    if (format === 'anki') expect(pauses).toBeGreaterThan(0);
  },
);
