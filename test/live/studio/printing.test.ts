/** What comes out of the printer. */
import { afterEach, describe, expect, test } from 'vitest';
import { browserPath, expectAccessible, soon } from '../../support/browser.js';
import { createCard } from '../../support/notebook.js';
import { selectBox, studioOf, Visitor, WAYS } from './visitor.js';

const studio = studioOf({});

/** Nothing here depends on the language. */
const [, way] = WAYS.find(([, { language, device }]) => language === 'zh-CN' && device === 'phone') ?? [];

describe.skipIf(browserPath === null || way === undefined)('the studio prints', () => {
  const visitor = new Visitor(way as NonNullable<typeof way>);
  const name = visitor.name.bind(visitor);
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  async function visitPaperOf(id: string, questionText: string) {
    await createCard(studio.gateway, { id, questionText }, true);
    const page = await visitor.visit(studio, '/#/cards');
    await selectBox(page, id).check();
    return page;
  }

  test('a formula that is wider than the paper on several lines', async () => {
    const page = await visitPaperOf('wide', `求和：$$S=${'a_1+b_2+c_3+'.repeat(14)}z$$`);
    await page.getByRole('link', { name: name('selection.paper') }).click();
    await page.locator('.sheet .katex').waitFor();
    await page.emulateMedia({ media: 'print' });
    const formula = page.locator('.sheet .formula-display').first();
    expect(await formula.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });

  test('a Markdown table as a table, which scrolls by itself on a phone', async () => {
    const names = ['时间 $t$', '$|x|$', 'acceleration', 'displacement'];
    const table = `| ${names.join(' | ')} |\n|:--|---|---|---|\n| 1 | 2 | deceleration | $-3$ |`;
    await createCard(studio.gateway, { id: 'table', questionText: `读表：\n${table}`, studentSolutionText: table });
    const page = await visitor.visit(studio, '/#/cards/table');
    await soon(() => page.locator('.text-table .katex').count()).toBe(9);
    const tooWide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(tooWide)).toBe(0);
    await soon(() => page.locator('.occurrences .table-scroll').getAttribute('tabindex')).toBe('0');
    await expectAccessible(page);
    await page.evaluate(`location.hash = '#/cards'`);
    await selectBox(page, 'table').check();
    await page.getByRole('link', { name: name('selection.paper') }).click();
    const sheet = page.locator('.sheet').first();
    await sheet.locator('.katex').nth(2).waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await sheet.getByRole('columnheader', { name: 'acceleration' }).count()).toBe(1);
    expect(await sheet.getByRole('cell').allInnerTexts()).toEqual([
      '1',
      '2',
      'deceleration',
      expect.stringContaining('3'),
    ]);
    expect(await sheet.locator('.card-text').innerText()).not.toContain('--');
  });

  test('no line that begins with the comma after a formula', async () => {
    const lines = Array.from({ length: 40 }, (_, length) => `${'题'.repeat(length)} $x+y=5$，$y=\\frac{1}{2}$。`);
    const page = await visitPaperOf('comma', lines.join('\n'));
    await page.getByRole('link', { name: name('selection.paper') }).click();
    await soon(() => page.locator('.sheet .formula .katex').count()).toBe(80);
    const begun = `[...document.querySelectorAll('.sheet .formula')].filter((formula) => {
      const mark = new Range();
      mark.setStart(formula.nextSibling, 0);
      mark.setEnd(formula.nextSibling, 1);
      const last = [...formula.querySelectorAll('.base')].at(-1);
      return mark.getBoundingClientRect().left < last.getBoundingClientRect().left;
    }).length`;
    expect(await page.evaluate(begun)).toBe(0);
    // A formula may be broken itself.
    const broken = `[...document.querySelectorAll('.sheet .formula')].some((formula) => {
      const [first, ...others] = formula.querySelectorAll('.base');
      return others.some((one) => one.getBoundingClientRect().left < first.getBoundingClientRect().left);
    })`;
    expect(await page.evaluate(broken)).toBe(true);
  });

  test('a paper only when its formulas and their fonts are there', async () => {
    const page = await visitPaperOf('slow', '解方程 $\\frac{x}{2}=3$');
    await page.addInitScript(`globalThis.print = () => { globalThis.printed = document.fonts.status; }`);
    let send = (): void => undefined;
    const sent = new Promise<void>((resolve) => {
      send = resolve;
    });
    await page.route(/katex/i, async (route) => {
      await sent;
      await route.fallback();
    });
    await page.reload();
    await selectBox(page, 'slow').check();
    await page.getByRole('link', { name: name('selection.paper') }).click();
    await page.locator('.sheet .formula').waitFor();
    const button = page.getByRole('button', { name: name('paper.print') });
    await soon(() => button.isDisabled()).toBe(true);
    send();
    await soon(() => button.isEnabled()).toBe(true);
    await button.click();
    await soon(() => page.evaluate('globalThis.printed')).toBe('loaded');
  });

  test('the source of formulas that cannot be set, because the script for them cannot be loaded', async () => {
    const page = await visitPaperOf('offline', '解方程 $\\frac{x}{2}=4$');
    await page.route(/katex/i, (route) => route.abort());
    await page.reload();
    await selectBox(page, 'offline').check();
    await page.getByRole('link', { name: name('selection.paper') }).click();
    await soon(() => page.getByRole('button', { name: name('paper.print') }).isEnabled()).toBe(true);
    expect(await page.locator('.sheet .formula').allTextContents()).toEqual(['$\\frac{x}{2}=4$']);
  });

  test('a paper of many formulas, which are not measured one after the other', async () => {
    const many = Array.from({ length: 40 }, (_, place) => `$x_{${place}}$`);
    const page = await visitPaperOf('many', `求和：${many.join(' + ')}`);
    // The browser lays out the page where a width is read after a change.
    await page.addInitScript(`
      let isChanged = false;
      globalThis.layouts = 0;
      const { replaceChildren } = Element.prototype;
      Element.prototype.replaceChildren = function (...nodes) {
        isChanged = true;
        return replaceChildren.apply(this, nodes);
      };
      const { get } = Object.getOwnPropertyDescriptor(Element.prototype, 'scrollWidth');
      Object.defineProperty(Element.prototype, 'scrollWidth', {
        get() {
          if (isChanged) globalThis.layouts += 1;
          isChanged = false;
          return get.call(this);
        },
      });
    `);
    await page.reload();
    await selectBox(page, 'many').check();
    await page.getByRole('link', { name: name('selection.paper') }).click();
    await soon(() => page.locator('.sheet .katex').count()).toBe(40);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await page.evaluate('globalThis.layouts')).toBeLessThan(10);
  });

  test('dark text, whatever the colors of the page', async () => {
    const page = await visitor.visit(studio, '/#/cards/wide');
    await page.evaluate(`localStorage.setItem('theme', 'dark')`);
    await page.reload();
    await page.locator('.card-page').waitFor();
    const lightest = (): Promise<number> =>
      page.evaluate(`Math.max(...getComputedStyle(document.querySelector('.card-page')).color.match(/\\d+/g))`);
    expect(await lightest()).toBeGreaterThan(200);
    await page.emulateMedia({ media: 'print' });
    expect(await lightest()).toBeLessThan(100);
  });
});
