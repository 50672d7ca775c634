import { describe, expect, test, vi } from 'vitest';
import { DEFAULT_PRACTICE_SETTINGS } from '../../src/domain/practice.js';
import { SEARCH_DEADLINE_MS } from '../../src/domain/search.js';
import { atOnce } from '../../src/domain/steps.js';
import { StudentModel } from '../../src/practice/student-model.js';
import { card, serving } from './gateway.js';

const serve = serving();

const RECORD = 'mutation ($attempts: [AttemptInput!]!) { recordAttempts(attempts: $attempts) { key outcome } }';
const attempt = { key: 'k1', cardId: 'card-1', correct: true };

describe('recordAttempts', () => {
  test('passes on the attempts with defaults, and returns the outcome of each', async () => {
    let recorded: unknown;
    const { post } = await serve({
      practice: {
        record: async (_viewer, attempts) => {
          recorded = attempts;
          return [{ key: 'k1', cardId: 'card-1', outcome: 'RECORDED', review: null }];
        },
      },
    });
    const { data } = await post(RECORD, { attempts: [{ ...attempt, at: '2026-03-01T08:00:00Z' }] });
    expect(data.recordAttempts).toEqual([{ key: 'k1', outcome: 'RECORDED' }]);
    expect(recorded).toEqual([
      {
        ...attempt,
        reviewOf: null,
        at: new Date('2026-03-01T08:00:00Z'),
        hints: 0,
        durationMs: null,
        changedAnswer: false,
        answer: null,
        ownerId: null,
        isDated: true,
        recordOccurrence: false,
      },
    ]);
  });

  test.each([
    [[], 'attempts'],
    [Array.from({ length: 501 }, (_, place) => ({ ...attempt, key: `k${place}` })), 'attempts'],
    [[{ ...attempt, key: ' ' }], 'attempts[0].key'],
    [[attempt, { ...attempt, cardId: '#' }], 'attempts[1].cardId'],
    [[{ ...attempt, hints: -1 }], 'attempts[0].hints'],
    [[{ ...attempt, durationMs: 86_400_001 }], 'attempts[0].durationMs'],
    [[{ ...attempt, answer: '' }], 'attempts[0].answer'],
    [[{ ...attempt, at: '2999-01-01T00:00:00Z' }], 'attempts[0].at'],
  ])('refuses %j by the name of the field', async (attempts, field) => {
    const { post } = await serve({});
    const { errors } = await post(RECORD, { attempts });
    expect(errors.map(({ extensions }) => extensions)).toEqual([{ code: 'BAD_USER_INPUT', field }]);
  });
});

describe('dueCards', () => {
  test('returns a page as a connection', async () => {
    const due = { card: card(), review: null, practisedToday: true };
    const { post } = await serve({
      practice: {
        due: async () => ({
          edges: [{ cursor: 'c', node: due }],
          hasNextPage: true,
          totalCount: 7,
          dueReviews: 9,
          doneToday: 2,
        }),
      },
    });
    const { data } = await post(
      '{ dueCards(first: 1) { totalCount dueReviews doneToday nodes { card { id } review { due } practisedToday } pageInfo { hasNextPage endCursor } } }',
    );
    expect(data.dueCards).toEqual({
      totalCount: 7,
      dueReviews: 9,
      doneToday: 2,
      nodes: [{ card: { id: 'card-1' }, review: null, practisedToday: true }],
      pageInfo: { hasNextPage: true, endCursor: 'c' },
    });
  });
});

