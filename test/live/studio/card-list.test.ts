/** The list of cards: its filters, its order, its place and what is selected in it. */
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { browserPath, soon } from '../../support/browser.js';
import { createCard } from '../../support/notebook.js';
import { SAMPLE, selectBox, studioOf, Visitor, WAYS } from './visitor.js';

const studio = studioOf(SAMPLE);

/** Nothing here depends on the language or the device. */
const [, way] = WAYS.find(([, { language, device }]) => language === 'zh-CN' && device === 'phone') ?? [];

describe.skipIf(browserPath === null || way === undefined)('the list of cards', () => {
  const visitor = new Visitor(way as NonNullable<typeof way>);
  const name = visitor.name.bind(visitor);
  const open = (address: string): Promise<Page> => visitor.visit(studio, address);
  const topOf = (page: Page): Promise<number> => page.locator('.windowed').evaluate((element) => element.scrollTop);
  const scrollTo = async (page: Page, top: number): Promise<void> => {
    await page.locator('.windowed').evaluate((element, to) => element.scrollTo({ top: to }), top);
    await soon(() => topOf(page)).toBe(top);
  };
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  test('keeps its filters and its order while a card is open, and over a reload', async () => {
    const page = await open('/#/cards');
    const order = page.locator('.page-head select');
    await order.selectOption('easy');
    await page.getByRole('button', { name: name('filter.title') }).click();
    await page.getByLabel(name('subject.physics')).check();
    const expected = async (): Promise<void> => {
      await soon(() => page.locator('.card-row .facts').first().textContent()).toContain(name('subject.physics'));
      expect(await order.inputValue()).toBe('easy');
    };
    await expected();
    await page.locator('.card-row a').first().click();
    await page.locator('.card-page').waitFor();
    await page.goBack();
    await expected();
    await page.reload();
    await expected();
  });

  test('says what to do about it if no card matches the filters', async () => {
    const page = await open('/#/cards?subjects=nothing');
    await page.getByText(name('cards.none.about')).waitFor();
    await page
      .getByRole('main')
      .getByRole('button', { name: name('filter.clear') })
      .last()
      .click();
    await page.locator('.card-row').first().waitFor();
  });

  test('is filtered by a label that is too rare for the list of the most frequent ones, typed as a whole', async () => {
    const { facets } = await studio.gateway.must<{ facets: { topicTag: { value: string; count: number }[] } }>(
      '{ facets { topicTag { value count } } }',
    );
    const rare = facets.topicTag.find(({ value }) => /^[a-z ]+$/.test(value)) ?? expect.fail('no English label');
    const page = await visitor.visit(studio, '/');
    await page.route('**/graphql', async (route) => {
      const { operationName, variables } = route.request().postDataJSON();
      if (operationName !== 'Facets' || variables.filter.topicTags !== undefined) return route.fallback();
      const response = await route.fetch();
      const answer = await response.json();
      answer.data.facets.topicTag = facets.topicTag.filter((one) => one !== rare);
      return route.fulfill({ response, json: answer });
    });
    await page.evaluate("location.hash = '#/cards'");
    await page.getByRole('button', { name: name('filter.title') }).click();
    const list = page.getByRole('group', { name: name('field.topicTags') }).last();
    const exact = (value: string) => list.getByRole('button', { name: name('filter.exact').replace('{value}', value) });
    const field = list.getByRole('searchbox');
    await field.fill(facets.topicTag.find((one) => one !== rare)?.value ?? '');
    expect(await exact('').count()).toBe(0);
    const typed = rare.value.toUpperCase();
    await field.fill(typed);
    await exact(typed).click();
    const box = list.getByRole('checkbox', { name: typed });
    await list.getByText(`${typed}${rare.count}`, { exact: true }).waitFor();
    expect(await box.isChecked()).toBe(true);
    await page.keyboard.press('Escape');
    await soon(() => page.locator('.cards-bar .count').innerText()).toContain(`${rare.count}`);
    await box.waitFor({ state: 'hidden' });
  });

  test('is at its place when one comes back to it', async () => {
    const page = await open('/#/cards?sort=easy');
    await page.locator('.windowed').waitFor();
    // The end of the first page loads the second one.
    await scrollTo(page, 6_500);
    await page.locator('[aria-posinset="101"]').waitFor();
    await scrollTo(page, 9_000);
    const row = page.locator('[aria-posinset="125"] a');
    const card = await row.getAttribute('href');
    await row.click();
    await page.locator('.card-page').waitFor();
    await page.goBack();
    await soon(() => topOf(page)).toBe(9_000);
    expect(await row.getAttribute('href')).toBe(card);
  });

  test('selecting all cards of a filter keeps the cards that were selected before', async () => {
    const page = await open('/#/cards?subjects=physics');
    await page.locator('.card-row input').first().check();
    await page.goto(`${new URL(studio.gateway.url).origin}/#/cards?subjects=chemistry`);
    await soon(() => page.locator('.card-row .facts').first().textContent()).toContain(name('subject.chemistry'));
    const all = page.locator('.cards-bar button');
    const count = Number(/\d+/.exec(String(await all.textContent()))?.[0]);
    await all.click();
    await page.getByText(name('selection.count').replace('{count}', String(count + 1))).waitFor();
  });

  test('stays at its place when a page of it is loaded again, and when cards at its end are deleted', async () => {
    const ids = ['a', 'b', 'c'].map((one) => `oldest-${one}`);
    const inputs = ids.map((id) => {
      return { id, subject: 'math', difficulty: 1, questionText: `Question ${id}`, occurredAt: '1990-01-01T00:00:00Z' };
    });
    const { errors } = await studio.gateway.gql(
      'mutation ($inputs: [CreateCardInput!]!) { createCards(inputs: $inputs) { card { id } } }',
      { inputs },
    );
    expect(errors).toBeUndefined();
    const page = await open('/');
    let asked = 0;
    let isOffline = false;
    await page.route(/\/graphql$/, (route) => {
      if (route.request().postDataJSON().operationName !== 'Cards') return route.fallback();
      asked += 1;
      return asked === 3 || isOffline ? route.abort() : route.fallback();
    });
    await page.evaluate("location.hash = '/cards?sort=occurred'");
    await page.locator('.windowed').waitFor();
    await scrollTo(page, 6_500);
    await page.locator('[aria-posinset="101"]').waitFor();
    await scrollTo(page, 13_500);
    await page.getByText(name('error.OFFLINE')).waitFor();
    const count = page.locator('.cards-bar .count');
    await soon(async () => new Set((await count.textContent())?.match(/\d+/g)).size).toBe(1);
    expect(await topOf(page)).toBe(13_500);
    expect(asked).toBe(4);
    const select = (id: string) => selectBox(page, id);
    await soon(async () => {
      await page.evaluate("{ const list = document.querySelector('.windowed'); list.scrollTop = list.scrollHeight; }");
      return select('oldest-a').count();
    }).toBe(1);
    for (const id of ids) await select(id).check();
    await page.getByRole('button', { name: name('selection.delete') }).press('Enter');
    const sure = page.getByRole('dialog').getByRole('button', { name: name('selection.delete') });
    isOffline = true;
    await sure.press('Enter');
    // They disappear before the list is loaded again.
    await soon(() => select('oldest-a').count()).toBe(0);
    await page.locator('.selection-bar').waitFor({ state: 'detached' });
    await page.getByText(name('error.OFFLINE')).waitFor();
    isOffline = false;
    await page.getByText(name('error.OFFLINE')).waitFor({ state: 'detached' });
    expect(await topOf(page)).toBeGreaterThan(13_500);
    const { data } = await studio.gateway.gql<{ cards: { totalCount: number } }>('{ cards(first: 1) { totalCount } }');
    await page.locator(`[aria-posinset="${data?.cards.totalCount}"]`).waitFor();
  });

  test('forgets the selected cards that a paper finds deleted, however soon the paper is left', async () => {
    for (const id of ['paper-kept', 'paper-gone']) {
      await createCard(studio.gateway, { id, questionText: `Question ${id}`, occurredAt: '2090-01-01T00:00:00Z' });
    }
    const page = await open('/#/cards?sort=occurred');
    for (const id of ['paper-kept', 'paper-gone']) await selectBox(page, id).check();
    await studio.gateway.must('mutation { deleteCard(id: "paper-gone") }');
    // Before the browser paints the paper.
    await page.evaluate(`new MutationObserver((_, watcher) => {
      if (document.querySelector('.sheet') === null) return;
      watcher.disconnect();
      location.hash = '#/cards';
    }).observe(document.body, { childList: true, subtree: true })`);
    await page.getByRole('link', { name: name('selection.paper') }).click();
    await page.getByText(name('selection.count').replace('{count}', '1'), { exact: true }).waitFor();
    await studio.gateway.must('mutation { deleteCard(id: "paper-kept") }');
  });
});
