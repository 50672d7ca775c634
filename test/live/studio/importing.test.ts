/** Files imported in the studio. */
import { readFileSync, statSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import type { Locator } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { csvLine } from '../../../src/exchange/formats/write/csv.js';
import { writeXlsx } from '../../../src/exchange/formats/write/xlsx.js';
import { browserPath, expectAccessible, soon } from '../../support/browser.js';
import { deferred } from '../../support/deferred.js';
import { folderOfFile } from '../../support/folder.js';
import { rowsXml, workbookOf } from '../../support/zip.js';
import { gb18030File } from './gb18030-file.js';
import { SAMPLE, studioOf, Visitor, WAYS } from './visitor.js';

const studio = studioOf(SAMPLE);
const folder = await folderOfFile('studio');

describe.skipIf(browserPath === null).each(WAYS)('%s', (_title, way) => {
  const visitor = new Visitor(way);
  const { mark } = visitor;
  const name = visitor.name.bind(visitor);
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  test('a GB18030 file with bad rows is previewed, tested in a dry run, and imported without them', async () => {
    const page = await visitor.visit(studio, '/#/exchange');
    const file = { name: `notebook-${mark}.csv`, mimeType: 'text/csv', buffer: gb18030File(mark) };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('columnheader', { name: '题目' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: name('import.try') }).click();
    const failed = page.locator('.figure-failed dd');
    await soon(() => failed.textContent()).toBe('2');
    const problems = page.locator('.problems tbody tr');
    expect(await problems.count()).toBeGreaterThanOrEqual(2);
    expect(await problems.locator('td[lang=en]').count(), 'reasons that are not in the language of the page').toBe(0);
    expect((await studio.gateway.gql(`{ card(id: "gb-${mark}-1") { id } }`)).data).toEqual({ card: null });
    await page.getByRole('button', { name: name('import.start'), exact: true }).click();
    await page.getByRole('link', { name: name('import.look') }).waitFor();
    await expectAccessible(page);
    expect((await studio.gateway.gql(`{ card(id: "gb-${mark}-1") { questionText } }`)).data).toEqual({
      card: { questionText: `（${mark}）两车相向而行，几小时后相遇？` },
    });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: name('import.template') }).click(),
    ]);
    expect(statSync(await download.path()).size).toBeGreaterThan(3_000);
  });

  test('an import is tried as it is set, and shows what fails', async () => {
    const page = await visitor.visit(studio, '/#/exchange');
    const chooser = page.locator('input[type=file]');
    const [tryIt, start] = (['import.try', 'import.start'] as const).map((key) =>
      page.getByRole('button', { name: name(key), exact: true }),
    ) as [Locator, Locator];
    await chooser.setInputFiles({
      name: 'a.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('题目;学科;难度;题型\n1 + 1;数学;1;选择题\n'),
    });
    await page.getByRole('columnheader', { name: '学科' }).waitFor();
    // The same name can be chosen again.
    expect(await chooser.inputValue()).toBe('');
    await tryIt.click();
    await soon(() => start.isEnabled()).toBe(true);
    await page.locator('ul.notice', { hasText: '“题型”' }).waitFor();
    // Wide enough for the bullets, which would be on the border.
    const padding = await page.evaluate(
      "parseFloat(getComputedStyle(document.querySelector('ul.notice')).paddingLeft)",
    );
    expect(padding).toBeGreaterThan(24);
    await page.getByLabel(name('import.onDuplicate')).selectOption('REJECT');
    expect(await start.isEnabled()).toBe(false);
    await page.route(/\/template\.xlsx/, (route) => route.abort());
    await page.getByRole('button', { name: name('import.template') }).click();
    await page.getByRole('alert').getByText(name('error.OFFLINE')).waitFor();
  });

  test('the columns of a workbook with a title above its header can be chosen', async () => {
    const rows = [
      ['序号', '题目', '学科', '难度'],
      ['1', '1 + 1 = ?', '数学', '1'],
    ];
    const columns = ['八（3）班错题', '', '', ''].map((header) => ({ header, width: 10 }));
    const page = await visitor.visit(studio, '/#/exchange');
    await page.locator('input[type=file]').setInputFiles({
      name: 'a.xlsx',
      mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      buffer: await buffer(writeXlsx([{ name: '错题', columns, rows }])),
    });
    await page.getByRole('columnheader', { name: '学科' }).waitFor();
    expect(await page.locator('.mapping tbody tr').count()).toBe(1);
  });

  test('the sheets of a workbook can be looked at, first one with a header, and none that is hidden', async () => {
    const page = await visitor.visit(studio, '/#/exchange');
    const table = (subject: string): string =>
      `${rowsXml([
        ['题目', '难度', '选项', '', '备注栏'],
        ['', '', 'A', 'B', ''],
        [`${subject}？`, '1', '对', '错', ''],
      ])}<mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="B1:B2"/><mergeCell ref="C1:D1"/></mergeCells>`;
    await page.locator('input[type=file]').setInputFiles({
      name: 'a.xlsx',
      mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      buffer: workbookOf({
        sheets: {
          旧: table('旧'),
          说明: rowsXml([['请填写题目']]),
          数学: table('数学'),
          大: '',
          坏: '',
          物理: table('物理'),
        },
        hidden: ['旧'],
        more: [
          { name: 'xl/worksheets/sheet4.xml', content: '', claimedSize: 17 * 1024 * 1024 },
          { name: 'xl/worksheets/sheet5.xml', content: '', packed: Buffer.from('damaged') },
        ],
      }),
    });
    const firstCell = page.locator('.mapping tbody td').first();
    await soon(() => firstCell.textContent()).toBe('数学？');
    expect(await page.locator('.mapping-header').allTextContents()).toEqual(['题目', '难度', 'A', 'B', '备注栏']);
    // The name of a column that is not known is said before the import.
    const [auto, unknown] = [name('import.mapping.auto'), name('import.mapping.unknown')];
    expect(await page.locator('.mapping option:checked').allTextContents()).toEqual([auto, auto, auto, auto, unknown]);
    const sheet = page.getByLabel(name('import.sheet'));
    const notShown = ['大', '坏'].map((one) => name('import.sheet.notShown').replace('{sheet}', one));
    expect(await sheet.locator('option').allTextContents()).toEqual(['说明', '数学', ...notShown, '物理']);
    await expectAccessible(page);
    await sheet.selectOption(notShown[1] as string);
    await page.getByText(name('import.noPreview')).waitFor();
    await sheet.selectOption('物理');
    await soon(() => firstCell.textContent()).toBe('物理？');
  });

  /** The cells that the preview shows of the first row. */
  async function firstRowOf(workbook: Parameters<typeof workbookOf>[0]): Promise<readonly string[]> {
    const page = await visitor.visit(studio, '/#/exchange');
    await page.locator('input[type=file]').setInputFiles({
      name: 'a.xlsx',
      mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      buffer: workbookOf(workbook),
    });
    const row = page.locator('.mapping tbody tr').first();
    await row.waitFor();
    return row.locator('td').allTextContents();
  }

  test('dates of a workbook are shown as dates before the import', async () => {
    const cells = ['46082', '46082.75', '0.5'].map(
      (value, style) => `<c s="${style === 2 ? 3 : style}"><v>${value}</v></c>`,
    );
    const rows = [
      ['题目', '日期', '时间', '难度'],
      ['1 + 1 = ?', ...cells],
    ];
    const styles =
      '<numFmts><numFmt numFmtId="170" formatCode="yyyy/m/d h:mm"/><numFmt numFmtId="171" formatCode="0.0&quot; dB&quot;"/></numFmts>' +
      '<cellXfs><xf numFmtId="14"/><xf numFmtId="170"/><xf/><xf numFmtId="171"/></cellXfs>';
    const shown = await firstRowOf({ sheets: { 错题: rowsXml(rows) }, styles });
    expect(shown).toEqual(['1 + 1 = ?', '2026-03-01', '2026-03-01 18:00', '0.5']);
  });

  test('pinyin above the characters of a workbook is not shown before the import', async () => {
    const guided = '<r><t>求</t></r><r><t>面积</t></r><rPh sb="0" eb="1"><t>qiú</t></rPh>';
    const rows = rowsXml([
      ['题目', '难度'],
      ['<c t="s"><v>0</v></c>', `<c t="inlineStr"><is>${guided}</is></c>`],
    ]);
    expect(await firstRowOf({ sheets: { 错题: rows }, shared: [guided] })).toEqual(['求面积', '求面积']);
  });

  test('raised characters of a workbook are shown as they are imported', async () => {
    const raised = '<r><t>(-3)</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>2</t></r><r><t> = ?</t></r>';
    const rows = rowsXml([['题目', '难度'], ['<c t="s"><v>0</v></c>']]);
    expect(await firstRowOf({ sheets: { 错题: rows }, shared: [raised] })).toEqual(['(-3)² = ?', '']);
  });

  test.each([
    ['of a workbook that counts days from 1904', { properties: '<workbookPr date1904="true"/>' }, '46082'],
    [
      'whose styles are damaged',
      { more: [{ name: 'xl/styles.xml', content: 'x', packed: Buffer.from([255]) }] },
      '46082',
    ],
    [
      'whose other parts are too large',
      { more: [{ name: 'xl/workbook.xml', content: '', claimedSize: 2 ** 25 }] },
      '2026-03-01',
    ],
  ])('rows %s are shown before the import, truth values never as dates', async (_title, parts, day) => {
    const rows = [
      ['题目', '日期', '正误'],
      ['1 + 1 = ?', '<c s="0"><v>46082</v></c>', '<c s="0" t="b"><v>1</v></c>'],
    ];
    const styles = '<cellXfs><xf numFmtId="14"/></cellXfs>';
    const shown = await firstRowOf({ sheets: { 错题: rowsXml(rows) }, styles, ...parts });
    expect(shown).toEqual(['1 + 1 = ?', day, '1']);
  });

  test('all rows to look at are saved as a table, those that are not shown yet included', async () => {
    const rows = Array.from({ length: 230 }, (_, row) => `What is ${row} + 1? ${mark},math,9`);
    const page = await visitor.visit(studio, '/#/exchange');
    await page.locator('input[type=file]').setInputFiles({
      name: 'bad.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(['question,subject,difficulty', ...rows].join('\n')),
    });
    await page.getByRole('button', { name: name('import.try'), exact: true }).click();
    await page.getByRole('button', { name: name('report.more') }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: name('report.save') }).press('Enter'),
    ]);
    const [header, ...lines] = readFileSync(await download.path(), 'utf8')
      .slice(1)
      .trimEnd()
      .split('\r\n');
    const keys = ['problem.sheet', 'problem.row', 'problem.column', 'problem.reason'] as const;
    expect(header).toBe(csvLine(keys.map(name)).trimEnd());
    expect(lines.map((line) => line.split(',')[1])).toEqual(rows.map((_, row) => String(row + 2)));
    expect(await page.locator('.problems tbody tr').count()).toBe(100);
  });

  test('a file that was changed after it was chosen is to be chosen again', async () => {
    const path = await folder.write('notebook.csv', 'question,subject,difficulty\nWhat is 3 + 4?,math,hard\n');
    const page = await visitor.visit(studio, '/#/exchange');
    await page.locator('input[type=file]').setInputFiles(path);
    await page.getByRole('columnheader', { name: 'question' }).waitFor();
    await folder.write('notebook.csv', 'question,subject,difficulty\nWhat is 3 + 4? (corrected),math,1\n');
    await page.getByRole('button', { name: name('import.try'), exact: true }).click();
    await page.getByRole('alert').getByText(name('error.FILE_CHANGED')).waitFor();
  });

  test('another file is chosen only if the import that runs may be left', async () => {
    const page = await visitor.visit(studio, '/#/exchange');
    page.removeAllListeners('dialog');
    const answers = [false, true];
    page.on('dialog', (dialog) => void (answers.shift() ? dialog.accept() : dialog.dismiss()));
    const choose = (file: string) =>
      page.locator('input[type=file]').setInputFiles({
        name: file,
        mimeType: 'text/csv',
        buffer: Buffer.from(`question,subject,difficulty\nWhat is 5 + 6? ${mark},math,1\n`),
      });
    await choose('first.csv');
    await page.getByRole('button', { name: name('import.try'), exact: true }).click();
    const start = page.getByRole('button', { name: name('import.start'), exact: true });
    await soon(() => start.isEnabled()).toBe(true);
    await page.route(/\/import\?/, () => undefined);
    await start.click();
    const cancel = page.getByRole('button', { name: name('action.cancel'), exact: true });
    await cancel.waitFor();
    await choose('second.csv');
    await soon(() => answers).toEqual([true]);
    await page.locator('.drop', { hasText: 'first.csv' }).waitFor();
    await choose('second.csv');
    await page.locator('.drop', { hasText: 'second.csv' }).waitFor();
    expect(answers).toEqual([]);
  });

  test('an import that is cancelled before the gateway answers ends there, whatever is chosen next', async () => {
    const page = await visitor.visit(studio, '/#/exchange');
    const [tryIt, cancel] = (['import.try', 'action.cancel'] as const).map((key) =>
      page.getByRole('button', { name: name(key), exact: true }),
    ) as [Locator, Locator];
    const choose = (file: string) =>
      page.locator('input[type=file]').setInputFiles({
        name: `${file}-${mark}.csv`,
        mimeType: 'text/csv',
        buffer: Buffer.from(`question,subject,difficulty\nWhat is 3 + 4? ${file},math,1\n`),
      });
    for (const next of [null, 'other']) {
      await choose('first');
      const held = deferred();
      const arrived = new Promise<string>((resolve) => {
        void page.route(/\/import\?/, async (route) => {
          const response = await route.fetch();
          resolve((await response.json()).importJob.id);
          await held.promise;
          await route.fulfill({ response });
        });
      });
      await tryIt.click();
      const id = await arrived;
      await cancel.click();
      await soon(() => cancel.isEnabled()).toBe(false);
      if (next !== null) await choose(next);
      const cancelled = page.waitForRequest((request) => request.postDataJSON()?.operationName === 'CancelImport');
      held.resolve();
      expect((await cancelled).postDataJSON().variables).toEqual({ id });
      await cancel.waitFor({ state: 'detached' });
      expect(await page.locator('.figure-failed').count()).toBe(next === null ? 1 : 0);
      await page.unrouteAll({ behavior: 'wait' });
    }
  });
});
