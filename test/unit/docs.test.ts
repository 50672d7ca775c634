import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { STREAM_LIMITS } from '../../resolvers/events/open-streams.js';
import { MAX_NAME_CHARS, OPERATION_LIMITS } from '../../resolvers/requests/limits.js';
import { KEYED_MUTATIONS } from '../../resolvers/requests/request-key.js';
import { COMMAND_OPERATIONS } from '../../src/access/command-operations.js';
import { toolOperations } from '../../src/access/tool-operations.js';
import { fields } from '../../src/config/fields.js';
import { packageRoot } from '../../src/config/package-root.js';
import { UPLOAD_LIMITS } from '../../src/exchange/attachments.js';
import { EXPORT_LIMITS } from '../../src/http/export.js';

const root = packageRoot();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const inFolder = (folder: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
/** The paths in the folder of its TypeScript files, those in folders below it too. */
const sourcesIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('generated'))
    .sort();

/** The pages that there are in both languages, with their Chinese counterparts. */
const pairs: readonly (readonly [string, string])[] = [
  ['README.md', 'README.zh-CN.md'],
  ...inFolder('docs/zh-CN').map((chinese) => [chinese.replace('zh-CN/', ''), chinese] as const),
];

/** Text outside of code blocks. */
const prose = (text: string): string => text.replace(/```[\s\S]*?```/g, '');

const CODE_FOLDERS = ['src', 'prisma', 'chroma', 'resolvers', 'studio', 'bench', 'scripts'];

/** The paths of the code in the folders and below them, without what is generated. */
function codeIn(...folders: readonly string[]): readonly string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((path) => /\.(ts|tsx|mjs)$/.test(path) && !path.includes('generated'));
}

