import { LABEL_PERSPECTIVES, LANES } from '../domain/search.js';
import type { LaneWeights } from './lanes.js';
import type { Query } from './query.js';
import type { ScoreMatrix } from './score-matrix.js';
import type { AnswerSignals } from './thresholds.js';

/** A card is there to be looked for, whatever its words are worth. */
const OF_A_CARD: AnswerSignals = { byTexts: 1, byLabel: 1, byWords: 1, words: 1, cards: 1 };

/** What speaks for there being an answer to the query, from its candidates; `bestByTexts` as {@link infer} found it, among `cards` in all. Pure. */
export function answerSignals(
  { card, features, labels }: Query,
  { lanes }: ScoreMatrix,
  weights: LaneWeights,
  bestByTexts: number,
  cards: number,
): AnswerSignals {
  if (card !== null) return OF_A_CARD;
  const byLabel = LABEL_PERSPECTIVES.flatMap((perspective) => {
    const asked = labels[perspective];
    return asked.kind === 'inferred' ? asked.labels.map(({ score }) => score) : [];
  });
  let byWords = 0;
  LANES.forEach(({ kind }, lane) => {
    if (kind !== 'LEXICAL' || (weights[lane] as number) <= 0) return;
    for (const score of lanes[lane] ?? []) if (score > byWords) byWords = score;
  });
  const words = new Set(features.question).size;
  return { byTexts: bestByTexts, byLabel: Math.max(0, ...byLabel), byWords, words, cards };
}
