import type { Card, NewCard } from '../../../src/domain/card.js';
import { parseNewCard } from '../../../src/domain/parse/card.js';
import { type LearnedOperation, type LearnedProfile } from '../../../src/domain/profile.js';
import { type LabelledCards } from '../../../src/evaluation/learning/notebook-queries.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { BUILTIN_SETTINGS } from '../../../src/search/profile.js';
import { cardOf } from '../../support/generators.js';

export const hybrid: LearnedOperation = {
  operation: 'hybridSearch',
  settings: { ...BUILTIN_SETTINGS, lexicalShare: 1 },
  used: true,
  trainingQueries: 50,
  heldOutQueries: 50,
  byDefault: { ndcgAt10: 0.3, mrr: 0.4 },
  learned: { ndcgAt10: 0.35, mrr: 0.45 },
};
export const profile: LearnedProfile = {
  model: 'builtin',
  labelledCards: 200,
  learnedAt: new Date(0),
  operations: [hybrid, { ...hybrid, operation: 'byError', used: false }],
};

export function indexOf(cards: readonly (Partial<Card> & { readonly id: string })[]): LabelledCards {
  const index = new LexicalIndex((text) => text.split(' '));
  for (const card of cards) index.set(cardOf(card));
  return index;
}

/** A hundred cards of five topics, each of which names its topic in its question. */
export function notebookOfTopics(): readonly NewCard[] {
  const TOPICS = ['ratio', 'angles', 'primes', 'averages', 'speed'];
  return Array.from({ length: 100 }, (_, n): NewCard => {
    const topic = TOPICS[n % TOPICS.length] as string;
    const questionText = `${topic} exercise number ${n} with ${n * 7} apples and ${n * 3} pears`;
    return parseNewCard({ id: `c${n}`, subject: 'math', difficulty: 1, questionText, topicTags: [topic] }, 'card');
  });
}
