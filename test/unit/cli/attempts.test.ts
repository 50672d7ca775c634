import { readFile } from 'node:fs/promises';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { type AttemptRow, readAttemptFile } from '../../../src/cli/attempt-file.js';
import { attemptsCommand } from '../../../src/cli/attempts.js';
import { EXIT } from '../../../src/domain/exit-codes.js';
import { ran } from '../../support/command.js';
import { folderOfFile } from '../../support/folder.js';
import { type HttpServer, startHttpServer } from '../../support/http-server.js';
import { rowsXml, workbookOf } from '../../support/zip.js';

const folder = await folderOfFile('attempts');
let gateway: HttpServer | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

async function read(name: string, text: string | Uint8Array): Promise<readonly AttemptRow[]> {
  const path = await folder.write(name, text);
  const rows: AttemptRow[] = [];
  for await (const row of readAttemptFile(path)) rows.push(row);
  return rows;
}

describe('a file of attempts', () => {
  test('as CSV is read by its header, with any separator and spelling of names', async () => {
    const rows = await read(
      'a.csv',
      'Card ID;correct;At;duration_ms;answer;other\r\nc1;对;2026-03-01 08:30;9000;"x; y";z\r\n\r\nc2;0;2026-03-01 08:30:00.000 +08;;;\r\n;;; ;;\r\n',
    );
    expect(rows).toEqual([
      { row: 1, notice: 'the column "other" is skipped: it is not a field of an attempt' },
      {
        row: 2,
        attempt: {
          key: expect.stringMatching(/^[\w-]{22}$/),
          cardId: 'c1',
          correct: true,
          at: '2026-03-01T08:30:00.000Z',
          durationMs: 9000,
          answer: 'x; y',
        },
      },
      {
        row: 4,
        attempt: { key: expect.any(String), cardId: 'c2', correct: false, at: '2026-03-01T00:30:00.000Z' },
      },
    ]);
  });

  test('reports a value beyond its header, and columns without a name', async () => {
    const rows = await read(
      'beyond.csv',
      'cardId,correct,at,,answer,durationMs,\nc1,1,2026-03-01 19:00,,1,000,9000\nc2,1,2026-03-01,,"1,000",9000,\n',
    );
    expect(rows).toEqual([
      { row: 1, notice: 'column 4 is skipped: it has no header' },
      { row: 2, problem: 'has a value in column 7, where the header ends at 6: is a comma not in quotes?' },
      { row: 3, attempt: expect.objectContaining({ cardId: 'c2', answer: '1,000', durationMs: 9000 }) },
    ]);
  });

  test('as a workbook is the first sheet, and its rows have the keys of the same rows in CSV', async () => {
    const header = ['cardId', 'correct', 'at', 'durationMs', 'room'];
    const time = '<c s="1"><v>46082.770833333336</v></c>';
    const first = [
      [''],
      header,
      ['c1', '<c t="b"><v>1</v></c>', time, '<c><v>9000</v></c>', 'z'],
      [' '],
      ['c2', '×', '2026-03-01'],
    ];
    const workbook = workbookOf({
      sheets: { 作答: rowsXml(first), 说明: rowsXml([['请如实填写'], ['谢谢']]) },
      styles: '<cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs>',
    });
    const rows = await read('w.xlsx', workbook);
    const [other, ...csv] = await read('w.csv', `${header},\nc1,1,2026-03-01 18:30,9000,z\n\nc2,0,2026-03-01,,\n`);
    expect(rows).toEqual([
      { ...other, row: 2 },
      ...csv.map((row, place) => ({ ...row, row: [3, 5][place] })),
      { row: 1, notice: 'the sheet "说明" is skipped: only the first one is read' },
    ]);
    expect(csv).toHaveLength(2);
  });

  test('may have the marks of teachers', async () => {
    const marks = ['√', '×', '✓', '✗', '错'];
    const rows = await read(
      'marks.csv',
      `cardId,correct,at\n${marks.map((mark) => `c1,${mark},2026-03-01\n`).join('')}`,
    );
    const correct = rows.map((row) => ('attempt' in row ? row.attempt.correct : row));
    expect(correct).toEqual([true, false, true, false, false]);
  });

  test('gives a row without a key a stable one, and different rows different ones', async () => {
    const line = '{"cardId":"c1","correct":true,"at":"2026-03-01T08:30:00Z"}\n';
    const same = '{"at":"2026-03-01T08:30:00Z","correct":true,"cardId":"c1"}\n';
    const keys = (await read('a.jsonl', `${line + same + line.replace('c1', 'c2')}{"key":"mine","cardId":"c1"}`)).map(
      (row) => ('attempt' in row ? row.attempt.key : null),
    );
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
    expect(keys[3]).toBe('mine');
  });

  test('keeps a cell that is called like a member of every object', async () => {
    const [row] = await read('members.csv', 'cardId,correct,at\nc1,constructor,2026-03-01 08:30\n');
    expect(row).toMatchObject({ attempt: { correct: 'constructor' } });
  });

  test('reports invalid rows', async () => {
    const rows = await read('b.jsonl', '[]\n\n{"cardId"\n');
    expect(rows).toEqual([
      { row: 1, problem: 'is not a JSON object' },
      { row: 3, problem: expect.stringContaining('is not valid JSON') },
    ]);
  });

  test('may be UTF-16 and begin with an empty line before its header', async () => {
    const rows = await read('e.csv', Buffer.from('\ufeff\r\ncardId;correct;at\r\nc1;1;2026-03-01', 'utf16le'));
    expect(rows).toEqual([
      {
        row: 3,
        attempt: { key: expect.any(String), cardId: 'c1', correct: true, at: '2026-03-01T00:00:00.000Z' },
      },
    ]);
  });

  test('that is a header without a line break has no row', async () => {
    expect(await read('h.csv', 'cardId,correct,at')).toEqual([]);
  });

  test('reports a line that is too long without keeping it', async () => {
    const rows = await read('l.jsonl', `${'x'.repeat(32 * 2 ** 20)}\n{"cardId":"c1"}\n`);
    expect(rows).toMatchObject([
      { row: 1, problem: 'is longer than 16 MB' },
      { row: 2, attempt: { cardId: 'c1' } },
    ]);
  });

  test.each([
    ['cardId,at\n', 'has no column correct'],
    ['', 'has no header'],
  ])('%j is refused: %s', async (text, problem) => {
    await expect(read('c.csv', text)).rejects.toThrow(problem);
    await expect(read('c.csv', text)).rejects.toMatchObject({ exitCode: 66 });
  });
});

