/** The code of docs/clients.md, and the GraphQL operations of other pages, as they stand there, against a gateway. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSchema, GraphQLObjectType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/config/package-root.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { createCard, indexed } from '../support/notebook.js';
import { TOKEN_SETTINGS, tokenOf } from '../support/tokens.js';

const root = packageRoot();
const [typed, apollo, urql] = blocks('ts') as [string, string, string];
const python = process.platform === 'win32' ? 'python' : 'python3';
const hasPython = spawnSync(python, ['--version']).status === 0;
const hasCurl = spawnSync('curl', ['--version']).status === 0;
for (const [what, there] of Object.entries({ [python]: hasPython, curl: hasCurl })) {
  if (!there) process.stderr.write(`\nTHE EXAMPLE FOR ${what} IS NOT RUN: there is none.\n\n`);
}

/** Types whose id identifies one object of the school, whichever field returned it. */
const IDENTIFIED = ['ApiKey', 'Evaluation', 'ImportJob', 'MistakeCard'];

function blocks(language: string, page = 'clients.md'): string[] {
  const text = readFileSync(join(root, 'docs', page), 'utf8');
  return [...text.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``, 'g'))].map(
    ([, code]) => code as string,
  );
}

/** How a program ended, and what it printed. */
async function run(command: string, args: readonly string[], env: Record<string, string> = {}, cwd = folder) {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
  }
  const [code] = await once(child, 'close');
  return { code, out };
}

