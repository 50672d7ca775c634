import { afterEach, describe, expect, test } from 'vitest';
import { browserPath, expectAccessible, soon } from '../../support/browser.js';
import { TOKEN_SETTINGS, tokenOf } from '../../support/tokens.js';
import { PIXEL, studioOf, Visitor, WAYS } from './visitor.js';

const studio = studioOf({ ...TOKEN_SETTINGS, API_KEYS: 'true' });

describe.skipIf(browserPath === null).each(WAYS)('%s', (_title, way) => {
  const visitor = new Visitor(way);
  const { mark } = visitor;
  const name = visitor.name.bind(visitor);
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  test('a student signs in with a token and sees their own cards, and no staff pages', async () => {
    const [amy, ben] = await Promise.all(['amy', 'ben'].map((sub) => tokenOf({ sub: `${sub}-${mark}` })));
    for (const [token, owner] of [
      [amy, 'amy'],
      [ben, 'ben'],
    ] as const) {
      const input = { id: `${owner}-${mark}`, subject: 'math', difficulty: 1, questionText: `Question of ${owner}` };
      await studio.gateway
        .as(String(token))
        .gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    }
    const page = await visitor.visit(studio);
    await page.getByLabel(name('signIn.credential')).fill('wrong');
    await page.getByRole('button', { name: name('signIn.enter') }).click();
    await page.getByRole('alert').getByText(name('error.UNAUTHENTICATED')).waitFor();
    await expectAccessible(page);
    await page.getByLabel(name('signIn.credential')).fill(String(amy));
    await page.getByRole('button', { name: name('signIn.enter') }).click();
    await page.locator('.shell').waitFor();
    expect(page.url()).not.toContain(String(amy).slice(0, 20));
    await page.goto(`${new URL(studio.gateway.url).origin}/#/cards`);
    await soon(() => page.locator('.card-row-text').allTextContents()).toEqual(['Question of amy']);
    if (visitor.phone) await page.getByRole('button', { name: name('nav.menu') }).click();
    expect(await page.getByRole('link', { name: name('nav.quality') }).count()).toBe(0);
    // Kept nowhere: reloading asks again.
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(kept).not.toContain(String(amy).slice(0, 20));
    await page.reload();
    await page.getByLabel(name('signIn.credential')).waitFor();
  });

  test('an expired credential loses no unsaved work of its owner, and shows none of it to others', async () => {
    const page = await visitor.visit(studio, '/#/cards/new');
    const signIn = async (sub: string): Promise<void> => {
      await page.getByLabel(name('signIn.credential')).fill(await tokenOf({ sub, jti: String(Math.random()) }));
      await page.keyboard.press('Enter');
    };
    await signIn(`eve-${mark}`);
    const question = page.getByLabel(`${name('field.questionText')} *`);
    /** The form asks for suggestions while one types. */
    const typeUntilExpired = async (text: string): Promise<void> => {
      await question.waitFor();
      await page.route(/\/graphql$/, (route) => {
        if (!route.request().postData()?.includes(text)) return route.continue();
        return route.fulfill({ json: { errors: [{ message: 'expired', extensions: { code: 'UNAUTHENTICATED' } }] } });
      });
      await question.fill(text);
      await page.getByRole('dialog').getByText(name('error.UNAUTHENTICATED')).waitFor();
      await page.unrouteAll({ behavior: 'wait' });
    };
    await typeUntilExpired(`Unsaved work (${mark})`);
    expect(await question.isVisible()).toBe(false);
    expect(await page.title()).toBe('Errata');
    await page.getByText(name('signIn.again')).waitFor();
    await page.keyboard.press('Escape');
    await expectAccessible(page);
    await signIn(`eve-${mark}`);
    await soon(() => question.inputValue()).toBe(`Unsaved work (${mark})`);
    await soon(() => page.evaluate('document.activeElement.tagName')).toBe('MAIN');
    expect(await page.title()).toBe(`${name('cards.new')} · Errata`);
    await typeUntilExpired('Unsaved, too');
    await signIn(`mallory-${mark}`);
    await question.waitFor();
    expect(await question.inputValue()).toBe('');
  });

  test('what was written in a card that is deleted before its owner signs in again is still there', async () => {
    const [id, sub] = [`deleted-${mark}`, `noa-${mark}`];
    const own = studio.gateway.as(await tokenOf({ sub }));
    const input = `{ id: "${id}", subject: "math", difficulty: 1, questionText: "Question of ${sub}" }`;
    await own.gql(`mutation { createCard(input: ${input}) { id } }`);
    const page = await visitor.signIn(studio, { sub }, `/#/cards/${id}/edit`);
    const wrong = page.locator('form.draft').getByLabel(name('field.studentSolutionText'));
    await wrong.waitFor();
    // Only when suggestions for this text are asked for: the dialog would cover the field before.
    await page.route(/\/graphql$/, (route) =>
      route.request().postData()?.includes('Written, not saved')
        ? route.fulfill({ json: { errors: [{ message: 'expired', extensions: { code: 'UNAUTHENTICATED' } }] } })
        : route.fallback(),
    );
    await wrong.fill('Written, not saved');
    await page.getByRole('dialog').getByText(name('error.UNAUTHENTICATED')).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await own.gql(`mutation { deleteCard(id: "${id}") }`);
    await page.getByLabel(name('signIn.credential')).fill(await tokenOf({ sub, jti: 'second' }));
    const asked = page.waitForResponse((response) => response.request().postDataJSON()?.operationName === 'OneCard');
    await page.keyboard.press('Enter');
    await (await asked).finished();
    await page.getByRole('button', { name: name('action.save') }).click();
    await page.getByText(name('error.NOT_FOUND')).waitFor();
    expect(await wrong.inputValue()).toBe('Written, not saved');
  });

  test('a credential that cannot be used is refused in the form, where another one can be entered', async () => {
    const admin = studio.gateway.as(await tokenOf({ sub: `ada-${mark}`, role: 'admin' }));
    const { data } = await admin.gql<{ createApiKey: { text: string } }>(
      `mutation { createApiKey(input: { ownerId: "amy-${mark}", role: STUDENT, scopes: [WRITE] }) { text } }`,
    );
    const page = await visitor.visit(studio);
    const field = page.getByLabel(name('signIn.credential'));
    const alert = page.getByRole('alert');
    const retry = page.getByRole('button', { name: name('action.retry') });
    const enter = async (token: string): Promise<void> => {
      await field.fill(token);
      await page.keyboard.press('Enter');
    };
    // No HTTP header can contain it.
    await enter('“令牌”');
    await alert.getByText(name('error.UNAUTHENTICATED')).waitFor();
    await enter(String(data?.createApiKey.text));
    await alert.getByText(name('error.FORBIDDEN')).waitFor();
    expect(await retry.count()).toBe(0);
    const token = await tokenOf({ sub: `amy-${mark}` });
    await page.route(/\/graphql$/, (route) =>
      route.fulfill({ json: { errors: [{ message: 'no database', extensions: { code: 'UNAVAILABLE' } }] } }),
    );
    await enter(token);
    await alert.getByText(name('error.UNAVAILABLE')).waitFor();
    await field.waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.route(/\/graphql$/, (route) => route.abort());
    await retry.click();
    await alert.getByText(name('error.OFFLINE')).waitFor();
    expect(await field.count()).toBe(0);
    await page.unrouteAll({ behavior: 'wait' });
    await retry.click();
    await page.locator('.shell').waitFor();
  });

  test('signing out with an unsaved card asks first', async () => {
    const page = await visitor.visit(studio, '/#/cards/new');
    const credential = page.getByLabel(name('signIn.credential'));
    await credential.fill(await tokenOf({ sub: `una-${mark}` }));
    await page.keyboard.press('Enter');
    const question = page.getByLabel(`${name('field.questionText')} *`);
    await question.fill('Unsaved');
    const asked: string[] = [];
    let answer = false;
    page.removeAllListeners('dialog');
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void (answer ? dialog.accept() : dialog.dismiss());
    });
    if (visitor.phone) await page.getByRole('button', { name: name('nav.menu') }).click();
    const signOut = page.getByRole('button', { name: name('viewer.signOut') });
    // On one line.
    expect((await signOut.boundingBox())?.height).toBeLessThan(50);
    await signOut.click();
    expect(asked).toEqual([name('editor.leave')]);
    expect(await question.inputValue()).toBe('Unsaved');
    answer = true;
    await signOut.click();
    await credential.waitFor();
  });

  test('nobody sees what the person before has searched for, after signing out or when the credential expires', async () => {
    const page = await visitor.signIn(studio, { sub: `pia-${mark}` }, '/#/search?q=my+weak+point&subjects=math');
    const query = page.getByLabel(name('search.query'), { exact: true }).first();
    const credential = page.getByLabel(name('signIn.credential'));
    await soon(() => query.inputValue()).toBe('my weak point');
    if (visitor.phone) await page.getByRole('button', { name: name('nav.menu') }).click();
    await page.getByRole('button', { name: name('viewer.signOut') }).click();
    await credential.waitFor();
    await soon(() => page.url()).toMatch(/#\/search$/);
    expect(await page.title()).toBe('Errata');
    await credential.fill(await tokenOf({ sub: `quinn-${mark}` }));
    await page.keyboard.press('Enter');
    await page.locator('.welcome').waitFor();
    await page.route(/\/graphql$/, (route) => {
      if (!route.request().postData()?.includes('another point')) return route.continue();
      return route.fulfill({ json: { errors: [{ message: 'expired', extensions: { code: 'UNAUTHENTICATED' } }] } });
    });
    await query.fill('another point');
    await page.getByRole('dialog').getByText(name('error.UNAUTHENTICATED')).waitFor();
    await soon(() => page.url()).toContain('another+point');
    await credential.fill(await tokenOf({ sub: `rae-${mark}` }));
    await page.keyboard.press('Enter');
    await page.locator('.welcome').waitFor();
    expect(await query.inputValue()).toBe('');
    expect(page.url()).toMatch(/#\/search$/);
  });

  test('a student uploads an image for a card, and sees it there', async () => {
    const token = await tokenOf({ sub: `zoe-${mark}` });
    const page = await visitor.visit(studio, '/#/cards/new');
    await page.getByLabel(name('signIn.credential')).fill(token);
    await page.getByRole('button', { name: name('signIn.enter') }).click();
    // Signing in leads to where one was going.
    await page.goto(`${new URL(studio.gateway.url).origin}/#/cards/new`);
    await page.locator('form.draft textarea').first().fill(`What does the figure show? ${mark}`);
    await page.getByLabel(name('attachments.link')).fill('https://example.org/paper.pdf');
    await page.getByRole('button', { name: name('attachments.addLink') }).click();
    let finish = (): void => undefined;
    const written = new Promise<void>((resolve) => {
      finish = resolve;
    });
    await page.route(/\/attachments$/, async (route) => {
      await written;
      await route.continue();
    });
    await page.getByLabel(name('attachments.upload')).setInputFiles({
      name: 'figure.png',
      mimeType: 'image/png',
      buffer: PIXEL,
    });
    await page.getByLabel(name('attachments.alt')).fill('written during the upload');
    finish();
    const picture = page.locator('.attachments img');
    await picture.waitFor();
    expect(await picture.getAttribute('alt')).toBe(name('attachmentKind.QUESTION'));
    const descriptions = page.getByLabel(name('attachments.alt'));
    expect(await descriptions.first().inputValue()).toBe('written during the upload');
    await descriptions.last().fill('a black square');
    await expectAccessible(page);
    await page.locator('form.draft button[type=submit]').click();
    await page.locator('article[data-card] .attachments img[alt="a black square"]').waitFor();
    await soon(() => page.evaluate("document.querySelector('.attachments img').naturalWidth")).toBe(1);
    const link = page.locator('.attachments a');
    expect([await link.getAttribute('href'), await link.getAttribute('rel')]).toEqual([
      'https://example.org/paper.pdf',
      'noopener noreferrer nofollow',
    ]);
    await expectAccessible(page);
  });

  test('an admin creates an API key, which is shown once, and revokes it', async () => {
    const token = await tokenOf({ sub: `ada-${mark}`, role: 'admin' });
    const page = await visitor.visit(studio, '/#/operations');
    await page.getByLabel(name('signIn.credential')).fill(token);
    await page.getByRole('button', { name: name('signIn.enter') }).click();
    const keys = page.getByRole('region', { name: name('keys.title') }).first();
    const owner = keys.getByLabel(name('keys.owner'));
    await owner.fill(`zoe-${mark}`);
    // Not a click: the figures above the form may arrive between its press and its release, and move the button.
    await owner.press('Enter');
    const key = await keys.locator('.notice-good pre').textContent();
    const { data } = await studio.gateway.as(String(key)).gql('{ viewer { ownerId role } }');
    expect(data).toEqual({ viewer: { ownerId: `zoe-${mark}`, role: 'STUDENT' } });
    await expectAccessible(page);
    const row = keys.getByRole('row').filter({ hasText: `zoe-${mark}` });
    await row.getByRole('button', { name: name('keys.revoke') }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: name('keys.revoke') })
      .click();
    await row.getByText(name('keys.revoked')).waitFor();
  });

  test('an admin finds and revokes a key that is older than the listed ones', async () => {
    const token = await tokenOf({ sub: `ada-${mark}`, role: 'admin' });
    const admin = studio.gateway.as(token);
    const create = (ownerId: string) =>
      admin.must(`mutation { createApiKey(input: { ownerId: "${ownerId}", role: STUDENT }) { text } }`);
    await create(`old-${mark}`);
    for (let made = 0; made < 100; made += 1) await create(`new-${mark}`);
    const page = await visitor.signIn(studio, { sub: `ada-${mark}`, role: 'admin' }, '/#/operations');
    const keys = page.getByRole('region', { name: name('keys.title') }).first();
    await keys.getByText(name('keys.newest').replace('{count}', '100')).waitFor();
    const row = keys.getByRole('row').filter({ hasText: `old-${mark}` });
    expect(await row.count()).toBe(0);
    await keys.getByLabel(name('keys.only')).fill(`old-${mark}`);
    await row.waitFor();
    await expectAccessible(page);
    await row.getByRole('button', { name: name('keys.revoke') }).press('Enter');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: name('keys.revoke') })
      .click();
    await row.getByText(name('keys.revoked')).waitFor();
    expect(await keys.getByText(name('keys.newest').replace('{count}', '100')).count()).toBe(0);
    await keys.getByLabel(name('keys.only')).fill(`new-${mark}`);
    await keys.getByText(name('keys.newestOfOwner').replace('{count}', '100')).waitFor();
  });
});
