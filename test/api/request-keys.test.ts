import { describe, expect, test } from 'vitest';
import { BadInputError } from '../../src/domain/errors.js';
import type { CardStore, RequestKey } from '../../src/domain/ports/cards.js';
import type { Caller } from '../../src/domain/viewer.js';
import { answerOf, card, send, serving, type TestApi } from './gateway.js';

const serve = serving();

/** A gateway that writes down which request key each change came with. */
async function keeping(): Promise<{ gateway: TestApi; seen: (RequestKey | null | undefined)[] }> {
  const seen: (RequestKey | null | undefined)[] = [];
  const gateway = await serve({
    store: {
      create: async (_viewer, _card, request) => {
        seen.push(request);
        return card();
      },
      update: async (_viewer, _id, _change, _expected, request) => {
        seen.push(request);
        return card();
      },
      delete: async (_viewer, _id, _expected, request) => {
        seen.push(request);
        return true;
      },
    },
    control: { rebuild: async () => undefined },
  });
  return { gateway, seen };
}

const post = async (url: string, query: string, key: string) =>
  answerOf(
    await send(url, {
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ query }),
    }),
  );

const CREATE = 'createCard(input: { subject: "math", difficulty: 1, questionText: "1 + 1" }) { id }';
const UPDATE = 'updateCard(id: "a", input: { notes: "n" }) { id }';

describe('an Idempotency-Key', () => {
  test('distinguishes the changes of a request, and recognises a repeated request', async () => {
    const { gateway, seen } = await keeping();
    const query = `mutation { a: ${CREATE} b: ${UPDATE} deleteCard(id: "a") }`;
    for (let n = 0; n < 2; n++) expect((await post(gateway.url, query, 'k-1')).errors).toEqual([]);
    expect(seen.slice(0, 3).map((request) => request?.key)).toEqual(['k-1 0', 'k-1 1', 'k-1 2']);
    expect(new Set(seen.map((request) => request?.body)).size).toBe(3);
    expect(seen.slice(3)).toEqual(seen.slice(0, 3));
  });

  test('depends on every argument except whether to wait for the index', async () => {
    const { gateway, seen } = await keeping();
    for (const rest of ['', ', waitForIndex: false', ', expectedRevision: null', ', expectedRevision: 2']) {
      await post(gateway.url, `mutation { updateCard(id: "a", input: { notes: "n" }${rest}) { id } }`, 'k');
    }
    const [plain, waiting, none, expecting] = seen.map((request) => request?.body);
    expect([waiting, none]).toEqual([plain, plain]);
    expect(expecting).not.toBe(plain);
  });

  test('takes null in a new card for nothing, but not in a change, where it clears', async () => {
    const { gateway, seen } = await keeping();
    for (const rest of ['', 'notes: null', 'attachments: [{ url: "https://x.org", altText: null }]', 'notes: "n"']) {
      const input = `{ subject: "math", difficulty: 1, questionText: "1 + 1" ${rest} }`;
      const made = `mutation { createCard(input: ${input}) { id } createCards(inputs: [${input}]) { card { id } } }`;
      expect((await post(gateway.url, made, 'k')).errors).toEqual([]);
    }
    const bodies = seen.map((request) => request?.body);
    expect(bodies.slice(2, 4)).toEqual(bodies.slice(0, 2));
    expect(new Set(bodies).size).toBe(6);
    await post(gateway.url, 'mutation { updateCard(id: "a", input: { notes: "n" }) { id } }', 'k');
    await post(gateway.url, 'mutation { updateCard(id: "a", input: { notes: "n", grade: null }) { id } }', 'k');
    expect(seen.at(-1)?.body).not.toBe(seen.at(-2)?.body);
    for (const rest of ['', 'expectedRevision: null']) {
      const item = `{ id: "a", input: { notes: null } ${rest} }`;
      await post(gateway.url, `mutation { updateCards(changes: [${item}]) { card { id } } }`, 'k');
    }
    expect(seen.at(-1)?.body).toBe(seen.at(-2)?.body);
  });

  test('belongs to its sender, also where a teacher creates the card of a student', async () => {
    const tess: Caller = { tenantId: 'north', ownerId: 'tess', role: 'teacher', scopes: ['read', 'write'] };
    const seen: unknown[] = [];
    const create: CardStore['create'] = async ({ ownerId }, _card, request) => {
      seen.push([ownerId, request?.sender?.ownerId]);
      return card();
    };
    const gateway = await serve(
      { store: { create } },
      { guard: { authenticator: { authenticate: async () => tess } } },
    );
    const input = '{ subject: "math", difficulty: 1, questionText: "1 + 1", owner: "amy" }';
    await post(gateway.url, `mutation { createCard(input: ${input}) { id } }`, 'k');
    await post(gateway.url, `mutation { createCards(inputs: [${input}]) { card { id } } }`, 'k');
    expect(seen).toEqual([
      ['amy', 'tess'],
      ['amy', 'tess'],
    ]);
  });

  test('is optional', async () => {
    const { gateway, seen } = await keeping();
    await gateway.post(`mutation { ${CREATE} }`);
    expect(seen).toEqual([null]);
  });

  test.each(['two words', 'x'.repeat(201), '\u00e9'])('%j is refused', async (key) => {
    const { gateway, seen } = await keeping();
    const { status, errors } = await post(gateway.url, `mutation { ${CREATE} }`, key);
    expect([status, errors[0]?.extensions]).toEqual([400, { code: 'BAD_USER_INPUT', field: 'Idempotency-Key' }]);
    expect(seen).toEqual([]);
  });

  test.each([
    'createCard(input: { subject: "math", difficulty: 1, questionText: "1 + 1" }, onDuplicate: MERGE) { id }',
    'createCards(inputs: [{ subject: "math", difficulty: 1, questionText: "1 + 1" }], onDuplicate: REJECT) { card { id } }',
  ])('is refused where duplicates are not kept: %s', async (mutation) => {
    const { gateway, seen } = await keeping();
    const { errors } = await post(gateway.url, `mutation { ${mutation} }`, 'k');
    expect(errors.map(({ extensions }) => extensions)).toEqual([{ code: 'BAD_USER_INPUT', field: 'Idempotency-Key' }]);
    expect(seen).toEqual([]);
  });

  test('is accepted beside __typename', async () => {
    const { gateway, seen } = await keeping();
    const { data, errors } = await post(gateway.url, `mutation { __typename ${CREATE} }`, 'k');
    expect([errors, data.__typename, seen.length]).toEqual([[], 'Mutation', 1]);
  });

  test('is refused with a mutation that does not support it', async () => {
    const { gateway } = await keeping();
    const { status, errors } = await post(gateway.url, 'mutation { rebuildIndex { cards } }', 'k');
    expect(status).toBe(400);
    expect(errors[0]).toMatchObject({ message: expect.stringContaining('rebuildIndex does not accept one') });
  });
});

test('the key of importCards takes null in a row for nothing', async () => {
  const bodies: unknown[] = [];
  const gateway = await serve({
    requestImporter: {
      importInputs: async (_viewer, _rows, _options, request) => {
        bodies.push(request?.body);
        throw new BadInputError('rows', 'are not stored here');
      },
    },
  });
  for (const rest of ['', 'notes: null', 'notes: "n"']) {
    const row = `{ subject: "math", difficulty: 1, questionText: "1 + 1" ${rest} }`;
    await gateway.post(`mutation { importCards(rows: [${row}], key: "k") { id } }`);
  }
  expect(bodies).toHaveLength(3);
  expect(bodies[1]).toBe(bodies[0]);
  expect(bodies[2]).not.toBe(bodies[0]);
});
