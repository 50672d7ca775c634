/**
 * Stores cards in a running gateway through its own API, and waits until they can be found.
 *
 *     node scripts/load-cards.mjs FILE.jsonl [http://127.0.0.1:4000/graphql]
 *
 * One card a line, in the fields of CreateCardInput; a card whose id exists already is left as it is. Each card that is
 * refused is named with its line and the reason, and makes the exit code 1.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const CONCURRENCY = 8;
const CREATE = 'mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }';
const STATUS = '{ indexStatus { cards pending failed } }';

const [file, url = 'http://127.0.0.1:4000/graphql'] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: node scripts/load-cards.mjs FILE.jsonl [URL]');
  process.exit(64);
}

/** @param {string} query @param {object} variables */
async function ask(query, variables = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  return response.json();
}

const lines = (await readFile(file, 'utf8')).split('\n').map((text, place) => ({ text, number: place + 1 }));
const queue = lines.filter(({ text }) => text.trim() !== '');
const total = queue.length;
const report = { created: 0, existing: 0, refused: 0 };
const started = performance.now();

async function worker() {
  for (let line = queue.shift(); line !== undefined; line = queue.shift()) {
    const { errors } = await ask(CREATE, { input: JSON.parse(line.text) });
    if (errors === undefined) report.created += 1;
    else if (errors[0].extensions.code === 'CONFLICT') report.existing += 1;
    else {
      report.refused += 1;
      console.error(`${file}:${line.number}: ${errors[0].message}`);
    }
  }
}
await Promise.all(Array.from({ length: CONCURRENCY }, worker));
const stored = performance.now();
for (let pending = 1; pending > 0; ) {
  const { data } = await ask(STATUS);
  pending = data.indexStatus.pending;
  if (pending > 0) await sleep(100);
}
const seconds = (ms) => (ms / 1000).toFixed(1);
console.log(
  `${total} cards read: ${report.created} created, ${report.existing} there already, ${report.refused} refused; ` +
    `stored in ${seconds(stored - started)} s, all of them indexed after ${seconds(performance.now() - started)} s`,
);
process.exitCode = report.refused > 0 ? 1 : 0;
