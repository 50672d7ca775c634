import { describe, expect, test } from 'vitest';
import { trainWeights } from '../../../bench/mastery-training.js';
import { simulate } from '../../../bench/students.js';
import { ItemMean, qualityOf } from '../../../bench/tracing.js';
import { seededRandom } from '../../../src/evaluation/random.js';
import { type Answer, Rating } from '../../../src/practice/mastery/rating.js';
import { FEATURES, Tracer } from '../../../src/practice/mastery/tracer.js';
import { DEFAULT_WEIGHTS } from '../../../src/practice/mastery/weights.js';

describe('answers of students whom the model has not seen', () => {
  const { answers } = simulate({ students: 250, skills: 30, items: 750, random: seededRandom(11) });
  const isUnseen = ({ student }: Answer): boolean => student.endsWith('3');
  const known = answers.filter((one) => !isUnseen(one));
  const asked = answers.filter(isUnseen);
  const aucOf = (predictor: { probability(one: Answer): number; update(one: Answer): void }): number => {
    const predicted = asked.map((one) => {
      const p = predictor.probability(one);
      predictor.update(one);
      return p;
    });
    return qualityOf(
      predicted,
      asked.map(({ correct }) => correct),
    ).auc;
  };
  const heard = <P extends { update(one: Answer): void }>(predictor: P): P => {
    for (const one of known) predictor.update(one);
    return predictor;
  };

  test('are predicted better by the history than by the rating alone, and by that than by the mean of the item', () => {
    const [mean, rating] = [aucOf(new ItemMean(known)), aucOf(heard(new Rating()))];
    expect(DEFAULT_WEIGHTS).toHaveLength(FEATURES + 1);
    expect(rating).toBeGreaterThan(mean + 0.02);
    expect(aucOf(heard(new Tracer(trainWeights(known))))).toBeGreaterThan(rating);
    expect(aucOf(heard(new Tracer(DEFAULT_WEIGHTS)))).toBeGreaterThan(rating);
  });
});