describe('attempts import', () => {
  test('of a student without attempts fails, and keeps the file that is there', async () => {
    gateway = await startHttpServer((_, response) => {
      const attempts = { pageInfo: { hasNextPage: false, endCursor: null }, nodes: [] };
      response.end(JSON.stringify({ data: { attempts } }));
    });
    const file = await folder.write('none.csv', 'earlier');
    const { thrown } = await ran(attemptsCommand(), 'export', file, '--owner', 'nobody', '--url', gateway.url);
    expect(thrown).toMatchObject({ message: 'there are no attempts: nothing is written', exitCode: EXIT.failed });
    expect(await readFile(file, 'utf8')).toBe('earlier');
  });

  test('refuses other formats before it opens a gateway', async () => {
    const { thrown } = await ran(attemptsCommand(), 'import', 'a.csv', 'b.json', '--url', 'http://127.0.0.1:1');
    expect(thrown).toMatchObject({
      message: 'b.json cannot be read: attempts are imported from .csv, .xlsx and .jsonl files',
      exitCode: EXIT.input,
    });
  });

  test('prints a problem of a row on a line of its own', async () => {
    gateway = await startHttpServer(async (request, response) => {
      const { variables } = (await json(request)) as { variables: { attempts: readonly { cardId: string }[] } };
      const recorded = variables.attempts.map(({ cardId }) => ({
        outcome: cardId === 'gone' ? 'CARD_NOT_FOUND' : 'RECORDED',
      }));
      response.end(JSON.stringify({ data: { recorded } }));
    });
    const rows = Array.from({ length: 501 }, (_, place) => `${place < 500 ? `c${place}` : 'gone'},1,2026-03-01,x`);
    const file = await folder.write('many.csv', ['cardId,correct,at,room', ...rows].join('\n'));
    const isTTY = process.stderr.isTTY;
    process.stderr.isTTY = true;
    const { out, err } = await ran(attemptsCommand(), 'import', file, '--url', gateway.url);
    process.stderr.isTTY = isTTY;
    const line = `${file}: 500 recorded`;
    const skipped = `${file}: the column "room" is skipped: it is not a field of an attempt\n`;
    expect(err).toBe(
      `${skipped}\r\u001b[K${line}\r\u001b[K${file}: row 502: for an unknown card\n\r\u001b[K${line}\r\u001b[K`,
    );
    expect(out).toContain('1 for an unknown card');
  });
});

describe('attempts export', () => {
  const attempts = [
    { ...{ key: 'k2', ownerId: 'amy', cardId: 'c1', reviewOf: 'c2', at: '2026-03-01T08:00:00.000Z', correct: true } },
    { ...{ key: 'k1', ownerId: 'amy', cardId: 'c1', reviewOf: null, at: '2026-02-01T08:00:00.000Z', correct: false } },
  ].map((some, place) => ({ ...some, hints: place, durationMs: 9000, changedAnswer: false, answer: '=1+1, "x" ' }));

  test.each(['all.csv', 'all.jsonl'])('writes all pages to a file that can be imported: %s', async (name) => {
    gateway = await startHttpServer(async (request, response) => {
      const { variables } = (await json(request)) as { variables: { owner: string; after: string | null } };
      const place = variables.after === null ? 0 : 1;
      const pageInfo = { hasNextPage: place === 0, endCursor: 'x' };
      const nodes = variables.owner === 'amy' ? attempts.slice(place, place + 1) : [];
      response.end(JSON.stringify({ data: { attempts: { pageInfo, nodes } } }));
    });
    const file = await folder.write(name, '');
    const { thrown } = await ran(attemptsCommand(), 'export', file, '--owner', 'amy', '--url', gateway.url);
    expect(thrown).toBeNull();
    const rows: unknown[] = [];
    for await (const row of readAttemptFile(file))
      rows.push('attempt' in row ? { reviewOf: null, ...row.attempt } : row);
    expect(rows).toEqual(attempts);
  });

  test('refuses other formats before it opens a gateway', async () => {
    const { thrown } = await ran(attemptsCommand(), 'export', 'a.xlsx', '--url', 'http://127.0.0.1:1');
    expect(thrown).toMatchObject({ message: expect.stringContaining('.csv or .jsonl'), exitCode: EXIT.usage });
  });
});
