import { rowsXml, type WorkbookOf, workbookEntries, workbookOf, type ZipEntry, zipOf } from '../../support/zip.js';
import { type Attack, BAD_INPUT, file, TAKEN } from './attack.js';

const HEADER = ['学科', '难度', '题目'];
const ROW = ['数学', '2', '1+1=?'];
const MB = 2 ** 20;

const oneSheet = (rows: readonly (readonly string[])[], more: Partial<WorkbookOf> = {}): Buffer =>
  workbookOf({ sheets: { 卷一: rowsXml([HEADER, ...rows]) }, ...more });
const withPart = (...more: readonly ZipEntry[]): Buffer => oneSheet([ROW], { more });
const sheet = (inside: string): Buffer => workbookOf({ sheets: { 一: inside } });
/** Pseudo-random digits, which packing does not shrink beyond measure. */
const digits = (count: number): string => {
  let state = 1;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return String(state % 10);
  }).join('');
};

/**
 * Workbooks that are large or take long to read. `unit/exchange/formats/workbook.test.ts` has every reason for which
 * one is refused.
 */
export const WORKBOOKS: readonly Attack[] = [
  file('a directory of noise.xlsx', BAD_INPUT, () =>
    Buffer.concat([oneSheet([ROW]).subarray(0, -60), Buffer.alloc(60, 7)]),
  ),
  file('a bomb of 60 MB.xlsx', BAD_INPUT, () => sheet(`${rowsXml([HEADER, ROW])}${' '.repeat(60 * MB)}`)),
  file('300 MB that cannot be unpacked.xlsx', BAD_INPUT, () =>
    withPart({ name: 'xl/worksheets/sheet1.xml', content: '', packed: Buffer.alloc(300_000, 0xff), claimedSize: 3e8 }),
  ),
  file('a workbook in a workbook.xlsx', BAD_INPUT, () =>
    withPart({ name: 'xl/embeddings/a.xlsx', content: oneSheet([ROW]) }),
  ),
  file('2,000 parts.xlsx', BAD_INPUT, () =>
    zipOf([
      ...workbookEntries({ sheets: { 一: rowsXml([HEADER, ROW]) } }),
      ...Array.from({ length: 2_000 }, (_, n) => ({ name: `a${n}`, content: '' })),
    ]),
  ),
  file('rows that count back.xlsx', BAD_INPUT, () =>
    sheet(`<sheetData>${rowsXml([HEADER]).slice(11, -12)}<row r="-5"><c/></row><row r="0"/><row r="NaN"/></sheetData>`),
  ),
  file('a cell in column ZZZZZZ.xlsx', TAKEN, () =>
    oneSheet([[...ROW, '<c r="ZZZZZZ2" t="inlineStr"><is><t>x</t></is></c>']]),
  ),
  file('110,000 empty rows.xlsx', BAD_INPUT, () =>
    sheet(
      `<sheetData>${Array.from({ length: 110_000 }, (_, n) => `<row r="${n + 1}" ht="${(n * 7919) % 9973}"/>`).join('')}</sheetData>`,
    ),
  ),
  file('merged over a whole sheet.xlsx', BAD_INPUT, () =>
    sheet(`${rowsXml([HEADER, ROW])}<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>`),
  ),
  file('100,000 merges.xlsx', BAD_INPUT, () =>
    sheet(
      `${rowsXml([HEADER, ROW])}<mergeCells>${Array.from({ length: 100_000 }, (_, n) => `<mergeCell ref="A${n + 3}:C${n + 3}"/>`).join('')}</mergeCells>`,
    ),
  ),
  file('XML 100,000 deep.xlsx', BAD_INPUT, () => sheet(`${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`)),
  file('50,000 attributes.xlsx', BAD_INPUT, () =>
    sheet(`<sheetData ${Array.from({ length: 50_000 }, (_, n) => `a${n}="${n % 7}"`).join(' ')}/>`),
  ),
  file('a cell of 1 MB.xlsx', BAD_INPUT, () => oneSheet([['数学', '2', digits(MB)]])),
  file('a shared text that is not there.xlsx', BAD_INPUT, () => oneSheet([['<c t="s"><v>-1</v></c>', '2', 'a']])),
  file('6 million shared texts.xlsx', BAD_INPUT, () =>
    withPart({
      name: 'xl/sharedStrings.xml',
      content: `<sst>${'<si/>'.repeat(6_100_000)}<!--${digits(700_000)}--></sst>`,
    }),
  ),
  file('300 sheets.xlsx', TAKEN, () =>
    workbookOf({
      sheets: Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`s${n}`, rowsXml([HEADER, ROW])])),
    }),
  ),
  file('formulas and failures.xlsx', TAKEN, () =>
    oneSheet([
      ROW,
      ['数学', '2', "<c><f>cmd|'/c calc'!A1</f></c>"],
      ['数学', '2', '<c t="e"><v>#DIV/0!</v></c>'],
      ['数学', '2', '<c><v>1e308</v></c>'],
    ]),
  ),
];
