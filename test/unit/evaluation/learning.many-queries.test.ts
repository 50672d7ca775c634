import { expect, test } from 'vitest';
import { among, memoryWorld, stored } from '../../../bench/memory-engine.js';
import type { SearchOperation, SearchRequest } from '../../../src/domain/search.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { LEAST_QUERIES, Learner } from '../../../src/evaluation/learning/learner.js';
import { BUILTIN_SETTINGS } from '../../../src/search/profile.js';
import { indexOf, notebookOfTopics } from './learning-examples.js';

const { signal } = new AbortController();

test('learning from a notebook asks with the labelled cards, holds half of the queries out, and never does worse there where it is used', async () => {
  const cards = notebookOfTopics();
  const { engine, index } = await memoryWorld(cards, { hasColumns: false });
  const byId = new Map(cards.map((card) => [`${card.id}`, stored(card)]));
  const asked: SearchOperation[] = [];
  const texts: string[] = [];
  const learner = new Learner({
    rescorers: {
      rescorers: (viewer, given, ...others) => {
        asked.push(...given.requests.map(({ operation }) => operation));
        const [{ subject }] = given.requests as [SearchRequest];
        if (subject.kind === 'text') texts.push(subject.text);
        return engine.rescorers(viewer, given, ...others);
      },
    },
    cards: { byIds: async (_viewer, ids) => among(byId, ids) },
    defaults: BUILTIN_SETTINGS,
    takeTurn: async (step) => step(),
  });
  const learned = await learner.learn(DEFAULT_VIEWER, index, signal);
  // No card has a solution or an error type.
  expect(learned.map(({ operation }) => operation)).toEqual(['similarQuestions', 'byConcept', 'hybridSearch']);
  for (const { operation, settings, trainingQueries, heldOutQueries, used, byDefault, learned: after } of learned) {
    // Scores keep their meaning.
    expect(settings.fusion).toBe('WEIGHTED');
    expect(trainingQueries + heldOutQueries).toBe(cards.length);
    // Operations compare a text with different texts of the cards.
    expect(asked.filter((one) => one === operation)).toHaveLength(cards.length);
    // Queries with the same text, such as the name of a topic, are in the same half.
    if (operation !== 'byConcept') expect(Math.abs(trainingQueries - heldOutQueries)).toBeLessThanOrEqual(1);
    if (used) expect(after.ndcgAt10).toBeGreaterThanOrEqual(byDefault.ndcgAt10);
    if (used) expect(after.mrr).toBeGreaterThanOrEqual(byDefault.mrr);
  }
  // Searches by the same text ask together; half of the cards also ask with the name of their topic.
  expect(texts).toHaveLength(1.5 * cards.length);
  expect(await learner.learn(DEFAULT_VIEWER, index, signal)).toEqual(learned);
  expect(await learner.learn(DEFAULT_VIEWER, indexOf([]), signal)).toEqual([]);
  expect(cards.length).toBeGreaterThan(LEAST_QUERIES);
});

test('nothing is learned from queries that nearly all have the same text: none, or hardly any, would be held out', async () => {
  const cards = notebookOfTopics().map((card) => ({ ...card, questionText: '如图，求三角形的面积' }));
  const { engine, index } = await memoryWorld(cards, { hasColumns: false });
  const byId = new Map(cards.map((card) => [`${card.id}`, stored(card)]));
  const learner = new Learner({
    rescorers: engine,
    cards: { byIds: async (_viewer, ids) => among(byId, ids) },
    defaults: BUILTIN_SETTINGS,
    takeTurn: async (step) => step(),
  });
  const learned = await learner.learn(DEFAULT_VIEWER, index, signal);
  for (const { heldOutQueries, byDefault } of learned) {
    expect(heldOutQueries).toBeGreaterThan(0);
    expect(byDefault.ndcgAt10).not.toBeNaN();
  }
  expect(learned.map(({ operation }) => operation)).not.toContain('similarQuestions');
});
