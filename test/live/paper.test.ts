/** Papers as a browser lays them out. */
import { expect, test } from 'vitest';
import { htmlPaper } from '../../src/exchange/formats/write/html-paper.js';
import { browserPath, launchBrowser } from '../support/browser.js';
import { cardWith } from '../unit/exchange/formats/card-with.js';

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
  let html = '';
  for await (const piece of htmlPaper({ title: null, language: 'zh' }, cards)) html += piece;
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.emulateMedia({ media: 'print' });
    await page.setContent(html);
    const below = await page.evaluate<readonly number[]>(BELOW_TOP);
    expect(below).toHaveLength(4);
    expect(Math.min(...below)).toBeGreaterThanOrEqual(0);
  } finally {
    await browser.close();
  }
});
