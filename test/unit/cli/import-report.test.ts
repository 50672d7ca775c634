import { expect, test } from 'vitest';
import { csvReport, reportLines } from '../../../src/cli/import-report.js';

test('a CSV report is safe against formula injection from the imported file', () => {
  const place = { sheet: "=cmd|'/c calc'!A1", row: 2, column: '+题目' };
  const problem = { failed: true, ...place, reason: 'is empty, as is "x"', content: '=题目: ?' };
  const report = csvReport([
    { file: '@cards.xlsx', refused: null, job: null, problems: [problem] },
    { file: 'b.csv', refused: 'has no rows', job: null, problems: [] },
  ]);
  expect(report).toBe(
    '\uFEFFfile,outcome,sheet,row,column,reason,content\r\n' +
      `"'@cards.xlsx",failed,"'=cmd|'/c calc'!A1",2,"'+题目","is empty, as is ""x""","'=题目: ?"\r\n` +
      'b.csv,failed,,,,has no rows,\r\n',
  );
});

test('a CSV report says why an accepted file failed, beside its rows', () => {
  const times = { createdAt: '2026-03-01T00:00:00Z', finishedAt: '2026-03-01T00:00:01Z' };
  const counts = { total: null, read: 1, created: 0, updated: 0, merged: 0, skipped: 0, failed: 1 };
  const job = {
    id: 'i',
    name: 'a.csv',
    state: 'FAILED',
    problem: 'internal error 7',
    notices: [],
    ...counts,
    ...times,
  };
  const bad = { failed: true, sheet: null, row: 2, column: '难度', reason: 'is required', content: null };
  const lines = csvReport([{ file: 'a.csv', refused: null, job, problems: [bad] }]).split('\r\n');
  expect(lines.slice(1, 3)).toEqual(['a.csv,failed,,,,internal error 7,', 'a.csv,failed,,2,难度,is required,']);
});

test('a dry run reports what would be done, and every bad row with its content', () => {
  const times = { createdAt: '2026-03-01T00:00:00Z', finishedAt: '2026-03-01T00:00:01Z' };
  const counts = { total: 3, read: 3, created: 1, updated: 0, merged: 1, skipped: 0, failed: 1 };
  const job = { id: 'i', name: 'a.csv', state: 'DONE', problem: null, notices: [], ...counts, ...times };
  const bad = { failed: true, sheet: null, row: 3, column: '难度', reason: 'is required', content: '题目: 1 + 1' };
  const report = [{ file: 'a.csv', refused: null, job, problems: [bad] }];
  expect(reportLines(report, true)).toEqual([
    'a.csv: 3 read: would create 1, update 0, merge 1, skip 0; 1 would fail; done in 1.0 s, 3 rows/s',
    '  row 3, column 难度: is required [题目: 1 + 1]',
  ]);
  expect(reportLines(report, false)[0]).toContain('1 created, 0 updated, 1 merged, 0 skipped, 1 failed');
});
