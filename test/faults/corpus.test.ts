import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { watchLoop } from '../../bench/held.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { type Attack, isAsExpected } from './corpus/attack.js';
import { CARDS } from './corpus/cards.js';
import { LISTS } from './corpus/lists.js';
import { REQUESTS } from './corpus/requests.js';
import { TABLES } from './corpus/tables.js';
import { WORKBOOKS } from './corpus/workbooks.js';

/**
 * The longest that one attack may hold the event loop, in ms of its thread's processor time: 57 was the most on a busy
 * machine. By the clock a busy machine holds it for as long as it likes.
 */
const MAX_HOLD_MS = 100;

const KINDS: Readonly<Record<string, readonly Attack[]>> = {
  'a table': TABLES,
  'a list': LISTS,
  'a workbook': WORKBOOKS,
  'a request': REQUESTS,
  'a text of a card': CARDS,
};

const watch = watchLoop();
const table: string[] = [];
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { ...watch.env, LOG_LEVEL: 'error' } });
  await gateway.ready();
});
afterAll(async () => {
  await gateway.close();
  process.stdout.write(
    `| attack | came to | loop held, ms of CPU | by the clock |\n|---|---|---|---|\n${table.join('\n')}\n`,
  );
});

test('the corpus has at least 60 files and 40 requests, as many as README.md says', async () => {
  const files = TABLES.length + LISTS.length + WORKBOOKS.length;
  expect(files).toBeGreaterThanOrEqual(60);
  expect(REQUESTS.length).toBeGreaterThanOrEqual(40);
  const texts = CARDS.filter(({ name }) => name.startsWith('card: ')).length;
  const readme = await readFile(new URL('README.md', import.meta.url), 'utf8');
  expect(readme).toContain(`${files} files, ${REQUESTS.length} requests and ${texts} card texts`);
});

describe.each(Object.entries(KINDS))(
  '%s that is made to do damage ends as specified, and blocks nobody:',
  (_, attacks) => {
    test.each(attacks.map((attack) => [attack.name, attack] as const))('%s', async (name, { expected, send }) => {
      await watch.longest();
      const outcome = await send(gateway);
      const hold = await watch.longest();
      const heldMs = hold.cpuMs ?? hold.wallMs;
      table.push(`| ${name} | ${outcome} | ${heldMs.toFixed(1)} | ${hold.wallMs.toFixed(1)} |`);
      expect({ outcome, isAsExpected: isAsExpected(expected, outcome) }).toEqual({ outcome, isAsExpected: true });
      expect(heldMs).toBeLessThan(MAX_HOLD_MS);
      const alive = await fetch(new URL('/livez', gateway.url));
      expect(alive.status).toBe(200);
    });
  },
);
