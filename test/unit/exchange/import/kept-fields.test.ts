import { describe, expect, test } from 'vitest';
import type { RowProblem } from '../../../../src/domain/import.js';
import { NO_MAPPING } from '../../../../src/domain/parse/import.js';
import type { CardDraft } from '../../../../src/domain/ports/imports.js';
import { DEFAULT_VIEWER } from '../../../../src/domain/viewer.js';
import { mergeDrafts } from '../../../../src/exchange/import/merge.js';
import { FileChunks } from '../../../../src/exchange/import/reader/chunks.js';
import { FILE_LIMITS, IMPORTED_AT } from '../../../support/files.js';
import { makeFolder } from '../../../support/folder.js';
import { importRows, row } from './import-rows.js';
import { MemoryImportStore } from './memory-import-store.js';

const KEPT = /keeps its own/;

describe('a row that was imported before is reported with the fields that its card keeps', () => {
  test('naming an earlier row where it has the id of its card', async () => {
    const imports = new MemoryImportStore();
    const rows = ['1', '2'].map((studentSolutionText) => row({ id: 'a', studentSolutionText, difficulty: 2 }));
    await importRows(imports, rows);
    const { reasons } = await importRows(imports, [rows[0], { ...rows[1], difficulty: 4 }] as typeof rows);
    expect(reasons).toEqual([
      'the card a keeps its own difficulty: an earlier row with its id, or a later change, has other values',
    ]);
  });

  test('unless another spelling of blanks is the difference, also for a value that an occurrence keeps', async () => {
    const imports = new MemoryImportStore();
    const second = row({ studentSolutionText: 'y', notes: '第一行\n第二行' });
    await importRows(imports, [row({ notes: '别的' }), second]);
    const saved = { ...second, notes: '第一行 \r\n第二行\u00a0' };
    expect((await importRows(imports, [saved])).reasons).toEqual([]);
  });

  test('also where its new value is that of another occurrence', async () => {
    const imports = new MemoryImportStore();
    const first = row({ studentSolutionText: 'x', goldSolutionBrief: '12 元' });
    const second = row({ studentSolutionText: 'y', goldSolutionBrief: '15 元' });
    await importRows(imports, [first, second]);
    const { reasons } = await importRows(imports, [{ ...first, goldSolutionBrief: '15 元' }]);
    expect(reasons).toEqual([expect.stringContaining('keeps its own goldSolutionBrief:')]);
  });

  test('but not because its card was merged, whichever of its rows it is, and merged again', async () => {
    const imports = new MemoryImportStore();
    const rows = ['1', '2'].map((studentSolutionText) => row({ studentSolutionText, notes: '甲', grade: 'G6' }));
    const others = ['乙', '丙'].map((notes) => row({ questionText: `题目${notes}`, notes, grade: 'G5', source: '卷' }));
    await importRows(imports, [...rows, ...others]);
    const [from, into, last] = imports.cards as [CardDraft, CardDraft, CardDraft];
    imports.cards = [mergeDrafts(last, mergeDrafts(into, from))];
    const again = [...rows, ...others];
    expect(await importRows(imports, again)).toMatchObject({ skipped: 4, reasons: [] });
    const corrected = again.map((one) => ({ ...one, notes: '丁' }));
    expect((await importRows(imports, corrected)).reasons).toHaveLength(4);
  });

  test('or adds to, where the row may be a correction of a card with several occurrences', async () => {
    const imports = new MemoryImportStore();
    const rows = ['1', '2'].map((studentSolutionText, place) =>
      row({ id: 'a', studentSolutionText, topicTags: ['利润'], occurredAt: `2026-01-0${place + 1}T08:00:00Z` }),
    );
    expect((await importRows(imports, rows)).reasons).toEqual([]);
    expect((await importRows(imports, rows)).reasons).toEqual([]);
    const tagged = rows.map((one) => ({ ...one, topicTags: ['折扣'] }));
    expect((await importRows(imports, tagged)).reasons).toEqual([
      'the card a keeps its other topic tags: rows of a card with several occurrences only add some',
    ]);
    expect((await importRows(imports, tagged)).reasons).toEqual([]);
    const again = 'the card a has an occurrence of the same time: the row became another one, and corrected none';
    const corrected = { ...rows[1], studentSolutionText: '2（更正）' };
    expect((await importRows(imports, [rows[0], corrected] as typeof rows)).reasons).toEqual([again]);
    expect((await importRows(imports, [{ ...rows[0], studentSolutionText: '3' }])).reasons).toEqual([again]);
    expect(imports.cards.map(({ occurrences }) => occurrences.length)).toEqual([4]);
  });

  test('but not with topic tags that the card has had, or that are added to it', async () => {
    const imports = new MemoryImportStore();
    await importRows(imports, [row({ topicTags: ['百分数', '利润'] })]);
    for (const topicTags of [['利润'], ['利润', '百分数', '折扣']])
      expect((await importRows(imports, [row({ topicTags })])).reasons).toEqual([]);
  });

  test('but not with the name of another sheet as its source', async () => {
    const imports = new MemoryImportStore();
    await importRows(imports, [row()], { sheet: '第一单元' });
    expect((await importRows(imports, [row()], { sheet: '期中' })).reasons).toEqual([]);
    const said = row({ source: '期末卷' });
    expect((await importRows(imports, [said], { sheet: '期中' })).reasons).toEqual([expect.stringMatching(KEPT)]);
  });

  test('at most a thousand times, with the number of the others', async () => {
    const imports = new MemoryImportStore();
    const rows = Array.from({ length: 1_100 }, (_, place) =>
      row({ questionText: `${place} + ${place * 7 + 1} = ?`, studentSolutionText: String(place) }),
    );
    await importRows(imports, rows, { onDuplicate: 'KEEP' });
    const lines = rows.map((one) => JSON.stringify({ ...one, difficulty: 5 })).join('\n');
    const folder = await makeFolder('kept-fields');
    const chunks = new FileChunks({
      path: await folder.write('corrected.jsonl', lines),
      format: 'jsonl',
      mapping: NO_MAPPING,
      owner: DEFAULT_VIEWER,
      onDuplicate: 'KEEP',
      now: IMPORTED_AT,
      stored: 0,
      limits: FILE_LIMITS,
    });
    const problems: RowProblem[] = [];
    const options = { step: null, dryRun: false };
    for (let wanted = await chunks.next(); wanted !== null; wanted = await chunks.next()) {
      const folded = await imports.fold(DEFAULT_VIEWER, wanted, (view) => chunks.fold(view), options);
      problems.push(...(folded?.problems ?? []));
    }
    await folder.remove();
    expect(problems.filter(({ reason }) => KEPT.test(reason))).toHaveLength(1_000);
    expect(problems.slice(1_000)).toEqual([
      expect.objectContaining({
        row: 1_100,
        failed: false,
        reason: '100 more rows have other values than their cards, which stay',
      }),
    ]);
  });
});
