import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inGb18030 } from '../support/files.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { countOf, type ImportJob, imported, jobOf, line, post } from '../support/imports.js';
import { indexed, search } from '../support/notebook.js';
import { until } from '../support/until.js';
import { rowsXml, workbookOf } from '../support/zip.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

describe('a file that is imported through the API', () => {
  test('becomes cards that searches find, in every format and encoding, and the same file again changes nothing', async () => {
    const table = '学科,难度,题目,知识点\n数学,容易,鸡兔同笼共有三十五个头,鸡兔同笼\n';
    const files: Readonly<Record<string, string | Uint8Array>> = {
      'form-a.csv': inGb18030(table),
      'form-b.xlsx': workbookOf({
        sheets: {
          卷一: rowsXml([
            ['学科', '难度', '题目'],
            ['数学', '2', '一根绳子对折三次后剪一刀'],
          ]),
        },
      }),
      'form-c.json': `[${line({ questionText: '把一张长方形纸沿对角线折叠' })}]`,
      'form-d.jsonl': line({ questionText: '时针与分针在三点整的夹角' }),
    };
    for (const [name, content] of Object.entries(files)) {
      expect(await imported(gateway, name, content)).toMatchObject({
        total: 1,
        read: 1,
        created: 1,
        failed: 0,
        problems: [],
      });
      expect(await imported(gateway, name, content)).toMatchObject({ read: 1, created: 0, skipped: 1 });
    }
    await indexed(gateway);
    const found = await search(gateway, 'similarQuestions', {
      text: '鸡兔同笼共有三十五个头',
      topK: 1,
      options: { thresholdSteps: [0.1] },
    });
    expect(found.hits).toHaveLength(1);
  });

  test('has each bad row reported by sheet, row and column, and its good rows stored', async () => {
    const sheets = {
      一: rowsXml([
        ['学科', '难度', '题目'],
        ['数学', '9', '难度不对的题目'],
        ['数学', '1', '这一行是好的题目'],
      ]),
      二: rowsXml([
        ['学科', '难度', '题目'],
        ['数学', '1', ''],
      ]),
    };
    const job = await imported(gateway, 'rows.xlsx', workbookOf({ sheets }));
    expect(job).toMatchObject({ read: 3, created: 1, failed: 2 });
    expect(job.problems).toEqual([
      { sheet: '一', row: 2, column: '难度', reason: expect.stringContaining('is not a difficulty') },
      { sheet: '二', row: 2, column: '题目', reason: expect.any(String) },
    ]);
  });

  test('is refused as a whole if it is unusable, and nothing is stored', async () => {
    const before = await countOf(gateway);
    const rows = Array.from({ length: 1_200 }, (_, at) => `数学,1,拒绝的题目之${at}\n`).join('');
    const response = await post(gateway, 'refused.csv', `学科,难度,题目\n${rows}数学,1,"没有结束\n`);
    const { errors, importJob } = (await response.json()) as {
      errors?: readonly { message: string; extensions: object }[];
      importJob?: { id: string };
    };
    const problem = expect.stringMatching(/row 1202 .*quote is missing/);
    if (importJob === undefined) {
      expect(response.status).toBe(400);
      expect(errors?.[0]).toMatchObject({ message: problem, extensions: { code: 'BAD_USER_INPUT', field: 'file' } });
    } else {
      // On a busy machine the response does not wait for the end of the check.
      const refused = async () => (await jobOf(gateway, importJob.id)).state === 'REFUSED';
      await until(refused, { deadlineMs: 60_000, what: 'the file to be refused' });
      expect(await jobOf(gateway, importJob.id)).toMatchObject({ problem });
    }
    expect(await countOf(gateway)).toBe(before);
  });

  test('changes nothing in a dry run, which reports what would be done', async () => {
    const before = await countOf(gateway);
    const content = line({ questionText: '试运行的题目' }) + line({ questionText: '' });
    const job = await imported(gateway, 'dry.jsonl', content, { dryRun: 'true' });
    expect(job).toMatchObject({ read: 2, created: 1, failed: 1 });
    expect(await countOf(gateway)).toBe(before);
  });
});

const MUTATION = `mutation ($rows: [ImportCardInput!]!, $onDuplicate: OnDuplicate, $key: String, $dryRun: Boolean) {
  importCards(rows: $rows, onDuplicate: $onDuplicate, key: $key, dryRun: $dryRun) {
    id state problem total read created updated merged skipped failed notices problems { sheet row column reason } } }`;

async function importCards(variables: Readonly<Record<string, unknown>>): Promise<ImportJob> {
  return (await gateway.must<{ importCards: ImportJob }>(MUTATION, variables)).importCards;
}

const rowOf = (questionText: string, more: object = {}): object => ({
  subject: 'math',
  difficulty: 2,
  questionText,
  ...more,
});

describe('importCards', () => {
  test('stores the good rows of a request and reports the bad ones; a repeated request with its key stores nothing', async () => {
    const rows = [rowOf('请求里的第一题'), rowOf(' '), rowOf('请求里的第三题', { difficulty: 7 })];
    const first = await importCards({ rows, key: 'request-1' });
    expect(first).toMatchObject({ state: 'DONE', total: 3, read: 3, created: 1, failed: 2 });
    expect(first.problems.map(({ row, column }) => [row, column])).toEqual([
      [2, 'questionText'],
      [3, 'difficulty'],
    ]);
    expect(await importCards({ rows, key: 'request-1' })).toEqual(first);
    expect(await jobOf(gateway, first.id)).toEqual(first);
  });

  test('accepts at most 500 rows', async () => {
    const rows = Array.from({ length: 501 }, (_, at) => rowOf(`太多的题目${at}`));
    await expect(importCards({ rows })).rejects.toThrow(/at most 500/);
  });

  test('keeps, merges or rejects duplicates', async () => {
    const rows = [rowOf('同一道题：$\\frac{1}{2}+x=3$', { occurredAt: '2026-01-01T00:00:00Z' })];
    const again = (day: number): object[] => [
      rowOf('同一道题： $\\dfrac12 + x = 3$', {
        studentSolutionText: `x=${day}`,
        occurredAt: `2026-01-0${day}T00:00:00Z`,
      }),
    ];
    expect(await importCards({ rows })).toMatchObject({ created: 1 });
    expect(await importCards({ rows: again(2) })).toMatchObject({ merged: 1, created: 0 });
    expect(await importCards({ rows: again(3), onDuplicate: 'REJECT' })).toMatchObject({ failed: 1 });
    expect(await importCards({ rows: again(4), onDuplicate: 'KEEP' })).toMatchObject({ created: 1 });
  });
});
