import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errataInTime, errata as run } from '../../support/errata.js';
import { type Folder, makeFolder } from '../../support/files.js';
import { type Gateway, startGateway } from '../../support/gateway.js';
import { imported, jobOf, line, post } from '../../support/imports.js';
import { indexed } from '../../support/notebook.js';

let gateway: Gateway;
let folder: Folder;
beforeAll(async () => {
  [gateway, folder] = await Promise.all([startGateway(), makeFolder()]);
});
afterAll(async () => {
  await Promise.all([gateway.close(), folder.remove()]);
});

/** Runs a command; what it printed on both of its outputs is `out`. */
async function errata(...args: readonly string[]): Promise<{ readonly code: number | null; readonly out: string }> {
  const { code, out, err } = await run(args);
  return { code, out: out + err };
}

describe('the command line', () => {
  test('writes a template that imports nothing until it is filled in, reports the outcome of each file, and writes bad rows to a file', async () => {
    const template = join(folder.path, 'template.xlsx');
    expect(await errata('template', template)).toMatchObject({ code: 0 });
    expect(await errata('import', template, '--url', gateway.url)).toMatchObject({
      code: 1,
      out: expect.stringContaining('has no rows'),
    });
    const bad = await folder.write('bad.csv', '学科,难度,题目,老师\n数学,9,=难度不对,王\n数学,1,命令行导入的题目,李\n');
    const refused = await folder.write('refused.csv', 'a,b\n1,2\n');
    const report = join(folder.path, 'report.csv');
    const { code, out } = await errata('import', bad, refused, '--url', gateway.url, '--report', report);
    expect(code).toBe(1);
    expect(out).toMatch(/bad\.csv: 2 read: 1 created, 0 updated, 0 merged, 0 skipped, 1 failed/);
    expect(out).toMatch(/row 2, column 难度: .*is not a difficulty/);
    expect(out).toMatch(/the column "老师" is skipped/);
    expect(out).toMatch(/refused\.csv: refused: .*no header/);
    const written = await readFile(report, 'utf8');
    expect(written).toContain(`${bad},failed,,2,难度,`);
    expect(written).toContain(`${refused},failed`);
    const json = join(folder.path, 'report.json');
    await errata('import', bad, '--url', gateway.url, '--report', json, '--dry-run');
    expect(JSON.parse(await readFile(json, 'utf8'))).toMatchObject([
      { file: bad, job: { failed: 1 }, problems: [{ row: 2 }] },
    ]);
  });

  test('cancels a running import, whose stored cards are kept', async () => {
    const rows = Array.from({ length: 60_000 }, (_, at) => line({ questionText: `取消的第 ${at} 题` }));
    const response = await post(gateway, 'cancelled.jsonl', rows.join(''), { onDuplicate: 'KEEP' });
    const { importJob } = (await response.json()) as { importJob: { id: string } };
    const { code, out } = await errata('cancel-import', importJob.id, '--url', gateway.url);
    expect([code, out]).toEqual([0, expect.stringMatching(/^cancelled\.jsonl: cancelled/)]);
    const job = await jobOf(gateway, importJob.id);
    expect(job).toMatchObject({ state: 'CANCELLED' });
    expect(job.read).toBeLessThan(rows.length);
    // Files that come after it are imported at once.
    expect(await imported(gateway, 'after.jsonl', line({ questionText: '取消之后的题目' }))).toMatchObject({ read: 1 });
    expect(await errata('cancel-import', randomUUID(), '--url', gateway.url)).toMatchObject({ code: 1 });
  });

  test.each(['jsonl', 'csv', 'xlsx', 'md', 'html'])('exports the hits of a search to %s', async (form) => {
    await imported(gateway, 'found.csv', '学科,难度,题目,知识点\n数学,容易,鸡兔同笼共有三十五个头,鸡兔同笼\n');
    await indexed(gateway);
    const file = join(folder.path, `found.${form}`);
    const search = ['--search', '鸡兔同笼', '--by', 'byConcept', '--top', '1'];
    const { code, out, err } = await errataInTime(['export', file, '--url', gateway.url, ...search]);
    expect([code, out, err]).toEqual([0, '', '']);
    const bytes = await readFile(file);
    expect(bytes.length).toBeGreaterThan(100);
    if (form !== 'xlsx') expect(bytes.toString('utf8')).toContain('鸡兔同笼共有三十五个头');
  });

  test('names a file to import that does not exist', async () => {
    expect(await errata('import', join(folder.path, 'nowhere.csv'), '--url', gateway.url)).toMatchObject({
      code: 66,
      out: expect.stringContaining('there is no file'),
    });
  });
});
