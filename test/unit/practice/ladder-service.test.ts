import { expect, onTestFinished, test, vi } from 'vitest';
import type { Card } from '../../../src/domain/card.js';
import { BadInputError } from '../../../src/domain/errors.js';
import { type Attempt, DEFAULT_PRACTICE_SETTINGS, type LabelledCard } from '../../../src/domain/practice.js';
import type { SearchRequest } from '../../../src/domain/search.js';
import type { SearchHit } from '../../../src/domain/search-result.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { LadderService, type LadderServiceParts } from '../../../src/practice/ladder-service.js';
import { BUILTIN_SETTINGS } from '../../../src/search/profile.js';
import { cardOf } from '../../support/generators.js';

const AMY: Viewer = { tenantId: 'north', ownerId: 'amy', role: 'student' };
const NOW = new Date('2026-06-01T00:00:00Z');

const labelled = (id: string): LabelledCard => ({
  ...{ id, ownerId: 'amy', difficulty: 3, topicTags: ['fractions'], errorTypes: [], questionKey: id, mistakes: [] },
});
const wrong = (cardId: string, day: number): Attempt => ({
  ...{ key: `${cardId} ${day}`, cardId, reviewOf: null, at: new Date(Date.UTC(2026, 4, day)), correct: false },
  ...{ hints: 0, durationMs: null, changedAnswer: false },
});
const LOG = [1, 2, 3, 4, 5, 6].map((day) => wrong(`done${day}`, day));
const QUESTIONS = ['Add two thirds and a half.', 'How long is the hedge?', 'Which share of the pie is left at noon?'];
const HITS = QUESTIONS.map((questionText, place) => {
  const labels = { topicTags: ['fractions'], errorTypes: [] };
  return { card: { id: `c${place}`, questionText, choices: [] as string[], difficulty: 2 + place, ...labels } };
}) as unknown as SearchHit[];

const parts = {
  attempts: { log: async () => LOG },
  overviews: { cards: async () => LOG.map(({ cardId }) => labelled(cardId)) },
  engine: { search: async () => ({ hits: HITS }) },
  profiles: { chosen: async () => ({ settings: BUILTIN_SETTINGS }) },
  cards: { byIds: async () => new Map<string, Card>() },
  reviews: { done: async () => ({ cardIds: [], served: 0, firstTime: 0 }) },
  practice: { settings: async () => DEFAULT_PRACTICE_SETTINGS },
  labels: {
    described: async () => [
      { kind: 'topicTags', name: 'fractions', aliases: ['分数'], parent: 'Numbers' },
      { kind: 'topicTags', name: 'numbers', aliases: [], parent: 'arithmetic' },
    ],
  },
} as unknown as LadderServiceParts;
const service = new LadderService(parts);

test.each(['fractions', 'Fractions', '分数', 'arithmetic'])(
  'a ladder of a weak topic, named %s, begins one level down',
  async (label) => {
    const query = { from: { kind: 'topic', label } as const, first: 2, language: 'en' as const };
    const { rungs } = await service.ladder(AMY, query, NOW, new AbortController().signal);
    expect(rungs.some(({ isLevelDown }) => isLevelDown)).toBe(true);
  },
);

test('a card with nothing to search for has no sibling and an empty ladder; other due cards have siblings', async () => {
  const marks = cardOf({ id: 'marks', questionText: '？？' });
  const due = cardOf({ id: 'due', questionText: 'How high is the tower?' });
  const search = async (_viewer: Viewer, { subject }: SearchRequest) => {
    if (subject.kind === 'card' && subject.cardId === 'marks') throw new BadInputError('cardId', 'has no text');
    return { hits: HITS.map((hit) => ({ ...hit, verdict: 'SAME_IDEA' })) };
  };
  const cards = { byIds: async () => new Map([['marks', marks]]) };
  const searching = new LadderService({ ...parts, cards, engine: { search } } as unknown as LadderServiceParts);
  const { signal } = new AbortController();
  const siblings = await searching.siblings(AMY, [marks, due], NOW, signal);
  expect(siblings.map((sibling) => sibling?.card.id)).toEqual([undefined, 'c0']);
  const query = { from: { kind: 'card', cardId: 'marks' } as const, first: 2, language: 'en' as const };
  expect((await searching.ladder(AMY, query, NOW, signal)).rungs).toEqual([]);
});

/** The hits as cards that tell when their question is read. */
function hitsReadBy(onRead: (cardId: string) => void): readonly SearchHit[] {
  return HITS.map((hit, place) => {
    const { id, questionText } = hit.card;
    const card = {
      ...hit.card,
      get questionText() {
        onRead(id);
        return questionText;
      },
    };
    return { ...hit, card, verdict: place === 2 ? 'SAME_TRAP' : 'SAME_IDEA' };
  });
}

test('hits for a due card are compared with the other cards until one fits, the closest first', async () => {
  const read = new Set<string>();
  const engine = { search: async () => ({ hits: hitsReadBy((id) => read.add(id)) }) };
  const due = cardOf({ id: 'due', questionText: 'How high is the tower?' });
  const searching = new LadderService({ ...parts, engine } as unknown as LadderServiceParts);
  const [sibling] = await searching.siblings(AMY, [due], NOW, new AbortController().signal);
  expect([sibling?.card.id, [...read]]).toEqual(['c2', ['c2']]);
});

/** Slows the clock down so much that each step ends a turn; returns the number of turns so far. */
function slowSteps(): () => number {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 10;
    return now;
  });
  let turn = 0;
  const next = (): void => {
    turn += 1;
    running = setImmediate(next);
  };
  let running = setImmediate(next);
  onTestFinished(() => {
    clearImmediate(running);
    clock.mockRestore();
  });
  return () => turn;
}

const source = cardOf({ id: 'source', questionText: 'How high is the tower?' });
const signal = new AbortController().signal;

test.each([
  // Each hit is compared with the card; or the second with the first, and the third with both.
  ['its card', { kind: 'card', cardId: 'source' }, HITS.length],
  ['each other', { kind: 'topic', label: 'fractions' }, HITS.length - 1],
] as const)('the hits of a ladder are compared with %s in several turns of the event loop', async (_, from, turns) => {
  const turn = slowSteps();
  const readIn = new Map<string, number>();
  const hits = hitsReadBy((id) => readIn.set(id, readIn.get(id) ?? turn()));
  const cards = { byIds: async () => new Map([['source', source]]) };
  const engine = { search: async () => ({ hits }) };
  const searching = new LadderService({ ...parts, cards, engine } as unknown as LadderServiceParts);
  await searching.ladder(AMY, { from, first: 3, language: 'en' }, NOW, signal);
  expect(new Set(readIn.values()).size).toBe(turns);
});

test('the hits for a due card are compared with the other cards in several turns of the event loop', async () => {
  const turn = slowSteps();
  const readIn = new Map<string, number>();
  const hits = hitsReadBy((id) => readIn.set(id, readIn.get(id) ?? turn()));
  const engine = { search: async () => ({ hits }) };
  const searching = new LadderService({ ...parts, engine } as unknown as LadderServiceParts);
  // The closest hit asks what is due already.
  const due = [source, cardOf({ id: 'due', questionText: QUESTIONS[2] as string })];
  await searching.siblings(AMY, due, NOW, signal);
  expect(new Set(readIn.values()).size).toBe(HITS.length);
});
