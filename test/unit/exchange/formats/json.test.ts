import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJson } from '../../../../src/exchange/formats/read/json.js';
import { readJsonl } from '../../../../src/exchange/formats/read/jsonl.js';
import type { SourceRow } from '../../../../src/exchange/formats/source.js';
import { cardOf, problemsOf, readAll } from '../../../support/files.js';
import { folderOfFile } from '../../../support/folder.js';
import { runs } from '../../../support/runs.js';

const folder = await folderOfFile('json');

/** Bytes in pieces that end where `cuts` say, in the middle of a character as well. */
async function* pieces(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  let from = 0;
  for (const at of [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)) {
    yield bytes.subarray(from, at);
    from = at;
  }
}

async function all(rows: AsyncIterable<SourceRow>): Promise<readonly SourceRow[]> {
  const found: SourceRow[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

const objectArb = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true });
const cutsArb = fc.array(fc.nat(2_000), { maxLength: 8 });

function objectsOf(rows: readonly SourceRow[]): readonly unknown[] {
  return rows.map((row) =>
    'cells' in row ? Object.fromEntries(row.cells.map(({ header, value }) => [header, value])) : row.problem,
  );
}

describe('a JSON list', () => {
  test('is parsed like JSON.parse, in any chunks of bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(objectArb),
        cutsArb,
        fc.constantFrom(undefined, 2, '\t'),
        async (list, cuts, indent) => {
          const text = JSON.stringify(list, null, indent);
          const rows = await all(readJson(pieces(Buffer.from(text), cuts)));
          const expected = JSON.parse(text) as object[];
          expect(objectsOf(rows)).toEqual(expected.map((one) => Object.fromEntries(Object.entries(one))));
        },
      ),
      { numRuns: runs(100) },
    );
  });

  test.each(['[{"a":1},{"a":2},7]', '[\n {"a": 1},\n\n {"a":\n 2}\n, 7]\n'])(
    'numbers its entries from 1, however they are laid out: %j',
    async (text) => {
      const rows = await all(readJson(pieces(Buffer.from(text), [])));
      expect(rows.map(({ row }) => row)).toEqual([1, 2, 3]);
    },
  );

  test.each([
    ['{"id": 1}', /must hold one list of cards/],
    ['[{"a": 1}] [', /line 1 has something else/],
    ['[{"a": 1}', /ends on line 1 before the list/],
    ['', /before the list/],
    ['[{"a": 1},\n,{"a": 2}]', /entry 2 is missing: line 2 has an extra comma/],
    ['[,,,,]', /entry 1 is missing/],
  ])('%j is refused', async (text, reason) => {
    await expect(all(readJson(pieces(Buffer.from(text), [])))).rejects.toThrow(reason);
  });

  test('in UTF-16 is refused as such, not for its form', async () => {
    const file = Buffer.from('\ufeff[{"a": 1}]', 'utf16le');
    await expect(all(readJson(pieces(file, [])))).rejects.toThrow('is not valid UTF-8');
  });

  test('reports an entry that is too long or not an object, and continues', async () => {
    const text = JSON.stringify([{ a: 'x'.repeat(17 * 2 ** 20) }, 7, { a: 1 }, [1]]);
    const rows = await all(readJson(pieces(Buffer.from(text), [300_000, 600_000])));
    expect(objectsOf(rows)).toEqual(['is longer than 16 MB', 'is not a JSON object', { a: 1 }, 'is not a JSON object']);
  });
});