let gateway: Gateway;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'errata-clients-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  gateway = await startGateway({ env: { SEED_SAMPLE: 'true' } });
  await gateway.ready();
  await indexed(gateway);
  env = { ERRATA_URL: gateway.url };
});
afterAll(async () => {
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

describe('docs/clients.md', () => {
  test('the TypeScript client compiles, and prints cards with the same trap', async () => {
    await writeFile(join(folder, 'client.ts'), typed);
    const options = ['--target', 'es2023', '--module', 'nodenext', '--types', 'node', '--strict', '--noUnusedLocals'];
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    expect(await run(process.execPath, [tsc, ...options, 'client.ts'])).toEqual({ code: 0, out: '' });
    const { code, out } = await run(process.execPath, ['client.js'], env);
    expect(out.trim().split('\n')).toHaveLength(3);
    expect(out).toMatch(/^SAME_\w+ sample-en-\d+ .*wrong force diagram/m);
    expect(code).toBe(0);
  });

  test('the types of the TypeScript client reject a variable of another type and an unselected field', async () => {
    const wrong = `${typed}\nawait ask(SAME_TRAP, { cardId: 1 });\nconsole.log(byError.hits[0]?.card.grade);\n`;
    await writeFile(join(folder, 'wrong.ts'), wrong);
    const options = ['--target', 'es2023', '--module', 'nodenext', '--types', 'node', '--strict', '--noEmit'];
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const { code, out } = await run(process.execPath, [tsc, ...options, 'wrong.ts']);
    expect(out).toMatch(/TS2322.*number.*string/);
    expect(out).toMatch(/TS2339.*'grade'/);
    expect(code).not.toBe(0);
  });

  test.skipIf(!hasPython)('the Python client prints similar questions, and raises errors of the gateway', async () => {
    const [code] = blocks('python') as [string];
    await writeFile(join(folder, 'client.py'), code);
    const good = await run(python, ['client.py'], env);
    expect(good.out).toMatch(/^1\.00 sample-en-\d+\n/);
    expect(good.code).toBe(0);
    await writeFile(join(folder, 'refused.py'), code.replace('text="Calculate 1/2 + 1/3"', 'text=""'));
    const refused = await run(python, ['refused.py'], env);
    expect(refused.out).toContain('RuntimeError: BAD_USER_INPUT: ');
    expect(refused.code).not.toBe(0);
  });

  test.skipIf(!hasCurl)('curl works, with and without a token', async () => {
    const [command] = blocks('sh') as [string];
    const { out } = await run('sh', ['-c', command], env);
    expect(JSON.parse(out).data.byError.hits[0].card.errorTypes).toEqual(['wrong force diagram']);
    const guarded = await startGateway({ env: TOKEN_SETTINGS });
    try {
      await guarded.ready();
      const anonymous = await run('sh', ['-c', command], { ERRATA_URL: guarded.url });
      expect(JSON.parse(anonymous.out).errors[0].extensions.code).toBe('UNAUTHENTICATED');
      const ERRATA_TOKEN = await tokenOf({ sub: 'amy' });
      const input = {
        id: 'own',
        subject: 'physics',
        difficulty: 2,
        questionText: 'N?',
        errorTypes: ['wrong force diagram'],
      };
      await createCard(guarded.as(ERRATA_TOKEN), input, true);
      const known = async () => (await run('sh', ['-c', command], { ERRATA_URL: guarded.url, ERRATA_TOKEN })).out;
      // The first card of a school has its index built.
      await expect.poll(known, { timeout: 30_000 }).toContain('"id":"own"');
    } finally {
      await guarded.close();
    }
  });

  test('the cache configuration names types without an id of their own and a field of the schema', () => {
    const schema = buildSchema(readFileSync(join(root, 'schema.graphql'), 'utf8'));
    const named = [...apollo.matchAll(/(\w+): { keyFields: false }/g)].map(([, name]) => name as string);
    expect(named.length).toBeGreaterThan(2);
    for (const name of named) {
      const type = schema.getType(name);
      expect(type instanceof GraphQLObjectType && !IDENTIFIED.includes(name), name).toBe(true);
      expect(urql).toContain(`${name}: embedded`);
    }
    const withId = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && 'id' in type.getFields());
    expect(withId.map(({ name }) => name).filter((name) => !named.includes(name))).toEqual(IDENTIFIED);
    const cards = schema.getQueryType()?.getFields().cards;
    expect(cards?.type.toString()).toBe('CardConnection!');
    expect(cards?.args.map(({ name }) => name)).toEqual(expect.arrayContaining(['first', 'after', 'filter']));
  });

  test('the cache configurations compile', async () => {
    await writeFile(join(folder, 'apollo.ts'), apollo);
    await writeFile(join(folder, 'urql.ts'), urql);
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const options = [
      '--target',
      'es2023',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
      '--strict',
      '--noEmit',
    ];
    const files = ['apollo.ts', 'urql.ts'];
    expect(await run(process.execPath, [tsc, ...options, '--skipLibCheck', ...files])).toEqual({ code: 0, out: '' });
  });

  test('with the cache configurations a changed card changes in every list, pages of cards are one list, and a context keeps its labels', async () => {
    await writeFile(join(folder, 'caches.mjs'), `${apollo}\n${urql}\n${CACHES}`);
    const { code, out } = await run(process.execPath, ['caches.mjs'], env);
    expect(out).toMatch(/^\{/);
    const { lists, pages, nodes, labels } = JSON.parse(out) as {
      lists: string[];
      pages: string[][];
      nodes: number[];
      labels: string[][];
    };
    expect(lists).toEqual(['changed by Apollo Client', 'changed by urql']);
    for (const kept of labels) expect(kept).toEqual(['S1', 'S2', 'S3', 'S4']);
    for (const ids of pages) expect(new Set(ids).size).toBe(4);
    // As the page says: Apollo Client appends edges alone.
    expect(nodes).toEqual([2, 4]);
    expect(code).toBe(0);
  });
});

describe('the operations of the pages on cards, labels and practice', () => {
  const pages = ['cards.md', 'labels.md', 'practice.md'];

  test('find what they name in the sample notebook', async () => {
    const operations = pages.flatMap((page) => blocks('graphql', page));
    expect(operations.length).toBeGreaterThan(5);
    for (const operation of operations) {
      const found = JSON.stringify(await gateway.must(operation));
      expect(found, operation).not.toMatch(/_NOT_FOUND|"(changedCards|totalCount)":0/);
    }
  });

  test.each(pages)('are the same in the Chinese page: %s', (page) => {
    expect(blocks('graphql', `zh-CN/${page}`)).toEqual(blocks('graphql', page));
  });
});

/** Searches, reads two pages of cards, changes the card that was found, and prints what each cache has then. */
const CACHES = `
import { ApolloClient, gql, HttpLink } from '@apollo/client';
import { Client, fetchExchange } from '@urql/core';
const url = process.env.ERRATA_URL;
// On a starved machine a search may miss its deadline, and may be asked again.
const patient = async (...request) => {
  for (;;) {
    const response = await fetch(...request);
    if (!(await response.clone().text()).includes('DEADLINE_EXCEEDED')) return response;
  }
};
const CARDS = gql\`query Cards($after: String) { cards(first: 2, after: $after) {
  edges { cursor node { id notes } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }\`;
const FOUND = gql\`{ byError(cardId: "sample-en-076", topK: 1) { hits { rank card { id notes } } } }\`;
const CHANGE = gql\`mutation ($id: ID!, $notes: String) { updateCard(id: $id, input: { notes: $notes }) { id notes } }\`;
const CONTEXT = gql\`query Context($mode: TutoringMode!) {
  tutoringContext(cardId: "sample-zh-002", mode: $mode) { sources { id label } } }\`;
const labelsOf = ({ tutoringContext }) => tutoringContext.sources.map(({ label }) => label);
const modes = ['EXPLAIN', 'HINT_1'].map((mode) => ({ mode }));
const idsOf = ({ cards }) => cards.edges.map(({ node }) => node.id);
const nodesOf = ({ cards }) => cards.nodes.length;
const found = ({ byError }) => byError.hits[0].card;

const apollo = new ApolloClient({ cache, link: new HttpLink({ uri: url, fetch: patient }) });
const list = apollo.watchQuery({ query: CARDS });
const open = list.subscribe(() => {});
const first = (await apollo.query({ query: CARDS })).data;
await list.fetchMore({ variables: { after: first.cards.pageInfo.endCursor } });
open.unsubscribe();
const { id } = found((await apollo.query({ query: FOUND })).data);
for (const variables of modes) await apollo.query({ query: CONTEXT, variables });
await apollo.mutate({ mutation: CHANGE, variables: { id, notes: 'changed by Apollo Client' } });

const urql = new Client({ url, fetch: patient, exchanges: [exchange, fetchExchange], preferGetMethod: false });
const { endCursor } = (await urql.query(CARDS, {})).data.cards.pageInfo;
await urql.query(FOUND, {});
await urql.query(CARDS, { after: endCursor });
for (const variables of modes) await urql.query(CONTEXT, variables);
await urql.mutation(CHANGE, { id, notes: 'changed by urql' });
const kept = async (query, variables) => (await urql.query(query, variables, { requestPolicy: 'cache-only' })).data;

console.log(JSON.stringify({
  labels: [
    labelsOf(cache.readQuery({ query: CONTEXT, variables: modes[0] })),
    labelsOf(await kept(CONTEXT, modes[0])),
  ],
  lists: [found(cache.readQuery({ query: FOUND })).notes, found(await kept(FOUND, {})).notes],
  pages: [idsOf(cache.readQuery({ query: CARDS })), idsOf(await kept(CARDS, { after: endCursor }))],
  nodes: [nodesOf(cache.readQuery({ query: CARDS })), nodesOf(await kept(CARDS, { after: endCursor }))],
}));
`;
