/** Judging hits, and the other parts of the page Quality. */
import type { Page, Route } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { en } from '../../../studio/messages/en/index.js';
import { browserPath, openStudio, type StudioPage, soon } from '../../support/browser.js';
import { deferred } from '../../support/deferred.js';
import { studioOf } from './visitor.js';

const studio = studioOf({ SEED_SAMPLE: 'true' });
let open: StudioPage;

const operationOf = (route: Route): string => route.request().postDataJSON().operationName;

test.skipIf(browserPath === null)('without a search log the page tells how to turn it on', async () => {
  open = await openStudio(studio.browser, new URL(studio.gateway.url).origin, { locale: 'en-US' });
  await open.page.goto(`${new URL(studio.gateway.url).origin}/#/quality`);
  await open.page.getByRole('tab', { name: en['quality.part.zero'] }).click();
  await open.page.getByText('SEARCH_LOG=texts npm start').waitFor();
  expect(await open.page.getByRole('alert').count()).toBe(0);
  await open.close();
  expect(open.violations).toEqual([]);
});

test.skipIf(browserPath === null)('all golden sets are listed, however many the gateway lists at once', async () => {
  const sets = Array.from({ length: 201 }, (_, place) => {
    const counts = { caseCount: 2, judgedCaseCount: 1, judgementCount: 3 };
    return { cursor: String(place), name: `set ${place}`, description: null, ...counts, updatedAt: new Date(0) };
  });
  open = await openStudio(studio.browser, new URL(studio.gateway.url).origin, { locale: 'en-US' });
  await open.page.route(/\/graphql$/, (route) => {
    if (route.request().method() !== 'POST' || operationOf(route) !== 'GoldenSets') return route.fallback();
    const from = Number(route.request().postDataJSON().variables.after ?? -1) + 1;
    return route.fulfill({ json: { data: { goldenSets: sets.slice(from, from + 100) } } });
  });
  await open.page.goto(`${new URL(studio.gateway.url).origin}/#/quality`);
  await open.page.getByRole('tab', { name: en['quality.part.sets'] }).click();
  await open.page.getByRole('button', { name: 'set 200' }).waitFor();
  expect(await open.page.locator('tbody tr').count()).toBe(201);
  await open.close();
  expect(open.violations).toEqual([]);
});

test.skipIf(browserPath === null)('the cases of a golden set show the questions of their cards', async () => {
  const relevant = '[{ cardId: "sample-en-002", grade: 2 }]';
  await studio.gateway.must(`mutation {
    saveGoldenSet(input: { name: "questions" }) { name }
    addGoldenCase(set: "questions", case: { operation: byError, cardId: "sample-en-001", relevant: ${relevant} }) { name }
  }`);
  open = await openStudio(studio.browser, new URL(studio.gateway.url).origin, { locale: 'en-US' });
  const { page } = open;
  await page.goto(`${new URL(studio.gateway.url).origin}/#/quality`);
  await page.getByRole('tab', { name: en['quality.part.sets'] }).click();
  await page.getByRole('button', { name: 'questions' }).click();
  await page
    .locator('.cases')
    .getByRole('link', { name: /sparrows are on the fence/ })
    .waitFor();
  await page.locator('.cases').getByRole('link', { name: 'Work out 52 − 27.' }).click();
  // The ids of imported cards say nothing to a teacher.
  await page.getByRole('heading', { level: 1, name: 'Work out 52 − 27.' }).waitFor();
  await open.close();
  expect(open.violations).toEqual([]);
});

test.skipIf(browserPath === null).each([1280, 390])(
  'an evaluation is started by a press during which the search profiles arrive, on a page %i wide',
  async (width) => {
    await studio.gateway.must(`mutation {
      judgeHit(set: "late", query: { operation: byError, text: "sign error" }, cardId: "sample-en-001", relevance: RELATED) {
        judgementId
      }
    }`);
    const { origin } = new URL(studio.gateway.url);
    open = await openStudio(studio.browser, origin, { locale: 'en-US', viewport: { width, height: 844 } });
    const { page } = open;
    const profiles = deferred();
    await page.route(/\/graphql$/, async (route) => {
      if (operationOf(route) === 'SearchProfiles') {
        await profiles.promise;
        return route.fulfill({ json: { data: { searchProfiles: [{ name: 'default' }, { name: 'p'.repeat(100) }] } } });
      }
      if (operationOf(route) === 'Evaluate') return route.fulfill({ json: { data: { evaluate: { id: 'started' } } } });
      return route.fallback();
    });
    await page.goto(`${origin}/#/quality`);
    await page.getByRole('tab', { name: en['quality.part.evaluations'], exact: true }).click();
    await page.locator('.evaluate').getByLabel(en['judge.set']).selectOption('late');
    const button = page.getByRole('button', { name: en['evaluations.start'] });
    await button.hover();
    await page.mouse.down();
    profiles.resolve();
    await soon(() => page.locator('.evaluate').getByLabel(en['tuning.profile']).locator('option').count()).toBe(2);
    const started = page.waitForRequest((request) => request.postDataJSON()?.operationName === 'Evaluate');
    await page.mouse.up();
    expect((await started).postDataJSON().variables).toEqual({ set: 'late', profile: 'default' });
    await open.close();
    expect(open.violations).toEqual([]);
  },
);