describe('JSON lists by category', () => {
  test('are read as sheets with these names, in any chunks of bytes', async () => {
    const groups = fc.uniqueArray(fc.tuple(fc.string(), fc.array(objectArb)), {
      minLength: 1,
      selector: ([name]) => name,
    });
    await fc.assert(
      fc.asyncProperty(groups, cutsArb, fc.constantFrom(undefined, 2), async (lists, cuts, indent) => {
        const said = lists.map(([name, list]) => `${JSON.stringify(name)}: ${JSON.stringify(list, null, indent)}`);
        const rows = await all(readJson(pieces(Buffer.from(`{${said.join(' ,\n')}}\n`), cuts)));
        const expected = lists.flatMap(([sheet, list]) => list.map((_, place) => ({ sheet, row: place + 1 })));
        expect(rows.map(({ sheet, row }) => ({ sheet, row }))).toEqual(expected);
        const objects = lists.flatMap(([, list]) => JSON.parse(JSON.stringify(list)) as object[]);
        expect(objectsOf(rows)).toEqual(objects.map((one) => Object.fromEntries(Object.entries(one))));
      }),
      { numRuns: runs(100) },
    );
  });

  test('have a truncated name in the problems of their rows', async () => {
    const rows = await all(readJson(pieces(Buffer.from(JSON.stringify({ ['题'.repeat(100_000)]: [1, 2] })), [])));
    expect(rows.map(({ sheet }) => sheet)).toEqual(Array(2).fill('题'.repeat(100)));
  });

  test('keep the letters of choices under separate keys', async () => {
    const card = { question: '几？', difficulty: 1, option_a: '', option_b: '2', option_c: '3', answer: 'B' };
    const { rows } = await readAll(await folder.write('options.json', JSON.stringify({ 数学: [card] })));
    expect(problemsOf(rows[0])).toMatchObject([{ column: 'option_c', reason: 'an earlier choice is missing' }]);
  });

  test('set the subject of their cards', async () => {
    const text = JSON.stringify({ 数学: [{ question: '1/2 + 1/3', difficulty: 2, grade: 3 }] });
    const { rows } = await readAll(await folder.write('categories.json', text));
    expect(cardOf(rows[0])).toMatchObject({ subject: 'math', grade: 'G3', source: '数学' });
  });

  test('keep a class that is the value of the field itself as the grade', async () => {
    const [said, written] = [{ 年级: '初二(3)班' }, { grade: '初二(3)班' }];
    const text = JSON.stringify({ 数学: [said, written].map((one) => ({ question: '1', difficulty: 2, ...one })) });
    const { rows } = await readAll(await folder.write('classes.json', text));
    expect(rows.map((row) => cardOf(row).grade)).toEqual(['G8', '初二(3)班']);
  });

  test.each([
    '{}',
    '{"question": "1 + 1"}',
    '{"math": [{}], }',
    '{"math": [{}] "physics": []}',
    '{"math" [{}]}',
    '{, "math": []}',
    '{"math": [{}]',
    '{"math": {"a": []}}',
    '{"math": []} []',
  ])('are refused in another form: %s', async (text) => {
    await expect(all(readJson(pieces(Buffer.from(text), [])))).rejects.toThrow(/^file: /);
  });
});

describe('a JSON Lines file', () => {
  test('is refused if it has too many lines, including empty ones', async () => {
    const rows = all(readJsonl(pieces(Buffer.alloc(1_048_577, '\n'), [])));
    await expect(rows).rejects.toThrow(/more than 1048576 lines/);
  });

  test('reports a line with too many fields', async () => {
    const line = JSON.stringify(Object.fromEntries(Array.from({ length: 257 }, (_, at) => [`f${at}`, at])));
    expect(objectsOf(await all(readJsonl(pieces(Buffer.from(line), []))))).toEqual(['has more than 256 fields']);
  });

  test('has an object on each line, in any chunks of bytes; empty lines are skipped', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(objectArb)), cutsArb, async (list, cuts) => {
        const text = list.map((one) => (one === null ? '  \n' : `${JSON.stringify(one)}\r\n`)).join('');
        const rows = await all(readJsonl(pieces(Buffer.from(text), cuts)));
        const expected = list.flatMap((one) => (one === null ? [] : [JSON.parse(JSON.stringify(one))]));
        expect(objectsOf(rows)).toEqual(expected.map((one) => Object.fromEntries(Object.entries(one))));
        expect(rows.map(({ row }) => row)).toEqual(list.flatMap((one, place) => (one === null ? [] : [place + 1])));
      }),
      { numRuns: runs(100) },
    );
  });

  test('reports each line that is not a card, and continues', async () => {
    const good = JSON.stringify({ subject: 'math', difficulty: 1, questionText: '1+1=?' });
    const content = Buffer.concat([
      Buffer.from(`\ufeff${good}\n{"a":\n`),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
      Buffer.from(`"x"\n${JSON.stringify({ subject: 'math', difficulty: '很难', questionText: '2+2=?' })}\n`),
      Buffer.from(
        `{"subject":"math","difficulty":1,"questionText":"\\ud800"}\n{"question":"3+3=?","学科":"数学","难度":9}\n`,
      ),
    ]);
    const { rows } = await readAll(await folder.write('a.jsonl', content));
    expect(rows.map((row) => [row.row, problemsOf(row)[0]?.column ?? null, 'card' in row])).toEqual([
      [1, null, true],
      [2, null, false],
      [3, null, false],
      [4, null, false],
      [5, null, true],
      [6, 'questionText', false],
      [7, '难度', false],
    ]);
    expect(cardOf(rows[4]).difficulty).toBe(5);
  });

  test('has its texts and labels kept unchanged, with blanks and widths', async () => {
    const said = {
      subject: 'Math ',
      difficulty: 3,
      questionText: ' ＡＢ  \n\n x ',
      grade: '六年级',
      topicTags: ['a,b', 'c'],
    };
    const { rows } = await readAll(await folder.write('b.jsonl', JSON.stringify(said)));
    expect(cardOf(rows[0])).toMatchObject({ subject: 'math', grade: 'G6', topicTags: ['a,b', 'c'] });
    expect(cardOf(rows[0]).questionText).toContain('ＡＢ');
  });
});
