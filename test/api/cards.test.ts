import { describe, expect, test } from 'vitest';
import type { NewCard } from '../../src/domain/card.js';
import { ConflictError, NotFoundError } from '../../src/domain/errors.js';
import { ownOccurrence } from '../../src/domain/occurrence.js';
import type { ImportStore } from '../../src/domain/ports/imports.js';
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

describe('cards', () => {
  test('are a Relay connection of the page from the store', async () => {
    const seen: unknown[] = [];
    const { post } = await serve({
      store: {
        page: async (_viewer, filter, request) => {
          seen.push(filter, request);
          const edges = ['b', 'a'].map((id) => ({ cursor: `at-${id}`, card: card({ id }) }));
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
    total: 1,
    subject: [{ value: 'math', count: 1 }],
    grade: [],
    difficulty: [],
    topicTag: [],
    errorType: [],
  };
  const { post } = await serve({ store: { facets: async () => counts } });
  const { data } = await post('{ facets { total subject { value count } grade { value } } }');
  expect(data.facets).toEqual({ total: 1, subject: [{ value: 'math', count: 1 }], grade: [] });
});

describe('createCard', () => {
  test('stores the parsed card, and returns it', async () => {
    const stored: NewCard[] = [];
    const { post } = await serve({
      store: {
        create: async (_viewer, created) => {
          stored.push(created);
          return card({ id: 'made' });
        },
      },
    });
    const { data } = await post('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', {
      input: {
        subject: ' math ',
        difficulty: 3,
        questionText: '\uFEFFWhat is $x$?',
        choices: ['A. 1', 'B. 2'],
        topicTags: ['ratio', ' ratio', 'scale'],
        occurredAt: '2026-01-02T03:04:05+08:00',
      },
    });
    expect(data.createCard).toEqual({ id: 'made' });
    expect(stored).toEqual([
      {
        id: null,
        subject: 'math',
        grade: null,
        difficulty: 3,
        questionText: 'What is $x$?',
        choices: ['1', '2'],
        studentSolutionText: null,
        goldSolutionBrief: null,
        topicTags: ['ratio', 'scale'],
        errorTypes: [],
        qualityGrade: null,
        source: null,
        notes: null,
        occurredAt: new Date('2026-01-01T19:04:05Z'),
        metadata: [],
        attachments: [],
      },
    ]);
  });

  test.each([
    ['does not wait for the index', '', []],
    ['does not wait where null is passed', ', waitForIndex: null', []],
    ['waits for its revision when asked to', ', waitForIndex: true', [['default', 'card-1', 4, 5_000]]],
  ])('%s', async (_what, argument, waits) => {
    const waited: unknown[] = [];
    const { post } = await serve({
      store: { create: async () => card({ revision: 4 }) },
      control: { waitFor: async (...call) => void waited.push(call) },
    });
    await post(`mutation { createCard(input: {subject: "math", difficulty: 1, questionText: "?"}${argument}) { id } }`);
    expect(waited).toEqual(waits);
  });

  test('fails with CONFLICT for an existing id', async () => {
    const { post } = await serve({
      store: { create: () => Promise.reject(new ConflictError('there is a card with the id "a" already')) },
    });
    const { errors } = await post(
      'mutation { createCard(input: {id: "a", subject: "m", difficulty: 1, questionText: "?"}) { id } }',
    );
    expect(errors).toMatchObject([
      { message: 'there is a card with the id "a" already', extensions: { code: 'CONFLICT' } },
    ]);
  });
});

describe('updateCard', () => {
  test('passes on the given fields: null clears a field, and an absent field is kept', async () => {
    const updates: unknown[] = [];
    const { post } = await serve({
      store: {
        update: async (_viewer, id, change, expected) => {
          updates.push([id, change, expected]);
          return card();
        },
      },
    });
    const query =
      'mutation ($input: UpdateCardInput!, $r: Int) { updateCard(id: "card-1", input: $input, expectedRevision: $r) { id } }';
    await post(query, { input: { grade: null, difficulty: 5 }, r: 3 });
    await post(query, { input: { topicTags: null, errorTypes: [] } });
    await post(query, { input: { qualityGrade: null, notes: 'see page 7' }, r: null });
    expect(updates).toStrictEqual([
      ['card-1', { grade: null, difficulty: 5 }, 3],
      ['card-1', { topicTags: [], errorTypes: [] }, null],
      ['card-1', { qualityGrade: null, notes: 'see page 7' }, null],
    ]);
  });

  test('returns the index state after the change, not the one that an earlier mutation of the request read', async () => {
    let revision = 1;
    const { post } = await serve({
      store: { update: async () => card({ revision: ++revision }) },
      ledger: { states: async () => new Map([['card-1', { ...INDEXED, indexedRevision: revision }]]) },
    });
    const update = 'updateCard(id: "card-1", input: {difficulty: 2}) { index { indexedRevision } }';
    const { data } = await post(`mutation { first: ${update} second: ${update} }`);
    expect([data.first, data.second]).toEqual([{ index: { indexedRevision: 2 } }, { index: { indexedRevision: 3 } }]);
  });

  test('fails with NOT_FOUND if the card does not exist', async () => {
    const { post } = await serve({ store: { update: () => Promise.reject(new NotFoundError('card', 'a')) } });
    const { errors } = await post('mutation { updateCard(id: "a", input: {difficulty: 2}) { id } }');
    expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  });
});

describe('deleteCard', () => {
  test.each([
    ['waits until the index has nothing of the card', true, [['default', 'card-1', null, 5_000]]],
    ['is false and waits for nothing where there was no such card', false, []],
  ])('%s', async (_what, existed, waits) => {
    const waited: unknown[] = [];
    const { post } = await serve({
      store: { delete: async () => existed },
      control: { waitFor: async (...call) => void waited.push(call) },
    });
    const { data } = await post('mutation { deleteCard(id: "card-1", waitForIndex: true) }');
    expect(data.deleteCard).toBe(existed);
    expect(waited).toEqual(waits);
  });
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

describe('the index', () => {
  const status = {
    cards: 3,
    indexed: 2,
    pending: 1,
    failed: 0,
    model: 'builtin:512:f32:1',
    building: false,
    reconciliation: {
      finishedAt: new Date('2026-01-02T03:04:05.678Z'),
      cards: 3,
      missing: 1,
      stale: 0,
      orphans: 2,
      probed: 3,
      unreachable: 0,
      repaired: 3,
    },
    next: { model: 'builtin:512:f32:2', held: 1, cards: 4 },
    collections: async () => [{ perspective: 'question' as const, records: 2 }],
  };
  const fields = `{
    cards indexed pending failed model building next { model held cards } collections { perspective records }
    reconciliation { finishedAt cards missing stale orphans ghosts probed unreachable repaired }
  }`;

  test('returns its state', async () => {
    const { post } = await serve({ control: { status: async () => status } });
    const { data } = await post(`{ indexStatus ${fields} }`);
    expect(data.indexStatus).toEqual({
      ...status,
      reconciliation: { ...status.reconciliation, ghosts: 2, finishedAt: '2026-01-02T03:04:05.678Z' },
      collections: [{ perspective: 'QUESTION', records: 2 }],
    });
  });

  test('is rebuilt, and the state after the start of the rebuild is returned', async () => {
    let building = false;
    const { post } = await serve({
      control: {
        rebuild: async () => {
          building = true;
        },
        status: async () => ({ ...status, building }),
      },
    });
    const { data } = await post('mutation { rebuildIndex { building } }');
    expect(data.rebuildIndex).toEqual({ building: true });
  });
});
