import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errata as run } from '../support/errata.js';
import { cardOf, type Folder, inGb18030, makeFolder, readAll } from '../support/files.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { countOf, type ImportJob, imported, jobOf, line, post } from '../support/imports.js';
import { indexed, search } from '../support/notebook.js';
import { until } from '../support/until.js';
import { rowsXml, workbookOf } from '../support/zip.js';

let gateway: Gateway;
let folder: Folder;
beforeAll(async () => {
  [gateway, folder] = await Promise.all([startGateway(), makeFolder()]);
});
afterAll(async () => {
  await Promise.all([gateway.close(), folder.remove()]);
});

async function exported(from: Gateway, request: object): Promise<Response> {
  return fetch(new URL('/export', from.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
}

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

  test.each([
    [{ name: 'a.xls' }, 400, /Excel 97/],
    [{ name: 'a.xlsm' }, 400, /macros/],
    [{ name: 'a.pdf' }, 400, /must end in/],
    [{ name: 'a.csv', onDuplicate: 'DROP' }, 400, /onDuplicate/],
    [{ name: 'a.csv', mapping: '{"columns":{"x":"nothing"}}' }, 400, /mapping/],
    [{ name: 'a.csv', mapping: '{' }, 400, /not JSON/],
    [{ name: 'a.csv', other: 'x' }, 400, /no such parameter/],
  ])('is refused with %j', async (query, status, reason) => {
    const { name, ...more } = query as { name: string } & Record<string, string>;
    const response = await post(gateway, name, 'x', more);
    expect([response.status, await response.text()]).toEqual([status, expect.stringMatching(reason)]);
  });
});

const MUTATION = `mutation ($rows: [ImportCardInput!]!, $onDuplicate: OnDuplicate, $key: String, $dryRun: Boolean) {
  importCards(rows: $rows, onDuplicate: $onDuplicate, key: $key, dryRun: $dryRun) {
    id state problem total read created updated merged skipped failed notices problems { sheet row column reason } } }`;

