import { describe, expect, test, vi } from 'vitest';
import { NO_MAPPING } from '../../../../src/domain/parse/import.js';
import type { CardDraft } from '../../../../src/domain/ports/imports.js';
import { DEFAULT_VIEWER } from '../../../../src/domain/viewer.js';
import { cardRow, type GoodRow } from '../../../../src/exchange/formats/rows.js';
import { fold } from '../../../../src/exchange/import/fold.js';
import { RowFolder } from '../../../../src/exchange/import/fold-rows.js';
import { FILE_LIMITS, IMPORTED_AT } from '../../../support/files.js';
import { NO_NAMES } from '../../../support/vocabulary.js';
import { importRows, question, row, type Said } from './import-rows.js';
import { MemoryImportStore } from './memory-import-store.js';

const once = (imports: MemoryImportStore): CardDraft => {
  expect(imports.cards).toHaveLength(1);
  return imports.cards[0] as CardDraft;
};

test('the ids of new cards are in the order of their rows, as exports write them', async () => {
  const imports = new MemoryImportStore();
  const rows = Array.from({ length: 60 }, (_, place) => row({ questionText: `第 ${place} 题：${place} × 7 = ?` }));
  await importRows(imports, rows, { chunk: 7 });
  const inOrder = [...imports.cards].sort((a, b) => (a.id < b.id ? -1 : 1));
  expect(inOrder.map(({ content }) => content.questionText)).toEqual(rows.map(({ questionText }) => questionText));
  for (const { id } of inOrder)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('new ids grow also when 4,096ths of a millisecond exceed the whole numbers of a double', async () => {
  vi.useFakeTimers({ now: new Date('2040-01-01T00:00:00Z'), toFake: ['Date'] });
  try {
    const imports = new MemoryImportStore();
    await importRows(
      imports,
      [1, 2, 3, 4].map((place) => row({ questionText: `${place} × 7 = ?` })),
    );
    const starts = imports.cards.map(({ id }) => id.slice(0, 18));
    expect(new Set(starts).size).toBe(4);
    expect([...starts].sort()).toEqual(starts);
  } finally {
    vi.useRealTimers();
  }
});

describe('a row', () => {
  test('with the id of a card and its question updates the card; absent fields are kept', async () => {
    const imports = new MemoryImportStore();
    await importRows(imports, [row({ id: 'a', grade: 'G6', notes: 'old', topicTags: ['p'] })]);
    expect(await importRows(imports, [row({ id: 'a', notes: 'new' })])).toMatchObject({ updated: 1 });
    expect(once(imports).content).toMatchObject({ grade: 'G6', notes: 'new', topicTags: ['p'] });
  });

  test.each(['MERGE', 'KEEP'] as const)(
    'with the id of a card updates it with %s, including its question, with a notice',
    async (onDuplicate) => {
      const imports = new MemoryImportStore();
      await importRows(imports, [row({ id: 'a', questionText: '12+3=?' })]);
      const edited = [row({ id: 'a', questionText: '12+4=?' })];
      expect(await importRows(imports, edited, { onDuplicate })).toMatchObject({
        updated: 1,
        created: 0,
        reasons: ['the card a had another question'],
      });
      expect(once(imports).content.questionText).toBe('12+4=?');
      expect(await importRows(imports, edited, { onDuplicate })).toMatchObject({ skipped: 1, updated: 0 });
    },
  );

  test('that changes the question of a card: later rows with the old question are no longer merged into it', async () => {
    const imports = new MemoryImportStore();
    await importRows(imports, [row({ id: 'a', questionText: '12+3=?' })]);
    const rows = [
      row({ id: 'a', questionText: '12+4=?' }),
      row({ questionText: '12+3=?' }),
      row({ questionText: '12+4=?' }),
    ];
    expect(await importRows(imports, rows)).toMatchObject({ updated: 1, created: 1, merged: 1 });
    const occurrences = imports.cards.map((card) => [card.content.questionText, card.occurrences.length]);
    expect(new Map(occurrences as [string, number][])).toEqual(
      new Map([
        ['12+4=?', 2],
        ['12+3=?', 1],
      ]),
    );
  });

  test('with the id of an earlier row and another question becomes a new card, with a notice', async () => {
    const imports = new MemoryImportStore();
    const rows = [row({ id: 'a' }), row({ id: 'a', questionText: '2+2=?' })];
    const { created, reasons } = await importRows(imports, rows);
    expect([created, reasons]).toEqual([2, [expect.stringContaining('the id a is that of another question')]]);
    expect(new Set(imports.cards.map(({ id }) => id)).size).toBe(2);
  });

  test('for a known occurrence of a card whose question an earlier row has changed is refused', async () => {
    const imports = new MemoryImportStore();
    const time = (day: number, questionText: string): Said =>
      row({ id: 'a', questionText, studentSolutionText: `x=${day}`, occurredAt: `2026-01-0${day}T00:00:00Z` });
    await importRows(imports, [time(1, '12+3=?'), time(2, '12+3=?')]);
    // As a table that was exported and edited in its first row alone.
    imports.cards = imports.cards.map((card) => ({
      ...card,
      occurrences: card.occurrences.map((one) => ({ ...one, origin: null })),
    }));
    expect(await importRows(imports, [time(1, '12+4=?'), time(2, '12+3=?')])).toMatchObject({
      updated: 1,
      failed: 1,
      reasons: ['the card a had another question', 'an earlier row with the id a has another question'],
    });
    expect(once(imports).content.questionText).toBe('12+4=?');
  });

  test('with the id of a card that the viewer may see but not change is refused', () => {
    const view = { cards: [], taken: new Set(['a', 'b']), foreign: new Set(['a']), labels: NO_NAMES, files: new Map() };
    const folder = new RowFolder({ owner: DEFAULT_VIEWER, onDuplicate: 'MERGE', scope: '' });
    const parts = { mapping: NO_MAPPING, typed: true, now: IMPORTED_AT, limits: FILE_LIMITS };
    const rows = ['a', 'b'].map((id, place) => {
      const cells = Object.entries(row({ id, questionText: `${id}+1=?` })).map(([header, value]) => ({
        header,
        value,
      }));
      return folder.prepare(cardRow({ sheet: null, row: place + 1, cells }, parts) as GoodRow);
    });
    const { counts, problems, drafts } = fold(rows, view, {
      owner: DEFAULT_VIEWER,
      onDuplicate: 'MERGE',

      earlierIds: new Set(),
      earlierKept: 0,
      newId: () => 'new',
    });
    expect(counts).toMatchObject({ failed: 1, created: 1 });
    expect(problems.map(({ row: at, failed, reason }) => [at, failed, reason])).toEqual([
      [1, true, expect.stringContaining('belongs to another owner')],
      [2, false, expect.stringContaining('the id b is that of another question')],
    ]);
    expect(drafts.map(({ id }) => id)).toEqual(['new']);
  });

  test('with the question of a card becomes an occurrence of it, and adds missing fields', async () => {
    const imports = new MemoryImportStore();
    await importRows(imports, [row({ studentSolutionText: 'x', errorTypes: ['e'], occurredAt: '2026-01-01' })]);
    const counts = await importRows(imports, [
      row({
        questionText: `${question}。`,
        studentSolutionText: 'y',
        errorTypes: ['f'],
        grade: 'G6',
        occurredAt: '2026-01-02',
      }),
    ]);
    expect(counts).toMatchObject({ merged: 1, created: 0 });
    expect(once(imports)).toMatchObject({
      content: { questionText: question, studentSolutionText: 'x', grade: 'G6', errorTypes: ['e', 'f'] },
      occurrences: [
        { wrongSolution: 'x', errorTypes: ['e'] },
        {
          wrongSolution: 'y',
          errorTypes: ['f'],
          occurredAt: new Date('2026-01-02'),
          merged: { questionText: `${question}。` },
        },
      ],
    });
  });

  test.each([
    ['near', 'nearest'],
    ['nearest', 'near'],
  ])('with nearly the question of two cards becomes an occurrence of the nearest: %s before %s', async (...ids) => {
    const imports = new MemoryImportStore();
    const questions: Readonly<Record<string, string>> = {
      near: `${question}一百元，问每件衬衫进价多少`,
      nearest: `${question}一百元，问每件衬衫的进价多少`,
    };
    const cards = ids.map((id) => row({ id, questionText: questions[id] }));
    await importRows(imports, cards, { onDuplicate: 'KEEP' });
    const rows = [row({ questionText: `${questions.nearest}元` })];
    expect(await importRows(imports, rows)).toMatchObject({ merged: 1 });
    expect(imports.cards.find(({ id }) => id === 'nearest')?.occurrences).toHaveLength(2);
  });

  test('asks the same question if its choices are the same in any order, and another one if they differ', async () => {
    const imports = new MemoryImportStore();
    const asked = (choices: readonly string[]): Said => row({ choices, occurredAt: '2026-01-01T00:00:00Z' });
    expect(await importRows(imports, [asked(['12 元', '15 元'])])).toMatchObject({ created: 1 });
    const again = { ...asked(['15 元', '12 元']), occurredAt: '2026-01-02T00:00:00Z' };
    expect(await importRows(imports, [again])).toMatchObject({ merged: 1 });
    const inText = row({ questionText: `${question}\nA. 12 元\nB. 15 元`, occurredAt: '2026-01-03T00:00:00Z' });
    expect(await importRows(imports, [inText])).toMatchObject({ merged: 1 });
    expect(await importRows(imports, [asked(['12 元', '18 元'])])).toMatchObject({ created: 1 });
    expect(imports.cards.map(({ content }) => content.choices)).toEqual([
      ['12 元', '15 元'],
      ['12 元', '18 元'],
    ]);
  });

  test('of an older file, with the options in its question, does not repeat the choices of its card', async () => {
    const imports = new MemoryImportStore();
    await importRows(imports, [row({ id: 'a', choices: ['12 元', '15 元'] })]);
    for (const options of ['\nA. 12 元\nB. 15 元', ' A．12 元　B．15 元', '\n(A) 12 元 (B) 15 元']) {
      const old = row({ id: 'a', questionText: `${question}${options}` });
      expect(await importRows(imports, [old])).toMatchObject({ skipped: 1, reasons: [] });
    }
    const corrected = row({ id: 'a', questionText: `${question}\nA. 12 元\nB. 18 元` });
    expect(await importRows(imports, [corrected])).toMatchObject({ updated: 1, failed: 0 });
    const { content, fingerprints } = once(imports);
    expect(content).toMatchObject({ questionText: question, choices: ['12 元', '18 元'] });
    // As a row that gives the choices apart.
    expect(await importRows(imports, [row({ id: 'a', choices: ['12 元', '18 元'] })])).toMatchObject({ skipped: 1 });
    expect(once(imports).fingerprints).toEqual(fingerprints);
  });

  test('with options in its question is kept as it is where the card has no choices', async () => {
    const imports = new MemoryImportStore();
    const questionText = `${question}\nA. 12 元\nB. 15 元`;
    await importRows(imports, [row({ id: 'a' })]);
    await importRows(imports, [row({ id: 'a', questionText })]);
    expect(once(imports).content).toMatchObject({ questionText, choices: [] });
  });

  test('that is a duplicate is refused by REJECT, and becomes a second card by KEEP', async () => {
    const imports = new MemoryImportStore();
    await importRows(imports, [row()]);
    const refused = await importRows(imports, [row({ studentSolutionText: 'y' })], { onDuplicate: 'REJECT' });
    expect(refused).toMatchObject({ failed: 1, reasons: [expect.stringContaining('asks the same question')] });
    await importRows(imports, [row({ studentSolutionText: 'z' })], { onDuplicate: 'KEEP' });
    expect(imports.cards).toHaveLength(2);
  });

  test('is imported with its notice, and with the reason alone if it fails', async () => {
    const dated = row({ 正解: new Date('2026-01-02') });
    for (const dryRun of [true, false]) {
      const { created, reasons } = await importRows(new MemoryImportStore(), [dated, dated], { dryRun });
      expect([created, reasons]).toEqual([1, Array(2).fill(expect.stringContaining('the date 2026-01-02'))]);
    }
    const imports = new MemoryImportStore();
    const refused = await importRows(imports, [row(), dated], { onDuplicate: 'REJECT' });
    expect(refused).toMatchObject({ failed: 1, reasons: [expect.stringContaining('asks the same question')] });
  });

  test.each(['MERGE', 'KEEP', 'REJECT'] as const)(
    'corrected in a file that is imported again, without an id, says with %s which values the card keeps',
    async (onDuplicate) => {
      const imports = new MemoryImportStore();
      const said = { studentSolutionText: 'x', goldSolutionBrief: '12 元', topicTags: ['百分数', '利润'], grade: 'G6' };
      await importRows(imports, [row(said)], { onDuplicate });
      const { id, content } = once(imports);
      const corrected = row({ ...said, goldSolutionBrief: '15 元', topicTags: ['折扣'], difficulty: 3, notes: '新' });
      expect(await importRows(imports, [corrected], { onDuplicate })).toMatchObject({
        updated: 1,
        reasons: [
          'the card ID keeps its own difficulty, goldSolutionBrief, topicTags: a row with this id changes them',
        ],
      });
      expect(once(imports).content).toEqual({ ...content, topicTags: [...content.topicTags, '折扣'], notes: '新' });
      expect(await importRows(imports, [{ ...corrected, id }], { onDuplicate: 'MERGE' })).toMatchObject({
        updated: 1,
        reasons: [],
      });
      expect(once(imports).content).toMatchObject({ goldSolutionBrief: '15 元', topicTags: ['折扣'], difficulty: 3 });
    },
  );

  test('imported again as it was says nothing, also where its values are kept with an occurrence', async () => {
    const imports = new MemoryImportStore();
    const first = row({ goldSolutionBrief: '12 元', topicTags: ['利润', '百分数'], notes: '第一行\n第二行' });
    const second = row({
      studentSolutionText: 'y',
      goldSolutionBrief: '0.12 百元',
      topicTags: ['折扣'],
      difficulty: 4,
    });
    await importRows(imports, [first, second]);
    const saved = { ...first, notes: '第一行 \r\n第二行\u00a0', topicTags: ['百分数', '利润'] };
    const shorter = row({ topicTags: [] });
    for (const rows of [[first, second], [saved, second], [shorter]]) {
      expect(await importRows(imports, rows)).toMatchObject({ skipped: rows.length, reasons: [] });
    }
  });

  test('in a dry run is counted and not stored', async () => {
    const imports = new MemoryImportStore();
    expect(await importRows(imports, [row()], { dryRun: true })).toMatchObject({ created: 1 });
    expect(imports.cards).toEqual([]);
  });
});
