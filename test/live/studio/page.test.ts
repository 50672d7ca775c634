/** What holds for the page whatever it shows. */
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { en } from '../../../studio/messages/en/index.js';
import { browserPath, launchBrowser, openStudio, type StudioPage, soon } from '../../support/browser.js';
import { type Gateway, startGateway } from '../../support/gateway.js';
import { indexed } from '../../support/notebook.js';

const HOSTILE = {
  id: 'hostile',
  subject: 'math',
  difficulty: 1,
  questionText:
    '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2"> hostile $\\href{javascript:window.hacked=3}{link}$ ' +
    '$\\includegraphics{https://example.com/x.png}$ $\\htmlStyle{color: red}{x}$ $\\def\\a{\\a\\a}\\a$ $\\rule{9999em}{9999em}$ $\\unknown{x$',
  studentSolutionText: '<a href="javascript:window.hacked=4">x</a> $\\url{javascript:window.hacked=5}$',
  goldSolutionBrief: '<iframe src="https://example.com"></iframe>',
  source: 'javascript:window.hacked=6',
  notes: '<svg onload="window.hacked = 7">',
  topicTags: ['<b onclick="window.hacked = 8">tag</b>'],
  errorTypes: ['{{constructor}}'],
};

/** Whether the page takes `/` for itself. */
const PREVENTS_SLASH = `(() => {
  const event = new KeyboardEvent('keydown', { key: '/', bubbles: true, cancelable: true });
  document.activeElement.dispatchEvent(event);
  return event.defaultPrevented;
})()`;

let browser: Browser;
let gateway: Gateway;
let origin: string;
let open: StudioPage;
beforeAll(async () => {
  if (browserPath === null) return;
  browser = await launchBrowser();
  gateway = await startGateway();
  origin = new URL(gateway.url).origin;
  await gateway.gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input: HOSTILE });
  await indexed(gateway);
});
afterAll(async () => {
  await browser?.close();
  await gateway?.close();
});

