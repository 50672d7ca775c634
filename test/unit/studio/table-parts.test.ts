import { expect, test } from 'vitest';
import { blocksOf } from '../../../studio/ui/table-parts.js';

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
