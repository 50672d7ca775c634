import { describe, expect, test } from 'vitest';
import { NO_MAPPING } from '../../../../src/domain/parse/import.js';
import { cardOf } from '../../../support/files.js';
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
});
