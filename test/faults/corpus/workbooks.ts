import { rowsXml, type WorkbookOf, workbookEntries, workbookOf, type ZipEntry, zipOf } from '../../support/zip.js';
import { type Attack, BAD_INPUT, file, TAKEN } from './attack.js';

const HEADER = ['学科', '难度', '题目'];
const ROW = ['数学', '2', '1+1=?'];
const MB = 2 ** 20;

const oneSheet = (rows: readonly (readonly string[])[], more: Partial<WorkbookOf> = {}): Buffer =>
  workbookOf({ sheets: { 卷一: rowsXml([HEADER, ...rows]) }, ...more });
const withPart = (...more: readonly ZipEntry[]): Buffer => oneSheet([ROW], { more });
const sheet = (inside: string): Buffer => workbookOf({ sheets: { 一: inside } });
const claiming = (claimedSize: number): Buffer => {
  const content = `<worksheet>${rowsXml([HEADER, ROW])}</worksheet>`;
  return withPart({ name: 'xl/worksheets/sheet1.xml', content, claimedSize });
};
/** Pseudo-random digits, which packing does not shrink beyond measure. */
const digits = (count: number): string => {
  let state = 1;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return String(state % 10);
  }).join('');
};

/** Workbooks that are made to do damage, or just broken. */
export const WORKBOOKS: readonly Attack[] = [
  file('no zip file.xlsx', BAD_INPUT, () => 'subject,difficulty,question\n'),
  file('half a file.xlsx', BAD_INPUT, () => oneSheet([ROW]).subarray(0, 700)),
  file('a directory of noise.xlsx', BAD_INPUT, () =>
    Buffer.concat([oneSheet([ROW]).subarray(0, -60), Buffer.alloc(60, 7)]),
  ),
  file('of Excel 97.xlsx', BAD_INPUT, () => Buffer.from('d0cf11e0a1b11ae1', 'hex')),
  file('a bomb of 60 MB.xlsx', BAD_INPUT, () => sheet(`${rowsXml([HEADER, ROW])}${' '.repeat(60 * MB)}`)),
  file('a part that claims 4 GB.xlsx', BAD_INPUT, () => claiming(0xf000_0000)),
  file('a part that claims 10 bytes.xlsx', BAD_INPUT, () => claiming(10)),
  file('a part that claims 1 MB.xlsx', BAD_INPUT, () => claiming(MB)),
  file('300 MB that cannot be unpacked.xlsx', BAD_INPUT, () =>
    withPart({ name: 'xl/worksheets/sheet1.xml', content: '', packed: Buffer.alloc(300_000, 0xff), claimedSize: 3e8 }),
  ),
  file('a workbook in a workbook.xlsx', BAD_INPUT, () =>
    withPart({ name: 'xl/embeddings/a.xlsx', content: oneSheet([ROW]) }),
  ),
  file('macros.xlsx', BAD_INPUT, () => withPart({ name: 'xl/vbaProject.bin', content: 'macro' })),
  file('links to other files.xlsx', BAD_INPUT, () =>
    withPart({ name: 'xl/externalLinks/externalLink1.xml', content: '<a/>' }),
  ),
  file('a password.xlsx', BAD_INPUT, () => withPart({ name: 'xl/a.xml', content: 'a', encrypted: true })),
  file('a name that leads out of it.xlsx', BAD_INPUT, () => withPart({ name: '../../etc/passwd', content: 'a' })),
  file('2,000 parts.xlsx', BAD_INPUT, () =>
    zipOf([
      ...workbookEntries({ sheets: { 一: rowsXml([HEADER, ROW]) } }),
      ...Array.from({ length: 2_000 }, (_, n) => ({ name: `a${n}`, content: '' })),
    ]),
  ),
  file('a row of number 999999999999.xlsx', BAD_INPUT, () =>
    sheet(`<sheetData><row r="999999999999"><c t="inlineStr"><is><t>a</t></is></c></row></sheetData>`),
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
  file('a billion laughs.xlsx', BAD_INPUT, () =>
    withPart({
      name: 'xl/workbook.xml',
      content: `<!DOCTYPE a [<!ENTITY a0 "ha">${Array.from({ length: 9 }, (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`).join('')}]><workbook>&a9;</workbook>`,
    }),
  ),
  file('an entity of a file.xlsx', BAD_INPUT, () =>
    withPart({
      name: 'xl/sharedStrings.xml',
      content: '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><sst><si><t>&b;</t></si></sst>',
    }),
  ),
  file('XML that ends nowhere.xlsx', BAD_INPUT, () =>
    withPart({ name: 'xl/workbook.xml', content: '<workbook><sheets>' }),
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
  file('no sheet.xlsx', BAD_INPUT, () => workbookOf({ sheets: {} })),
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
