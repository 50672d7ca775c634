/** What a reload of the browser keeps. */
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { browserPath, soon } from '../../support/browser.js';
import { SAMPLE, studioOf, typeAndLeave, Visitor, WAYS } from './visitor.js';

const studio = studioOf(SAMPLE);

/** Nothing here depends on the language or the device. */
const [, way] = WAYS.find(([, { language, device }]) => language === 'zh-CN' && device === 'desktop') ?? [];

describe.skipIf(browserPath === null || way === undefined)('over a reload', () => {
  const visitor = new Visitor(way as NonNullable<typeof way>);
  const name = visitor.name.bind(visitor);
  const open = (address: string): Promise<Page> => visitor.visit(studio, address);
  const box = (page: Page) => page.getByLabel(name('search.query'), { exact: true }).first();
  const addressOf = (page: Page) => new URL(page.url()).hash;
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  test('a search is kept, and the same for whoever opens its link', async () => {
    const page = await open('/');
    const tab = page.getByRole('tab', { name: name('operation.byError') });
    const physics = page.getByLabel(name('subject.physics'));
    await tab.click();
    await physics.check();
    await visitor.search(page, '受力 分析');
    await soon(() => addressOf(page)).toContain(new URLSearchParams({ q: '受力 分析' }).toString());
    const expected = async (): Promise<void> => {
      await page.locator('.hits .hit').first().waitFor();
      expect(await box(page).inputValue()).toBe('受力 分析');
      expect(await tab.getAttribute('aria-selected')).toBe('true');
      expect(await physics.isChecked()).toBe(true);
    };
    await page.reload();
    await expected();
    const link = page.url();
    expect(await visitor.leave()).toEqual([]);
    const other = await open(new URL(link).hash);
    await other.locator('.hits .hit').first().waitFor();
    expect(await box(other).inputValue()).toBe('受力 分析');
  });

  test('Back leads from a search to the page before, and from a search by a card to the search before', async () => {
    const page = await open('/#/cards');
    await page.locator('.card-row').first().waitFor();
    await page.getByRole('link', { name: name('nav.search'), exact: true }).click();
    await visitor.search(page, '解不等式');
    await soon(() => addressOf(page)).toContain('?q=');
    await page.locator('.hit summary').first().click();
    await page
      .locator('.hit')
      .first()
      .getByRole('link', { name: name('hit.searchFrom') })
      .click();
    await page.locator('.query-card').waitFor();
    await page.getByRole('link', { name: 'Errata' }).click();
    await page.locator('.welcome').waitFor();
    await page.goBack();
    await page.locator('.query-card').waitFor();
    await page.goBack();
    await soon(() => box(page).inputValue()).toBe('解不等式');
    await page.goBack();
    await page.locator('.card-row').first().waitFor();
  });

  test('a search that was left before the address had it is still there', async () => {
    const page = await open('/');
    await page.locator('.welcome').waitFor();
    await typeAndLeave(page);
    await page.locator('.card-row').first().waitFor();
    await page.getByRole('link', { name: name('nav.search'), exact: true }).click();
    await page.locator('.hits .hit').first().waitFor();
    expect(await box(page).inputValue()).toBe('解不等式');
    await page.goBack();
    await page.locator('.card-row').first().waitFor();
  });

  test('a pair of which both cards are kept is hidden until it is asked for, or one of them changes', async () => {
    const cards = ['one', 'two'].map((id) => ({
      id: `kept-${id}`,
      subject: 'math',
      difficulty: 2,
      questionText: '小明有 17 支铅笔，又买了 28 支，一共有多少支？',
      studentSolutionText: id,
    }));
    const { errors } = await studio.gateway.gql(
      'mutation ($inputs: [CreateCardInput!]!) { createCards(inputs: $inputs) { card { id } } }',
      { inputs: cards },
    );
    expect(errors).toBeUndefined();
    const page = await open('/#/duplicates');
    const pair = page.getByRole('region', { name: name('duplicates.pair') });
    const own = page.locator('article[data-card="kept-two"]');
    const count = page.locator('.page-head .count');
    const left = async (): Promise<number> => Number(/\d+/.exec(await count.innerText())?.[0]);
    const keepAll = async (): Promise<void> => {
      await pair.waitFor();
      for (let pairs = await left(); pairs > 0; pairs -= 1) {
        await page.keyboard.press('k');
        await soon(left).toBe(pairs - 1);
      }
    };
    await keepAll();
    const showAgain = page.getByRole('button', { name: name('duplicates.hidden.show') });
    await page.reload();
    await page.getByText(name('duplicates.none'), { exact: true }).waitFor();
    await showAgain.click();
    await keepAll();
    await studio.gateway.gql(`mutation { updateCard(id: "kept-one", input: { notes: "changed" }) { id } }`);
    await page.reload();
    await own.waitFor();
    await studio.gateway.gql('mutation { deleteCards(ids: ["kept-one", "kept-two"]) { deleted } }');
  });

  /** The page of duplicates with the pairs of these places, which it reads before each answer. */
  const visitPairs = async (mark: string, places: () => readonly number[]): Promise<Page> => {
    const { data } = await studio.gateway.gql<{ cards: { nodes: object[] } }>(`{ cards(first: 1) { nodes {
      owner revision subject grade difficulty qualityGrade questionText choices studentSolutionText goldSolutionBrief
      topicTags errorTypes notes source occurrences occurredAt updatedAt } } }`);
    const duplicatesFor = ({ first, after }: { first: number; after: string | null }): object[] => {
      const page = places().filter((place) => place > Number(after ?? -1));
      return page.slice(0, first).map((place) => {
        const cards = ['into', 'from'].map((one) => ({ ...data?.cards.nodes[0], id: `${mark}-${one}-${place}` }));
        return { cursor: String(place), exact: true, cards };
      });
    };
    const page = await open('/');
    await page.route(/\/graphql$/, (route) => {
      const { operationName, variables } = route.request().postDataJSON();
      if (operationName !== 'Duplicates') return route.fallback();
      return route.fulfill({ json: { data: { duplicates: duplicatesFor(variables) } } });
    });
    await page.evaluate("location.hash = '/duplicates'");
    return page;
  };
  const firstPlaces = (count: number) => Array.from({ length: count }, (_, place) => place);

  test('kept pairs make way for all others, page by page', async () => {
    let clusters = 170;
    const page = await visitPairs('all', () => firstPlaces(clusters));
    const atLeast = name('duplicates.leftAtLeast').replace('{count}', '50');
    await soon(() => page.locator('.page-head .count').textContent()).toBe(atLeast);
    const none = page.getByText(name('duplicates.none'), { exact: true });
    // As long as 170 pairs take.
    while ((await none.count()) === 0) await page.keyboard.press('k');
    const hidden = (count: number) => page.getByText(name('duplicates.hidden').replace('{count}', String(count)));
    await hidden(170).waitFor();
    // They are kept over a visit, and after a full page nothing may follow.
    for (const left of [150, 140]) {
      clusters = left;
      await page.getByRole('button', { name: name('duplicates.again') }).press('Enter');
      await hidden(left).waitFor();
      await none.waitFor();
    }
  });

  test('an undone merge is shown again, also after the list has gone on to the next page', async () => {
    const merged = new Set<number>();
    const page = await visitPairs('undo', () => firstPlaces(60).filter((place) => !merged.has(place)));
    await page.route(/\/graphql$/, (route) => {
      const { operationName, variables } = route.request().postDataJSON();
      const answer = (data: object) => route.fulfill({ json: { data } });
      if (operationName === 'MergeCards') {
        merged.add(Number(variables.from.split('-').at(-1)));
        return answer({ mergeCards: { revision: 2 } });
      }
      if (operationName !== 'UnmergeCard') return route.fallback();
      merged.clear();
      return answer({ unmergeCard: { from: { id: variables.id } } });
    });
    const shows = (place: number) => page.locator(`article[data-card="undo-from-${place}"]`).waitFor();
    for (const place of firstPlaces(51)) {
      await shows(place);
      await page.keyboard.press(place === 49 ? 'm' : 'k');
    }
    await shows(51);
    await page.getByRole('button', { name: name('duplicates.undo') }).click();
    await shows(49);
  });

  test('a page that is older than the gateway says that it must be reloaded', async () => {
    const page = await open('/#/exchange');
    await page.route(/\/studio\/(preview|katex)-[^/]*\.js$/, (route) => route.fulfill({ status: 404 }));
    const file = { name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('question,subject\n1 + 1 = ?,math\n') };
    const chooser = page.locator('input[type=file]');
    await chooser.setInputFiles(file);
    await page.getByRole('alert').getByText(name('page.partMissing')).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    const [reload] = await Promise.all([
      page.waitForEvent('framenavigated'),
      page.getByRole('button', { name: name('page.reload') }).click(),
    ]);
    expect(new URL(reload.url()).hash).toBe('#/exchange');
    await chooser.setInputFiles(file);
    await page.getByRole('columnheader', { name: 'question' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
