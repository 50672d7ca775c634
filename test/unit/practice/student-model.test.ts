import { describe, expect, test } from 'vitest';
import type { Attempt, LabelledCard } from '../../../src/domain/practice.js';
import { atOnce } from '../../../src/domain/steps.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { MasteryService } from '../../../src/practice/mastery-service.js';
import { StudentModel } from '../../../src/practice/student-model.js';

const START = Date.parse('2026-03-01T08:00:00Z');
const NOW = new Date('2026-03-10T08:00:00Z');
const card = (id: string, over: Partial<LabelledCard> = {}): LabelledCard => ({
  id,
  ownerId: 'amy',
  difficulty: 3,
  topicTags: ['fractions'],
  errorTypes: [],
  questionKey: null,
  mistakes: [],
  ...over,
});
const attempt = (place: number, cardId: string, correct: boolean): Attempt => ({
  key: `k${place}`,
  cardId,
  reviewOf: null,
  at: new Date(START + place * 600_000),
  correct,
  hints: 0,
  durationMs: null,
  changedAnswer: false,
});
const cards = [
  ...Array.from({ length: 8 }, (_, place) => card(`f${place}`)),
  ...Array.from({ length: 8 }, (_, place) => card(`g${place}`, { topicTags: ['geometry'], errorTypes: ['unit'] })),
];
const byId = new Map(cards.map((one) => [one.id, one]));
/** Fractions right, geometry wrong. */
const log = cards.map(({ id }, place) => attempt(place, id, id.startsWith('f')));
const owned = log.map((attempt) => ({ ...attempt, ownerId: 'amy' }));

const modelOf = (...facts: Parameters<typeof StudentModel.steps>) => atOnce(StudentModel.steps(...facts));

describe('what a student can do', () => {
  const model = modelOf(log, byId);

  test('is higher in a topic with right answers than in one with wrong answers', () => {
    const [fractions, geometry] = [model.ability('topicTags', 'fractions'), model.ability('topicTags', 'geometry')];
    expect(fractions?.ability).toBeGreaterThan((geometry?.ability ?? 1) + 0.1);
    expect(geometry?.low).toBeLessThan(geometry?.ability ?? 0);
    expect(geometry?.high).toBeGreaterThan(geometry?.ability ?? 1);
    expect(model.ability('topicTags', 'algebra')).toBeNull();
  });

  test('is lower for a harder card, or a topic with wrong answers', () => {
    const chance = (over: Partial<LabelledCard>): number => model.probability(card('new', over), NOW);
    expect(modelOf(log, byId).probability(card('a', { difficulty: 1 }), NOW)).toBeGreaterThan(
      modelOf(log, byId).probability(card('b', { difficulty: 5 }), NOW) + 0.1,
    );
    expect(chance({ id: 'x' })).toBeGreaterThan(chance({ id: 'y', topicTags: ['geometry'], errorTypes: ['unit'] }));
  });

  test('with a label alone is that of a card that was never seen, whatever ids the cards have', () => {
    const chance = (id: string): number => {
      const tries = Array.from({ length: 10 }, (_, place) => attempt(place, id, true));
      return modelOf(tries, new Map([[id, card(id)]])).probabilityOf('topicTags', 'fractions', NOW);
    };
    expect(chance('medium')).toBe(chance('f0'));
  });

  test('counts the attempts of each label, without those of deleted cards', () => {
    const other = modelOf([...log, attempt(20, 'gone', true)], byId);
    expect(other.labels()).toEqual(model.labels());
    expect(model.labels().find(({ name }) => name === 'unit')).toMatchObject({ attempts: 8, right: 0 });
  });

  test('is worked out attempt by attempt', () => {
    expect([...StudentModel.steps(log, byId)]).toHaveLength(log.length);
  });
});

describe('mastery', () => {
  const viewer: Viewer = { tenantId: 'north', ownerId: 'amy', role: 'student' };
  let labelled = cards;
  const service = new MasteryService({
    attempts: { log: async (_viewer, which) => ('ownerIds' in which && which.ownerIds[0] === 'amy' ? owned : []) },
    overviews: { cards: async () => labelled },
    labels: {
      described: async () => [
        { kind: 'topicTags', name: 'fractions', aliases: ['分数', 'parts of a whole'], parent: 'numbers' },
        { kind: 'topicTags', name: 'numbers', aliases: ['数'], parent: null },
        { kind: 'errorTypes', name: 'unit', aliases: ['单位'], parent: null },
      ],
    },
  });
  const signal = new AbortController().signal;
  const ask = (over: object = {}) =>
    service.list(
      viewer,
      { first: 10, after: null, ownerId: null, topicTags: null, errorTypes: null, ...over },
      NOW,
      signal,
    );

  test('lists the weakest labels first, page by page', async () => {
    const all = await ask();
    const names = all.edges.map(({ node }) => node.name);
    expect(names.at(-1)).toBe('fractions');
    expect(all.totalCount).toBe(3);
    const first = await ask({ first: 2 });
    expect(first.hasNextPage).toBe(true);
    const rest = await ask({ first: 2, after: first.edges.at(-1)?.cursor });
    expect([...first.edges, ...rest.edges].map(({ node }) => node.name)).toEqual(names);
    await expect(ask({ after: 'nonsense' })).rejects.toThrow('after: is not a cursor of this list');
  });

  test('continues after a label that was renamed since', async () => {
    const names = (await ask()).edges.map(({ node }) => node.name);
    const [first] = (await ask({ first: 1 })).edges;
    const renamed = (name: string): string => (name === first?.node.name ? `a ${name}` : name);
    labelled = cards.map((one) => ({
      ...one,
      topicTags: one.topicTags.map(renamed),
      errorTypes: one.errorTypes.map(renamed),
    }));
    const rest = await ask({ after: first?.cursor });
    labelled = cards;
    expect(rest.edges.map(({ node }) => node.name)).toEqual(names.slice(1));
  });

  test('is returned for the requested labels', async () => {
    const names = async (over: object) => (await ask(over)).edges.map(({ node }) => node.name);
    expect(await names({ topicTags: ['fractions', 'algebra'] })).toEqual(['fractions']);
    expect(await names({ topicTags: ['数'] })).toEqual(['fractions']);
    expect(await names({ errorTypes: ['unit'] })).toEqual(['unit']);
    expect(await names({ topicTags: ['分数', ' Parts  of a WHOLE'] })).toEqual(['fractions']);
    expect(await names({ topicTags: ['单位'] })).toEqual([]);
    expect(await names({ errorTypes: ['单位', '分数'] })).toEqual(['unit']);
    expect(await names({ ownerId: 'ben' })).toEqual([]);
  });
});
