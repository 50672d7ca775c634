/** Cards have the names that people know them by: their questions, and not their ids. */
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { browserPath } from '../../support/browser.js';
import { indexed } from '../../support/notebook.js';
import { studioOf, Visitor, WAYS } from './visitor.js';

const studio = studioOf({});
const IDS = ['4711-a', '4711-b', '4711-c'];
const QUESTION = 'Which river flows through Paris?';

beforeAll(async () => {
  if (browserPath === null) return;
  const inputs = IDS.map((id) => ({ id, subject: 'geography', difficulty: 1, questionText: QUESTION }));
  await studio.gateway.must(
    'mutation ($inputs: [CreateCardInput!]!) { createCards(inputs: $inputs) { card { id } error { message } } }',
    { inputs },
  );
  await indexed(studio.gateway);
});

/** Nothing here depends on the language or the device. */
const [, way] = WAYS.find(([, { language, device }]) => language === 'en' && device === 'phone') ?? [];

describe.skipIf(browserPath === null || way === undefined)('a card is named by its question', () => {
  const visitor = new Visitor(way as NonNullable<typeof way>);
  const name = visitor.name.bind(visitor);
  const open = (address: string): Promise<Page> => visitor.visit(studio, address);
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  test('in a refused attempt, whose card was deleted meanwhile', async () => {
    const page = await open('/#/today');
    await page.locator('.task').waitFor();
    const id = String(await page.locator('.task').getAttribute('data-card'));
    await studio.gateway.must('mutation ($id: ID!) { deleteCard(id: $id) }', { id });
    await page.keyboard.press('Space');
    await page.keyboard.press('2');
    const refused = page.locator('.notice', { hasText: name('practice.refused.CARD_NOT_FOUND') });
    await refused.getByRole('link', { name: QUESTION }).waitFor();
    expect(await refused.innerText()).not.toContain('4711');
  });

  test('in a pair of duplicates, and at the card that they were merged into', async () => {
    const page = await open('/#/duplicates');
    const pair = page.getByRole('region', { name: name('duplicates.pair') });
    const links = pair.getByRole('link');
    await links.nth(1).waitFor();
    expect(await links.allTextContents()).toEqual([QUESTION, QUESTION]);
    expect(await pair.innerText()).not.toContain('4711');
    await pair.getByRole('button', { name: name('duplicates.merge') }).press('Enter');
    await page.locator('.notice-good').getByRole('link', { name: QUESTION }).click();
    const occurrences = page.locator('.occurrences');
    await occurrences.getByText(name('occurrences.merged')).first().waitFor();
    expect(await occurrences.innerText()).not.toContain('4711');
  });
});
