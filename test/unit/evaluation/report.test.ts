import { describe, expect, test } from 'vitest';
import { htmlReport } from '../../../src/evaluation/reports/html-report.js';
import { compareProfiles, withTexts } from '../../../src/evaluation/reports/profile-comparison.js';
import { comparisonText, contestText, headline, tuningText } from '../../../src/evaluation/reports/report-wording.js';
import { contestsOf, rankingReports } from '../../../src/evaluation/reports/summarise.js';
import { textReport } from '../../../src/evaluation/reports/text-report.js';
import { BUILTIN_SETTINGS } from '../../../src/search/profile.js';
import { measuredCase, reportOf } from './reports.js';

const names = [
  { name: 'search', kind: 'search' },
  { name: 'dense question', kind: 'lane' },
  { name: 'lexical question', kind: 'lane' },
  { name: 'plain BM25', kind: 'baseline' },
] as const;

describe('a report', () => {
  test('shows a search that is worse than one of its lanes, with the best lane and plain BM25', () => {
    const cases = Array.from({ length: 20 }, (_, place) => measuredCase(`${place}`, [0.4, 0.2, 0.7, 0.3]));
    const reports = rankingReports(cases, names);
    const contests = contestsOf(cases, reports);
    expect(contests.map(({ rival }) => rival)).toEqual(['plain BM25', 'lexical question']);
    expect(contests.map(contestText)).toEqual([
      expect.stringMatching(/^search beats plain BM25: nDCG@10 \+0\.100/),
      expect.stringMatching(/^search LOSES TO lexical question: nDCG@10 -0\.300/),
    ]);
  });

  test('says why cases were left out, such as those for which no card is right', () => {
    expect(headline({ ...reportOf({}), skippedCases: 2 })).toContain(
      '2 cases were left out: none of their relevant cards is in the notebook, or their query has nothing to search for.',
    );
    const filteredCases = [{ id: 'a', text: 'sum of\nangles' }];
    expect(headline({ ...reportOf({}), skippedCases: 3, filteredCases })).toContain(
      '1 cases were left out, because their filter leaves out all their relevant cards: a (sum of angles). 2 cases were left out: none',
    );
  });

  test('has a mean with its interval for every metric, and for the main ones in every slice', () => {
    const cases = [measuredCase('a', [0, 0, 0, 0]), measuredCase('b', [1, 0, 0, 0])];
    const [search] = rankingReports(cases, names);
    expect(search?.metrics.ndcgAt10).toEqual({ value: 0.5, low: 0, high: 1 });
    expect(search?.latencyMs).toEqual({ p50: 5, p95: 5 });
    expect(search?.slices.map(({ slice, group, cases: count }) => [slice, group, count])).toEqual([
      ['operation', 'byError', 2],
      ['perspective', 'error', 2],
      ['grade', 'G6', 2],
      ['subject', 'math', 2],
      ['language', 'en', 2],
    ]);
  });

  test('shows the cases that another profile changed most, with both lists, and claims no more than the interval supports', async () => {
    const cases = [
      ...Array.from({ length: 10 }, (_, place) => measuredCase(`same ${place}`, [0.5, 0.5])),
      measuredCase('lost', [0, 0.9]),
      measuredCase('won', [0.6, 0.5]),
    ];
    const texts = async (ids: readonly string[]) => new Map(ids.map((id) => [id, `question ${id}`]));
    const comparison = await withTexts(compareProfiles(cases, { before: 'old', after: 'new' }), texts);
    expect(comparison.changed.map(({ id, before, after }) => [id, before, after])).toEqual([
      ['lost', 0.9, 0],
      ['won', 0.5, 0.6],
    ]);
    expect(comparison.changed[0]?.hitsAfter).toEqual([
      { cardId: 'hit 0', grade: 0, text: 'question hit 0' },
      { cardId: 'right', grade: 2, text: 'question right' },
    ]);
    expect(comparisonText(comparison)).toBe('No difference between old and new is supported by nDCG@10.');
  });

  test('says why a tuned profile was not saved', () => {
    const verdict = (ndcgAt10: number, mrr: number, accepted: boolean): string => {
      const compared = compareProfiles([measuredCase('a', [1, 0])], { before: 'old', after: 'new' });
      const differing = (value: number) => ({ ...compared.differences.mrr, value, supported: value !== 0 });
      const differences = { ...compared.differences, ndcgAt10: differing(ndcgAt10), mrr: differing(mrr) };
      const figures = { trainingCases: 20, skippedCases: 0, tried: 2, crossValidated: differing(0) };
      const tuning = { profile: 'new', settings: BUILTIN_SETTINGS, ...figures, accepted };
      return tuningText(tuning, { ...compared, differences, changed: [] });
    };
    expect(verdict(0.1, 0, true)).toContain(' The gain on the test split is significant: new is saved.');
    expect(verdict(0, 0, false)).toContain(' The test split shows no significant gain: new is NOT saved.');
    expect(verdict(0.1, -0.1, false)).toContain(
      ' The gain in nDCG@10 on the test split is significant, but so is the loss in MRR: new is NOT saved.',
    );
  });

  test('has the change of every case between two profiles, the largest loss first', () => {
    const cases = [measuredCase('same', [0.5, 0.5]), measuredCase('won', [0.75, 0.5]), measuredCase('lost', [0, 1])];
    expect(compareProfiles(cases, { before: 'old', after: 'new' }).changes).toEqual([-1, 0, 0.25]);
  });

  test('as a page is self-contained, and escapes texts', () => {
    const page = htmlReport(reportOf({ ndcgAt10: 0.5 }));
    expect(page).not.toMatch(/<script|<link|<img|@import|url\(|https?:/);
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).toContain('<title>a set &lt;with&gt; markup</title>');
    expect(page.match(/<svg/g)?.length).toBeGreaterThanOrEqual(4);
  });

  test('as a page is complete on a narrow screen: rows become blocks whose cells name their columns', () => {
    const page = htmlReport(reportOf({ ndcgAt10: 0.5 }));
    const cells = page.match(/<td[^>]*>/g) ?? [];
    expect(cells.length).toBeGreaterThan(10);
    expect(cells.filter((cell) => !/ data-column="[^"]+"/.test(cell))).toEqual([]);
    expect(page).toContain('<td data-column="p95 ms">2.0</td>');
    expect(page).toMatch(/@media \(max-width: 1020px\) {[^@]*td::before { content: attr\(data-column\)/);
    expect(page).not.toMatch(/overflow(-x)?: ?(auto|hidden|scroll)/);
  });

  test('as a text has every ranking and every slice', () => {
    const text = textReport(reportOf({ ndcgAt10: 0.5, mrr: 0.25 }));
    expect(text).toMatch(/^search +0\.500 \[0\.500, 0\.500\] +0\.250/m);
    expect(text).toMatch(/^operation +byError +1 +0\.500/m);
  });
});
