import { describe, expect, test } from 'vitest';
import { BadInputError } from '../../../../src/domain/errors.js';
import { openWorkbook } from '../../../../src/exchange/formats/read/zip.js';
import { folderOfFile } from '../../../support/folder.js';
import { rowsXml, type WorkbookOf, workbookEntries, workbookOf, zipOf } from '../../../support/zip.js';
import { contentReader } from './content-reader.js';
import { HEADER, oneSheet, ROW, SHARED } from './one-sheet.js';

const read = await contentReader('xlsx');
const folder = await folderOfFile('workbook');

/** Every way in which a workbook is refused, by what its refusal says. */
const REFUSED: readonly (readonly [string, RegExp, () => Uint8Array])[] = [
  ['is no zip file', /not an \.xlsx workbook/, () => Buffer.from('id,question\n1,2\n')],
  ['is empty', /not an \.xlsx workbook/, () => Buffer.alloc(0)],
  ['is of Excel 97 or encrypted', /Excel 97, or protected/, () => Buffer.from('d0cf11e0a1b11ae1', 'hex')],
  ['is a zip file of something else', /not an \.xlsx workbook/, () => zipOf([{ name: 'a.txt', content: 'a' }])],
  ['is cut short', /damaged/, () => oneSheet([ROW]).subarray(0, -40)],
  ['has a part with a password', /password/, () => withMore({ name: 'xl/a.xml', content: 'a', encrypted: true })],
  ['holds macros', /macros/, () => withMore({ name: 'xl/vbaProject.bin', content: 'macro' })],
  [
    'says that it has macros',
    /macros/,
    () =>
      withMore({
        name: '[Content_Types].xml',
        content:
          '<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.ms-excel.sheet.macroEnabled.main+xml"/></Types>',
      }),
  ],
  [
    'links to other files',
    /links to other files/,
    () => withMore({ name: 'xl/externalLinks/externalLink1.xml', content: '<a/>' }),
  ],
  ['holds another zip file', /holds other files/, () => withMore({ name: 'xl/media/a.zip', content: zipOf([]) })],
  ['has a name that leads out of it', /damaged/, () => withMore({ name: '../../etc/passwd', content: 'a' })],
  ['has an absolute name', /damaged/, () => withMore({ name: '/etc/passwd', content: 'a' })],
  [
    'has the same part twice',
    /two parts with the name/,
    () => zipOf([...entriesOf(), { name: 'xl/workbook.xml', content: '<workbook/>' }]),
  ],
  [
    'has more parts than any workbook',
    /at most 1000/,
    () => zipOf([...entriesOf(), ...Array.from({ length: 1_001 }, (_, at) => ({ name: `a${at}`, content: '' }))]),
  ],
  ['says that a part is smaller than it is', /damaged/, () => sheetThatClaims(10)],
  ['says that a part is larger than it is', /damaged/, () => sheetThatClaims(100_000)],
  ['says that a part is as large as no disk', /unpacks to/, () => sheetThatClaims(0xf000_0000)],
  [
    'unpacks to a hundred times its size',
    /more than 100 times/,
    () => workbookOf({ sheets: { 一: `${rowsXml([HEADER, ROW])}${' '.repeat(20_000_000)}` } }),
  ],
  [
    'has a million empty rows',
    /more than 100000 rows/,
    () => workbookOf({ sheets: { 一: `<sheetData>${emptyRows(110_000)}</sheetData>` } }),
  ],
  [
    'has a value in its last possible column',
    /beyond column 256/,
    () => oneSheet([[...ROW, '<c r="XFD2" t="inlineStr"><is><t>x</t></is></c>']]),
  ],
  [
    'has a row with a number beyond any sheet',
    /a row with the number "999999999999"/,
    () => workbookOf({ sheets: { 一: '<sheetData><row r="999999999999"><c><v>1</v></c></row></sheetData>' } }),
  ],
  [
    'has a row whose number is none',
    /a row with the number "x"/,
    () => workbookOf({ sheets: { 一: '<sheetData><row r="x"/></sheetData>' } }),
  ],
  [
    'merges a whole sheet',
    /merged cells/,
    () =>
      workbookOf({
        sheets: { 一: `${rowsXml([HEADER, ROW])}<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>` },
      }),
  ],
  [
    'declares entities',
    /document type/,
    () => withMore({ name: 'xl/workbook.xml', content: '<!DOCTYPE a [<!ENTITY b "c">]><workbook>&b;</workbook>' }),
  ],
  [
    'has XML that ends nowhere',
    /not well-formed/,
    () => withMore({ name: 'xl/workbook.xml', content: '<workbook><sheets>' }),
  ],
  [
    'has XML in no encoding',
    /not valid UTF-8/,
    () => withMore({ name: 'xl/workbook.xml', content: Buffer.from([0x3c, 0xff, 0xfe]) }),
  ],
  [
    'has a cell longer than any',
    /a cell with more than 220000 characters/,
    () => oneSheet([[...ROW.slice(0, 2), noise(220_001)]]),
  ],
  [
    'has a cell longer than any, in pieces',
    /a cell with more than 220000 characters/,
    () => oneSheet([[`<c t="inlineStr"><is>${'<t>1234567890123456</t>'.repeat(13_751)}</is></c>`]]),
  ],
  [
    'has a cell that is escaped beyond any length',
    /a cell with more than 220000 characters/,
    () => oneSheet([[`<c t="inlineStr"><is><t>${'_x000D_'.repeat(220_001)}</t></is></c>`]]),
  ],
  [
    'has a plain value longer than any',
    /a cell with more than 220000 characters/,
    () => oneSheet([[`<c t="str"><v>${noise(220_001)}</v></c>`]]),
  ],
  [
    'has a shared text longer than any, which every cell names',
    /a cell with more than 220000 characters/,
    () => oneSheet([Array(256).fill(SHARED)], { shared: [`<t>${'a'.repeat(2_000_000)}</t>`] }),
  ],
  [
    'has a shared text that as many cells name as no row has',
    /more than 1048576 characters: row 2/,
    () => oneSheet([Array(33).fill(SHARED)], { shared: [`<t>${'a'.repeat(32_767)}</t>`] }),
  ],
  [
    'refers to a shared text that does not exist',
    /refers to a shared text that does not exist/,
    () => oneSheet([['<c t="s"><v>7</v></c>', '2', 'a']]),
  ],
  ['has no sheet', /without a sheet/, () => workbookOf({ sheets: {} })],
  ['has no rows', /no rows/, () => workbookOf({ sheets: { 一: rowsXml([]) } })],
  ['has no sheet with a header', /no sheet with a header/, () => workbookOf({ sheets: { 一: rowsXml([ROW]) } })],
  [
    'has the same column twice',
    /both are called 学科/,
    () =>
      workbookOf({
        sheets: {
          一: rowsXml([
            ['学科', '学科', '难度', '题目'],
            ['数学', '数学', '1', 'a'],
          ]),
        },
      }),
  ],
  [
    'has more columns than a workbook of cards',
    /more than 64 columns/,
    () =>
      workbookOf({ sheets: { 一: rowsXml([[...HEADER, ...Array.from({ length: 70 }, (_, at) => `x${at}`)], ROW]) } }),
  ],
];

