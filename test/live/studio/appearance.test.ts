/** What fits, what can be told apart, and what is named, whatever the cards hold. */
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { en } from '../../../studio/messages/en/index.js';
import { zh } from '../../../studio/messages/zh/index.js';
import { browserPath, expectAccessible, openStudio, type StudioPage, soon } from '../../support/browser.js';
import { indexed } from '../../support/notebook.js';
import { rowsXml, workbookOf } from '../../support/zip.js';
import { PIXEL, selectBox, studioOf } from './visitor.js';

const PHONE = { width: 390, height: 844 };
const LONG = 'x'.repeat(90);
const CARDS = [
  {
    id: 'wide',
    questionText: 'Find the sum $\\frac{a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q+r+s+t+u+v+w+x+y+z}{2}$',
    studentSolutionText: LONG.repeat(20),
    goldSolutionBrief: `$$S=${'a+b+c+d+'.repeat(12)}e$$`,
    subject: LONG,
    difficulty: 2,
    topicTags: [LONG],
    errorTypes: [LONG],
  },
  {
    id: 'formulas',
    questionText:
      '已知 $\\vec{a}=(1,2)$，$$\\left\\{\\begin{array}{l}x=1\\\\y=2\\\\z=3\\end{array}\\right.$$与 $\\ce{2H2 + O2 -> 2H2O}$',
    studentSolutionText: '$\\text{平均速度}=\\frac{s}{t}$',
    subject: 'math',
    difficulty: 5,
    grade: 'G10',
    qualityGrade: 'EXCELLENT',
  },
  ...Array.from({ length: 8 }, (_, place) => ({
    id: `narrow-${place}`,
    questionText: `Find ${place} + 1`,
    studentSolutionText: 'I left sums out.',
    goldSolutionBrief: 'Count on.',
    subject: 'math',
    difficulty: 1,
    topicTags: ['sums'],
    errorTypes: Array.from({ length: place + 1 }, (_, error) => `error ${error}`),
  })),
];

const studio = studioOf({});
let open: StudioPage;
beforeAll(async () => {
  if (browserPath === null) return;
  const { gateway } = studio;
  const { errors } = await gateway.gql(
    'mutation ($inputs: [CreateCardInput!]!) { createCards(inputs: $inputs) { card { id } } }',
    { inputs: CARDS },
  );
  expect(errors).toBeUndefined();
  await indexed(gateway);
});

async function visit(address: string, options: BrowserContextOptions = {}): Promise<Page> {
  const { origin } = new URL(studio.gateway.url);
  open = await openStudio(studio.browser, origin, { locale: 'en-US', ...options });
  await open.page.goto(`${origin}${address}`);
  return open.page;
}