describe.skipIf(browserPath === null)('judging', () => {
  let page: Page;
  /** The variables of the judgements that were sent. */
  let sent: { query: { operation: string; text: string }; relevance: string }[];
  const done = () => page.locator('.judge-keys [role=status]').textContent();

  beforeEach(async () => {
    open = await openStudio(studio.browser, new URL(studio.gateway.url).origin, { locale: 'en-US' });
    page = open.page;
    sent = [];
    page.on('request', (request) => {
      const { operationName, variables } = request.method() === 'POST' ? request.postDataJSON() : {};
      if (operationName === 'JudgeHit') sent.push(variables);
    });
    await page.goto(`${new URL(studio.gateway.url).origin}/#/quality`);
    await ask('sign error');
  });
  afterEach(async () => {
    await open.close();
    expect(open.violations).toEqual([]);
  });

  async function ask(text: string): Promise<void> {
    const query = page.locator('.judge').getByLabel(en['search.query']);
    await query.fill(text);
    await query.press('Enter');
    await page.locator('.judged button:enabled').first().waitFor();
  }

  test('takes no grade from a key with Ctrl, which zooms the page, and undoes with Ctrl+Z', async () => {
    for (const key of ['Control+0', 'Control+2']) await page.keyboard.press(key);
    await page.keyboard.press('1');
    await soon(done).toMatch(/^1 /);
    await page.keyboard.press('Control+u');
    await page.keyboard.press('Control+z');
    await soon(done).toMatch(/^0 /);
    expect(sent.map(({ relevance }) => relevance)).toEqual(['RELATED']);
  });

  test('undoes further judgements after one whose undo was not answered', async () => {
    for (const [count, key] of [
      [1, '1'],
      [2, '2'],
    ] as const) {
      await page.keyboard.press(key);
      await soon(done).toMatch(RegExp(`^${count} `));
    }
    await page.route(/\/graphql$/, async (route) => {
      if (operationOf(route) !== 'UndoJudgement') return route.fallback();
      await route.fetch();
      return route.abort();
    });
    await page.keyboard.press('u');
    await page.getByText(en['error.OFFLINE']).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    for (const left of [1, 0]) {
      await page.keyboard.press('u');
      await soon(done).toMatch(RegExp(`^${left} `));
    }
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('leaves the keys of an input method alone', async () => {
    const query = page.locator('.judge').getByLabel(en['search.query']);
    await query.focus();
    await query.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    expect(await query.evaluate('document.activeElement.type')).toBe('search');
    await query.dispatchEvent('keydown', { key: 'Enter' });
    expect(await query.evaluate('document.activeElement.type')).toBeUndefined();
    await page.locator('.judged').dispatchEvent('keydown', { key: '2', isComposing: true });
    await page.keyboard.press('1');
    await soon(done).toMatch(/^1 /);
    expect(sent.map(({ relevance }) => relevance)).toEqual(['RELATED']);
  });

  test('stores nothing while the hits on screen are those of an earlier search, or the search failed', async () => {
    let fail = (): void => undefined;
    const failing = new Promise<void>((resolve) => {
      fail = resolve;
    });
    await page.route(/\/graphql$/, async (route) => {
      if (operationOf(route) !== 'HybridSearch') return route.continue();
      await failing;
      return route.abort();
    });
    const select = page.locator('.judge select');
    await select.selectOption('hybridSearch');
    await select.blur();
    await page.locator('.judged button:disabled').first().waitFor();
    await page.keyboard.press('2');
    fail();
    await page.getByText(en['error.OFFLINE']).waitFor();
    expect(await page.locator('.judged li').count()).toBe(0);
    await page.keyboard.press('2');
    await select.selectOption('byError');
    await page.locator('.judged button:enabled').first().waitFor();
    await select.blur();
    await page.keyboard.press('2');
    await soon(done).toMatch(/^1 /);
    expect(sent.map(({ query }) => query)).toEqual([{ operation: 'byError', text: 'sign error' }]);
  });

  test('counts only the judgements of the search on screen, however late they are answered', async () => {
    let answer = (): void => undefined;
    const answering = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/\/graphql$/, async (route) => {
      if (operationOf(route) === 'JudgeHit') await answering;
      return route.continue();
    });
    await page.keyboard.press('2');
    await soon(() => sent.length).toBe(1);
    await ask('force');
    answer();
    const second = page.waitForResponse((response) => response.request().postData()?.includes('"RELATED"') ?? false);
    await page.keyboard.press('1');
    // Sent after the first has been answered.
    await (await second).finished();
    await soon(() => page.locator('.judged [aria-pressed=true]').count()).toBe(1);
    expect(await done()).toMatch(/^1 /);
    expect(sent.map(({ query }) => query.text)).toEqual(['sign error', 'force']);
  });
});
