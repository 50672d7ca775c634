import { describe, expect, test } from 'vitest';
import { NO_MAPPING } from '../../../../src/domain/parse/import.js';
import { cardOf, problemsOf } from '../../../support/files.js';
import { rowsXml, workbookOf } from '../../../support/zip.js';
import { contentReader } from './content-reader.js';

const read = await contentReader('xlsx');

describe('a cell of a workbook', () => {
  test('without a subject gets that of its sheet, before any default, and a default before the name as its source', async () => {
    const rows = rowsXml([
      ['题目', '难度', '学科', '来源'],
      ['1', '2', '', ''],
      ['2', '2', '英语', '课本'],
    ]);
    const defaults = { subject: 'biology', source: '月考' };
    const { rows: cards } = await read(workbookOf({ sheets: { 物理: rows, 第一单元: rows } }), {
      ...NO_MAPPING,
      defaults,
    });
    expect(cards.map(cardOf).map(({ subject, source }) => [subject, source])).toEqual([
      ['physics', '月考'],
      ['english', '课本'],
      ['biology', '月考'],
      ['english', '课本'],
    ]);
  });

  test('of a column of coefficients of difficulty is converted, in any other column of difficulties it is refused with the name', async () => {
    const percent = '<c s="1"><v>0.65</v></c>';
    const values = ['0.94', '<c><v>0.4</v></c>', percent, '困难', '4'];
    const table = (header: string): string =>
      rowsXml([['题目', '学科', header], ...values.map((value, place) => [`${place}`, '数学', value])]);
    const { rows } = await read(
      workbookOf({
        sheets: { 月考: table('难度系数'), 期中: table('难度') },
        styles: '<cellXfs><xf/><xf numFmtId="9"/></cellXfs>',
      }),
    );
    expect(rows.slice(0, 5).map((row) => cardOf(row).difficulty)).toEqual([1, 4, 3, 5, 4]);
    const reason = (value: string) => [`"${value}" is a coefficient, not a difficulty: call the column 难度系数`];
    expect(rows.slice(5).map((row) => problemsOf(row).map((problem) => problem.reason))).toEqual([
      ...['0.94', '0.4', '65%'].map(reason),
      [],
      [],
    ]);
  });

  test('has no source if its sheet has the name that a program gave to it', async () => {
    const rows = rowsXml([
      ['题目', '学科', '难度'],
      ['1', '数学', '2'],
    ]);
    const names = [
      'Sheet1',
      'sheet',
      '工作表2',
      '工作表 1 - 表格 1',
      'Sheet 1 - Table 1',
      '错题',
      'Sheet1 (2)',
      '错题 (2)',
      'cards(3)',
      'Sheet A',
      '工作表单',
      '期中 (2)',
    ];
    const { rows: cards } = await read(workbookOf({ sheets: Object.fromEntries(names.map((name) => [name, rows])) }));
    expect(cards.map((card) => cardOf(card).source)).toEqual([...names.slice(0, 9).map(() => null), ...names.slice(9)]);
  });

  test('has the subject that its sheet is named after, not what values say of that as a text', async () => {
    const rows = rowsXml([
      ['题目', '难度', '学科'],
      ['1', '2', ''],
      ['2', '2', 'math'],
    ]);
    const values = { subject: { math: 'science' } };
    const { rows: cards } = await read(workbookOf({ sheets: { 数学: rows } }), { ...NO_MAPPING, values });
    expect(cards.map(cardOf).map(({ subject }) => subject)).toEqual(['math', 'science']);
  });

  test('has the subject and the grade in the name of its sheet, before the defaults, if its cells are empty', async () => {
    const rows = rowsXml([
      ['题目', '难度', '年级', 'id'],
      ['1', '2', '', ''],
      ['2', '2', '初三', ''],
      ['3', '2', '', 'known'],
    ]);
    const defaults = { subject: 'math', grade: 'G1' };
    const { rows: cards } = await read(workbookOf({ sheets: { '英语（八下）': rows } }), { ...NO_MAPPING, defaults });
    expect(cards.map(cardOf).map(({ subject, grade }) => [subject, grade])).toEqual([
      ['english', 'G8'],
      ['english', 'G9'],
      // Its card may have no grade on purpose.
      ['english', null],
    ]);
  });

  test('that is a date has a notice in every column that is not of dates or notes', async () => {
    const day = '<c s="1"><v>46024</v></c>';
    const names = ['题目', '错解', '正解', '年级', '知识点', '错因', '来源'];
    const { rows } = await read(
      workbookOf({
        sheets: {
          一: rowsXml([
            [...names, '学科', '难度', '备注', '时间'],
            [...names.map(() => day), '数学', '2', day, day],
          ]),
        },
        styles: '<cellXfs><xf/><xf numFmtId="58"/></cellXfs>',
      }),
    );
    const reason =
      'the cell is the date 2026-01-02: if a fraction was meant, format the column as text and type it again';
    const notices = rows.flatMap((row) => ('notices' in row ? row.notices : []));
    expect(notices).toMatchObject(names.map((column) => ({ column, reason })));
  });

  test.each(['48', '49'])(
    'with the built-in format %s is the number, which was typed before the format',
    async (format) => {
      const five = '<c s="1"><v>5</v></c>';
      const { rows } = await read(
        workbookOf({
          sheets: {
            一: rowsXml([
              ['题目', '学科', '难度', '正解'],
              ['2+3=?', '数学', '2', five],
            ]),
          },
          styles: `<cellXfs><xf/><xf numFmtId="${format}"/></cellXfs>`,
        }),
      );
      expect(rows).toMatchObject([{ card: { goldSolutionBrief: '5' }, notices: [] }]);
    },
  );

  test.each(['', '<workbookPr date1904="1"/>'])(
    'with a format of elapsed hours is the hours that are displayed, whole days too %s',
    async (properties) => {
      const choices = { '0:00': 0, '24:00': 1, '48:00': 2, '24:36': 1 + 36 / 1_440, '30:00:05': 1.25 + 5 / 86_400 };
      const cells = Object.values(choices).map((days, place) => `<c s="${1 + (place % 2)}"><v>${days}</v></c>`);
      const { rows } = await read(
        workbookOf({
          sheets: {
            一: rowsXml([
              ['题目', '学科', '难度', ...'ABCDE'],
              ['多久？', '数学', '2', ...cells],
            ]),
          },
          styles:
            '<numFmts><numFmt numFmtId="170" formatCode="[h]:mm"/></numFmts>' +
            '<cellXfs><xf/><xf numFmtId="46"/><xf numFmtId="170"/></cellXfs>',
          properties,
        }),
      );
      expect(rows).toMatchObject([{ card: { choices: Object.keys(choices) }, notices: [] }]);
    },
  );

  test('with a format of fractions is the fraction that is displayed', async () => {
    const number = (style: number, value: number): string => `<c s="${style}"><v>${value}</v></c>`;
    const shown = [
      ...[number(1, 0.5), number(1, 1.5), number(1, -2.25), number(1, 3), number(1, 0), number(1, 0.99)],
      ...[number(2, 0.3125), number(2, 3.14), number(3, 0.123), number(4, 1.5), number(5, 0.5), number(6, 2.75)],
    ];
    const columns = shown.map((_, place) => `选项${'ABCDEFGHIJKL'[place]}`);
    const { rows } = await read(
      workbookOf({
        sheets: {
          一: rowsXml([
            ['题目', '学科', '难度', '错解', ...columns],
            ['几？', '数学', number(1, 3), number(1, 1 / 3), ...shown],
            ['整数？', '数学', number(4, 2), number(4, 3), number(4, 3), number(4, -4), number(4, 0)],
          ]),
        },
        styles:
          '<numFmts><numFmt numFmtId="170" formatCode="# ???/???"/><numFmt numFmtId="171" formatCode="?/?"/>' +
          '<numFmt numFmtId="172" formatCode="# ?/4"/><numFmt numFmtId="173" formatCode="#\\ ?/?_);\\(#\\ ?/?\\)"/></numFmts>' +
          '<cellXfs><xf/><xf numFmtId="12"/><xf numFmtId="13"/><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="172"/><xf numFmtId="173"/></cellXfs>',
      }),
    );
    const choices = ['1/2', '1 1/2', '-2 1/4', '3', '0', '1', '5/16', '3 7/50', '100/813', '3/2', '2/4', '2 3/4'];
    expect(cardOf(rows[0])).toMatchObject({ difficulty: 3, studentSolutionText: '1/3', choices });
    const wholes = ['3/1', '-4/1', '0/1'];
    expect(cardOf(rows[1])).toMatchObject({ difficulty: 2, studentSolutionText: '3/1', choices: wholes });
  });

  test('with a unit in its format has that unit in texts, and the number alone in other fields', async () => {
    const codes = ['0"°"', '#,##0.00', '0.0"元"_ ', 'General"cm"', '#,##0', '0"分"'];
    const values = [30, 1234.5, 3.45, 2.5, 1234, -0.4];
    const cells = values.map((value, place) => `<c s="${place + 2}"><v>${value}</v></c>`);
    const formats = codes.map(
      (code, place) => `<numFmt numFmtId="${170 + place}" formatCode="${code.replaceAll('"', '&quot;')}"/>`,
    );
    const styles = ['4', ...codes.map((_, place) => `${170 + place}`)].map((id) => `<xf numFmtId="${id}"/>`);
    const { rows } = await read(
      workbookOf({
        sheets: {
          一: rowsXml([
            ['题目', '学科', '难度', '错解', ...[...'ABCDEF'].map((letter) => `选项${letter}`)],
            ['几？', '数学', '<c s="7"><v>3</v></c>', '<c s="1"><v>1234.5</v></c>', ...cells],
          ]),
        },
        styles: `<numFmts>${formats.join('')}</numFmts><cellXfs><xf/>${styles.join('')}</cellXfs>`,
      }),
    );
    expect(cardOf(rows[0])).toMatchObject({
      difficulty: 3,
      studentSolutionText: '1234.50',
      choices: ['30°', '1234.50', '3.5元', '2.5cm', '1234', '0分'],
    });
  });
});
