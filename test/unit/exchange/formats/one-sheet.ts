import { rowsXml, type WorkbookOf, workbookOf } from '../../../support/zip.js';

export const HEADER = ['学科', '难度', '题目'];
export const ROW = ['数学', '2', '1+1=?'];

/** A cell that names the first shared text. */
export const SHARED = '<c t="s"><v>0</v></c>';

/** A workbook of one sheet. */
export function oneSheet(rows: readonly (readonly string[])[], more: Partial<WorkbookOf> = {}): Buffer {
  return workbookOf({ sheets: { 卷一: rowsXml([HEADER, ...rows]) }, ...more });
}
