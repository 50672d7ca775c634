import { expect, test } from 'vitest';
import { blocksOf, htmlTable } from '../../../../src/exchange/formats/write/blocks.js';

test('a table stands between the lines before and after it', () => {
  expect(blocksOf('读表：\n\n| 时间 | 路程 |\n|:--|--:|\n| 1 | 60 |\n| 2 |\n\n求速度。')).toEqual([
    { kind: 'text', text: '读表：\n' },
    {
      kind: 'table',
      rows: [
        ['时间', '路程'],
        ['1', '60'],
        ['2', ''],
      ],
    },
    { kind: 'text', text: '\n求速度。' },
  ]);
});

test('a bar in a formula or after a backslash divides no cells, and a table needs no bars at its sides', () => {
  expect(blocksOf('$x$ | $|x|$\r\n- | -\r\n$-2$ | a \\| b | more')).toEqual([
    {
      kind: 'table',
      rows: [
        ['$x$', '$|x|$'],
        ['$-2$', 'a | b'],
      ],
    },
  ]);
});

test('text with bars that is no table stays as it is', () => {
  for (const text of ['|x| < 3', '|x|\n---\n3', 'a | b\n--- | --- | ---', '|a|b|\n|1|2|', 'P(A|B)\r\n= 0.5\n', '']) {
    expect(blocksOf(text).map((block) => block.kind === 'text' && block.text)).toEqual(text === '' ? [''] : [text]);
  }
});

test('a sentence after a table is none of its rows, whatever bars its formulas have', () => {
  expect(blocksOf('| a | b |\n|---|---|\n1 |\n求 $|x|$')).toEqual([
    {
      kind: 'table',
      rows: [
        ['a', 'b'],
        ['1', ''],
      ],
    },
    { kind: 'text', text: '求 $|x|$' },
  ]);
});

test('a table of many columns and short rows has no more cells than its text has bars and lines', () => {
  const columns = 2_000;
  const text = `${'|a'.repeat(columns)}\n${'|-'.repeat(columns)}\n${'|\n'.repeat(4_000)}`;
  const [table] = blocksOf(text);
  const rows = table?.kind === 'table' ? table.rows : [];
  expect(rows).toHaveLength(4_001);
  expect(rows.flat().length).toBeLessThan(text.length);
  const html = htmlTable(rows, (cell) => cell);
  expect(html.length).toBeLessThan(20 * text.length);
  expect(html).toContain(`<tr><td></td><td colspan="${columns - 1}"></td></tr>`);
});

test.each(['|', '\\(', '\\[', '\\$', '\\[\\(', '$a ', '|-', '\\|'])(
  'a text full of %s is read in linear time',
  (sign) => {
    const text = sign.repeat(200_000);
    expect(blocksOf(`${text}\n${text}`).length).toBeLessThanOrEqual(2);
  },
);