function entriesOf(): ReturnType<typeof workbookEntries> {
  return workbookEntries({ sheets: { 一: rowsXml([HEADER, ROW]) } });
}

function withMore(...more: NonNullable<WorkbookOf['more']>): Buffer {
  return oneSheet([ROW], { more });
}

function sheetThatClaims(claimedSize: number): Buffer {
  const content = `<worksheet>${rowsXml([HEADER, ROW])}</worksheet>`;
  return withMore({ name: 'xl/worksheets/sheet1.xml', content, claimedSize });
}

/** Rows that no packing shrinks by much, so that it is their number that is met. */
function emptyRows(count: number): string {
  return Array.from({ length: count }, (_, at) => `<row r="${at + 1}" ht="${(at * 7919) % 100_003}"/>`).join('');
}

/** A text that packing does not shrink beyond measure. */
function noise(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return String.fromCharCode(0x4e00 + (state >>> 18));
  }).join('');
}

describe('a workbook is refused with the reason if it', () => {
  test.each(REFUSED)('%s', async (_, reason, make) => {
    const refused = await read(make()).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(refused).toBeInstanceOf(BadInputError);
    expect(refused).toMatchObject({ field: 'file', problem: expect.stringMatching(reason) });
  });
});

test('a workbook of SheetJS is read, whose content types name one of macros for a part that it does not have', async () => {
  const types = entriesOf().find(({ name }) => name === '[Content_Types].xml');
  const content = String(types?.content).replace(
    '<Override',
    '<Default Extension="bin" ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/><Override',
  );
  const { rows } = await read(withMore({ name: '[Content_Types].xml', content }));
  expect(rows).toHaveLength(1);
});

test('a sheet of 300 MB in a small file is refused before any of it is unpacked', async () => {
  // Its bytes cannot be unpacked: who tries says that the file is damaged.
  const bomb = withMore({
    name: 'xl/worksheets/sheet1.xml',
    content: '',
    packed: Buffer.alloc(300_000, 0xff),
    claimedSize: 300_000_000,
  });
  await expect(read(bomb)).rejects.toThrow(/unpacks to 286 MB/);
});

test('unpacking stops at the declared size of a part', async () => {
  const content = Buffer.alloc(20_000_000, 0x20);
  const path = await folder.write('liar.xlsx', withMore({ name: 'xl/liar.xml', content, claimedSize: 1_000_000 }));
  const parts = await openWorkbook(path);
  let bytes = 0;
  const unpack = async (): Promise<void> => {
    for await (const chunk of parts.read('xl/liar.xml')) bytes += chunk.length;
  };
  await expect(unpack()).rejects.toThrow(/damaged/);
  expect(bytes).toBeLessThanOrEqual(1_000_000);
  parts.close();
});
