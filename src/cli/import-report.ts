import type { RowProblem } from '../domain/import.js';
import { BYTE_ORDER_MARK, csvLine } from '../exchange/formats/write/csv.js';
import type { FileReport } from './import-file.js';

/** Problems shown of one file; a report file has all of them. */
const SHOWN = 20;

export function reportLines(reports: readonly FileReport[], dryRun: boolean): readonly string[] {
  return reports.flatMap(({ file, refused, job, problems }) => {
    if (job === null) return [`${file}: refused: ${refused}`];
    const seconds = (Date.parse(job.finishedAt ?? new Date().toISOString()) - Date.parse(job.createdAt)) / 1000;
    const done = `${job.created} created, ${job.updated} updated, ${job.merged} merged, ${job.skipped} skipped, ${job.failed} failed`;
    const wouldBe = `would create ${job.created}, update ${job.updated}, merge ${job.merged}, skip ${job.skipped}; ${job.failed} would fail`;
    const counts = `${job.read} read: ${dryRun ? wouldBe : done}`;
    const rate = seconds > 0 ? `, ${Math.round(job.read / seconds)} rows/s` : '';
    const remark = dryRun ? 'would be imported, but ' : 'imported, but ';
    const rest = problems.length - SHOWN;
    return [
      `${file}: ${counts}; ${job.state.toLowerCase()} in ${seconds.toFixed(1)} s${rate}`,
      ...(job.problem === null ? [] : [`  ${job.problem}`]),
      ...job.notices.map((notice) => `  ${notice}`),
      ...problems
        .slice(0, SHOWN)
        .map(
          (problem) => `  ${placeOf(problem)}: ${problem.failed ? '' : remark}${problem.reason}${contentOf(problem)}`,
        ),
      ...(rest > 0 ? [`  and ${rest} more; --report FILE writes all of them`] : []),
    ];
  });
}

function placeOf({ sheet, row, column }: RowProblem): string {
  return [sheet === null ? null : `sheet ${sheet}`, `row ${row}`, column === null ? null : `column ${column}`]
    .filter((part) => part !== null)
    .join(', ');
}

function contentOf({ content }: RowProblem): string {
  return content === null ? '' : ` [${content}]`;
}

/** The problems as CSV, safe against formula injection. */
export function csvReport(reports: readonly FileReport[]): string {
  const rows = reports.flatMap(({ file, refused, job, problems }) => {
    const ofFile = refused ?? job?.problem ?? null;
    return [
      ...(ofFile === null ? [] : [[file, 'failed', '', '', '', ofFile, '']]),
      ...problems.map(({ failed, sheet, row, column, reason, content }) => [
        file,
        failed ? 'failed' : 'imported',
        sheet ?? '',
        String(row),
        column ?? '',
        reason,
        content ?? '',
      ]),
    ];
  });
  return (
    BYTE_ORDER_MARK +
    [['file', 'outcome', 'sheet', 'row', 'column', 'reason', 'content'], ...rows].map(csvLine).join('')
  );
}
