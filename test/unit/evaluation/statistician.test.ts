import { afterAll, expect, test } from 'vitest';
import { Statistician } from '../../../src/evaluation/reports/statistician.js';
import { summaryOf } from '../../../src/evaluation/reports/summarise.js';
import { compare, RESAMPLING } from '../../../src/evaluation/statistics.js';
import { Workers } from '../../../src/runtime/workers/workers.js';
import { measuredCase } from './reports.js';

const { signal } = new AbortController();
const workers = new Workers();
afterAll(() => workers.close());
const statistician = new Statistician(workers);

test('a worker process summarises cases with the same result', async () => {
  const names = [
    { name: 'search', kind: 'search' },
    { name: 'search as plain-vectors', kind: 'search' },
    { name: 'plain BM25', kind: 'baseline' },
  ] as const;
  const cases = Array.from({ length: 60 }, (_, place) => measuredCase(`${place}`, [(place % 7) / 7, 0.3, 0.1]));
  const order = { names, compared: { before: 'plain-vectors', after: 'default' } };
  expect(await statistician.summary('school', cases, order, signal)).toEqual(summaryOf(cases, order));
});

test('a worker process compares values with the same result', async () => {
  const values = { before: [0.1, 0.2, 0.3], after: [0.2, 0.4, 0.2] };
  const difference = await statistician.difference('school', values, signal);
  expect(difference).toEqual(compare(values.before, values.after, RESAMPLING));
});
