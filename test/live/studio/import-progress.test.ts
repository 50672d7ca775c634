/** Imports whose progress cannot be asked for a while. */
import { afterEach, describe, expect, test } from 'vitest';
import { browserPath } from '../../support/browser.js';
import { TOKEN_SETTINGS, tokenOf } from '../../support/tokens.js';
import { studioOf, Visitor, WAYS } from './visitor.js';

const studio = studioOf(TOKEN_SETTINGS);

describe.skipIf(browserPath === null).each(WAYS)('%s', (_title, way) => {
  const visitor = new Visitor(way);
  const { mark } = visitor;
  const name = visitor.name.bind(visitor);
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  test('an import is followed to its end after its progress could not be asked for', async () => {
    const sub = `ida-${mark}`;
    const page = await visitor.signIn(studio, { sub }, '/#/exchange');
    let refusal: 'OFFLINE' | 'UNAUTHENTICATED' | null = 'OFFLINE';
    await page.route(/\/graphql$/, (route) => {
      if (refusal === null || route.request().postDataJSON().operationName !== 'ImportProgress') {
        return route.fallback();
      }
      if (refusal === 'OFFLINE') return route.abort();
      return route.fulfill({ json: { errors: [{ message: 'expired', extensions: { code: refusal } }] } });
    });
    await page.locator('input[type=file]').setInputFiles({
      name: 'notebook.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`question,subject,difficulty\nWhat is 7 + 8? ${mark},math,1\n`),
    });
    await page.getByRole('columnheader', { name: 'question' }).waitFor();
    await page.getByRole('button', { name: name('import.try'), exact: true }).click();
    const alert = page.getByRole('alert');
    await alert.getByText(name('error.OFFLINE')).waitFor();
    const cancel = page.getByRole('button', { name: name('action.cancel'), exact: true });
    expect(await cancel.isEnabled()).toBe(true);
    refusal = 'UNAUTHENTICATED';
    await page.getByRole('dialog').getByText(name('error.UNAUTHENTICATED')).waitFor();
    refusal = null;
    const token = await tokenOf({ sub, jti: mark });
    const asked = page.waitForRequest((request) => request.postDataJSON()?.operationName === 'ImportProgress');
    await page.getByLabel(name('signIn.credential')).fill(token);
    await page.keyboard.press('Enter');
    expect((await asked).headers().authorization).toBe(`Bearer ${token}`);
    await page.getByText(name('importState.DONE'), { exact: true }).waitFor();
    expect(await page.locator('.figure-created dd').textContent()).toBe('1');
    await cancel.waitFor({ state: 'detached' });
    expect(await alert.count()).toBe(0);
  });
});
