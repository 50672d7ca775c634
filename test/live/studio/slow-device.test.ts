/** What is done at once on a slow device, on which effects run long after what they belong to is shown. */
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { browserPath, soon } from '../../support/browser.js';
import { SAMPLE, studioOf, typeAndLeave, Visitor, WAYS } from './visitor.js';

const studio = studioOf(SAMPLE);

/** Preact runs effects in a task after the next frame, or without a frame after a short time. */
const LATE_EFFECTS = `{
  const { setTimeout } = globalThis;
  globalThis.requestAnimationFrame = () => 0;
  globalThis.setTimeout = (run, ms = 0, ...given) => setTimeout(run, ms < 100 ? 1_000 : ms, ...given);
}`;

/** Nothing here depends on the language. */
const [, way] = WAYS.find(([, { language, device }]) => language === 'zh-CN' && device === 'phone') ?? [];

describe.skipIf(browserPath === null || way === undefined)('on a slow device', () => {
  const visitor = new Visitor(way as NonNullable<typeof way>);
  const name = visitor.name.bind(visitor);
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  async function openSlowly(): Promise<Page> {
    const page = await visitor.visit(studio);
    await page.addInitScript(LATE_EFFECTS);
    await page.reload();
    await page.locator('.welcome').waitFor();
    return page;
  }

  test('a link that is followed right after a search was typed leads where it says', async () => {
    const page = await openSlowly();
    await typeAndLeave(page);
    await page.locator('.card-row').first().waitFor();
  });

  test('a field of a page that was just opened keeps the focus', async () => {
    const page = await openSlowly();
    await page.evaluate("location.hash = '#/cards/new'");
    page.removeAllListeners('dialog');
    page.on('dialog', (dialog) => dialog.accept());
    const asked = page.waitForRequest((request) => request.postDataJSON()?.operationName === 'SuggestTags');
    await page.getByLabel(`${name('field.questionText')} *`).fill('解不等式：$-2x>6$');
    // By an effect after that of the navigation.
    await asked;
    expect(await page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
  });

  test('the part of the page around a control that is pressed, and removed by that, has the focus', async () => {
    const page = await openSlowly();
    await page.locator('.examples button').first().press('Enter');
    await soon(() => page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe(name('search.found'));
  });

  test('Escape closes a drawer that has just been opened', async () => {
    const page = await openSlowly();
    await page.getByRole('button', { name: name('tuning.title') }).click();
    const slider = page.locator('.panel-ranking input[type=range]:enabled').first();
    await slider.press('Escape');
    await slider.waitFor({ state: 'hidden' });
  });
});
