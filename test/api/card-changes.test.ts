import { describe, expect, test } from 'vitest';
import type { NewCard } from '../../src/domain/card.js';
import { ConflictError, NotFoundError } from '../../src/domain/errors.js';
import { DEFAULT_VIEWER } from '../../src/domain/viewer.js';
import { card, INDEXED, serving } from './gateway.js';

const serve = serving();
const VIEWER = expect.objectContaining(DEFAULT_VIEWER);

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
    ['waits for its revision when asked to', ', waitForIndex: true', [[VIEWER, 'card-1', 4, 5_000]]],
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
    expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND', cardId: 'a' } }]);
  });
});

describe('deleteCard', () => {
  test.each([
    ['waits until the index has nothing of the card', true, [[VIEWER, 'card-1', null, 5_000]]],
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