describe.skipIf(browserPath === null)('the studio', () => {
  afterEach(async () => {
    const { violations } = open;
    await open.close();
    expect(violations).toEqual([]);
  });

  test.each(['#/cards', '#/cards/hostile', '#/cards/hostile/edit', '#/search?q=hostile', '#/search?card=hostile'])(
    'shows scripts, links and hostile LaTeX of a card as text, at %s',
    async (address) => {
      open = await openStudio(browser, origin, { locale: 'en-US' });
      const { page } = open;
      await page.goto(`${origin}/${address}`);
      const scripts = page.getByText('<script>', { exact: false });
      await (address === '#/search?card=hostile' ? page.locator('.query-text') : scripts.first()).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.evaluate('window.hacked')).toBeUndefined();
      expect(await page.locator('main :is(script, img, iframe, svg[onload], [onclick], [onerror])').count()).toBe(0);
      expect(await page.locator('a[href^="javascript:" i]').count()).toBe(0);
      const widest = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      expect(widest).toBeLessThan(40);
    },
  );

  test('renders only the visible rows of a list of 10,000 cards, up to its end', async () => {
    open = await openStudio(browser, origin, { locale: 'en-US' });
    const { page } = open;
    const { data } = await gateway.gql<{ card: object }>(
      '{ card(id: "hostile") { id revision subject grade difficulty qualityGrade studentSolutionText goldSolutionBrief topicTags errorTypes notes source occurrences occurredAt createdAt updatedAt } }',
    );
    // The gateway's own pages, a hundred times: storing as many cards would take minutes.
    await page.route(/\/graphql$/, async (route) => {
      const { operationName, variables } = route.request().postDataJSON();
      if (operationName !== 'Cards') return route.continue();
      const from = Number(variables.after ?? 0);
      const nodes = Array.from({ length: 100 }, (_, place) => ({
        ...data?.card,
        id: `card-${from + place}`,
        questionText: `Question ${from + place}: $x^2$`,
      }));
      const pageInfo = { endCursor: String(from + 100), hasNextPage: from + 100 < 10_000 };
      return route.fulfill({ json: { data: { cards: { totalCount: 10_000, nodes, pageInfo } } } });
    });
    await page.goto(`${origin}/#/cards`);
    await page.locator('.card-row').first().waitFor();
    await page.getByLabel(en['cards.sort']).selectOption('frequent');
    await soon(() => page.locator('.cards-bar .count').textContent()).toContain('10,000 of 10,000');
    await page.getByLabel(en['cards.sort']).selectOption('newest');
    for (const share of [0, 0.3, 0.9, 1]) {
      await page.evaluate(
        `{ const list = document.querySelector('.windowed'); list.scrollTop = list.scrollHeight * ${share}; }`,
      );
      await soon(async () => (await page.locator('.card-row').count()) < 60).toBe(true);
      await page.locator('.card-row').first().waitFor();
    }
    await page.getByText('Question 9999:').waitFor();
  });

  test('can be used with the keyboard only: input, tabs, a card and back', async () => {
    open = await openStudio(browser, origin, { locale: 'en-US' });
    const { page } = open;
    await page.goto(origin);
    await page.locator('.welcome').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('hostile');
    await page.locator('.hit').waitFor();
    const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent');
    await soon(async () => {
      await page.keyboard.press('Tab');
      return focused();
    }).toBe(en['operation.hybridSearch']);
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('tab', { selected: true }).textContent()).toBe(en['operation.similarQuestions']);
    await soon(async () => {
      await page.keyboard.press('Tab');
      return (await focused()).includes('<script>');
    }).toBe(true);
    await page.keyboard.press('Enter');
    await page.locator('article[data-card=hostile]').waitFor();
    // The search is kept behind the page of the card, and gets no keys there.
    expect(await page.evaluate(PREVENTS_SLASH)).toBe(false);
    await page.goBack();
    await page.locator('.hit').waitFor();
    expect(await page.evaluate(PREVENTS_SLASH)).toBe(true);
    const box = page.getByLabel(en['search.query'], { exact: true }).first();
    await box.dispatchEvent('keydown', { key: 'Escape', isComposing: true });
    expect(await box.inputValue()).toBe('hostile');
    await box.press('Escape');
    await soon(() => box.inputValue()).toBe('');
  });

  test('goes back from a search with one step, also if it began at a card', async () => {
    open = await openStudio(browser, origin, { locale: 'en-US' });
    const { page } = open;
    await page.goto(`${origin}/#/cards/hostile`);
    const card = page.locator('article[data-card=hostile]');
    await card.waitFor();
    await page.evaluate("location.hash = '#/search?card=hostile'");
    await page.locator('.query-card').waitFor();
    expect(page.url()).toMatch(/#\/search\?card=hostile$/);
    await page.goBack();
    await card.waitFor();
  });

  test('names the page in the title, and moves the focus to a page that was navigated to', async () => {
    open = await openStudio(browser, origin, { locale: 'en-US' });
    const { page } = open;
    const focused = (): Promise<string> => page.evaluate('document.activeElement.id');
    await page.goto(`${origin}/#/cards`);
    await page.locator('.card-row').first().waitFor();
    expect([await page.title(), await focused()]).toEqual([`${en['nav.cards']} · Errata`, '']);
    await page.locator('.card-row input').first().check();
    await page.locator('.card-row a').first().click();
    await soon(focused).toBe('main');
    await page.getByRole('link', { name: en['nav.duplicates'] }).focus();
    await page.keyboard.press('Enter');
    await soon(focused).toBe('main');
    expect(await page.title()).toBe(`${en['nav.duplicates']} · Errata`);
    await page.goto(`${origin}/#/paper`);
    // A browser names the file of a printed page by its title.
    await soon(() => page.title()).toBe(en['paper.title']);
    await page.goto(`${origin}/#/search`);
    await soon(() => page.title()).toBe(`${en['nav.search']} · Errata`);
  });

  test('takes no Enter of an input method for the end of a label', async () => {
    open = await openStudio(browser, origin, { locale: 'en-US' });
    const { page } = open;
    await page.goto(`${origin}/#/cards/new`);
    const field = page.getByLabel(en['field.topicTags']);
    await field.fill('hanshu');
    await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    expect(await field.inputValue()).toBe('hanshu');
    await field.press('Enter');
    await soon(() => page.locator('.tag-box .label-tag').allTextContents()).toEqual([
      expect.stringContaining('hanshu'),
    ]);
  });

  test('includes GraphiQL, which runs an example without internet access', async () => {
    open = await openStudio(browser, origin, { locale: 'en-US' });
    const { page } = open;
    await page.goto(`${origin}/graphiql`);
    // The editor is loaded by itself, after the page.
    await page.locator('.graphiql-query-editor .cm-property').first().waitFor();
    await page.getByRole('button', { name: /Execute query/ }).click();
    await soon(() => page.locator('.result-window').textContent()).toContain('similarQuestions');
    await page.getByRole('button', { name: 'Open settings dialog' }).click();
    await page.getByRole('dialog').waitFor();
  });
});
