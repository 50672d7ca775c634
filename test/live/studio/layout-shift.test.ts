/** Nothing that one is about to click is moved by what comes later. */
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { browserPath } from '../../support/browser.js';
import { deferred } from '../../support/deferred.js';
import { SAMPLE, studioOf, Visitor, WAYS } from './visitor.js';

const studio = studioOf(SAMPLE);

/** Nothing here depends on the language. */
const visitors = WAYS.filter(([, { language }]) => language === 'en').map(([, way]) => new Visitor(way));

describe.skipIf(browserPath === null)('what comes late moves nothing', () => {
  const [desktop, phone] = ['desktop', 'phone'].map((device) =>
    visitors.find((one) => one.phone === (device === 'phone')),
  ) as [Visitor, Visitor];
  afterEach(async () => expect([...(await desktop.leave()), ...(await phone.leave())]).toEqual([]));

  /** Opens a page; the answers to this operation wait until the returned function is called. */
  async function openWithout(visitor: Visitor, operation: string, name: string) {
    const page = await visitor.visit(studio, '/#/exchange');
    await page.locator('.drop').waitFor();
    const answered = deferred();
    await page.route(/\/graphql$/, async (route) => {
      if (route.request().postDataJSON().operationName === operation) await answered.promise;
      return route.fallback();
    });
    await page.evaluate(`location.hash = '#/${name}'`);
    return { page, answer: answered.resolve };
  }
  const waitForLoading = (page: Page, part: string) => page.locator(`${part} .loading`).waitFor();

  test('the filters come all at once', async () => {
    const { page, answer } = await openWithout(desktop, 'Facets', 'cards?subjects=math');
    const answered: string[] = [];
    page.on('response', (response) => void answered.push(response.request().postData() ?? ''));
    await waitForLoading(page, '.filters');
    const controls = page.locator('.filters').locator('input, select');
    expect(await controls.count()).toBe(0);
    answer();
    await controls.first().waitFor();
    // Those of the filter, and those of the subjects that are not chosen.
    expect(answered.filter((body) => body.includes('query Facets'))).toHaveLength(2);
    expect(await page.locator('.filters fieldset').first().getByRole('checkbox').count()).toBeGreaterThan(1);
    expect(await page.locator('.filters fieldset').count()).toBe(6);
  });

  test('the buttons of an import come after the preview of its file, which is above them', async () => {
    const page = await phone.visit(studio, '/#/exchange');
    const read = deferred();
    await page.route(/preview.*\.js$/, async (route) => {
      await read.promise;
      return route.fallback();
    });
    const buffer = Buffer.from('question,subject,difficulty\n1 + 1 = ?,math,1\n');
    await page.locator('input[type=file]').setInputFiles({ name: 'cards.csv', mimeType: 'text/csv', buffer });
    await waitForLoading(page, '.box');
    const tryIt = page.getByRole('button', { name: phone.name('import.try'), exact: true });
    expect(await tryIt.count()).toBe(0);
    read.resolve();
    await tryIt.waitFor();
    expect(await page.getByRole('columnheader', { name: 'question' }).count()).toBe(1);
  });

  test('what is below the card to practise is out of sight on a phone before that card is there', async () => {
    const { page, answer } = await openWithout(phone, 'DueCards', 'today');
    const settings = page.getByText(phone.name('practiceSettings.title'));
    await settings.waitFor();
    const siblings = page.getByLabel(phone.name('today.siblings'));
    expect((await siblings.boundingBox())?.y).toBeGreaterThan(page.viewportSize()?.height ?? 0);
    answer();
    await page.locator('.task').waitFor();
    await siblings.check();
  });

  test('the statistics of searches come after those of the index, which are above them', async () => {
    const { page, answer } = await openWithout(desktop, 'IndexStatus', 'operations');
    await waitForLoading(page, '.page');
    const searches = page.getByRole('region', { name: desktop.name('metrics.title') });
    expect(await searches.count()).toBe(0);
    answer();
    await searches.waitFor();
  });

  test('the question of the next card that is searched from is asked for at once', async () => {
    const page = await desktop.visit(studio, '/#/search?card=sample-en-001');
    await page.locator('.query-text').waitFor();
    await page.evaluate("location.hash = '#/cards/sample-en-002'");
    const link = page.getByRole('link', { name: desktop.name('hit.searchFrom') });
    await link.waitFor();
    await page.clock.install();
    // Ahead of the page's clock, however long this message takes: it cannot be set back.
    await page.clock.pauseAt(Date.now() + 60_000);
    const asked = page.waitForRequest((request) => request.postDataJSON()?.operationName === 'OneCard');
    await link.click();
    await page.waitForURL('**/#/search?card=sample-en-002');
    // The address changes before the page hears of it.
    await page.locator('.query-card').waitFor();
    // Effects run and no debounce ends.
    await page.clock.runFor(100);
    await page.clock.runFor(100);
    await asked;
  });
});
