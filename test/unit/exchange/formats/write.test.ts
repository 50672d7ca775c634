import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_LABELS, MAX_METADATA } from '../../../../src/domain/card.js';
import { cleanText } from '../../../../src/domain/clean-text.js';
import { COLUMNS } from '../../../../src/exchange/formats/columns.js';
import { openWorkbook } from '../../../../src/exchange/formats/read/zip.js';
import { templateSheets } from '../../../../src/exchange/formats/template.js';
import { cardLine } from '../../../../src/exchange/formats/write/card-lines.js';
import { BYTE_ORDER_MARK, csvLine } from '../../../../src/exchange/formats/write/csv.js';
import { tableRows } from '../../../../src/exchange/formats/write/table.js';
import { type Sheet, writeXlsx } from '../../../../src/exchange/formats/write/xlsx.js';
import { cardOf, readAll, sourceRows } from '../../../support/files.js';
import { folderOfFile } from '../../../support/folder.js';
import { runs } from '../../../support/runs.js';
import { cardWith } from './card-with.js';

const folder = await folderOfFile('write');

/** What a spreadsheet would compute, were it not written as text. */
const INJECTIONS = [
  "=cmd|'/c calc'!A1",
  '+1+1',
  '-2+3',
  '@SUM(A1)',
  '\t=1+1',
  '\r=1+1',
  '\n=1+1',
  '=HYPERLINK("http://evil.example","x")',
  "'=1+1",
  'a","=1+1',
  ';=1+1',
  ' ;, |＝1+1',
  '＝1+1',
  '＋1',
  '－1',
  '＠SUM(A1)',
];

const textArb = fc.oneof(
  fc.constantFrom(...INJECTIONS),
  fc.string({
    unit: fc.constantFrom('a', '题', ',', '"', '\n', '\r', '\t', ' ', '=', '＝', "'", '-', ';', '_x0041_', '<', '&'),
    maxLength: 12,
  }),
);

describe('a table of texts', () => {
  const rowsArb = fc.array(fc.array(textArb, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 5 });

  test('in CSV is read back unchanged, and no cell is a formula', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(rowsArb, async (rows) => {
        const text = BYTE_ORDER_MARK + [['question', 'notes', 'source'], ...rows].map(csvLine).join('');
        for (const cell of cellsOf(text)) expect(cell).not.toMatch(/^[ ;,|]*[=+\-@＝＋－＠\t\r\n]/);
        run += 1;
        const path = await folder.write(`table-${run}.csv`, text);
        const mapping = { columns: {}, defaults: { subject: 'math', difficulty: 1 }, values: {} };
        const read = await sourceRows(path, mapping);
        const expected = rows.filter((row) => row.some((cell) => cell.trim() !== ''));
        expect(read.map((row) => ('cells' in row ? row.cells.map(({ value }) => value ?? '') : row.problem))).toEqual(
          expected,
        );
      }),
      { numRuns: runs(100) },
    );
  });

  test('in Excel is read back unchanged; every cell is a text and none a formula', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(rowsArb, async (rows) => {
        const columns = ['question', 'notes', 'source'].map((header) => ({ header, width: 10 }));
        run += 1;
        const path = await folder.write(
          `table-${run}.xlsx`,
          await buffer(writeXlsx([{ name: 'cards', columns, rows }])),
        );
        const mapping = { columns: {}, defaults: { subject: 'math', difficulty: 1 }, values: {} };
        const read = await sourceRows(path, mapping);
        const expected = rows.filter((row) => row.some((cell) => cell.trim() !== ''));
        expect(read.map((row) => ('cells' in row ? row.cells.map(({ value }) => value ?? '') : row.problem))).toEqual(
          expected,
        );
      }),
    );
  });
});

/** The cells of a CSV text, as a spreadsheet would read them. */
function cellsOf(text: string): readonly string[] {
  return [...text.replace(/^\ufeff/, '').matchAll(/"((?:[^"]|"")*)"|([^",\r\n]+)/g)].map(([, quoted, plain]) =>
    (quoted ?? plain ?? '').replaceAll('""', '"'),
  );
}

