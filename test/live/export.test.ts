import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cardOf, type Folder, makeFolder, readAll } from '../support/files.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { countOf, imported, line } from '../support/imports.js';

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
    [{ format: 'csv', cardIds: ['rope'], filter: {} }, 400, 'cardIds'],
    [{ format: 'html', cardIds: ['nowhere'] }, 404, 'nowhere'],
  ])('is refused with %j', async (request, status, word) => {
    const response = await exported(gateway, request);
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(word)]);
  });
});
