import { expect, test } from 'vitest';
import { NO_MAPPING } from '../../../../src/domain/parse/import.js';
import { DEFAULT_VIEWER } from '../../../../src/domain/viewer.js';
import { FileChunks } from '../../../../src/exchange/import/reader/chunks.js';
import { wordingOf } from '../../../../studio/app/wording.js';
import { reasonText } from '../../../../studio/ui/reasons.js';
import { FILE_LIMITS, IMPORTED_AT } from '../../../support/files.js';
import { folderOfFile } from '../../../support/folder.js';

const folder = await folderOfFile('skipped-columns');

test('a column of students is reported as one that gives the cards to nobody else', async () => {
  const file = {
    path: await folder.write('class.csv', '姓名（必填）,学号,题型,题目,学科,难度\n张三,7,填空,1+1=?,数学,1\n'),
    format: 'csv' as const,
    mapping: { ...NO_MAPPING, columns: { 学号: null } },
    owner: DEFAULT_VIEWER,
    onDuplicate: 'KEEP' as const,
    now: IMPORTED_AT,
    stored: 0,
    limits: FILE_LIMITS,
  };
  const { notices } = await new FileChunks(file).check();
  expect(notices).toEqual([
    'the column "姓名（必填）" is skipped: all cards of a file belong to whoever imports it',
    'the column "题型" is skipped: it is not a field of a card',
  ]);
  expect(reasonText(notices[0] ?? '', wordingOf('zh-CN'))).toContain('列“姓名（必填）”没有导入：文件里的卡片都属于');
});
