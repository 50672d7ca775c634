/** Where days begin for a student who has not chosen a time zone. */
import { afterEach, describe, expect, test } from 'vitest';
import { browserPath, expectAccessible, soon } from '../../support/browser.js';
import { TOKEN_SETTINGS, tokenOf } from '../../support/tokens.js';
import { studioOf, Visitor, WAYS } from './visitor.js';

const studio = studioOf(TOKEN_SETTINGS);
const SETTINGS = '{ practiceSettings { timeZone dailyLimit } }';

describe.skipIf(browserPath === null).each(WAYS)('%s', (_title, way) => {
  const visitor = new Visitor(way);
  const { mark } = visitor;
  const name = visitor.name.bind(visitor);
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  test('the page of today says that days begin at another time than here, and takes the time zone of here', async () => {
    const sub = `zoe-${mark}`;
    const page = await visitor.signIn(studio, { sub }, '/#/today', { timezoneId: 'Asia/Shanghai' });
    const notice = page.locator('.notice', { hasText: name('practiceSettings.utc').split('{')[0] as string });
    await notice.getByText(/0?8:00/).waitFor();
    await expectAccessible(page);
    await notice.getByRole('button').click();
    await notice.waitFor({ state: 'detached' });
    const api = studio.gateway.as(await tokenOf({ sub }));
    await soon(async () => (await api.gql(SETTINGS)).data).toEqual({
      practiceSettings: { timeZone: 'Asia/Shanghai', dailyLimit: 50 },
    });
  });

  test('the page of today says nothing of days where they begin with those of UTC', async () => {
    const page = await visitor.signIn(studio, { sub: `zoe-utc-${mark}` }, '/#/today', { timezoneId: 'UTC' });
    await page.getByText(name('practiceSettings.title')).waitFor();
    expect(await page.getByText(name('practiceSettings.utc').split('{')[0] as string).count()).toBe(0);
  });
});