/** Of the figures of a heat map, as WCAG computes it. As text: there are no types of the DOM here. */
const LEAST_CONTRAST = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const luminance = (color) => {
    const [r, g, b] = color.map((one) => ((one / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  return Math.min(...[...document.querySelectorAll('.heat:has(text)')].map((cell) => {
    const [under, over, figure] = ['.heat-none', 'rect:not(.heat-none)', 'text'].map((part) =>
      getComputedStyle(cell.querySelector(part)));
    const below = channels(under.fill);
    const { fillOpacity } = over;
    const behind = channels(over.fill).map((one, place) => one * fillOpacity + below[place] * (1 - fillOpacity));
    const [low, high] = [luminance(behind), luminance(channels(figure.fill))].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  }));
})()`;

const isWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

describe.skipIf(browserPath === null)('the studio', () => {
  afterEach(async () => {
    await open.close();
    expect(open.violations).toEqual([]);
  });

  test('scrolls long words and formulas by themselves, not the page', async () => {
    const page = await visit('/#/cards/wide', { viewport: PHONE });
    await page.locator('.card-text .katex').first().waitFor();
    await page.locator('.occurrences').waitFor();
    expect(await isWide(page)).toBe(false);
    await page.locator('.formula-display .katex').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: en['nav.menu'] }).click();
    await page.getByRole('link', { name: en['nav.search'], exact: true }).click();
    await page.getByLabel(en['search.query'], { exact: true }).fill('Find the sum');
    await page.locator('.hit[data-card=wide] .katex').waitFor();
    expect(await isWide(page)).toBe(false);
    for (const tab of await page.getByRole('tab').all()) {
      const { x = 0, width = 0 } = (await tab.boundingBox()) ?? {};
      expect(x + width).toBeLessThanOrEqual(PHONE.width);
    }
  });

  test('draws the arrows of vectors and tall braces, whose widths are styles, and sets words in one line and chemical equations', async () => {
    const page = await visit('/#/cards/formulas');
    await page.locator('.card-text .katex').nth(2).waitFor();
    const drawings = await page.locator('.card-text .katex svg').all();
    expect(drawings).toHaveLength(4);
    for (const drawing of drawings) expect((await drawing.boundingBox())?.width).toBeGreaterThan(5);
    // Not their width: a browser without a Chinese font draws a narrow box for each character.
    const wrapping = "getComputedStyle(document.querySelector('.card-text .katex .text')).whiteSpace";
    expect(await page.evaluate(wrapping)).toBe('nowrap');
  });

  test('shows one line of a card in the list, whatever its formulas and labels', async () => {
    const page = await visit('/#/cards', { viewport: PHONE });
    const list = page.getByRole('group', { name: en['nav.cards'] });
    const row = list.locator('.card-row-text', { hasText: '已知' });
    await row.locator('.katex').nth(2).waitFor();
    expect(await row.locator('.katex-display').count()).toBe(0);
    expect(await list.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });

  test('cuts no word of the facts of a card in the list', async () => {
    const page = await visit('/#/cards', { viewport: { width: 320, height: 640 } });
    const facts = page.locator('.card-row', { hasText: '已知' }).locator('.facts');
    await facts.waitFor();
    const cut = await facts.evaluate((all) => {
      const room = all.getBoundingClientRect();
      const seen = [...all.children].map((one) => one.getBoundingClientRect()).filter(({ top }) => top < room.bottom);
      return [seen.length, seen.filter(({ right }) => right > room.right).length];
    });
    expect(cut).toEqual([3, 0]);
  });

  test('breaks no name or date in a table of a phone after each Chinese character', async () => {
    const page = await visit('/#/fingerprint', { viewport: PHONE, locale: 'zh-CN' });
    await page.locator('.chart summary').click();
    const cells = page.locator('.chart').locator('thead th, time');
    await cells.last().waitFor();
    const heights = await cells.evaluateAll((all) => all.map(({ clientHeight }) => clientHeight));
    expect(Math.max(...heights)).toBeLessThan(40);
  });

  test('breaks neither the label nor the button beside a field after each Chinese character', async () => {
    // Narrower than phones: a browser without a Chinese font draws a narrow box for each character.
    const page = await visit('/#/fingerprint', { viewport: { width: 240, height: 640 }, locale: 'zh-CN' });
    const parts = page.locator('.student-field').locator('span, button');
    await parts.last().waitFor();
    const heights = await parts.evaluateAll((all) => all.map(({ clientHeight }) => clientHeight));
    expect(Math.max(...heights)).toBeLessThan(40);
  });

  test('leaves room for the names of columns beside long names of sheets in the report of an import', async () => {
    const page = await visit('/#/exchange', { viewport: PHONE, locale: 'zh-CN' });
    const rows = [
      ['题目', '难度', '考试日期'],
      ['1 + 1 = ?', '2', '不详'],
    ];
    await page.locator('input[type=file]').setInputFiles({
      name: 'a.xlsx',
      mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      buffer: workbookOf({ sheets: { '数学（八年级下册）期中考试错题': rowsXml(rows) } }),
    });
    await page.getByRole('button', { name: zh['import.try'] }).click();
    const column = page.locator('.problems tbody td', { hasText: '考试日期' });
    await column.waitFor();
    expect(await column.evaluate(({ clientWidth }) => clientWidth)).toBeGreaterThan(70);
  });

  test.each(['operations', 'fingerprint'])('fits 320 pixels on the page %s', async (name) => {
    const page = await visit(`/#/${name}`, { viewport: { width: 320, height: 640 } });
    await page
      .locator(name === 'operations' ? '.two table' : '.heat-map')
      .first()
      .waitFor();
    expect(await isWide(page)).toBe(false);
  });

  test.each([
    ['search?q=sum', '.hit'],
    ['today', '.task'],
    ['cards/wide', '.occurrences'],
    ['fingerprint', '.worth'],
    ['operations', '.two'],
    ['exchange', '.page-head'],
    ['cards/none', '.empty'],
    ['paper', '.empty'],
  ])('has no level of headings left out on the page %s of a phone', async (address, part) => {
    const page = await visit(`/#/${address}`, { viewport: PHONE });
    await page.locator(part).first().waitFor();
    if (address === 'today') {
      await page.keyboard.press('Space');
      await page.locator('.solution h2').first().waitFor();
    }
    const headings = page.getByRole('heading').filter({ visible: true });
    const levels = await headings.evaluateAll((all) => all.map(({ tagName }) => Number(tagName.slice(1))));
    expect(levels[0]).toBe(1);
    expect(levels.filter((level, place) => level > (levels[place - 1] ?? 0) + 1)).toEqual([]);
  });

  test('prints long labels within the sheet', async () => {
    const page = await visit('/#/cards', { viewport: PHONE });
    await selectBox(page, 'wide').check();
    await page.getByRole('link', { name: en['selection.paper'] }).click();
    await page.locator('.sheet-answers').waitFor();
    expect(await isWide(page)).toBe(false);
  });

  test('has legible marks in dark, also in the paler text of wrong solutions', async () => {
    const page = await visit('/#/search?q=sums', { colorScheme: 'dark' });
    await page.locator('.hit .wrong mark').first().waitFor();
    await expectAccessible(page);
  });

  test('keeps the hits in sight below the long question of a card that is searched from', async () => {
    const input = {
      id: 'long',
      subject: 'math',
      difficulty: 1,
      questionText: 'Add up all of these sums. '.repeat(200),
    };
    await studio.gateway.must('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    const page = await visit('/#/search?card=long', { viewport: PHONE });
    await page.locator('.query-text', { hasText: 'Add up' }).waitFor();
    expect((await page.locator('.query-box').boundingBox())?.height).toBeLessThan(PHONE.height / 3);
    await studio.gateway.must('mutation { deleteCard(id: "long") }');
  });

  test('has legible links and notices on a paper in dark, which is white there', async () => {
    const url = new URL('/attachments', studio.gateway.url);
    const uploaded = await fetch(url, { method: 'POST', body: PIXEL, headers: { 'content-type': 'image/png' } });
    const { attachment } = (await uploaded.json()) as { readonly attachment: { readonly sha256: string } };
    const attachments = [{ url: 'https://example.org/figure.png' }, { sha256: attachment.sha256 }];
    const input = {
      id: 'figure',
      subject: 'math',
      difficulty: 1,
      questionText: 'See the figure.',
      attachments: attachments.map((one) => ({ ...one, kind: 'QUESTION' })),
    };
    await studio.gateway.must('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    const page = await visit('/#/cards', { colorScheme: 'dark' });
    await page.route(/\/attachments\//, (route) => route.abort());
    await selectBox(page, 'figure').check();
    await page.getByRole('link', { name: en['selection.paper'] }).click();
    for (const part of ['a', '.notice']) await page.locator(`.sheet ${part}`).waitFor();
    await expectAccessible(page);
    await studio.gateway.must('mutation { deleteCard(id: "figure") }');
  });

  test('has fields of one height beside each other', async () => {
    const page = await visit('/#/quality');
    const fields = page.locator('.judge-query').locator('input:not([type=checkbox]), select');
    await fields.first().waitFor();
    expect(await fields.evaluateAll((all) => new Set(all.map((one) => one.getBoundingClientRect().y)).size)).toBe(1);
  });

  test('shows which buttons are pressed and which tab is selected in the colors of the reader', async () => {
    const page = await visit('/#/search?q=sum', { forcedColors: 'active' });
    await page.locator('.lane-bar').first().waitFor();
    const colorsOf = (selector: string) =>
      page.evaluate(
        `new Set([...document.querySelectorAll('${selector}')].map((one) => getComputedStyle(one).backgroundColor)).size`,
      );
    expect(await colorsOf('.found-bar [role=tab]')).toBe(2);
    expect(await colorsOf('.switches [aria-pressed]')).toBe(2);
    expect(await colorsOf('.lane-legend .swatch')).toBe(4);
  });

  test.each(['light', 'dark'] as const)('has legible figures on a heat map in %s', async (colorScheme) => {
    const page = await visit('/#/fingerprint', { colorScheme });
    await page.locator('.heat text').first().waitFor();
    expect(await page.evaluate(LEAST_CONTRAST)).toBeGreaterThanOrEqual(4.5);
  });

  test('names the parts of the page, each once, and lets a wide chart scroll by the keyboard', async () => {
    const page = await visit('/#/search');
    for (const key of ['filter.title', 'tuning.title'] as const) {
      await page.getByRole('complementary', { name: en[key] }).waitFor();
    }
    await page.goto(page.url().replace('search', 'cards'));
    await page.locator('.windowed-row').first().waitFor();
    expect(await page.getByRole('region', { name: en['nav.cards'], exact: true }).count()).toBe(1);
    await page.setViewportSize(PHONE);
    await page.goto(page.url().replace('cards', 'fingerprint'));
    const chart = page.getByRole('group', { name: en['fingerprint.heatMap'] });
    await chart.focus();
    await page.keyboard.press('ArrowRight');
    await soon(() => chart.evaluate(({ scrollLeft }) => scrollLeft)).toBeGreaterThan(0);
  });
});
