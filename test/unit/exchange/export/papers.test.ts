import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { NO_FOREGROUND } from '../../../../src/domain/background.js';
import type { Card } from '../../../../src/domain/card.js';
import { ownOccurrence } from '../../../../src/domain/occurrence.js';
import { Papers } from '../../../../src/exchange/export/papers.js';
import { Workers } from '../../../../src/runtime/workers/workers.js';
import { type Folder, makeFolder } from '../../../support/folder.js';
import { cardOf } from '../../../support/generators.js';
import { until } from '../../../support/until.js';

const signal = new AbortController().signal;
let made: Folder;
let folder: string;
let papers: Papers;
const workers = new Workers();
afterAll(() => workers.close());

beforeEach(async () => {
  made = await makeFolder('papers');
  folder = join(made.path, 'exports');
  papers = new Papers({ workers, background: NO_FOREGROUND, folder });
  await papers.start();
});
afterEach(() => made.remove());

function paperOf(...cards: readonly Card[]): Promise<Readable> {
  return paperWith(null, ...cards);
}

function paperWith(withoutMistakes: boolean | null, ...cards: readonly Card[]): Promise<Readable> {
  const slices = async function* () {
    yield cards.map((card) => ({ card, occurrences: [{ ...ownOccurrence(card), number: 1 }] }));
  };
  const order = { format: 'html', title: null, language: 'en', withoutMistakes } as const;
  return papers.write('school', order, slices(), signal);
}

test('a paper has every card with typeset formulas, and is deleted from the disk after it was read', async () => {
  const body = await paperOf(
    cardOf({ id: 'a', questionText: 'Half of $x^2$' }),
    cardOf({ id: 'b', questionText: '二分之一' }),
  );
  const page = await text(body);
  expect(page).toContain('class="katex"');
  expect(page).toContain('二分之一');
  await until(async () => (await readdir(folder)).length === 0, { deadlineMs: 30_000, what: 'the file to be removed' });
});

test('a paper with cards of several students has the mistakes of none, unless they are asked for', async () => {
  const ofAmy = cardOf({ id: 'a', ownerId: 'amy', goldSolutionBrief: 'two', studentSolutionText: 'mine' });
  const ofBob = cardOf({ id: 'b', ownerId: 'bob', notes: 'remember' });
  const page = await text(await paperOf(ofAmy, ofBob));
  expect(page).toContain('two');
  expect(page).not.toMatch(/mine|remember/);
  expect(await text(await paperOf(ofAmy))).toContain('mine');
  expect(await text(await paperWith(false, ofAmy, ofBob))).toMatch(/mine.*remember/s);
});

test('a paper that is written in parts, beside searches, is the same paper', async () => {
  const cards = Array.from({ length: 30 }, (_, place) =>
    cardOf({ id: `c${place}`, ownerId: 'amy', questionText: `$\\frac{${place}}{\\sqrt{x^2+${place}}}$ `.repeat(20) }),
  );
  const whole = await text(await paperOf(...cards));
  let pauses = 0;
  const pause = async (): Promise<number> => {
    pauses += 1;
    return 2;
  };
  papers = new Papers({ workers, background: { pause, isContended: () => true }, folder });
  expect(await text(await paperOf(...cards))).toBe(whole);
  expect(pauses).toBeGreaterThan(1);
});

test('a formula that is nested too deeply is shown as it was written', async () => {
  const formula = `${'\\sqrt{'.repeat(2_000)}1${'}'.repeat(2_000)}`;
  expect(await text(await paperOf(cardOf({ id: 'a', questionText: `$${formula}$` })))).toContain(
    `<code>${formula}</code>`,
  );
});

test('too many cards for a paper are refused, and leave no file', async () => {
  const cards = Array.from({ length: 501 }, (_, place) => cardOf({ id: `c${place}` }));
  await expect(paperOf(...cards)).rejects.toThrow('filter: matches more than 500 cards');
  expect(await readdir(folder)).toEqual([]);
});
