import { afterEach, describe, expect, test } from 'vitest';
import { en } from '../../../studio/messages/en/index.js';
import { zh } from '../../../studio/messages/zh/index.js';
import { startApi, type TestApi } from '../../api/gateway.js';
import { browserPath, expectAccessible, launchBrowser, openStudio } from '../../support/browser.js';
import { deferred } from '../../support/deferred.js';

let gateway: TestApi | undefined;
afterEach(() => gateway?.close());

/** The journeys through the whole page are in the other files of this folder. */
describe.skipIf(browserPath === null)('the studio in a browser', () => {
  test.each([
    ['en-US', 'light', en],
    ['zh-CN', 'dark', zh],
  ] as const)(
    'loads in %s and %s, from this origin only, without violating its policy',
    async (locale, colorScheme, messages) => {
      gateway = await startApi({}, { pages: true });
      const browser = await launchBrowser();
      try {
        const { page, violations } = await openStudio(browser, gateway.url, { locale, colorScheme });
        await page.goto(gateway.url);
        await page.getByRole('heading', { name: messages['welcome.title'] }).waitFor();
        await expectAccessible(page);
        const answer = deferred();
        await page.route(/\/graphql$/, async (route) => {
          if (route.request().postDataJSON().operationName === 'HybridSearch') await answer.promise;
          return route.fallback();
        });
        await page.getByLabel(messages['search.query'], { exact: true }).fill('sign error');
        const loading = page.locator('.found').getByText(messages['state.loading']);
        await loading.waitFor();
        expect(await page.locator('.found [role=status]').count()).toBe(1);
        // Nothing stands behind this gateway's API: the page says that a search failed, and stays.
        answer.resolve();
        // Other operations of the page fail too.
        await page.locator('.found').getByText(messages['error.INTERNAL']).waitFor();
        expect(await loading.count()).toBe(0);
        expect(violations).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );
});