async function importCards(variables: Readonly<Record<string, unknown>>): Promise<ImportJob> {
  const { data, errors } = await gateway.gql<{ importCards: ImportJob }>(MUTATION, variables);
  if (data === null) throw new Error(JSON.stringify(errors));
  return data.importCards;
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

const CREATE = `mutation ($input: CreateCardInput!, $onDuplicate: OnDuplicate) {
  createCard(input: $input, onDuplicate: $onDuplicate) { id occurrences studentSolutionText notes topicTags } }`;
const TIMES = `query ($id: ID!) { occurrencesOf(cardId: $id) {
  number occurredAt wrongSolution errorTypes mergedId merged { questionText notes source topicTags } } }`;

describe('the same question twice', () => {
  const input = {
    id: 'twice',
    subject: 'math',
    difficulty: 2,
    questionText: '下列说法正确的是（ ）\nA. 零是正数\nB. 零是负数\nC. 零是整数',
    studentSolutionText: '选 A',
    errorTypes: ['概念不清'],
    occurredAt: '2026-02-01T00:00:00.000Z',
  };
  const reordered = {
    ...input,
    id: 'twice-again',
    questionText: '下列说法正确的是( )\nA. 零是整数\nB. 零是正数\nC. 零是负数',
    studentSolutionText: '选 C',
    errorTypes: ['粗心'],
    notes: '第二次',
    occurredAt: '2026-02-08T00:00:00.000Z',
  };

  test('becomes an occurrence on create with MERGE, with its date, wrong solution and errors', async () => {
    expect((await gateway.gql(CREATE, { input })).errors).toBeUndefined();
    const rejected = await gateway.gql(CREATE, { input: reordered, onDuplicate: 'REJECT' });
    expect(rejected.errors?.[0]?.extensions.code).toBe('CONFLICT');
    const merged = await gateway.gql(CREATE, { input: reordered, onDuplicate: 'MERGE' });
    expect(merged.data?.createCard).toMatchObject({
      id: 'twice',
      occurrences: 2,
      studentSolutionText: '选 A',
      notes: '第二次',
    });
    const { data } = await gateway.gql<{ occurrencesOf: object[] }>(TIMES, { id: 'twice' });
    expect(data?.occurrencesOf).toEqual([
      {
        number: 1,
        occurredAt: input.occurredAt,
        wrongSolution: '选 A',
        errorTypes: ['概念不清'],
        mergedId: null,
        merged: null,
      },
      {
        number: 2,
        occurredAt: reordered.occurredAt,
        wrongSolution: '选 C',
        errorTypes: ['粗心'],
        mergedId: 'twice-again',
        merged: { questionText: reordered.questionText, notes: null, source: null, topicTags: null },
      },
    ]);
  });

  test('is listed in a cluster and can be merged without losing text of either card', async () => {
    const question = '某商店以每件 80 元的价格购进一批衬衫，按标价的九折出售，仍可获利 20%，求每件的标价';
    const pair = [
      {
        id: 'shirt-1',
        subject: 'math',
        grade: 'G7',
        difficulty: 3,
        questionText: question,
        source: '周测',
        topicTags: ['打折销售'],
        errorTypes: ['列式错误'],
      },
      {
        id: 'shirt-2',
        subject: 'math',
        difficulty: 4,
        questionText: `${question}？`,
        source: '月考',
        notes: '又错了',
        topicTags: ['一元一次方程'],
        errorTypes: ['审题不清'],
      },
    ];
    for (const one of pair) expect((await gateway.gql(CREATE, { input: one })).errors).toBeUndefined();
    const clusters = await gateway.gql<{ duplicates: { exact: boolean; nearness: number; cards: { id: string }[] }[] }>(
      'query ($filter: CardFilter) { duplicates(filter: $filter) { exact nearness cards { id } } }',
      { filter: { topicTags: ['打折销售', '一元一次方程'] } },
    );
    expect(clusters.data?.duplicates.map(({ cards }) => cards.map(({ id }) => id))).toEqual([['shirt-1', 'shirt-2']]);
    const merge =
      'mutation ($into: ID!, $from: ID!) { mergeCards(into: $into, from: $from) { id grade difficulty source notes topicTags errorTypes occurrences } }';
    const merged = await gateway.gql<{ mergeCards: object }>(merge, { into: 'shirt-1', from: 'shirt-2' });
    expect(merged.data?.mergeCards).toMatchObject({
      id: 'shirt-1',
      grade: 'G7',
      difficulty: 3,
      source: '周测',
      notes: '又错了',
      topicTags: ['打折销售', '一元一次方程'],
      errorTypes: ['列式错误', '审题不清'],
      occurrences: 2,
    });
    const times = await gateway.gql<{ occurrencesOf: { mergedId: string; merged: object }[] }>(TIMES, {
      id: 'shirt-1',
    });
    expect(times.data?.occurrencesOf[1]).toMatchObject({
      mergedId: 'shirt-2',
      merged: { questionText: `${question}？`, source: '月考' },
    });
    expect((await gateway.gql('{ card(id: "shirt-2") { id } }')).data?.card).toEqual({ id: 'shirt-1' });
    const gone = await gateway.gql(merge, { into: 'shirt-1', from: 'shirt-2' });
    expect(gone.errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    expect((await gateway.gql(merge, { into: 'shirt-1', from: 'shirt-1' })).errors?.[0]?.extensions.code).toBe(
      'BAD_USER_INPUT',
    );
  });
});

describe('an export', () => {
  beforeAll(async () => {
    const cards = [
      {
        id: 'rope',
        questionText: '一根绳子长 12 米，第一次剪去它的三分之一',
        studentSolutionText: '剩 9 米',
        occurredAt: '2026-01-01T00:00:00Z',
      },
      { id: 'rope-2', questionText: '一根绳子长 12 米，第一次剪去它的三分之一', occurredAt: '2026-01-02T00:00:00Z' },
      {
        id: 'tree',
        questionText: '=1+1 是几？\n在路的两旁种树',
        topicTags: ['植树问题', 'a,b'],
        occurredAt: '2026-01-03T00:00:00Z',
      },
    ];
    await imported(gateway, 'kept.jsonl', cards.map(line).join(''), { onDuplicate: 'KEEP' });
    const again = {
      questionText: '=1+1是几？\n在路的两旁种树',
      studentSolutionText: '选 C',
      occurredAt: '2026-01-04T00:00:00Z',
    };
    expect(await imported(gateway, 'again.jsonl', line(again))).toMatchObject({ merged: 1 });
  });

  test('as JSON Lines creates the same notebook in another gateway, byte for byte, with all its occurrences', async () => {
    const given = await (await exported(gateway, { format: 'jsonl' })).text();
    expect(given.trimEnd().split('\n')).toHaveLength(await countOf(gateway));
    // The notebook has duplicates that were kept on purpose; MERGE, the default, would merge them.
    const keep = { onDuplicate: 'KEEP' };
    const other = await startGateway();
    try {
      expect(await imported(other, 'cards.jsonl', given, keep)).toMatchObject({
        failed: 0,
        merged: 0,
        updated: 0,
        skipped: 0,
      });
      expect(await (await exported(other, { format: 'jsonl' })).text()).toBe(given);
      expect(await imported(other, 'cards.jsonl', given, keep)).toMatchObject({
        created: 0,
        failed: 0,
        merged: 0,
        updated: 0,
      });
      expect(await (await exported(other, { format: 'jsonl' })).text()).toBe(given);
    } finally {
      await other.close();
    }
  });

  test.each(['csv', 'xlsx'] as const)(
    'as a table (%s) can be imported again without changing anything',
    async (format) => {
      const response = await exported(gateway, { format, language: 'zh' });
      const bytes = new Uint8Array(await response.arrayBuffer());
      expect(response.headers.get('content-disposition')).toContain(`cards.${format}`);
      const { rows } = await readAll(await folder.write(`export.${format}`, bytes));
      expect(new Set(rows.map((row) => cardOf(row).id)).size).toBe(await countOf(gateway));
      const before = await countOf(gateway);
      expect(await imported(gateway, `export.${format}`, bytes)).toMatchObject({
        created: 0,
        updated: 0,
        merged: 0,
        failed: 0,
      });
      expect(await countOf(gateway)).toBe(before);
    },
  );

  test.each(['md', 'html'] as const)('as a paper (%s) has the selected cards in their order', async (format) => {
    const text = await (await exported(gateway, { format, cardIds: ['tree', 'rope'], title: '复习' })).text();
    const places = ['复习', '在路的两旁种树', '一根绳子长', '选 C'].map((part) => text.indexOf(part));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  test.each([
    [{ format: 'pdf' }, 400, 'format'],
    [{ format: 'csv', cardIds: ['rope'], filter: {} }, 400, 'cardIds'],
    [{ format: 'html', cardIds: ['nowhere'] }, 404, 'nowhere'],
    [{ format: 'csv', filter: { subject: { $ne: '' } } }, 400, 'subject'],
  ])('is refused with %j', async (request, status, word) => {
    const response = await exported(gateway, request);
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(word)]);
  });
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
    const { code, out } = await errata(
      'export',
      file,
      '--url',
      gateway.url,
      '--search',
      '鸡兔同笼',
      '--by',
      'byConcept',
      '--top',
      '1',
    );
    expect([code, out]).toEqual([0, '']);
    const bytes = await readFile(file);
    expect(bytes.length).toBeGreaterThan(100);
    if (form !== 'xlsx') expect(bytes.toString('utf8')).toContain('鸡兔同笼共有三十五个头');
  });

  test('reports a wrong command, and a gateway that does not answer', async () => {
    expect(await errata('import')).toMatchObject({ code: 64 });
    expect(await errata('import', join(folder.path, 'nowhere.csv'), '--url', gateway.url)).toMatchObject({
      code: 66,
      out: expect.stringContaining('there is no file'),
    });
    expect(await errata('export', 'x.pdf', '--url', gateway.url)).toMatchObject({ code: 64 });
    // Nobody listens there, and unlike 1 and 9 it is a port that fetch asks.
    const nobody = await errata('export', join(folder.path, basename('x.csv')), '--url', 'http://127.0.0.1:2');
    expect(nobody).toMatchObject({ code: 69, out: expect.stringContaining('no gateway answers') });
  });
});