describe('the documents', () => {
  test.each([...inFolder('.'), ...inFolder('docs'), ...inFolder('docs/decisions'), ...inFolder('docs/zh-CN')])(
    '%s links to files that are there',
    (page) => {
      const links = [...prose(read(page)).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link as string);
      expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
    },
  );

  test.each(pairs)('%s and %s have the same structure', (english, chinese) => {
    const outline = (page: string): readonly string[] =>
      prose(read(page))
        .split('\n')
        .filter((line) => /^(#+ |\|)/.test(line))
        .map((line) => /^#+/.exec(line)?.[0] ?? /^\| (`[^`]+`)/.exec(line)?.[1] ?? '|');
    expect(outline(english)).toEqual(outline(chinese));
  });

  test.each(pairs)('%s and %s have the same code blocks, except for texts', (english, chinese) => {
    const blocks = (page: string): readonly string[] =>
      read(page).match(/```graphql[\s\S]*?```|```json[\s\S]*?```/g) ?? [];
    expect(blocks(chinese)).toEqual(blocks(english));
  });

  test.each(['README.md', 'README.zh-CN.md'])('%s has at most 8 KB', (page) => {
    expect(Buffer.byteLength(read(page))).toBeLessThanOrEqual(8_192);
  });

  test('ARCHITECTURE.md fits two pages', () => {
    expect(read('ARCHITECTURE.md').split('\n').length).toBeLessThanOrEqual(120);
  });

  test('no comment is wider than the 120 columns to which the formatter wraps code', () => {
    const files = codeIn(...CODE_FOLDERS, 'test');
    expect(files.length).toBeGreaterThan(900);
    const isWide = (line: string): boolean => /^\s*(\/?\*|\/\/)/.test(line) && line.length > 120;
    expect(files.filter((path) => read(path).split('\n').some(isWide))).toEqual([]);
  });

  test('no file of code but tests has more than 250 lines', () => {
    const files = codeIn(...CODE_FOLDERS);
    expect(files.length).toBeGreaterThan(600);
    expect(files.filter((path) => read(path).trimEnd().split('\n').length > 250)).toEqual([]);
  });

  test('test/api/README.md names tests that are there', () => {
    const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).map((path) => `test/${path}`);
    const rows = read('test/api/README.md').match(/^\| .*\|$/gm) ?? [];
    const named = rows.flatMap((row) => [...(row.split('|').at(-2) ?? '').matchAll(/`([\w/*-]+)`/g)]);
    const isThere = (name: string): boolean => {
      const path = `(unit|api|)/?${name.replace('*', '.*')}\\.(test|faults)\\.ts`;
      return tests.some((file) => new RegExp(`^test/${path}$`).test(file));
    };
    expect(named.length).toBeGreaterThan(50);
    expect(named.map(([, name]) => name as string).filter((name) => !isThere(name))).toEqual([]);
  });

  test('the index of the decisions lists every record', () => {
    const linked = [...read('docs/decisions/README.md').matchAll(/\]\((\d{3}-[^)]+)\)/g)].map(([, link]) => link);
    const records = inFolder('docs/decisions').map((page) => page.slice('docs/decisions/'.length));
    expect(linked).toEqual(records.filter((name) => name !== 'README.md').sort());
  });

  test('docs/sql.md lists every file with SQL, its lines with SQL and their functions', () => {
    const rows = [...read('docs/sql.md').matchAll(/^\| `(\S+\.ts)` \| (\d*) \| (.*?) \|/gm)];
    const listed = rows.flatMap(([, file, lines]) => (lines === '' ? [] : [[file, Number(lines)]]));
    const SQL = /Prisma\.sql`|\$queryRaw|\$executeRaw/;
    const found = sourcesIn('prisma')
      .map(
        (name) =>
          [
            name,
            read(`prisma/${name}`)
              .split('\n')
              .filter((line) => SQL.test(line)).length,
          ] as const,
      )
      .filter(([, lines]) => lines > 0);
    expect(listed).toEqual(found);
    const total = found.reduce((sum, [, lines]) => sum + lines, 0);
    expect(read('docs/sql.md')).toContain(`counts ${total} lines`);
    const EXECUTED = /\b(?:query|execute|prepared)(?:<.*>)?\((?:Prisma\.sql|sql\)|allDirtied|$)/;
    const OTHERWISE = /(?:client|connection)\??\.query|statementsOf/;
    const statements = sourcesIn('prisma')
      .filter((name) => name !== 'gateways.ts')
      .flatMap((name) => read(`prisma/${name}`).split('\n'))
      .filter((line) => EXECUTED.test(line) && !OTHERWISE.test(line));
    expect(read('docs/sql.md')).toContain(`make ${statements.length} statements`);
    const functions = rows.flatMap(([, file, , cell]) =>
      [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => [file, name as string] as const),
    );
    const DECLARED = '(?:^|\\n)(?:export )?(?:  )?(?:async )?(?:function |const )?';
    const isThere = (file: string | undefined, name: string): boolean =>
      new RegExp(`${DECLARED}${name}\\b`).test(read(`prisma/${file}`));
    expect(functions.filter(([file, name]) => !isThere(file, name))).toEqual([]);
  });

  test.each(['docs/settings.md', 'docs/zh-CN/settings.md'])('%s lists every setting, and no other', (page) => {
    const listed = [...read(page).matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell]) =>
      [...(cell ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name as string),
    );
    // The set-up reads this one, before there are settings.
    expect(listed.sort()).toEqual([...Object.keys(fields.shape), 'ERRATA_CACHE_DIR'].sort());
  });

  test.each(['docs/access.md', 'docs/zh-CN/access.md'])(
    '%s lists every mutation that is accepted beside those of OPERATIONS_FILE',
    (page) => {
      const operations = [...Object.values(COMMAND_OPERATIONS), ...Object.values(toolOperations(true))];
      const changed = operations
        .filter((operation) => operation.startsWith('mutation'))
        .map((operation) => /\{\s*(?:\w+: )?(\w+)\(/.exec(operation)?.[1]);
      expect(changed).toContain('updateCard');
      expect(changed.filter((field) => !read(page).includes(`\`${field}\``))).toEqual([]);
    },
  );

  test.each(['docs/api.md', 'docs/zh-CN/api.md'])('%s lists every error code, and no other', (page) => {
    const sources = ['resolvers', 'src/http', 'src/domain', 'src/mcp'].flatMap((folder) =>
      sourcesIn(folder).map((path) => read(join(folder, path))),
    );
    const WRITTEN =
      /(?:readonly code(?:: string)? = |\bcode: |RefusedRequest\(\s*\d+,\s*)'([A-Z_]+)'|ApolloServerErrorCode\.([A-Z_]+)/g;
    const codes = sources
      .flatMap((text) => [...text.matchAll(WRITTEN)].map(([, ours, apollos]) => ours ?? apollos ?? ''))
      // Of Node, translated before they reach a client; of a client that has gone, which receives nothing.
      .filter((code) => !code.startsWith('ERR_') && code !== 'CLIENT_GONE');
    expect(codes.length).toBeGreaterThan(20);
    const listed = [...read(page).matchAll(/^\| (`[A-Z_`, ]+) \|/gm)].flatMap(([, cell]) => cell?.match(/\w+/g) ?? []);
    expect(listed.sort()).toEqual([...new Set(codes)].sort());
  });

  test.each(['docs/api.md', 'docs/zh-CN/api.md'])('%s has the limits of operations and streams', (page) => {
    const { fields: all, aliases, aliasesOfOneField, depth, repetitions } = OPERATION_LIMITS;
    const { perViewer, perTenant, inAll, recheckMs } = STREAM_LIMITS;
    expect(read(page)).toMatch(new RegExp(`\\| ${all}[,、] ?${aliases}[,、] ?${aliasesOfOneField} \\|`));
    for (const value of [depth, repetitions]) expect(read(page)).toMatch(new RegExp(`\\| ${value} \\|`));
    expect(read(page)).toMatch(new RegExp(`\\| \`operationName\` \\| ${MAX_NAME_CHARS} `));
    for (const value of [perViewer, perTenant, inAll, recheckMs / 1_000])
      expect(read(page)).toMatch(new RegExp(`\\b${value}\\b`));
  });

  test.each(['docs/import-export.md', 'docs/zh-CN/import-export.md'])('%s has the limits of open exports', (page) => {
    const { perViewer, perTenant, inAll } = EXPORT_LIMITS;
    expect(read(page)).toMatch(
      new RegExp(`\\b${perViewer} \\D+\\b${perTenant}\\b\\D+\\b${inAll}\\b.*\`RATE_LIMITED\``),
    );
  });

  test.each(['docs/cards.md', 'docs/zh-CN/cards.md'])('%s has the limits of uploads at the same time', (page) => {
    const { perViewer, perTenant, inAll } = UPLOAD_LIMITS;
    expect(read(page)).toMatch(
      new RegExp(`\\b${perViewer} \\D+\\b${perTenant}\\b\\D+\\b${inAll}\\b[^]{0,20}\`RATE_LIMITED\``),
    );
  });

  test.each(['docs/api.md', 'docs/zh-CN/api.md'])('%s lists the statuses of BAD_REQUEST, and no other', (page) => {
    const sources = ['resolvers', 'src/http', 'src/mcp'].flatMap((folder) =>
      sourcesIn(folder).map((path) => read(join(folder, path))),
    );
    const WRITTEN =
      /RefusedRequest\(\s*(\d+),\s*'BAD_REQUEST'|(\d+): \{ code: 'BAD_REQUEST'|\{ status: (\d+), message:/g;
    const statuses = [...sources.join('\n').matchAll(WRITTEN)].map((match) => match.slice(1).find(Boolean));
    const listed = /^\| `BAD_REQUEST` \| ([\d, ]+) \|/m.exec(read(page))?.[1]?.split(', ');
    expect(listed).toEqual([...new Set(statuses)].sort());
  });

  test.each(['docs/cards.md', 'docs/zh-CN/cards.md'])('%s lists the mutations that take an Idempotency-Key', (page) => {
    const paragraph = read(page)
      .split('\n\n')
      .find((text) => text.includes('`Idempotency-Key`'));
    expect([...KEYED_MUTATIONS].filter((name) => !paragraph?.includes(`\`${name}\``))).toEqual([]);
  });

  test.each(['docs/search.md', 'docs/zh-CN/search.md'])(
    '%s has every option and every verdict of the schema',
    (page) => {
      const schema = read('schema.graphql').replace(/"""[\s\S]*?"""/g, '');
      const membersOf = (kind: string): readonly string[] =>
        [
          ...(new RegExp(`^${kind} {([\\s\\S]*?)^}`, 'm').exec(schema)?.[1] ?? '').matchAll(/^ {2}(\w+)(?=[:\n])/gm),
        ].map(([, name]) => name as string);
      const names = [...membersOf('input SearchOptions'), ...membersOf('enum Verdict')];
      expect(names.length).toBeGreaterThan(15);
      expect(names.filter((name) => !read(page).includes(`\`${name}\``))).toEqual([]);
    },
  );
});
