import { describe, expect, test } from 'vitest';
import { ownOccurrence } from '../../src/domain/occurrence.js';
import type { ImportStore } from '../../src/domain/ports/imports.js';
import { naiveFacets } from '../support/naive-facets.js';
import { card, INDEXED, serving } from './gateway.js';

const serve = serving();

describe('card', () => {
  test('returns every field of a card, with its index state', async () => {
    const { post } = await serve({
      store: { byIds: async () => new Map([['card-1', card()]]) },
      ledger: { states: async () => new Map([['card-1', INDEXED]]) },
    });
    const { data, errors } = await post(`{ card(id: "card-1") {
      id owner subject grade difficulty questionText choices studentSolutionText goldSolutionBrief topicTags errorTypes qualityGrade source
      notes occurredAt metadata { key value } attachments { url } occurrences createdAt updatedAt revision
      index { state indexedRevision indexedAt perspectives lastError }
    } }`);
    expect(errors).toEqual([]);
    const { tenantId: _tenant, ownerId: owner, ...shown } = card();
    expect(data.card).toEqual({
      owner,
      ...JSON.parse(JSON.stringify(shown)),
      index: {
        state: 'INDEXED',
        indexedRevision: 1,
        indexedAt: '2026-03-02T08:30:01.000Z',
        perspectives: ['QUESTION', 'SOLUTION', 'CONCEPT', 'ERROR'],
        lastError: null,
      },
    });
  });

  test('is null if the card does not exist', async () => {
    const { post } = await serve({ store: { byIds: async () => new Map() } });
    expect(await post('{ card(id: "nowhere") { id } }')).toMatchObject({ data: { card: null }, errors: [] });
  });

  test('asks the store once for many cards, and the ledger once for their states', async () => {
    const asked: (readonly string[])[] = [];
    const { post } = await serve({
      store: {
        byIds: async (_viewer, ids) => {
          asked.push(ids);
          return new Map(ids.map((id) => [id, card({ id })]));
        },
      },
      ledger: {
        states: async (_viewer, ids) => {
          asked.push(ids);
          return new Map(ids.map((id) => [id, INDEXED]));
        },
      },
    });
    await post(
      '{ a: card(id: "a") { index { state } } b: card(id: "b") { index { state } } again: card(id: "a") { id } }',
    );
    expect(asked).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  test('deleted during the request has an empty index state, and causes no error', async () => {
    const { post } = await serve({
      store: { byIds: async () => new Map([['card-1', card()]]) },
      ledger: { states: async () => new Map() },
    });
    const { data } = await post('{ card(id: "card-1") { index { state indexedRevision perspectives } } }');
    expect(data.card.index).toEqual({ state: 'PENDING', indexedRevision: null, perspectives: [] });
  });
});

describe('cardsByIds', () => {
  test('reads nothing if an id is invalid, so that no failed read is left unhandled', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    try {
      const { post } = await serve({ store: { byIds: () => Promise.reject(new Error('the database is away')) } });
      const { errors } = await post('{ cardsByIds(ids: ["card-1", ""]) { id } }');
      expect(errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'ids[1]' });
      await new Promise(setImmediate);
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', listen);
    }
  });
});

describe('cards', () => {
  test('are a Relay connection of the page from the store', async () => {
    const seen: unknown[] = [];
    const { post } = await serve({
      store: {
        page: async (_viewer, filter, request) => {
          seen.push(filter, request);
          const edges = ['b', 'a'].map((id) => ({ cursor: `at-${id}`, node: card({ id }) }));
          return { edges, hasNextPage: true, totalCount: 7 };
        },
      },
    });
    const { data } =
      await post(`{ cards(filter: {grade: " G6 ", difficultyMin: 2, qualityGrade: GOOD}, first: 2, after: "at-c") {
      edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount
    } }`);
    expect(data.cards).toEqual({
      edges: [
        { cursor: 'at-b', node: { id: 'b' } },
        { cursor: 'at-a', node: { id: 'a' } },
      ],
      nodes: [{ id: 'b' }, { id: 'a' }],
      pageInfo: { hasNextPage: true, hasPreviousPage: true, startCursor: 'at-b', endCursor: 'at-a' },
      totalCount: 7,
    });
    expect(seen).toEqual([
      { grade: ['G6'], difficultyMin: 2, qualityGrade: ['GOOD'] },
      { first: 2, after: 'at-c' },
    ]);
  });

  test('are the first 20 without arguments; an empty page has no cursors', async () => {
    const seen: unknown[] = [];
    const { post } = await serve({
      store: {
        page: async (_viewer, filter, request) => {
          seen.push(filter, request);
          return { edges: [], hasNextPage: false, totalCount: 0 };
        },
      },
    });
    const { data } = await post('{ cards { pageInfo { startCursor endCursor hasPreviousPage } } }');
    expect(data.cards.pageInfo).toEqual({ startCursor: null, endCursor: null, hasPreviousPage: false });
    expect(seen).toEqual([{}, { first: 20, after: null }]);
  });
});

test('facets are returned as the store counts them', async () => {
  const counts = {
    ...naiveFacets([]),
    total: 1,
    distinctSubjects: 1,
    subject: [{ value: 'math', count: 1 }],
  };
  const { post } = await serve({ store: { facets: async () => counts } });
  const { data } = await post('{ facets { total distinctSubjects subject { value count } grade { value } } }');
  expect(data.facets).toEqual({ total: 1, distinctSubjects: 1, subject: [{ value: 'math', count: 1 }], grade: [] });
});

test('each list of facets is completed in a turn of its own, also one that an alias repeats', async () => {
  let turn = 0;
  let next = setImmediate(function count() {
    turn += 1;
    next = setImmediate(count);
  });
  const turns: number[] = [];
  const list = {
    get: () => {
      turns.push(turn);
      return [];
    },
  };
  const counts = Object.defineProperties(naiveFacets([]), { topicTag: list, errorType: list });
  const { post } = await serve({ store: { facets: async () => counts } });
  await post('{ facets { topicTag { value } a: topicTag { value } errorType { value } } }');
  clearImmediate(next);
  expect(turns).toHaveLength(3);
  expect(new Set(turns).size).toBe(3);
});

describe('occurrencesOf', () => {
  const QUERY = '{ occurrencesOf(cardId: "old") { wrongSolution } }';
  const absent = async () => new Map();
  const time = { ...ownOccurrence(card({ studentSolutionText: 'x = 2' })), number: 1 };
  const occurrences: ImportStore['occurrences'] = async (_viewer, ids) => new Map(ids.map((id) => [id, [time]]));

  test('takes the id of a card that was merged into another one, as card does', async () => {
    const asked: unknown[] = [];
    const { post } = await serve({
      store: { byIds: absent, mergedInto: async () => new Map([['old', card({ id: 'card-1' })]]) },
      imports: {
        occurrences: (viewer, ids) => {
          asked.push(ids);
          return occurrences(viewer, ids);
        },
      },
    });
    expect((await post(QUERY)).data).toEqual({ occurrencesOf: [{ wrongSolution: 'x = 2' }] });
    expect(asked).toEqual([['card-1']]);
  });

  test('of a card that does not exist is NOT_FOUND', async () => {
    const { post } = await serve({ store: { byIds: absent } });
    const { errors } = await post(QUERY);
    expect(errors).toMatchObject([{ message: 'no card with the id "old"', extensions: { code: 'NOT_FOUND' } }]);
  });
});
