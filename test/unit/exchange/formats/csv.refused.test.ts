import { describe, expect, test } from 'vitest';
import { BadInputError } from '../../../../src/domain/errors.js';
import { inBig5, inGb18030 } from '../../../support/files.js';
import { contentReader } from './content-reader.js';

const read = await contentReader('csv');

describe('a CSV file is refused with the reason if', () => {
  const head = '学科,难度,题目\n';
  test.each<[string, RegExp, string | Uint8Array]>([
    ['a quote is not closed', /row 3 .*quote is missing/, `${head}数学,1,"好"\n数学,1,"没有结束\n数学,1,又一行\n`],
    [
      'a quote is not closed for a megabyte',
      /row 3 is longer .*quote/,
      `${head}数学,1,好\n数学,1,"${'长\n'.repeat(1_100_000)}`,
    ],
    ['text follows a closing quote', /row 2 has text after the closing quote/, `${head}数学,1,"a"b"\n`],
    ['a quote stands in the middle of a cell', /row 2 has a quote in a cell without quotes/, `${head}数学,1,a"b\n`],
    [
      'one cell of quotes is longer than any row',
      /row 2 is longer than 1048576/,
      `${head}数学,1,${'"'.repeat(2_200_000)}\n`,
    ],
    ['one line is longer than any row', /row 2 is longer than 1048576/, `${head}${'x'.repeat(1_100_000)}\n`],
    ['a row has more columns than any table', /row 2 has values beyond column 256/, `${head}${','.repeat(300)}x\n`],
    [
      'it has more lines than a sheet',
      /more than 1048576 rows, including blank ones/,
      `${head}${'\n'.repeat(1_048_576)}`,
    ],
    [
      'it is in two encodings',
      /two encodings: line 1 is UTF-8, and line 3 is not/,
      Buffer.concat([Buffer.from(`${head}数学,1,这是一道题目\n`), inGb18030('数学,1,另一道题目\n')]),
    ],
    [
      'it is in two encodings, and one has only two Chinese characters in its lines',
      /two encodings: line 2 is UTF-8, and line 1 is not/,
      Buffer.concat([inGb18030(head), Buffer.from('数学,1,1+1=?\n')]),
    ],
    [
      'it begins with the byte order mark of UTF-8 and goes on in GB18030',
      /two encodings: line 1 is UTF-8, and line 2 is not/,
      Buffer.concat([Buffer.from('\ufeffsubject,difficulty,question\n'), inGb18030('math,1,题目\n')]),
    ],
    [
      'it is in two encodings, and one has no Chinese in its lines',
      /two encodings: line 2 is UTF-8, and line 1 is not/,
      Buffer.concat([inGb18030(head), Buffer.from('math,1,3×4\n')]),
    ],
    [
      'it is in no encoding',
      /line 2 is neither UTF-8 nor GB18030/,
      Buffer.concat([inGb18030(head), Buffer.from([0x31, 0xff, 0xff, 0x0a])]),
    ],
    [
      'a line of it is not in its encoding',
      /line 3 is neither UTF-8 nor Big5/,
      Buffer.concat([inBig5('題目,學科,難度\n一,數學,1\n'), Buffer.from([0x87, 0x40, 0x0a])]),
    ],
    ['it has no header', /no header/, '数学,1,1+1=?\n'],
    ['it is empty', /no rows/, ''],
    ['two columns have one name', /both are called 难度/, '学科,难度,难度,题目\n数学,1,2,a\n'],
    ['two columns mean the same', /both mean subject/, '学科,科目,难度,题目\n数学,数学,1,a\n'],
    ['a column that every card needs is missing', /no column for difficulty/, '学科,题目\n数学,a\n'],
    [
      'it is a workbook by another name',
      /longer|neither|no header|two encodings/,
      Buffer.from('504b030414000600080000002100', 'hex'),
    ],
  ])('%s', async (_, reason, content) => {
    const refused = await read(content).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(refused).toBeInstanceOf(BadInputError);
    expect(refused).toMatchObject({ field: 'file', problem: expect.stringMatching(reason) });
  });
});
