/** Where Back and Forward lead, and what of the page before is left there. */
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { browserPath, soon } from '../../support/browser.js';
import { SAMPLE, studioOf, Visitor, WAYS } from './visitor.js';

const studio = studioOf(SAMPLE);

/** Nothing here depends on the language or the device. */
const [, way] = WAYS.find(([, { language, device }]) => language === 'zh-CN' && device === 'phone') ?? [];

describe.skipIf(browserPath === null || way === undefined)('the history of the browser', () => {
  const visitor = new Visitor(way as NonNullable<typeof way>);
  const name = visitor.name.bind(visitor);
  const open = (address: string): Promise<Page> => visitor.visit(studio, address);
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  test('Back from an open dialog of the search leads to a page that can be used', async () => {
    const page = await open('/#/cards');
    const row = page.locator('.card-row-text').first();
    await row.waitFor();
    await page.evaluate("location.hash = '#/search?q=解不等式'");
    await page.locator('.hit').first().waitFor();
    await visitor.openPanel(page, 'tuning.title');
    await page.getByRole('button', { name: name('whyNot.open') }).click();
    const dialog = page.locator('dialog[open]');
    await dialog.waitFor();
    await page.goBack();
    await row.click();
    await page.locator('.card-page').waitFor();
    expect(await dialog.count()).toBe(0);
  });

  test('Back closes the menu of a phone', async () => {
    const page = await open('/#/cards');
    await page.locator('.card-row').first().waitFor();
    await page.evaluate("location.hash = '#/operations'");
    // A page that was navigated to closes the menu, and then has the focus.
    await soon(() => page.evaluate('document.activeElement.id')).toBe('main');
    const menu = page.getByRole('button', { name: name('nav.menu') });
    await menu.click();
    expect(await menu.getAttribute('aria-expanded')).toBe('true');
    await page.goBack();
    await soon(() => menu.getAttribute('aria-expanded')).toBe('false');
  });

  test('its entries are named by the question of a card, the form and the student', async () => {
    const page = await open('/#/cards/sample-en-002');
    const titleOf = (text: string) => soon(() => page.title()).toBe(`${text} · Errata`);
    const { card } = await studio.gateway.must<{ card: { questionText: string } }>(
      '{ card(id: "sample-en-002") { questionText } }',
    );
    await titleOf(card.questionText);
    for (const [address, title] of [
      ['cards/sample-en-002/edit', name('editor.edit')],
      ['cards/new', name('cards.new')],
      ['cards', name('nav.cards')],
      ['fingerprint?owner=amy', `${name('nav.fingerprint')} · amy`],
      ['fingerprint', name('nav.fingerprint')],
    ]) {
      await page.evaluate(`location.hash = '#/${address}'`);
      await titleOf(String(title));
    }
  });

  test('Back from a card that was just stored or deleted leads to neither the form nor the deleted card', async () => {
    const page = await open('/#/cards');
    await page.locator('.card-row').first().waitFor();
    await page.evaluate("location.hash = '#/cards/new'");
    await page.getByLabel(`${name('field.questionText')} *`).fill('Name the capital of Norway.');
    await page.getByRole('button', { name: name('action.save') }).click();
    await page.locator('.card-page').waitFor();
    const card = page.url();
    await page.goBack();
    await page.locator('.card-row').first().waitFor();
    await page.goto(card);
    await page.getByRole('button', { name: name('card.delete') }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: name('card.delete') })
      .click();
    await page.locator('.card-row').first().waitFor();
    await page.goBack();
    await page.waitForURL('about:blank');
  });

  test('one step Back leads from a card, whose form was cancelled or saved, to the list, as it was', async () => {
    const page = await open('/#/cards?subjects=english');
    const row = page.locator('.card-row').first();
    const leaveForm = async (link: string, leave: () => Promise<void>): Promise<void> => {
      await page.getByRole('link', { name: link }).click();
      await page.locator('form.draft').waitFor();
      await leave();
      await page.locator('form.draft').waitFor({ state: 'detached' });
    };
    const cancel = () => page.getByRole('link', { name: name('action.cancel') }).click();
    await row.waitFor();
    await leaveForm(name('cards.new'), cancel);
    await row.waitFor();
    expect(page.url()).toContain('subjects=english');
    await page.evaluate("location.hash = '#/cards/sample-en-002'");
    await leaveForm(name('card.edit'), cancel);
    await page.locator('.card-page').waitFor();
    await leaveForm(name('card.edit'), async () => {
      await page.getByLabel(name('field.notes')).fill('seen');
      await page.getByRole('button', { name: name('action.save') }).click();
    });
    await page.locator('.card-page').getByText('seen', { exact: true }).waitFor();
    await page.goBack();
    await row.waitFor();
    expect(page.url()).toContain('subjects=english');
    // A form that was opened by its address has no card before it.
    await page.goto('about:blank');
    await page.goto(`${new URL(studio.gateway.url).origin}/#/cards/sample-en-002/edit`);
    await cancel();
    await page.locator('.card-page').waitFor();
  });

  test('Back leads to the place of a long page that was left, and to its open table', async () => {
    const page = await open('/#/fingerprint');
    await page.locator('.chart summary').click();
    // The formulas, which move what is below them, are set all at once.
    await page.locator('.chart tbody .katex').first().waitFor();
    const link = page.locator('.chart tbody tr').last().getByRole('link').last();
    await link.scrollIntoViewIfNeeded();
    const top = await page.evaluate<number>('scrollY');
    expect(top).toBeGreaterThan(1_000);
    await soon(() => page.evaluate('history.state?.top')).toBe(top);
    await link.click();
    await page.locator('.card-page').waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.goBack();
    await soon(async () => Math.abs((await page.evaluate<number>('scrollY')) - top)).toBeLessThan(50);
    expect(await link.isVisible()).toBe(true);
  });

  test('a part of the page Quality and an open golden set are there again after Back and a reload', async () => {
    await studio.gateway.must(`mutation { judgeHit(
      query: { operation: byError, text: "通分" }, cardId: "sample-en-002", relevance: SAME_MISTAKE, set: "opened"
    ) { judgementId } }`);
    const page = await open('/#/quality');
    await page.getByRole('tab', { name: name('quality.part.sets') }).click();
    await page.getByRole('button', { name: 'opened' }).click();
    const judged = page.getByRole('region', { name: 'opened' }).getByRole('link');
    await judged.click();
    await page.locator('.card-page').waitFor();
    await page.goBack();
    await judged.waitFor();
    await page.reload();
    await judged.waitFor();
    await page.getByRole('button', { name: 'opened' }).click();
    await judged.waitFor({ state: 'detached' });
  });
});
