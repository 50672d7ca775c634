/** Where the focus goes, what keys do, and what a screen reader hears. */
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { browserPath, soon } from '../../support/browser.js';
import { createCard } from '../../support/notebook.js';
import { SAMPLE, studioOf, Visitor, WAYS } from './visitor.js';

const studio = studioOf(SAMPLE);

/** Nothing here depends on the language or the device. */
const [, way] = WAYS.find(([, { language, device }]) => language === 'zh-CN' && device === 'phone') ?? [];

describe.skipIf(browserPath === null || way === undefined)('keyboard and screen reader', () => {
  const visitor = new Visitor(way as NonNullable<typeof way>);
  const name = visitor.name.bind(visitor);
  const open = (address: string): Promise<Page> => visitor.visit(studio, address);
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  /** The text or name of what has the focus. */
  const focused = (page: Page): Promise<string> =>
    page.evaluate(`(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim()`);

  test('the focus returns from a dialog that ends by itself', async () => {
    const page = await open('/#/class');
    const opener = page.getByRole('button', { name: name('group.new') });
    await opener.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(name('group.name')).fill('focus');
    await dialog.getByLabel(name('group.students')).fill('amy,');
    await dialog.getByRole('button', { name: name('action.save') }).click();
    await dialog.waitFor({ state: 'detached' });
    await soon(() => focused(page)).toBe(name('group.new'));
  });

  test('a dialog that was open when the credential expired has the focus after the next sign-in', async () => {
    const page = await open('/#/class');
    const opener = page.getByRole('button', { name: name('group.new') });
    await opener.click();
    const dialog = page.getByRole('dialog', { name: name('group.new') });
    await dialog.getByLabel(name('group.name')).fill('focus');
    await dialog.getByLabel(name('group.students')).fill('amy,');
    // The save alone: another request would cover the dialog before it.
    await page.route(/\/graphql$/, (route) =>
      route.request().postDataJSON().operationName === 'SaveStudentGroup'
        ? route.fulfill({ json: { errors: [{ message: 'expired', extensions: { code: 'UNAUTHENTICATED' } }] } })
        : route.fallback(),
    );
    await dialog.getByRole('button', { name: name('action.save') }).click();
    const credential = page.getByLabel(name('signIn.credential'));
    await credential.waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await credential.fill('another');
    await credential.press('Enter');
    await soon(() => dialog.evaluate((one) => one.contains(one.ownerDocument.activeElement))).toBe(true);
    expect(await dialog.getByLabel(name('group.name')).inputValue()).toBe('focus');
    // Whether the typed student is dropped.
    page.removeAllListeners('dialog');
    page.once('dialog', (question) => question.accept());
    await page.keyboard.press('Escape');
    await soon(() => focused(page)).toBe(name('group.new'));
  });

  test('Escape closes the menu of a phone, and its button has the focus', async () => {
    const page = await open('/#/class');
    const menu = page.getByRole('button', { name: name('nav.menu') });
    await menu.click();
    const link = page.getByRole('link', { name: name('nav.cards'), exact: true });
    await link.focus();
    await link.press('Escape');
    await link.waitFor({ state: 'hidden' });
    expect(await menu.getAttribute('aria-expanded')).toBe('false');
    await soon(() => focused(page)).toBe(name('nav.menu'));
  });

  test('a formula is a tab stop while it scrolls, and not within a link', async () => {
    const wide = `$$${Array.from({ length: 60 }, (_, place) => `x_{${place}}`).join('+')}$$`;
    const questionText = `已知下式的值为 0，求其中各个未知数的和：${wide}`;
    await createCard(studio.gateway, { id: 'wide', questionText }, true);
    const page = await open('/');
    const box = page.getByLabel(name('search.query'), { exact: true }).first();
    await box.fill(wide);
    const typed = page.locator('.query-preview .formula-display');
    await soon(() => typed.getAttribute('tabindex')).toBe('0');
    await box.fill('$$x$$');
    await soon(() => typed.getAttribute('tabindex')).toBeNull();
    await visitor.search(page, questionText);
    const found = page.locator('.hit[data-card=wide] h3 .formula-display');
    await found.locator('.katex').waitFor();
    expect(await found.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBeGreaterThan(0);
    expect(await found.getAttribute('tabindex')).toBeNull();
  });

  test('Enter leaves the query as it is, and adds a line only with Shift', async () => {
    const page = await open('/');
    const box = page.getByLabel(name('search.query'), { exact: true }).first();
    await box.fill('通分');
    await box.press('Enter');
    expect(await box.inputValue()).toBe('通分');
    await box.press('Shift+Enter');
    expect(await box.inputValue()).toBe('通分\n');
  });

  test('the focus goes on where something is removed, cleared, moved or decided', async () => {
    const page = await open('/#/cards/sample-zh-067/edit');
    await page.locator('.tag-box button').first().click();
    await soon(() => page.evaluate('document.activeElement.tagName')).toBe('INPUT');
    page.removeAllListeners('dialog');
    page.on('dialog', (dialog) => dialog.accept());

    await page.evaluate(`location.hash = '#/search?card=sample-zh-067'`);
    await page.locator('.query-card .query-text').waitFor();
    await page.getByRole('button', { name: name('search.clear') }).click();
    await soon(() => page.evaluate('document.activeElement.id')).toBe('query');

    await page.evaluate(`location.hash = '#/duplicates'`);
    const pair = page.getByRole('region', { name: name('duplicates.pair') });
    await pair.getByText(name('duplicates.keep')).click();
    await soon(() => focused(page)).toBe(name('duplicates.pair'));

    await page.evaluate(`location.hash = '#/cards'`);
    for (const place of [0, 1]) await page.locator('.card-row input').nth(place).check();
    await page.getByRole('link', { name: name('selection.paper') }).click();
    // Before its first formula, which may not be set yet.
    const words = async (place: number) =>
      (await page.locator('.sheet li .card-text').nth(place).textContent())?.slice(0, 8);
    const first = await words(0);
    const up = page.locator('.sheet-tools').nth(1).getByRole('button').first();
    await up.press('Enter');
    await soon(() => words(1)).toBe(first);
    await page.keyboard.press('Enter');
    expect(await focused(page)).toBe(name('paper.up').replace('{place}', '1'));
  });

  test('the focus leaves a field for labels that has a word in it', async () => {
    const page = await open('/#/cards/new');
    page.removeAllListeners('dialog');
    page.on('dialog', (dialog) => dialog.accept());
    const field = page.locator('.tag-box input').first();
    const question = page.getByLabel(`${name('field.questionText')} *`);
    await field.fill('fractions');
    await question.click();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
    await field.fill('decimals');
    await field.press('Tab');
    await page.locator('.tag-box button').nth(1).waitFor();
    const isInFirst = "document.activeElement === document.querySelector('.tag-box input')";
    expect(await page.evaluate(`document.activeElement === document.body || ${isInFirst}`)).toBe(false);
  });

  test('the part of the page around a control has the focus when that is removed', async () => {
    const page = await open('/');
    const part = (): Promise<string> =>
      page.evaluate(`document.activeElement.tagName + ' ' + (document.activeElement.getAttribute('aria-label') ?? '')`);
    await page.locator('.examples button').first().press('Enter');
    await soon(part).toBe(`SECTION ${name('search.found')}`);
    await page.locator('.hit').first().waitFor();
    await page.route(/\/graphql$/, (route) =>
      route.request().postDataJSON().operationName === 'Cards' ? route.abort() : route.fallback(),
    );
    await page.evaluate(`location.hash = '#/cards'`);
    const retry = page.getByRole('button', { name: name('action.retry') });
    await retry.focus();
    await page.unroute(/\/graphql$/);
    await retry.press('Enter');
    await soon(part).toBe(`SECTION ${name('nav.cards')}`);
  });

  test('a control that was disabled while something ran has the focus again, or the next one has it', async () => {
    const page = await open('/#/cards/new');
    page.removeAllListeners('dialog');
    page.on('dialog', (dialog) => dialog.accept());
    const link = page.getByLabel(name('attachments.link'));
    await link.fill('https://example.org/a.png');
    await page.getByRole('button', { name: name('attachments.addLink') }).press('Enter');
    expect(await link.evaluate('document.activeElement.type')).toBe('url');
    await page.evaluate(`location.hash = '#/exchange'`);
    const buffer = Buffer.from('question,subject,difficulty\nWhat is 1 + 1?,math,1\n');
    // The form has a field for files, too, and may still be there.
    await page.locator('.drop input').setInputFiles({ name: 'cards.csv', mimeType: 'text/csv', buffer });
    await page.locator('.mapping').waitFor();
    await page.getByRole('button', { name: name('import.try') }).press('Enter');
    await page.getByText(name('importState.DONE'), { exact: true }).waitFor();
    await soon(() => focused(page)).toBe(name('import.try'));
  });

  test.each([
    ['a phone', { width: 390, height: 844 }],
    ['a tablet', { width: 1024, height: 768 }],
  ])('on %s the filters of the list of cards open over it, and close', async (_title, size) => {
    const page = await open('/#/cards');
    await page.setViewportSize(size);
    const opener = page.getByRole('button', { name: name('filter.title') });
    await opener.click();
    await soon(() => focused(page)).toBe(name('action.close'));
    const panel = page.locator('.panel-filters').filter({ visible: true });
    await panel.getByLabel(name('subject.math')).check();
    await soon(async () => (await page.locator('.card-row').first().boundingBox())?.y).toBeLessThan(size.height / 3);
    await panel.getByRole('button', { name: name('action.close') }).click();
    await panel.waitFor({ state: 'detached' });
    await soon(() => focused(page)).toBe(name('filter.title'));
  });

  test('Escape closes a drawer, from a slider as well, and the focus is where it was', async () => {
    const page = await open('/');
    const opener = page.getByRole('button', { name: name('tuning.title') });
    await opener.click();
    const slider = page.locator('.panel-ranking input[type=range]:enabled').first();
    await slider.focus();
    await slider.press('Escape');
    await slider.waitFor({ state: 'hidden' });
    await soon(() => focused(page)).toBe(name('tuning.title'));
  });

  test('the button that rebuilds the index has the focus again when the rebuild has begun', async () => {
    const page = await open('/#/operations');
    const rebuild = page.getByRole('button', { name: name('index.rebuild') });
    await rebuild.click();
    await page.route(/\/graphql$/, async (route) => {
      const { operationName } = route.request().postDataJSON();
      if (operationName === 'RebuildIndex') return route.fulfill({ json: { data: { rebuildIndex: {} } } });
      if (operationName !== 'IndexStatus') return route.fallback();
      const response = await route.fetch();
      const { data } = await response.json();
      return route.fulfill({ json: { data: { indexStatus: { ...data.indexStatus, building: true } } } });
    });
    const dialog = page.getByRole('dialog');
    await dialog.locator('.primary').click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText(name('health.building')).waitFor();
    await soon(() => focused(page)).toBe(name('index.rebuild'));
  });

  test('keys judge while a checkbox has the focus', async () => {
    const page = await open('/#/quality');
    await page.locator('.judge input[type=search]').fill('去分母时漏乘');
    await page.locator('.judged li').first().waitFor();
    await page.getByLabel(name('judge.blind')).check();
    await page.locator('.judged button:enabled').first().waitFor();
    await page.keyboard.press('2');
    await page.locator('.judged [aria-pressed=true]').waitFor();
  });

  test('a reader hears the texts of cards in their language', async () => {
    const page = await open('/#/cards/sample-en-076');
    const languageOf = (selector: string) => page.locator(selector).first().getAttribute('lang');
    await page.locator('.text-questionText').waitFor();
    expect(await languageOf('.text-questionText .card-text > span')).toBe('en');
    expect(await languageOf('.card-page .label-tag')).toBe('en');
    await page.evaluate(`location.hash = '#/cards/sample-zh-067'`);
    await page.getByText('20 g 食盐').first().waitFor();
    expect(await languageOf('.text-questionText .card-text > span')).toBe('zh-CN');
    await page.evaluate(`location.hash = '#/'`);
    const labels = page.locator('.panel-filters .check > span:first-of-type');
    const languageOfLabel = (text: RegExp) => labels.filter({ hasText: text }).first().getAttribute('lang');
    await soon(() => languageOfLabel(/^\p{Script=Han}+$/u)).toBe('zh-CN');
    await soon(() => languageOfLabel(/^[a-z ]+$/)).toBe('en');
  });

  test.each([
    ['/', '#query', '.hits .hit'],
    ['/#/quality', '.judge input[type=search]', '.judged li'],
  ])('a search at %s waits until an input method has composed a word', async (path, field, hit) => {
    const page = await open(path);
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.postData() ?? ''));
    const box = page.locator(field);
    await box.focus();
    const keys = await page.context().newCDPSession(page);
    await keys.send('Input.imeSetComposition', { text: 'jie bu', selectionStart: 6, selectionEnd: 6 });
    expect(await box.inputValue()).toBe('jie bu');
    // Several times as long as the page waits for further keys.
    await page.waitForTimeout(500);
    await keys.send('Input.insertText', { text: '解不等式' });
    await page.locator(hit).first().waitFor();
    expect(await box.inputValue()).toBe('解不等式');
    expect(asked.filter((body) => body.includes('解不等式'))).not.toEqual([]);
    expect(asked.filter((body) => body.includes('jie bu'))).toEqual([]);
  });

  test('a reader hears how many cards a search found, and that it found none', async () => {
    const page = await open('/');
    const heard = page.locator('.found > [role=status]');
    await visitor.search(page, '解不等式');
    await soon(() => heard.textContent()).toBe(name('search.count').replace('{count}', '10'));
    await page.getByLabel(name('search.query'), { exact: true }).first().fill('qwxzvkjh');
    await soon(() => heard.textContent()).toBe(name('empty.hits'));
  });
});
