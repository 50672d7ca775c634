import { expect, test } from 'vitest';
import { NO_MAPPING } from '../../../../src/domain/parse/import.js';
import { DEFAULT_VIEWER } from '../../../../src/domain/viewer.js';
import { FileChunks } from '../../../../src/exchange/import/reader/chunks.js';
import { knownReason } from '../../../../studio/ui/reasons.js';
import { FILE_LIMITS, IMPORTED_AT } from '../../../support/files.js';
import { folderOfFile } from '../../../support/folder.js';
import { MemoryImportStore } from './memory-import-store.js';

const folder = await folderOfFile('date-order');

/** What the import of a file with these dates says, and the days of its cards after the stored rows; null: refused. */
async function imported(dates: readonly string[], stored = 0) {
  const rows = dates.map((date, place) => `${place} + 1 = ?,数学,1,${date}`);
  const file = {
    path: await folder.write('dates.csv', ['题目,学科,难度,日期', ...rows].join('\n')),
    format: 'csv' as const,
    mapping: NO_MAPPING,
    owner: DEFAULT_VIEWER,
    onDuplicate: 'KEEP' as const,
    now: IMPORTED_AT,
    stored,
    limits: FILE_LIMITS,
  };
  const { notices } = await new FileChunks(file).check();
  const [imports, chunks] = [new MemoryImportStore(), new FileChunks(file)];
  const wanted = await chunks.next();
  if (wanted === null) throw new Error('no rows are left');
  await imports.fold(DEFAULT_VIEWER, wanted, (view) => chunks.fold(view), { dryRun: false });
  const days = new Map(
    imports.cards.map(({ content }) => [content.questionText, content.occurredAt.toISOString().slice(0, 10)]),
  );
  return { notices, days: dates.slice(stored).map((_, place) => days.get(`${place + stored} + 1 = ?`) ?? null) };
}

test.each([
  [
    'day',
    ['1/3/2026', '2026-05-06', '25/3/2026', '3.4.2026 18:30'],
    ['2026-03-01', '2026-05-06', '2026-03-25', '2026-04-03'],
  ],
  ['month', ['1/3/2026', '3/25/2026', '1/1/2026'], ['2026-01-03', '2026-03-25', '2026-01-01']],
])(
  'dates are read with the %s first if others of the file can only be read so, in whatever parts',
  async (order, dates, days) => {
    const notices = [`dates with the year last are read with the ${order} first`];
    expect(notices.map(knownReason)).toEqual([{ key: `reason.${order}First`, values: {} }]);
    expect(await imported(dates)).toEqual({ notices, days });
    expect(await imported(dates, dates.length - 1)).toEqual({ notices, days: days.slice(-1) });
  },
);

test.each([
  ['tell both orders', ['1/3/2026', '25/3/2026', '3/25/2026'], [null, '2026-03-25', '2026-03-25']],
  ['tell none', ['1/3/2026', '1/1/2026', '2026/3/25'], [null, '2026-01-01', '2026-03-25']],
])('a date with two readings is refused where the other dates %s', async (_, dates, days) => {
  expect(await imported(dates)).toEqual({ notices: [], days });
});
