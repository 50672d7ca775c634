import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oneLine, printable, printableText } from '../../../src/cli/terminal.js';
import { packageRoot } from '../../../src/config/package-root.js';
import { errata } from '../../support/errata.js';
import { type HttpServer, startHttpServer } from '../../support/http-server.js';

/** Rings, turns the screen red by C0 and by C1, writes over its line, and turns the direction of writing. */
const HOSTILE = 'x\u0007\u001b[31m\u009b31m\u007f\r\u202egnp.exe';
const HARMLESS = 'x\\u0007\\u001b[31m\\u009b31m\\u007f\\u000d\\u202egnp.exe';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that it is about.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

describe('a text for a terminal', () => {
  test('has its control characters escaped, keeps its lines, and is the same text when parsed as JSON', () => {
    expect(printable(`a\t${HOSTILE}\nb`)).toBe(`a\t${HARMLESS}\nb`);
    expect(oneLine(`a\tb\n${HOSTILE}`)).toBe(`a\\u0009b\\u000a${HARMLESS}`);
    expect(JSON.parse(printable(JSON.stringify({ HOSTILE })))).toEqual({ HOSTILE });
    expect(printable('错题 “x” é 👩‍🎓')).toBe('错题 “x” é 👩‍🎓');
  });

  test('may arrive in chunks that split a character or a line break, which is kept', async () => {
    const bytes = Buffer.from(`错${HOSTILE}题\r\na\n\r`);
    async function* pieces() {
      for (const byte of bytes) yield Uint8Array.of(byte);
    }
    let text = '';
    for await (const piece of printableText(pieces())) text += piece;
    expect(text).toBe(`错${HARMLESS}题\r\na\n\\u000d`);
  });
});

describe('data printed by commands', () => {
  /** A gateway whose every text is hostile. */
  let gateway: HttpServer;
  beforeAll(async () => {
    const one = { id: 'q', operation: 'byError', text: HOSTILE, cardId: null, perspective: null, reason: null };
    const data = {
      goldenSets: [{ name: HOSTILE, description: HOSTILE, caseCount: 1, judgedCaseCount: 1, judgementCount: 1 }],
      goldenSet: {
        goldenCases: {
          nodes: [{ ...one, relevant: [], filter: {} }],
          pageInfo: { hasNextPage: false, endCursor: null },
        },
      },
      searchProfiles: [{ name: HOSTILE, description: HOSTILE, settings: {} }],
    };
    gateway = await startHttpServer((request, response) => {
      request.resume();
      const errors = [{ message: HOSTILE, extensions: { code: 'BAD_USER_INPUT' } }];
      response.end(JSON.stringify(request.url?.startsWith('/refused') ? { errors } : { data }));
    });
  });
  afterAll(() => gateway.close());

  test.each([
    ['golden list', ['golden', 'list'], ''],
    ['golden export', ['golden', 'export', 'set'], ''],
    ['profiles list', ['profiles', 'list'], ''],
    ['profiles show', ['profiles', 'show', HOSTILE], ''],
    ['an error', ['golden', 'list'], 'refused/'],
  ])('contains no control sequence: %s', async (_what, args, path) => {
    const { out, err } = await errata([...args, '--url', `${gateway.url}/${path}`]);
    // JSON has a short escape of its own for a carriage return.
    expect((out + err).replaceAll('\\r', '\\u000d')).toContain(HARMLESS);
    expect(out + err).not.toMatch(CONTROL);
  });

  test('is written by one module only', () => {
    const folder = join(packageRoot(), 'src', 'cli');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const writing = files.filter((file) =>
      /std(?:out|err)\.write|console\./.test(readFileSync(join(folder, file), 'utf8')),
    );
    expect(writing.sort()).toEqual(['progress.ts', 'terminal.ts']);
  });
});
