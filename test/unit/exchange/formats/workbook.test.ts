import { describe, expect, test } from 'vitest';
import { BadInputError } from '../../../../src/domain/errors.js';
import { openWorkbook } from '../../../../src/exchange/formats/read/zip.js';
import { cardOf, problemsOf, type ReadFile, readAll } from '../../../support/files.js';
import { folderOfFile } from '../../../support/folder.js';
import { rowsXml, type WorkbookOf, workbookEntries, workbookOf, zipOf } from '../../../support/zip.js';

const folder = await folderOfFile('workbooks');

let files = 0;
async function read(bytes: Uint8Array): Promise<ReadFile> {
  files += 1;
  return readAll(await folder.write(`${files}.xlsx`, bytes));
}

const HEADER = ['学科', '难度', '题目'];
const ROW = ['数学', '2', '1+1=?'];

/** A cell that names the first shared text. */
const SHARED = '<c t="s"><v>0</v></c>';

/** A workbook of one sheet. */
function oneSheet(rows: readonly (readonly string[])[], more: Partial<WorkbookOf> = {}): Buffer {
  return workbookOf({ sheets: { 卷一: rowsXml([HEADER, ...rows]) }, ...more });
}

describe('a workbook', () => {
  test('returns the rows of every visible sheet, whose name is their source', async () => {
    const { rows, notices } = await read(
      workbookOf({
        sheets: {
          期中考试: rowsXml([HEADER, ROW, ['物理', '较难', '什么是力？']]),
          数学: rowsXml([
            ['Question', 'Difficulty'],
            ['2+2=?', 'easy'],
          ]),
          说明: rowsXml([['请勿修改']]),
          旧: rowsXml([HEADER, ROW]),
        },
        hidden: ['旧'],
      }),
    );
    expect(rows.map((row) => [row.sheet, row.row, cardOf(row).questionText, cardOf(row).source])).toEqual([
      ['期中考试', 2, '1+1=?', '期中考试'],
      ['期中考试', 3, '什么是力？', '期中考试'],
      ['数学', 2, '2+2=?', '数学'],
    ]);
    expect(rows.map((row) => [cardOf(row).subject, cardOf(row).difficulty])).toEqual([
      ['math', 2],
      ['physics', 4],
      ['math', 1],
    ]);
    expect([...notices].sort()).toEqual([
      expect.stringContaining('"旧" is skipped: it is hidden'),
      expect.stringContaining('"说明" is skipped: no column of it names the question'),
    ]);
  });

  test('is read as displayed: shared and rich texts without furigana, dates, numbers without floating-point noise', async () => {
    const cells = [
      '<c t="s"><v>0</v></c>',
      '<c><v>3</v></c>',
      '<c t="s"><v>1</v></c>',
      '<c s="1"><v>46082.5</v></c>',
      '<c><v>0.30000000000000004</v></c>',
    ];
    const { rows } = await read(
      workbookOf({
        sheets: { 一: rowsXml([[...HEADER, '时间', '备注'], cells]) },
        shared: [
          '<t>数学</t>',
          '<r><t>求</t></r><r><t xml:space="preserve">面积_x000A_第二行</t></r><rPh><t>mianji</t></rPh>',
        ],
        styles:
          '<numFmts><numFmt numFmtId="170" formatCode="yyyy/m/d h:mm"/></numFmts><cellXfs><xf/><xf numFmtId="170"/></cellXfs>',
      }),
    );
    expect(cardOf(rows[0])).toMatchObject({
      questionText: '求面积\n第二行',
      occurredAt: new Date('2026-03-01T12:00:00Z'),
      notes: '0.3',
    });
  });

  test('may contain text that looks like an escape: it is decoded once', async () => {
    const { rows } = await read(
      oneSheet(
        [
          ['数学', '2', SHARED],
          ['数学', '2', '<c t="str"><v>_x005F_x0041_</v></c>'],
        ],
        { shared: ['<t>_x005F_x0041_</t>'] },
      ),
    );
    expect(rows.map((row) => cardOf(row).questionText)).toEqual(['_x0041_', '_x0041_']);
  });

  test('with the 1904 date system has the same dates', async () => {
    const { rows } = await read(
      oneSheet([], {
        sheets: {
          一: rowsXml([
            [...HEADER, '时间'],
            [...ROW, '<c s="1"><v>44620</v></c>'],
          ]),
        },
        styles: '<cellXfs><xf/><xf numFmtId="14"/></cellXfs>',
        properties: '<workbookPr date1904="1"/>',
      }),
    );
    expect(cardOf(rows[0]).occurredAt).toEqual(new Date('2026-03-01T00:00:00Z'));
  });

  test.each([
    ['1900', ''],
    ['1904', '<workbookPr date1904="1"/>'],
  ])('with the %s date system has times and ratios in texts as displayed', async (_, properties) => {
    const dated = (style: number, days: number): string => `<c s="${style}"><v>${days}</v></c>`;
    const minutes = (hour: number, minute: number): number => (hour * 60 + minute) / 1_440;
    const day = properties === '' ? 46_082 : 44_620;
    const { rows } = await read(
      workbookOf({
        sheets: {
          一: rowsXml([
            [...HEADER, 'A', 'B', 'C', '备注', '错解', '时间'],
            [
              ...ROW,
              ...[dated(1, minutes(3, 4)), dated(2, minutes(24, 36)), dated(1, minutes(1, 2) + 3 / 86_400)],
              ...[dated(3, day + minutes(18, 30)), dated(3, day), dated(3, day + minutes(18, 30))],
            ],
          ]),
        },
        styles: '<cellXfs><xf/><xf numFmtId="20"/><xf numFmtId="46"/><xf numFmtId="22"/></cellXfs>',
        properties,
      }),
    );
    expect(cardOf(rows[0])).toMatchObject({
      choices: ['3:04', '24:36', '1:02:03'],
      notes: '2026-03-01 18:30',
      studentSolutionText: '2026-03-01',
      occurredAt: new Date('2026-03-01T18:30:00Z'),
    });
  });

  test('returns the cached value of a formula, and reports one without a value or with an error', async () => {
    const { rows } = await read(
      oneSheet([
        ['数学', '2', '<c t="str"><f>CONCAT("1+1","=?")</f><v>1+1=?</v></c>'],
        ['数学', '2', "<c><f>cmd|'/c calc'!A1</f></c>"],
        ['数学', '2', '<c t="e"><f>1/0</f><v>#DIV/0!</v></c>'],
      ]),
    );
    expect(cardOf(rows[0]).questionText).toBe('1+1=?');
    expect(rows.slice(1).flatMap(problemsOf)).toEqual([
      expect.objectContaining({ row: 3, column: '题目', reason: expect.stringContaining('without a computed value') }),
      expect.objectContaining({ row: 4, column: '题目', reason: expect.stringContaining('#DIV/0!') }),
    ]);
  });

  test('reads a formula whose result is an empty text as an empty cell', async () => {
    const empty = '<c t="str"><f>IF(Z1="","",Z1)</f><v></v></c>';
    const sheet = rowsXml([[...HEADER, '年级'], [...ROW, empty], [empty, empty, empty], ROW]);
    const { rows } = await read(workbookOf({ sheets: { 一: sheet } }));
    expect(rows.map((row) => cardOf(row).grade)).toEqual([null, null]);
  });

  test('returns the value of a merged cell for each of its rows', async () => {
    const merged = `${rowsXml([HEADER, ROW, ['', '3', '2+2=?'], ['英语', '3', 'to be?']])}<mergeCells><mergeCell ref="A2:A3"/></mergeCells>`;
    const { rows } = await read(workbookOf({ sheets: { 一: merged } }));
    expect(rows.map((row) => cardOf(row).subject)).toEqual(['math', 'math', 'english']);
  });

  test('may have a title above its header, and empty rows anywhere', async () => {
    const { rows } = await read(
      workbookOf({ sheets: { 一: rowsXml([['六年级二班错题本'], [], HEADER, [], ROW, ['', '', '']]) } }),
    );
    expect(rows.map(({ row }) => row)).toEqual([5]);
  });
});

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
