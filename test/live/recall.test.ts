import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ExhaustiveSearch, recallOf } from '../../bench/exhaustive.js';
import { notebook } from '../../bench/notebook.js';
import type { NewCard } from '../../src/domain/card.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { createAll, idsOf, wholeSearch as search } from '../support/notebook.js';

const CARDS = notebook(1_500);
const TEXTS = notebook(10, 2).map(({ questionText }) => questionText);
const K = 10;

/** Every card that passes a filter. */
interface Selection {
  readonly filter: Readonly<Record<string, unknown>>;
  readonly passes: (card: NewCard) => boolean;
}

const grades = ['G1', 'G2', 'G3', 'G4', 'G5', 'G6'];
const one = CARDS[750] as NewCard;
const SELECTIONS: Readonly<Record<string, Selection & { readonly plan: string }>> = {
  '100 %': { filter: {}, passes: () => true, plan: 'none' },
  '92 %': {
    filter: { grade: [...grades, 'G7', 'G8', 'G9', 'G10', 'G11'] },
    passes: ({ grade }) => grade !== 'G12',
    plan: 'exact',
  },
  '30 %': {
    filter: { grade: grades, difficultyMin: 3 },
    passes: ({ grade, difficulty }) => grade !== null && grades.includes(grade) && difficulty >= 3,
    plan: 'exact',
  },
  '3 %': {
    filter: { grade: 'G6', subject: 'math', difficultyMin: 3 },
    passes: ({ grade, subject, difficulty }) => grade === 'G6' && subject === 'math' && difficulty >= 3,
    plan: 'exact',
  },
  '0.3 %': {
    filter: { grade: 'G6', subject: 'physics', difficultyMin: 5 },
    passes: ({ grade, subject, difficulty }) => grade === 'G6' && subject === 'physics' && difficulty >= 5,
    plan: 'exact',
  },
  'a single card': {
    filter: {
      grade: one.grade,
      topicTags: one.topicTags,
      occurredAfter: one.occurredAt,
      difficultyMin: one.difficulty,
    },
    passes: ({ grade, topicTags, occurredAt, difficulty }) =>
      grade === one.grade &&
      topicTags[0] === one.topicTags[0] &&
      occurredAt >= one.occurredAt &&
      difficulty >= one.difficulty,
    plan: 'exact',
  },
};

const WEIGHINGS = {
  'as by default': { weights: { question: 0.6, solution: 0.2, concept: 0.2, error: 0 }, lexicalShare: 0.5 },
  'by all perspectives': { weights: { question: 0.5, solution: 0.2, concept: 0.2, error: 0.1 }, lexicalShare: 0.5 },
  'by vectors alone': { weights: { question: 0.5, solution: 0.2, concept: 0.2, error: 0.1 }, lexicalShare: 0 },
};

describe('a search finds at least 99 % of the cards that an exhaustive search finds', () => {
  let gateway: Gateway;
  const all = new ExhaustiveSearch();

  beforeAll(async () => {
    [gateway] = await Promise.all([startGateway(), all.add(CARDS)]);
    await createAll(gateway, CARDS);
  }, 600_000);
  afterAll(() => gateway.close());

  for (const [share, { filter, passes, plan }] of Object.entries(SELECTIONS)) {
    for (const [name, asked] of Object.entries(WEIGHINGS)) {
      test(`if ${share} match, with weights ${name}`, async () => {
        const ids = CARDS.filter(passes).map(({ id }) => String(id));
        expect(ids.length).toBeGreaterThan(0);
        let sum = 0;
        for (const text of TEXTS) {
          const { weights, lexicalShare } = asked;
          const options = { lexicalShare, thresholdSteps: [0] };
          const answer = await search(gateway, 'hybridSearch', { text, weights, topK: K, filter, options });
          expect(answer.receipt.filterPlan).toBe(plan);
          sum += recallOf(idsOf(answer), await all.scores(ids, { text, ...asked }), K);
        }
        expect(sum / TEXTS.length).toBeGreaterThanOrEqual(0.99);
      });
    }
  }
});