describe('a card in a table', () => {
  const card = cardWith(
    {
      questionText: '=1+1\nA. 2\nB. 3',
      grade: 'G6',
      topicTags: ['a,b', 'c|d', 'e"f'],
      qualityGrade: 'GOOD',
      notes: '-x',
      errorTypes: ['e1', 'e2'],
    },
    [
      { wrongSolution: '@SUM', errorTypes: ['e1'] },
      { wrongSolution: null, errorTypes: ['e2', 'x;y'], occurredAt: new Date('2026-03-04T05:06:07.890Z') },
    ],
  );

  test.each(['csv', 'xlsx'])("in %s has a row for each occurrence, each with the card's fields", async (form) => {
    const rows = [...tableRows(card, 'zh')];
    const headers = COLUMNS.map(({ header }) => header.zh);
    const values = (table: readonly (readonly string[])[]): readonly (string | undefined)[] =>
      ['学科', '年级', '难度', '质量等级'].map((header) => table[0]?.[headers.indexOf(header)]);
    expect(values(rows)).toEqual(['数学', '六年级', '2', '良']);
    expect(values([...tableRows(card, 'en')])).toEqual(['math', 'G6', '2', 'GOOD']);
    const content =
      form === 'csv'
        ? BYTE_ORDER_MARK + [headers, ...rows].map(csvLine).join('')
        : await buffer(
            writeXlsx([
              { name: '错题', columns: COLUMNS.map(({ header, width }) => ({ header: header.zh, width })), rows },
            ]),
          );
    const { rows: read, notices } = await readAll(await folder.write(`card.${form}`, content));
    expect(notices).toEqual([]);
    const shared = {
      id: 'card-1',
      questionText: '=1+1\nA. 2\nB. 3',
      grade: 'G6',
      topicTags: ['a,b', 'c|d', 'e"f'],
      qualityGrade: 'GOOD',
      notes: '-x',
    };
    expect(read.map(cardOf)).toEqual([
      expect.objectContaining({
        ...shared,
        studentSolutionText: '@SUM',
        errorTypes: ['e1'],
        occurredAt: new Date('2026-03-01T00:00:00Z'),
      }),
      expect.objectContaining({
        ...shared,
        studentSolutionText: null,
        errorTypes: ['e2', 'x;y'],
        occurredAt: new Date('2026-03-04T05:06:07.890Z'),
      }),
    ]);
  });

  test('in JSON Lines has all its data, without internal data of the server', () => {
    const metadata = [{ key: 'class', value: '7b' }];
    expect(JSON.parse([...cardLine(cardWith({ grade: 'G6', metadata }))].join(''))).toEqual({
      id: 'card-1',
      subject: 'math',
      grade: 'G6',
      difficulty: 2,
      questionText: '1+1=?',
      occurredAt: '2026-03-01T00:00:00.000Z',
      metadata,
    });
    expect(JSON.parse([...cardLine(card)].join('')).occurrences).toHaveLength(2);
  });
});

describe.each(['zh', 'en'] as const)('a table of cards in %s', (language) => {
  const choices = ['$x | y$', 'A; B', '两个'];
  const metadata = [
    { key: 'a: b', value: 'one\ntwo' },
    { key: 'unit', value: '"1"' },
  ];
  const rows = [...tableRows(cardWith({ choices, metadata }), language)];
  const columns = COLUMNS.map(({ header, width }) => ({ header: header[language], width }));

  test('has choices and metadata that are read back as they were, from CSV and Excel', async () => {
    const csv = BYTE_ORDER_MARK + [columns.map(({ header }) => header), ...rows].map(csvLine).join('');
    const xlsx = await buffer(writeXlsx([{ name: 'cards', columns, rows }]));
    for (const path of [
      await folder.write(`cards-${language}.csv`, csv),
      await folder.write(`cards-${language}.xlsx`, xlsx),
    ]) {
      const { rows: read } = await readAll(path);
      expect(cardOf(read[0])).toMatchObject({ id: 'card-1', questionText: '1+1=?', choices, metadata });
    }
  });
});

test.each([[['无', '-']], [['无', '"none"']], [['"无"', '12']]])(
  'choices that say that there is none are read back as they were: %j',
  async (choices) => {
    const rows = [...tableRows(cardWith({ choices }), 'en')];
    const csv = [COLUMNS.map(({ header }) => header.en), ...rows].map(csvLine).join('');
    const { rows: read } = await readAll(await folder.write('none.csv', csv));
    expect(cardOf(read[0]).choices).toEqual(choices);
  },
);

test('a workbook of a card with the longest texts, tags and metadata that are allowed is read back as it was', async () => {
  const metadata = Array.from({ length: MAX_METADATA }, (_, place) => ({
    key: `${10 + place}`.padEnd(100, '\u0001'),
    value: '\u0001'.repeat(1_000),
  }));
  const topicTags = Array.from({ length: MAX_LABELS }, (_, place) => `${place}`.padEnd(400, '"'));
  const questionText = 'a'.repeat(16_384);
  const rows = [...tableRows(cardWith({ questionText, topicTags, metadata }), 'en')];
  const columns = COLUMNS.map(({ header, width }) => ({ header: header.en, width }));
  const xlsx = await buffer(writeXlsx([{ name: 'cards', columns, rows }]));
  const { rows: read } = await readAll(await folder.write('longest.xlsx', xlsx));
  expect(cardOf(read[0])).toMatchObject({ questionText, topicTags, metadata });
});

