/**
 * Sends the queries of the READMEs and of docs/search.md to a gateway with the sample notebook, and writes the answers
 * below.
 *
 *     npm run build && node scripts/readme-answers.mjs
 *
 * An answer is the `json` block after a `graphql` block: a line for each hit, the lanes of the first hit, then the
 * receipt; numbers have three digits.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const PAGES = ['README.md', 'README.zh-CN.md', 'docs/search.md', 'docs/zh-CN/search.md'];
const ANSWERED = /```graphql\n(?<query>[^`]+)\n```\n\n```json\n[^`]*\n```/g;

/** @param {unknown} value */
function rounded(value) {
  if (typeof value === 'number') return Number(value.toFixed(3));
  if (Array.isArray(value)) return value.map(rounded);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rounded(inner)]));
}

/** @param {string} url @param {string} query */
async function linesOf(url, query) {
  const body = JSON.stringify({ query });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { data, errors } = await response.json();
  if (errors) throw new Error(`${query}: ${JSON.stringify(errors)}`);
  const [{ hits, receipt }] = rounded(Object.values(data));
  const lines = hits.flatMap(({ lanes, ...hit }, /** @type {number} */ place) => [
    JSON.stringify(hit),
    ...(place === 0 && lanes ? lanes.map((/** @type {object} */ lane) => `    ${JSON.stringify(lane)}`) : []),
  ]);
  return [...lines, ...(receipt ? [`receipt ${JSON.stringify(receipt)}`] : [])];
}

/** @param {import('node:child_process').ChildProcess} gateway @returns {Promise<string>} */
async function addressOf(gateway) {
  for await (const line of createInterface({ input: gateway.stdout })) {
    const [, url] = /listening on (\S+)/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('the gateway ended before it listened');
}

const dataDir = await mkdtemp(join(tmpdir(), 'errata-readme-'));
const gateway = spawn(process.execPath, ['dist/src/main.js'], {
  env: { ...process.env, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const url = await addressOf(gateway);
  gateway.stdout.resume();
  for (const file of PAGES) {
    const text = await readFile(file, 'utf8');
    const answers = new Map();
    for (const [block, query] of text.matchAll(ANSWERED)) answers.set(block, await linesOf(url, query));
    const written = text.replaceAll(ANSWERED, (block, query) =>
      ['```graphql', query, '```', '', '```json', ...answers.get(block), '```'].join('\n'),
    );
    await writeFile(file, written);
    console.log(`${file}: ${answers.size} answers`);
  }
} finally {
  const exited = once(gateway, 'exit');
  gateway.kill('SIGTERM');
  await exited;
  await rm(dataDir, { recursive: true, force: true });
}
