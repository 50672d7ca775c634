/** Papers as a browser lays them out. */
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { htmlPaper } from '../../src/exchange/formats/write/html-paper.js';
import { browserPath, launchBrowser } from '../support/browser.js';
import { cardWith } from '../unit/exchange/formats/card-with.js';

/** The page of a browser that shows a paper as it is printed. */
async function opened(browser: Browser, cards: Parameters<typeof htmlPaper>[1]): Promise<Page> {
  let html = '';
  for await (const piece of htmlPaper({ title: null, language: 'zh' }, cards)) html += piece;
  const page = await browser.newPage();
  await page.emulateMedia({ media: 'print' });
  await page.setContent(html);
  return page;
}

/** How far the highest formula of each entry is below the top of the entry, in pixels. */
const BELOW_TOP = `[...document.querySelectorAll('li')].map((entry) =>
  Math.min(...[...entry.querySelectorAll('.mord')].map((part) => part.getBoundingClientRect().top)) -
  entry.getBoundingClientRect().top)`;

test.skipIf(browserPath === null)('a fraction is inside its entry: no page break cuts it', async () => {
  const cards = [
    cardWith({
      questionText: '先倒出 $\\dfrac{1}{5}$，又倒出剩下的 $\\dfrac{1}{2}$',
      goldSolutionBrief: '$\\dfrac{2}{5}$',
    }),
    cardWith({ questionText: 'Solve $\\dfrac{x^2}{x-3}=2$', goldSolutionBrief: '$\\dfrac{x^2}{x-3}$' }),
  ];
  const browser = await launchBrowser();
  try {
    const page = await opened(browser, cards);
    const below = await page.evaluate<readonly number[]>(BELOW_TOP);
    expect(below).toHaveLength(4);
    expect(Math.min(...below)).toBeGreaterThanOrEqual(0);
  } finally {
    await browser.close();
  }
});

/** Of A4 between its margins, in pixels. */
const WIDTH = 672;

test.skipIf(browserPath === null)('a table is inside the paper, and a fraction inside its cell', async () => {
  const row = (cells: readonly string[]): string => `|${cells.join('|')}|\n`;
  const tableOf = (cells: readonly string[]): string => row(cells) + row(cells.map(() => '-')) + row(cells);
  const figures = Array.from({ length: 22 }, (_, place) => String(100 * place));
  const words = ['加速度 acceleration', '说明'.repeat(200), '$\\dfrac{1}{\\dfrac{2}{3}}$'];
  const browser = await launchBrowser();
  try {
    const page = await opened(
      browser,
      [figures, words].map((cells) => cardWith({ questionText: tableOf(cells) })),
    );
    await page.setViewportSize({ width: WIDTH, height: 1_000 });
    expect(await page.locator('table').count()).toBe(2);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(WIDTH);
    const isInside = `[...document.querySelectorAll('td .mord')].every((part) => {
      const [inner, outer] = [part, part.closest('td')].map((one) => one.getBoundingClientRect());
      return inner.top >= outer.top && inner.bottom <= outer.bottom;
    })`;
    expect(await page.evaluate(isInside)).toBe(true);
  } finally {
    await browser.close();
  }
});
