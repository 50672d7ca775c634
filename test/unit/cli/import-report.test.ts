import { expect, test } from 'vitest';
import { csvReport } from '../../../src/cli/import-report.js';

test('a report as a table holds nothing that a spreadsheet would compute, whoever wrote the file that it tells of', () => {
  const problem = { failed: true, sheet: "=cmd|'/c calc'!A1", row: 2, column: '+题目', reason: 'is empty, as is "x"' };
  const report = csvReport([
    { file: '@cards.xlsx', refused: null, job: null, problems: [problem] },
    { file: 'b.csv', refused: 'holds no rows', job: null, problems: [] },
  ]);
  expect(report).toBe(
    '\uFEFFfile,outcome,sheet,row,column,reason\r\n' +
      `"'@cards.xlsx",failed,"'=cmd|'/c calc'!A1",2,"'+题目","is empty, as is ""x"""\r\n` +
      'b.csv,failed,,,,holds no rows\r\n',
  );
});
