import { describe, expect, test } from 'vitest';
import { cardOf, problemsOf } from '../../../support/files.js';
import { rowsXml, workbookOf } from '../../../support/zip.js';
import { contentReader } from './content-reader.js';
import { HEADER, oneSheet, ROW, SHARED } from './one-sheet.js';

const read = await contentReader('xlsx');

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

  test('has booleans and numbers with fixed decimals in texts as displayed, and reads grades and names from them', async () => {
    const number = (style: number, value: number): string => `<c s="${style}"><v>${value}</v></c>`;
    const { rows } = await read(
      workbookOf({
        sheets: {
          一: rowsXml([
            ['学科', '题目', '难度', '年级', 'A', 'B', 'C', '错解', '正解', '备注'],
            [
              ...['数学', '1+1=?', number(1, 3), number(2, 7), number(1, 3.5), number(2, -1.005), number(3, 2.5)],
              ...['<c t="b"><v>1</v></c>', '<c t="b"><v>0</v></c>', number(4, 0.5)],
            ],
          ]),
        },
        styles:
          '<numFmts><numFmt numFmtId="170" formatCode="0.00_ "/><numFmt numFmtId="171" formatCode="#,##0.00"/>' +
          '<numFmt numFmtId="172" formatCode="0.000_);[Red]\\(0.000\\)"/></numFmts>' +
          '<cellXfs><xf/><xf numFmtId="2"/><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="172"/></cellXfs>',
      }),
    );
    expect(cardOf(rows[0])).toMatchObject({
      difficulty: 3,
      grade: 'G7',
      choices: ['3.50', '-1.01', '2.50'],
      studentSolutionText: 'TRUE',
      goldSolutionBrief: 'FALSE',
      notes: '0.500',
    });
  });

  test('has a notice for each date in a column of formulas, which a typed fraction becomes', async () => {
    const day = '<c s="1"><v>46024</v></c>';
    const { rows } = await read(
      workbookOf({
        sheets: {
          一: rowsXml([
            [...HEADER, 'A', 'B', '备注', '时间'],
            ROW,
            ['数学', '2', '3/4-1/4=?', '1', ...[day, day, day]],
          ]),
        },
        styles: '<cellXfs><xf/><xf numFmtId="58"/></cellXfs>',
      }),
    );
    expect(cardOf(rows[1]).choices).toEqual(['1', '2026-01-02']);
    const reason =
      'the cell is the date 2026-01-02: if a fraction was meant, format the column as text and type it again';
    expect(rows.map((row) => ('notices' in row ? row.notices : null))).toEqual([
      [],
      [{ failed: false, sheet: '一', row: 3, column: 'B', reason, content: null }],
    ]);
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
      expect.objectContaining({ row: 4, reason: expect.stringContaining('#DIV/0!'), content: '学科: 数学, 难度: 2' }),
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

  test('has percentages as displayed', async () => {
    const { rows } = await read(
      workbookOf({
        sheets: {
          一: rowsXml([
            [...HEADER, '错解', '正解'],
            [...ROW, '<c s="1"><v>0.07</v></c>', '<c s="2"><v>0.125</v></c>'],
          ]),
        },
        styles:
          '<numFmts><numFmt numFmtId="170" formatCode="0.0%"/></numFmts><cellXfs><xf/><xf numFmtId="9"/><xf numFmtId="170"/></cellXfs>',
      }),
    );
    expect(cardOf(rows[0])).toMatchObject({ studentSolutionText: '7%', goldSolutionBrief: '12.5%' });
  });

  test('keeps what is raised or lowered in rich texts', async () => {
    const run = (text: string, position = ''): string =>
      `<r><rPr>${position && `<vertAlign val="${position}script"/>`}</rPr><t>${text}</t></r>`;
    const raised = [
      run('x'),
      run('2', 'super'),
      run('+e'),
      run('x', 'super'),
      run('的第'),
      run('1', 'super'),
      run('10'),
      run('－３', 'super'),
    ].join('');
    const lowered = `${run('H')}${run('2', 'sub')}${run('O，a')}${run('n+1', 'sub')}，a${run('ij', 'sub')}，1${run('st', 'super')}`;
    const { rows } = await read(
      oneSheet(
        [
          ['数学', '2', SHARED],
          ['数学', '2', `<c t="inlineStr"><is>${lowered}</is></c>`],
        ],
        { shared: [raised] },
      ),
    );
    expect(rows.map((row) => cardOf(row).questionText)).toEqual(['x²+eˣ的第¹10⁻³', 'H₂O，aₙ₊₁_(ij)st']);
  });

  test('says that its pictures are skipped, and takes none in a cell for a text or an error', async () => {
    const wps = '<c t="str"><f>_xlfn.DISPIMG("ID_1",1)</f><v>=DISPIMG("ID_1",1)</v></c>';
    const excel = '<c t="e" vm="1"><v>#VALUE!</v></c>';
    const sheets = {
      一: rowsXml([
        [...HEADER, '错解', '正解'],
        [...ROW, wps, excel],
      ]),
    };
    const { rows, notices } = await read(workbookOf({ sheets, more: [{ name: 'xl/media/image1.png', content: 'x' }] }));
    expect(cardOf(rows[0])).toMatchObject({ studentSolutionText: null, goldSolutionBrief: null });
    expect(notices).toEqual([expect.stringContaining('pictures are skipped')]);
  });
});
