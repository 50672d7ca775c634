import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AttemptRow, readAttemptFile } from '../../../src/cli/attempt-file.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'errata-test-attempts-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(name: string, text: string): Promise<readonly AttemptRow[]> {
  const path = join(folder, name);
  await writeFile(path, text);
  const rows: AttemptRow[] = [];
  for await (const row of readAttemptFile(path)) rows.push(row);
  return rows;
}

describe('a file of attempts', () => {
  test('as CSV is read by its header, with any separator and spelling of names', async () => {
    const rows = await read(
      'a.csv',
      'Card ID;correct;At;duration_ms;answer;other\r\nc1;对;2026-03-01 08:30;9000;"x; y";z\r\n\r\nc2;0;2026-03-01T08:30:00+08:00;;;\r\n',
    );
    expect(rows).toEqual([
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

  test('reports invalid rows', async () => {
    const rows = await read('b.jsonl', '[]\n\n{"cardId"\n');
    expect(rows).toEqual([
      { row: 1, problem: 'must be a JSON object' },
      { row: 3, problem: expect.stringContaining('is not JSON') },
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
