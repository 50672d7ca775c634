/** Imports whose progress cannot be asked for a while, or that run while the page is left. */
import type { Request } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { browserPath, soon } from '../../support/browser.js';
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
    let refusal: 'OFFLINE' | 'UNAUTHENTICATED' = 'OFFLINE';
    const token = await tokenOf({ sub, jti: mark });
    const isNew = (request: Request): boolean => request.headers().authorization === `Bearer ${token}`;
    await page.route(/\/graphql$/, (route) => {
      const request = route.request();
      if (isNew(request) || request.postDataJSON().operationName !== 'ImportProgress') {
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
    const asked = page.waitForRequest(
      (request) => isNew(request) && request.postDataJSON()?.operationName === 'ImportProgress',
    );
    await page.getByLabel(name('signIn.credential')).fill(token);
    await page.keyboard.press('Enter');
    await asked;
    await page.getByText(name('importState.DONE'), { exact: true }).waitFor();
    expect(await page.locator('.figure-created dd').textContent()).toBe('1');
    await cancel.waitFor({ state: 'detached' });
    expect(await alert.count()).toBe(0);
  });

  test('a file whose import was begun, but not answered, is sent again, and stored once', async () => {
    const sub = `joe-${mark}`;
    const page = await visitor.signIn(studio, { sub }, '/#/exchange');
    let sent = 0;
    await page.route(/\/import\?.*dryRun=false/, async (route) => {
      sent += 1;
      if (sent > 1) return route.fallback();
      await route.fetch();
      return route.abort();
    });
    await page.locator('input[type=file]').setInputFiles({
      name: 'notebook.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`question,subject,difficulty\nWhat is 8 + 9? ${mark},math,1\n`),
    });
    await page.getByRole('button', { name: name('import.try'), exact: true }).click();
    const start = page.getByRole('button', { name: name('import.start'), exact: true });
    await soon(() => start.isEnabled()).toBe(true);
    await start.click();
    await page.getByRole('alert').getByText(name('error.OFFLINE')).waitFor();
    await page.getByRole('link', { name: name('import.look') }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(sent).toBe(2);
    const gateway = studio.gateway.as(await tokenOf({ sub }));
    const { data } = await gateway.gql('{ cards(first: 2) { nodes { occurrences } } }');
    expect(data).toEqual({ cards: { nodes: [{ occurrences: 1 }] } });
  });

  test('an import that runs is shown again after another file is chosen and after a reload, until it has ended', async () => {
    const sub = `kim-${mark}`;
    const page = await visitor.signIn(studio, { sub }, '/#/exchange');
    const running = new Set<string>();
    await page.route(/\/graphql$/, async (route) => {
      const { operationName, variables } = route.request().postDataJSON();
      if (operationName !== 'ImportProgress' || !running.has(variables.id)) return route.fallback();
      const response = await route.fetch();
      const { data } = await response.json();
      const importJob = { ...data.importJob, state: 'RUNNING', finishedAt: null };
      return route.fulfill({ json: { data: { importJob } } });
    });
    await page.route(/\/import\?.*dryRun=false/, async (route) => {
      const response = await route.fetch();
      running.add((await response.json()).importJob.id);
      return route.fulfill({ response });
    });
    const file = (title: string) => ({
      name: `${title}-${mark}.csv`,
      mimeType: 'text/csv',
      buffer: Buffer.from(`question,subject,difficulty\nWhat is 9 + ${title.length}? ${mark},math,1\n`),
    });
    const button = (key: 'import.try' | 'import.start' | 'action.cancel') =>
      page.getByRole('button', { name: name(key), exact: true });
    const begin = async (title: string): Promise<void> => {
      await page.locator('input[type=file]').setInputFiles(file(title));
      await button('import.try').click();
      await soon(() => button('import.start').isEnabled()).toBe(true);
      await button('import.start').click();
      const own = page.getByRole('region', { name: name('import.title'), exact: true });
      await own.getByText(name('importState.RUNNING'), { exact: true }).waitFor();
    };
    const earlier = (title: string) => page.getByRole('region', { name: `${title}-${mark}.csv` });
    const comeBack = async (): Promise<void> => {
      await page.reload();
      await page.getByLabel(name('signIn.credential')).fill(await tokenOf({ sub, jti: `again-${mark}` }));
      await page.keyboard.press('Enter');
      await page.locator('input[type=file]').waitFor({ state: 'attached' });
    };
    await begin('first');
    await begin('second');
    await earlier('first').getByText(name('importState.RUNNING'), { exact: true }).waitFor();
    await comeBack();
    for (const title of ['first', 'second']) await earlier(title).getByText(name('importState.RUNNING')).waitFor();
    running.clear();
    for (const title of ['first', 'second']) {
      await earlier(title)
        .getByRole('link', { name: name('import.look') })
        .waitFor();
      expect(
        await earlier(title)
          .getByRole('button', { name: name('action.cancel') })
          .count(),
      ).toBe(0);
    }
    await comeBack();
    // Without an earlier import, which has this name until its own is known.
    expect(await page.getByRole('region', { name: name('import.title'), exact: true }).count()).toBe(1);
    expect(await page.locator('.import-report').count()).toBe(0);
  });

  test('a file whose trial was refused cannot be imported', async () => {
    const page = await visitor.signIn(studio, { sub: `lee-${mark}` }, '/#/exchange');
    await page.locator('input[type=file]').setInputFiles({
      name: 'notebook.json',
      mimeType: 'application/json',
      buffer: Buffer.from('[{"questionText": '),
    });
    await page.getByRole('button', { name: name('import.try'), exact: true }).click();
    // The gateway refuses it in the response if it has read it by then.
    const refused = page.getByText(name('importState.REFUSED'), { exact: true }).or(page.getByRole('alert'));
    await refused.waitFor();
    const again = page.getByRole('button', { name: name('import.try'), exact: true });
    await soon(() => again.isEnabled()).toBe(true);
    expect(await page.getByRole('button', { name: name('import.start'), exact: true }).isEnabled()).toBe(false);
  });
});
