import { afterEach, describe, expect, test } from 'vitest';
import { browserPath, expectAccessible, soon } from '../../support/browser.js';
import { SAMPLE, studioOf, Visitor, WAYS } from './visitor.js';

const studio = studioOf(SAMPLE);

describe.skipIf(browserPath === null).each(WAYS)('%s', (_title, way) => {
  const visitor = new Visitor(way);
  const { mark } = visitor;
  const name = visitor.name.bind(visitor);
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  test('a merge of duplicates is undone, and both cards are as they were', async () => {
    const cards = ['first', 'second'].map((one) => ({ id: `${one}-${mark}`, studentSolutionText: one }));
    for (const card of cards) {
      const input = { ...card, subject: 'math', difficulty: 2, questionText: `What is 17 + 28? (${mark})` };
      await studio.gateway.gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    }
    const [first, second] = cards.map(({ id }) => id);
    const stored = async () =>
      (await studio.gateway.gql(`{ cardsByIds(ids: ["${first}", "${second}"]) { id studentSolutionText } }`)).data
        ?.cardsByIds;
    const page = await visitor.visit(studio, '/#/duplicates');
    const pair = page.getByRole('region', { name: name('duplicates.pair') });
    const own = page.locator(`article[data-card="${first}"]`);
    // Cards of other tests may be duplicates too.
    for (await pair.waitFor(); (await own.count()) === 0; await pair.waitFor()) {
      await page.getByRole('button', { name: name('duplicates.keep') }).click();
    }
    await page.getByRole('button', { name: name('duplicates.merge') }).click();
    const undo = page.getByRole('button', { name: name('duplicates.undo') });
    await undo.waitFor();
    // By the question: people do not know the ids of cards.
    await page
      .locator('.notice-good')
      .getByRole('link', { name: `What is 17 + 28? (${mark})` })
      .waitFor();
    await expectAccessible(page);
    const [kept, same] = (await stored()) as { id: string }[];
    expect(same).toEqual(kept);
    await undo.click();
    await undo.waitFor({ state: 'detached' });
    await own.waitFor();
    expect(await stored()).toEqual(cards);
    await expectAccessible(page);
    await studio.gateway.gql(`mutation { deleteCards(ids: ["${first}", "${second}"]) { deleted } }`);
  });

  test('a card that was changed since it was shown is not merged unseen, and K waits for a running merge', async () => {
    const ids = ['kept', 'gone'].map((one) => `${one}-${mark}`);
    for (const id of ids) {
      const input = { id, subject: 'math', difficulty: 2, questionText: `What is 31 + 45? (${mark})` };
      await studio.gateway.gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    }
    const [kept, gone] = ids;
    const page = await visitor.visit(studio, '/#/duplicates');
    const pair = page.getByRole('region', { name: name('duplicates.pair') });
    const own = page.locator(`article[data-card="${gone}"]`);
    // Cards of other tests may be duplicates too.
    for (await pair.waitFor(); (await own.count()) === 0; await pair.waitFor()) await page.keyboard.press('k');
    await studio.gateway.gql(`mutation { updateCard(id: "${gone}", input: { notes: "written meanwhile" }) { id } }`);
    await page.keyboard.press('m');
    await pair.getByText(name('error.CONFLICT')).waitFor();
    await own.getByText('written meanwhile').waitFor();
    expect((await studio.gateway.gql(`{ card(id: "${gone}") { id } }`)).data).toEqual({ card: { id: gone } });
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const merging = page.waitForRequest((request) => request.postDataJSON()?.operationName === 'MergeCards');
    await page.route(/\/graphql$/, async (route) => {
      if (route.request().postDataJSON().operationName === 'MergeCards') await held;
      return route.fallback();
    });
    await page.keyboard.press('m');
    await merging;
    await page.keyboard.press('k');
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await own.count()).toBe(1);
    release();
    await page.getByRole('button', { name: name('duplicates.undo') }).waitFor();
    expect((await studio.gateway.gql(`{ card(id: "${gone}") { id } }`)).data).toEqual({ card: { id: kept } });
    // An address that was kept from before the merge.
    await page.evaluate(`location.hash = '#/search?card=${gone}'`);
    await page.locator('.query-card .query-text', { hasText: mark }).waitFor();
    await soon(() => page.url()).toContain(`card=${kept}`);
    await studio.gateway.gql(`mutation { deleteCards(ids: ["${kept}"]) { deleted } }`);
  });

  /** The page of duplicates at the pair of the first two of these new cards. */
  const visitDuplicates = async (ids: readonly string[], questionText: string) => {
    for (const id of ids) {
      const input = { id, subject: 'math', difficulty: 2, questionText };
      await studio.gateway.gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    }
    const page = await visitor.visit(studio, '/#/duplicates');
    const pair = page.getByRole('region', { name: name('duplicates.pair') });
    const own = page.locator(`article[data-card="${ids[1]}"]`);
    // Cards of other tests may be duplicates too.
    for (await pair.waitFor(); (await own.count()) === 0; await pair.waitFor()) await page.keyboard.press('k');
    return { page, pair, own };
  };

  test('a held key and a double click merge one pair: the next one has not been seen', async () => {
    const ids = ['x', 'y', 'z'].map((one) => `held-${one}-${mark}`);
    const { page, pair } = await visitDuplicates(ids, `What is 83 + 94? (${mark})`);
    let merges = 0;
    page.on('request', (request) => {
      if (request.postDataJSON()?.operationName === 'MergeCards') merges += 1;
    });
    const next = page.locator(`article[data-card="${ids[2]}"]`);
    const expectNoMore = async (): Promise<void> => {
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      expect(merges).toBe(1);
      expect(await next.count()).toBe(1);
    };
    await page.keyboard.down('m');
    await next.waitFor();
    await page.keyboard.down('m');
    await expectNoMore();
    await page.keyboard.up('m');
    for (const key of ['duplicates.merge', 'duplicates.keep'] as const) {
      const button = pair.getByRole('button', { name: name(key) });
      await soon(() => button.isEnabled()).toBe(true);
      await button.hover();
      // The second click of a double click.
      await page.mouse.down({ clickCount: 2 });
      await page.mouse.up({ clickCount: 2 });
      await expectNoMore();
    }
    await pair.getByRole('button', { name: name('duplicates.keep') }).click();
    await next.waitFor({ state: 'detached' });
    await studio.gateway.gql(`mutation { deleteCards(ids: ["${ids.join('", "')}"]) { deleted } }`);
  });

  test('a merge that was undone, although no answer came, is not said to be there when it is undone again', async () => {
    const ids = ['here', 'back'].map((one) => `${one}-${mark}`);
    const { page, own } = await visitDuplicates(ids, `What is 47 + 86? (${mark})`);
    await page.keyboard.press('m');
    const merged = page.locator('.notice-good');
    let isLost = true;
    await page.route(/\/graphql$/, async (route) => {
      if (!isLost || route.request().postDataJSON().operationName !== 'UnmergeCard') return route.fallback();
      await route.fetch();
      return route.abort();
    });
    await merged.getByRole('button').click();
    await merged.getByText(name('error.OFFLINE')).waitFor();
    isLost = false;
    await merged.getByRole('button').click();
    await merged.waitFor({ state: 'detached' });
    await own.waitFor();
    await studio.gateway.gql(`mutation { deleteCards(ids: ["${ids.join('", "')}"]) { deleted } }`);
  });

  test('a pair of which a card was deleted meanwhile gives way to the next one', async () => {
    const ids = ['left', 'lost'].map((one) => `${one}-${mark}`);
    const { page, own } = await visitDuplicates(ids, `What is 58 + 63? (${mark})`);
    await studio.gateway.gql(`mutation { deleteCards(ids: ["${ids[1]}"]) { deleted } }`);
    await page.keyboard.press('m');
    await own.waitFor({ state: 'detached' });
    await studio.gateway.gql(`mutation { deleteCards(ids: ["${ids[0]}"]) { deleted } }`);
  });

  test('a card is not in the list of a search from a card that was merged into it, since the search is from it', async () => {
    const [from, into] = ['asked-from', 'asked-into'].map((one) => `${one}-${mark}`) as [string, string];
    for (const id of [from, into]) {
      const input = { id, subject: 'math', difficulty: 2, questionText: `Question ${id}` };
      await studio.gateway.gql(
        'mutation ($input: CreateCardInput!) { createCard(input: $input, waitForIndex: true) { id } }',
        { input },
      );
    }
    await studio.gateway.gql(`mutation { mergeCards(from: "${from}", into: "${into}") { id } }`);
    const page = await visitor.visit(studio, `/#/search?card=${from}`);
    await page.locator('.hits .hit').first().waitFor();
    await visitor.openPanel(page, 'tuning.title');
    await page.getByRole('button', { name: name('whyNot.open') }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(name('whyNot.pick')).fill(into);
    await dialog.getByRole('button', { name: into }).click();
    await dialog.locator('.reason-no').getByText(name('whyNot.itself')).waitFor();
    await studio.gateway.gql(`mutation { deleteCards(ids: ["${into}"]) { deleted } }`);
  });

  test('the page of a merged card is that of the card it was merged into', async () => {
    const [from, into] = ['from', 'into'].map((one) => `merge-${one}-${mark}`);
    for (const id of [from, into]) {
      const input = { id, subject: 'math', difficulty: 2, questionText: `Question ${id}` };
      await studio.gateway.gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    }
    await studio.gateway.gql(`mutation { mergeCards(from: "${from}", into: "${into}") { id } }`);
    const page = await visitor.visit(studio, `/#/cards/${from}`);
    await page.locator(`article[data-card="${into}"] .occurrences`).waitFor();
    await page.getByRole('button', { name: name('card.delete') }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: name('card.delete') })
      .click();
    await soon(() => page.url()).toMatch(/#\/cards$/);
    expect((await studio.gateway.gql(`{ card(id: "${into}") { id } }`)).data).toEqual({ card: null });
  });
});