test('siblings of due cards, each of which is searched for, have the time of a request', async () => {
  const node = { card: card(), review: null, practisedToday: false };
  const page = { edges: [{ cursor: 'c', node }], hasNextPage: false, totalCount: 1, dueReviews: 0, doneToday: 0 };
  const { post } = await serve({
    practice: { due: async () => page },
    ladders: {
      siblings: async (_viewer, cards, _at, signal) => {
        await vi.advanceTimersByTimeAsync(2 * SEARCH_DEADLINE_MS);
        signal.throwIfAborted();
        return cards.map(() => null);
      },
    },
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const asked = post('{ dueCards(serve: SIBLING) { nodes { card { id } sibling { verdict } } } }');
  const { data, errors } = await asked.finally(() => vi.useRealTimers());
  expect(errors).toEqual([]);
  expect(data.dueCards.nodes).toEqual([{ card: { id: 'card-1' }, sibling: null }]);
});

test("a card has the viewer's review state, read at once for all cards of a list", async () => {
  const asked: (readonly string[])[] = [];
  const due = new Date('2026-03-02T08:00:00Z');
  const review = {
    ...{ due, dueOn: '2026-03-02', lastReview: due, state: 'REVIEW' as const, reps: 3, lapses: 0, stability: 2 },
    ...{ difficulty: 5, retrievability: 0.9, scheduledDays: 2, learningSteps: 0 },
  };
  const { post } = await serve({
    store: { byIds: async (_viewer, ids) => new Map(ids.map((id) => [id, card({ id })])) },
    practice: {
      reviews: async (_viewer, ids) => {
        asked.push(ids);
        return new Map([['b', review]]);
      },
    },
  });
  const { data } = await post('{ cardsByIds(ids: ["a", "b"]) { review { dueOn reps } } }');
  expect(data.cardsByIds).toEqual([{ review: null }, { review: { dueOn: '2026-03-02', reps: 3 } }]);
  expect(asked).toEqual([['a', 'b']]);
});

test('attempts lists those of the viewer, or of a student, as a connection', async () => {
  const asked: unknown[] = [];
  const node = {
    ...{ key: 'k1', ownerId: 'amy', cardId: 'c1', reviewOf: null, at: new Date('2026-03-01T08:00:00Z'), correct: true },
    ...{ hints: 0, durationMs: null, changedAnswer: false, answer: 'x' },
  };
  const { post } = await serve({
    store: { byIds: async () => new Map() },
    attemptPages: {
      page: async (viewer, { ownerId, ...wanted }, page) => {
        asked.push([ownerId === viewer.ownerId ? 'viewer' : ownerId, wanted, page]);
        return { edges: [{ cursor: 'c', node }], hasNextPage: true };
      },
    },
  });
  const { data } = await post('{ attempts(first: 1) { nodes { key at answer } pageInfo { hasNextPage endCursor } } }');
  expect(data.attempts).toEqual({
    nodes: [{ key: 'k1', at: '2026-03-01T08:00:00.000Z', answer: 'x' }],
    pageInfo: { hasNextPage: true, endCursor: 'c' },
  });
  await post('{ attempts(owner: "amy", cardId: "c1", from: "2026-03-01T08:00:00Z") { nodes { key } } }');
  expect(asked).toEqual([
    ['viewer', { cardId: null, from: null, to: null }, { first: 1, after: null }],
    ['amy', { cardId: 'c1', from: node.at, to: null }, { first: 50, after: null }],
  ]);
});

test('reviewStatistics shows what was fitted to the viewer, or to a student, and practiceSettings theirs', async () => {
  const asked: unknown[] = [];
  const schedule = {
    ...{ weights: [0.2, 1.3], isUsed: true, reviews: 400, heldOutReviews: 100, defaultLogLoss: 0.4, logLoss: 0.35 },
    fittedAt: new Date('2026-03-01T08:00:00Z'),
  };
  const { post } = await serve({
    practice: {
      statistics: async (viewer, ownerId) => {
        asked.push(ownerId === viewer.ownerId ? 'viewer' : ownerId);
        return { reviews: 1, right: 1, retention: 1, low: 0.2, high: 1, desiredRetention: 0.9, schedule };
      },
      settings: async (viewer, ownerId) => {
        asked.push(ownerId === viewer.ownerId ? 'viewer' : ownerId);
        return DEFAULT_PRACTICE_SETTINGS;
      },
    },
  });
  const { data } = await post(
    '{ reviewStatistics { schedule { weights isUsed reviews heldOutReviews defaultLogLoss logLoss fittedAt } } }',
  );
  expect(data.reviewStatistics.schedule).toEqual({ ...schedule, fittedAt: '2026-03-01T08:00:00.000Z' });
  await post('{ practiceSettings { timeZone } }');
  await post('{ reviewStatistics(owner: "amy") { reviews } practiceSettings(owner: "amy") { timeZone } }');
  expect(asked).toEqual(['viewer', 'viewer', 'amy', 'amy']);
});

test('cardDifficulty passes on the estimate, or null', async () => {
  const estimate = { estimate: 3.4, spread: 0.6, neighbourIds: ['card-2'], attempts: 4, right: 1 };
  const { post } = await serve({
    difficulties: { difficulty: async (_viewer, cardId) => (cardId === 'card-1' ? estimate : null) },
  });
  const { data } = await post(
    '{ known: cardDifficulty(cardId: "card-1") { estimate spread neighbourIds attempts right } other: cardDifficulty(cardId: "x") { estimate } }',
  );
  expect(data).toEqual({ known: estimate, other: null });
});

test.each([
  ['dueCards(first: 0) { totalCount }', 'first'],
  ['dueCards(filter: { difficultyMin: 9 }) { totalCount }', 'filter.difficultyMin'],
  ['reviewForecast(days: 91) { day }', 'days'],
  ['attempts(cardId: "#") { nodes { key } }', 'cardId'],
  ['attempts(from: "2026-03-02T00:00:00Z", to: "2026-03-02T00:00:00Z") { nodes { key } }', 'from'],
])('%s is refused by the name of the field', async (query, field) => {
  const { post } = await serve({});
  const { errors } = await post(`{ ${query} }`);
  expect(errors.map(({ extensions }) => extensions)).toEqual([{ code: 'BAD_USER_INPUT', field }]);
});

test.each([
  ['{ timeZone: "Mars/Olympus" }', 'input.timeZone'],
  ['{ desiredRetention: 1 }', 'input.desiredRetention'],
  ['{ dailyLimit: 0 }', 'input.dailyLimit'],
  ['{ newPerDay: -1 }', 'input.newPerDay'],
])('practice settings %s are refused, naming the field', async (input, field) => {
  const { post } = await serve({});
  const { errors } = await post(`mutation { savePracticeSettings(input: ${input}) { timeZone } }`);
  expect(errors.map(({ extensions }) => extensions)).toEqual([{ code: 'BAD_USER_INPUT', field }]);
});

test.each([
  ['practiceLadder { missing }', 'fromCardId'],
  ['practiceLadder(topicTag: "a", errorType: "b") { missing }', 'fromCardId'],
  ['practiceLadder(topicTag: "a", first: 31) { missing }', 'first'],
  ['dueCards(first: 21, serve: SIBLING) { totalCount }', 'first'],
  ['mastery(topicTags: []) { totalCount }', 'topicTags'],
  ['mastery(first: 0) { totalCount }', 'first'],
  ['mistakeFingerprint(owner: " ") { unlabelled }', 'owner'],
  ['mistakeFingerprint(from: "2026-03-02T00:00:00Z", to: "2026-03-01T00:00:00Z") { unlabelled }', 'from'],
  ['classOverview { students }', 'group'],
  ['classOverview(group: "6a", owners: ["amy"]) { students }', 'group'],
  ['classOverview(owners: []) { students }', 'owners'],
  ['reviewStatistics(days: 0) { reviews }', 'days'],
  ['cardDifficulty(cardId: "#") { estimate }', 'cardId'],
])('%s is refused by the name of the field', async (query, field) => {
  const { post } = await serve({});
  const { errors } = await post(`{ ${query} }`);
  expect(errors.map(({ extensions }) => extensions)).toEqual([{ code: 'BAD_USER_INPUT', field }]);
});

test("a student's model is computed once for all cards of a list", async () => {
  let made = 0;
  const due = (id: string) => ({ cursor: id, node: { card: card({ id }), review: null, practisedToday: false } });
  const { post } = await serve({
    practice: {
      due: async () => ({
        edges: [due('a'), due('b')],
        hasNextPage: false,
        totalCount: 2,
        dueReviews: 0,
        doneToday: 0,
      }),
    },
    masteries: {
      model: async () => {
        made += 1;
        return atOnce(StudentModel.steps([], new Map()));
      },
    },
  });
  const { data } = await post('{ dueCards { nodes { successProbability } } }');
  expect(data.dueCards.nodes).toHaveLength(2);
  for (const { successProbability } of data.dueCards.nodes) {
    expect(successProbability).toBeGreaterThan(0);
    expect(successProbability).toBeLessThan(1);
  }
  expect(made).toBe(1);
});