test('rows and cells of a workbook have references, which exceljs needs', async () => {
  const columns = ['学科', '题目'].map((header) => ({ header, width: 10 }));
  const xml = await firstSheet([{ name: '错题', columns, rows: [['', '1+1=?']] }]);
  expect([...xml.matchAll(/<(?:row|c) r="(\w+)"/g)].map(([, reference]) => reference)).toEqual(
    '1 A1 B1 2 A2 B2'.split(' '),
  );
  expect(xml).not.toMatch(/<(?:row|c)(?! r=)[ >]/);
});

describe.each(['zh', 'en'] as const)('the template in %s', (language) => {
  test('has no row that would be imported', async () => {
    const bytes = await buffer(writeXlsx(templateSheets(language)));
    const { rows, notices } = await readAll(await folder.write(`template-${language}.xlsx`, bytes));
    expect(rows).toEqual([]);
    expect(notices).toEqual([expect.stringContaining('is skipped')]);
  });

  test('explains every column, and its example is a valid card', async () => {
    const [table, explained] = templateSheets(language);
    const explanations = [...((explained?.rows as Iterable<readonly string[]>) ?? [])];
    expect(explanations.map(([header]) => header)).toEqual(table?.columns.map(({ header }) => header));
    const filled = { ...(table as Sheet), rows: [explanations.map(([, , , example]) => example ?? '')] };
    const { rows } = await readAll(
      await folder.write(`filled-${language}.xlsx`, await buffer(writeXlsx([filled, explained as Sheet]))),
    );
    expect(rows).toHaveLength(1);
    expect(cardOf(rows[0])).toMatchObject({
      subject: 'math',
      grade: 'G6',
      difficulty: 2,
      qualityGrade: 'GOOD',
      occurredAt: new Date('2026-03-01T00:00:00Z'),
    });
    expect(cardOf(rows[0]).topicTags).toHaveLength(2);
  });

  test('has a drop-down list below the header of every column that has a choice', async () => {
    const xml = await firstSheet(templateSheets(language));
    const lists = [...xml.matchAll(/<dataValidation type="list"[^>]* sqref="([A-Z])2:\1\d+"><formula1>"([^"]+)"/g)];
    const columns = ['subject', 'grade', 'difficulty', 'qualityGrade'];
    const letters = columns.map((field) =>
      String.fromCharCode(65 + COLUMNS.findIndex((column) => column.field === field)),
    );
    expect(lists.map(([, column]) => column)).toEqual(letters);
    expect(lists.map(([, , texts]) => texts?.split(','))).toEqual([
      ...(templateSheets(language)[0]?.choices?.values() ?? []),
    ]);
  });

  test('keeps 1/2 as it is typed into an empty cell: every column is formatted as text', async () => {
    const xml = await firstSheet(templateSheets(language));
    expect([...xml.matchAll(/<col [^>]* style="2"/g)]).toHaveLength(COLUMNS.length);
    expect(xml).toContain(`<col min="${COLUMNS.length}"`);
  });

  test('has lists whose entries are all valid, within the 255 characters that Excel allows', () => {
    const [sheet] = templateSheets(language);
    expect(sheet?.choices?.size).toBe(4);
    for (const texts of sheet?.choices?.values() ?? []) expect(texts.join(',').length).toBeLessThanOrEqual(255);
  });
});

async function firstSheet(sheets: readonly Sheet[]): Promise<string> {
  const path = await folder.write('sheets.xlsx', await buffer(writeXlsx(sheets)));
  const workbook = await openWorkbook(path);
  const xml = Buffer.concat(await all(workbook.read('xl/worksheets/sheet1.xml'))).toString('utf8');
  workbook.close();
  return xml;
}

async function all(pieces: AsyncIterable<Buffer>): Promise<readonly Buffer[]> {
  const found: Buffer[] = [];
  for await (const piece of pieces) found.push(piece);
  return found;
}

test('cleaning is idempotent', () => {
  fc.assert(
    fc.property(textArb, (text) => {
      expect(cleanText(cleanText(text))).toBe(cleanText(text));
    }),
  );
});
