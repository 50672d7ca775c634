/** What a page does while the gateway cannot be reached. */
import { afterEach, describe, expect, test } from 'vitest';
import { browserPath, expectAccessible, soon } from '../../support/browser.js';
import { deferred } from '../../support/deferred.js';
import { SAMPLE, studioOf, Visitor, WAYS } from './visitor.js';

const studio = studioOf(SAMPLE);

/** Nothing here depends on the language or the device. */
const [, way] = WAYS.find(([, { language, device }]) => language === 'zh-CN' && device === 'desktop') ?? [];

describe.skipIf(browserPath === null || way === undefined)('without a gateway', () => {
  const visitor = new Visitor(way as NonNullable<typeof way>);
  const name = visitor.name.bind(visitor);
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  test('a page reports that the gateway does not answer, and continues when it does', async () => {
    const page = await visitor.visit(studio);
    await page.locator('.welcome').waitFor();
    await page.route(/\/graphql$/, (route) => route.abort());
    await page.getByLabel(name('search.query'), { exact: true }).first().fill('解不等式');
    // The filters say so too if their counts were still being asked for.
    const results = page.getByRole('region', { name: name('search.found') });
    await results.getByText(name('error.OFFLINE')).waitFor();
    await expectAccessible(page);
    await page.unroute(/\/graphql$/);
    const answer = deferred();
    await page.route(/\/graphql$/, async (route) => {
      await answer.promise;
      return route.fallback();
    });
    await results.getByRole('button', { name: name('action.retry') }).click();
    // While the answer is awaited, nobody presses the button again, which would begin anew.
    await results.getByText(name('state.loading')).waitFor();
    expect(await results.getByRole('alert').count()).toBe(0);
    answer.resolve();
    await page.locator('.hit').first().waitFor();
  });

  test('a page asks again by itself until the gateway is back, as long as it is visible', async () => {
    const page = await visitor.visit(studio);
    await page.clock.install();
    await page.locator('.welcome').waitFor();
    let asked = 0;
    // As behind a proxy, and without one.
    let isProxied = true;
    page.on('request', (request) => {
      if (request.postDataJSON()?.operationName === 'HybridSearch') asked += 1;
    });
    await page.route(/\/graphql$/, (route) =>
      isProxied ? route.fulfill({ status: 502, body: '<html>' }) : route.abort(),
    );
    await page.getByLabel(name('search.query'), { exact: true }).first().fill('解不等式');
    const results = page.getByRole('region', { name: name('search.found') });
    const askedMoreThan = (count: number) =>
      soon(async () => {
        await page.clock.runFor(10_000);
        return asked;
      }).toBeGreaterThan(count);
    await results.getByText(name('error.UNAVAILABLE')).waitFor();
    await askedMoreThan(6);
    isProxied = false;
    await askedMoreThan(asked + 6);
    await results.getByText(name('error.OFFLINE')).waitFor();
    const show = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));`);
    await show(true);
    const before = asked;
    for (const _ of [1, 2, 3, 4, 5]) {
      await page.clock.runFor(10_000);
      await page.evaluate("fetch('readyz').then(() => 0)");
    }
    // The one that was to come.
    expect(asked).toBeLessThanOrEqual(before + 1);
    expect(await results.getByRole('alert').count()).toBe(1);
    await page.unroute(/\/graphql$/);
    await show(false);
    await page.locator('.hit').first().waitFor();
    expect(await results.getByRole('alert').count()).toBe(0);
    const answered = asked;
    await show(false);
    await page.evaluate("fetch('readyz').then(() => 0)");
    expect(asked).toBe(answered);
  });

  test('parts that could not be loaded are loaded when the device is connected to a network again', async () => {
    const page = await visitor.visit(studio);
    await page.route(/\/studio\/(preview|katex)-[^/]*$/, (route) => route.abort());
    await visitor.search(page, '解不等式');
    const missing = page.getByRole('alert').getByText(name('page.partMissing'));
    await missing.waitFor();
    expect(await page.locator('.katex').count()).toBe(0);
    await page.evaluate("location.hash = '/exchange'");
    const buffer = Buffer.from('question,subject\n1 + 1 = ?,math\n');
    await page.locator('input[type=file]').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer });
    await page.getByText(name('import.noPreview')).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByRole('columnheader', { name: 'question' }).waitFor();
    await page.goBack();
    await page.locator('.katex').first().waitFor();
    const position = "getComputedStyle(document.querySelector('.katex-mathml')).position";
    await soon(() => page.evaluate(position)).toBe('absolute');
    expect(await missing.count()).toBe(0);
  });

  test('a page asks again when the device is connected to a network again', async () => {
    const page = await visitor.visit(studio);
    await page.locator('.welcome').waitFor();
    await page.context().setOffline(true);
    await page.getByLabel(name('search.query'), { exact: true }).first().fill('解不等式');
    const results = page.getByRole('region', { name: name('search.found') });
    await results.getByText(name('error.OFFLINE')).waitFor();
    await page.context().setOffline(false);
    await page.locator('.hit').first().waitFor();
    // The counts of the filters may be answered after the hits.
    await soon(() => page.getByText(name('error.OFFLINE')).count()).toBe(0);
  });

  test('a page asks again after a request that ends without an answer when the network has changed', async () => {
    const page = await visitor.visit(studio);
    await page.locator('.welcome').waitFor();
    let isChanged = false;
    const changed = deferred();
    const asked = page.waitForRequest((request) => request.postDataJSON()?.operationName === 'HybridSearch');
    await page.route(/\/graphql$/, async (route) => {
      if (isChanged) return route.fallback();
      await changed.promise;
      return route.abort();
    });
    await page.getByLabel(name('search.query'), { exact: true }).first().fill('解不等式');
    await asked;
    await page.evaluate("dispatchEvent(new Event('online'))");
    isChanged = true;
    changed.resolve();
    await page.locator('.hit').first().waitFor();
    await soon(() => page.getByText(name('error.OFFLINE')).count()).toBe(0);
  });
});
