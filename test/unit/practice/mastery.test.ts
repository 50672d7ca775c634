import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAnswers } from '../../../bench/answer-file.js';
import { fitLogistic } from '../../../bench/logistic-regression.js';
import { qualityOf } from '../../../bench/tracing.js';
import { seededRandom } from '../../../src/evaluation/random.js';
import { sigmoid } from '../../../src/practice/mastery/gaussian.js';
import { type Answer, Rating } from '../../../src/practice/mastery/rating.js';
import { logitOf } from '../../../src/practice/mastery/tracer.js';
import { folderOfFile } from '../../support/folder.js';

const answer = (over: Partial<Answer> = {}): Answer => ({
  student: 'amy',
  item: 'i1',
  skills: ['fractions'],
  atMs: 0,
  correct: true,
  ...over,
});

describe('the rating', () => {
  test('moves towards the answers, and becomes more certain of the skill', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), (results) => {
        const rating = new Rating();
        for (const correct of results) {
          const before = rating.probability(answer());
          rating.update(answer({ correct }));
          const after = rating.probability(answer());
          expect(correct ? after > before : after < before).toBe(true);
          expect(after).toBeGreaterThan(0);
          expect(after).toBeLessThan(1);
        }
      }),
    );
    const rating = new Rating();
    rating.update(answer());
    const first = rating.ability('amy', 'fractions')?.variance ?? 0;
    for (let turn = 0; turn < 20; turn += 1) rating.update(answer({ item: `i${turn}`, correct: turn % 2 === 0 }));
    expect(rating.ability('amy', 'fractions')?.variance).toBeLessThan(first);
    expect(rating.ability('amy', 'geometry')).toBeNull();
  });

  test('moves an uncertain estimate further than a certain one', () => {
    const rating = new Rating();
    for (let turn = 0; turn < 30; turn += 1) rating.update(answer({ item: `i${turn}`, correct: turn % 2 === 0 }));
    const before = rating.logit(answer({ item: 'new' }));
    rating.update(answer({ item: 'new', correct: false }));
    const after = rating.logit(answer({ item: 'new' }));
    expect(before.item - after.item).toBeGreaterThan(before.student - after.student);
  });

  test('uses the prior difficulty of an item until it is answered', () => {
    const rating = new Rating();
    rating.expectItem('hard', { mean: -1, variance: 0.5 });
    expect(rating.probability(answer({ item: 'hard' }))).toBeLessThan(rating.probability(answer({ item: 'other' })));
  });
});

test('the regression recovers the weights of the model that generated its examples', () => {
  const random = seededRandom(3);
  const truth = [1.5, -0.7, 0.4];
  const rows = 20_000;
  const features = Float64Array.from({ length: 2 * rows }, () => 4 * random() - 1);
  const labels = Uint8Array.from({ length: rows }, (_, row) =>
    random() < sigmoid(logitOf(truth, features, 2 * row)) ? 1 : 0,
  );
  const found = fitLogistic({ width: 2, features, labels }, 1);
  for (const [place, weight] of truth.entries()) expect(Math.abs((found[place] ?? 0) - weight)).toBeLessThan(0.1);
});

describe('metrics', () => {
  test('equal their definitions', () => {
    expect(qualityOf([0.1, 0.4, 0.35, 0.8], [false, false, true, true]).auc).toBe(0.75);
    expect(qualityOf([0.5, 0.5], [false, true])).toMatchObject({ auc: 0.5, rmse: 0.5 });
    expect(qualityOf([0.5, 0.5], [false, true]).logLoss).toBeCloseTo(Math.log(2), 12);
  });
});

describe('a file of answers', async () => {
  const folder = await folderOfFile('answers');
  const read = async (text: string) => readAnswers(await folder.write('answers.csv', text));

  test('has one answer for the rows of one student, item and time, with all their skills, in order of time', async () => {
    const { answers, rows } = await read(
      'user_id,item_id,timestamp,correct,skill_id\nu1,b,20,1,s1\nu1,a,10,0,s1\nu1,b,20,1,s2\nu2,b,20,1,NA\n',
    );
    expect(rows).toBe(4);
    expect(answers).toEqual([
      { student: 'u1', item: 'a', skills: ['s1'], atMs: 10, correct: false },
      { student: 'u1', item: 'b', skills: ['s1', 's2'], atMs: 20, correct: true },
      { student: 'u2', item: 'b', skills: [], atMs: 20, correct: true },
    ]);
  });

  test('may be separated by tabs, quoted, with other columns and skills in one cell', async () => {
    const { answers } = await read(
      'x\t"user_id"\titem_id\tcorrect\ttimestamp\tskill_id\n1\tu\t"i ""1"""\t1\t1600000000\t12_34\n',
    );
    expect(answers).toEqual([
      { student: 'u', item: 'i "1"', skills: ['12', '34'], atMs: 1_600_000_000_000, correct: true },
    ]);
  });

  test('without times is read in the order of its rows, in which an item may come again', async () => {
    const { answers } = await read('user_id,item_id,correct,skill_id\nu,a,0,s1\nu,a,0,s2\nu,b,1,s1\nu,a,1,s1\n');
    expect(answers.map(({ item, skills, correct }) => [item, skills, correct])).toEqual([
      ['a', ['s1', 's2'], false],
      ['b', ['s1'], true],
      ['a', ['s1'], true],
    ]);
  });

  test('without the columns is refused by their name', async () => {
    await expect(read('a,b\n1,2\n')).rejects.toThrow(/has no column user_id/);
    await expect(read('user_id,item_id,timestamp,correct,skill_id\n')).rejects.toThrow(/has no answers/);
  });
});
