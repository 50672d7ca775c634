import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { browserPath, expectAccessible, soon } from '../../support/browser.js';
import { PIXEL, SAMPLE, selectBox, studioOf, Visitor, WAYS } from './visitor.js';

const studio = studioOf(SAMPLE);

describe.skipIf(browserPath === null).each(WAYS)('%s', (_title, way) => {
  const visitor = new Visitor(way);
  const { mark } = visitor;
  const name = visitor.name.bind(visitor);
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  test('cards are listed in the order of the API a page at a time, and all are loaded for other orders only', async () => {
    const page = await visitor.visit(studio, '/#/cards');
    const shown = () =>
      page.locator('.card-row-text').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    const count = page.locator('.cards-bar .count');
    const sort = page.getByRole('combobox', { name: name('cards.sort') });
    const listed = async (orderBy: string): Promise<readonly string[]> => {
      const { data } = await studio.gateway.gql<{ cards: { nodes: { id: string }[] } }>(
        `{ cards(first: 5, orderBy: { ${orderBy} }) { nodes { id } } }`,
      );
      return data?.cards.nodes.map(({ id }) => `#/cards/${id}`) ?? [];
    };
    await page.locator('.card-row').first().waitFor();
    for (const [one, orderBy] of [
      ['difficult', 'field: DIFFICULTY'],
      ['easy', 'field: DIFFICULTY, direction: ASC'],
      ['occurred', 'field: OCCURRED'],
    ] as const) {
      await sort.selectOption(one);
      const expected = await listed(orderBy);
      await soon(async () => (await shown()).slice(0, 5)).toEqual(expected);
      await soon(() => count.textContent()).toMatch(/^\D*100\D/);
    }
    const last = (await listed('field: OCCURRED, direction: ASC'))[0];
    await soon(async () => {
      await page.evaluate("{ const list = document.querySelector('.windowed'); list.scrollTop = list.scrollHeight; }");
      return (await shown()).at(-1);
    }).toBe(last);
    await sort.selectOption('newest');
    await soon(() => count.textContent()).toMatch(/^\D*100\D/);
    await sort.selectOption('frequent');
    await soon(async () => new Set((await count.textContent())?.match(/\d+/g)).size).toBe(1);
  });

  test('selected cards are deleted; those that cannot be stay selected, with the reason', async () => {
    const ids = ['a', 'b'].map((one) => `delete-${one}-${mark}`);
    const inputs = ids.map((id) => ({ id, subject: 'math', difficulty: 1, questionText: `Question ${id}` }));
    await studio.gateway.gql(
      'mutation ($inputs: [CreateCardInput!]!) { createCards(inputs: $inputs) { card { id } } }',
      {
        inputs,
      },
    );
    const page = await visitor.visit(studio, '/#/cards');
    for (const id of ids) {
      const box = selectBox(page, id);
      await box.check();
      expect(await box.getAttribute('aria-label')).toBe(name('cards.select').replace('{question}', `Question ${id}`));
    }
    await page.route(/\/graphql$/, async (route) => {
      const { operationName, variables, ...rest } = route.request().postDataJSON();
      if (operationName !== 'DeleteCards') return route.continue();
      const [first, second] = variables.ids;
      const response = await route.fetch({ postData: { ...rest, operationName, variables: { ids: [first] } } });
      const { data } = await response.json();
      const failed = { id: second, error: { errorCode: 'DEADLINE_EXCEEDED' } };
      return route.fulfill({ json: { data: { deleteCards: [...data.deleteCards, failed] } } });
    });
    await page.getByRole('button', { name: name('selection.delete') }).click();
    const dialog = page.getByRole('dialog');
    const sure = dialog.getByRole('button', { name: name('selection.delete') });
    await sure.click();
    await dialog.getByRole('listitem').getByText(`Question ${ids[1]}`).waitFor();
    await expectAccessible(page);
    await soon(() => page.locator(`.card-row-text[href$="${ids[0]}"]`).count()).toBe(0);
    await soon(() => page.locator('.card-row.selected').count()).toBe(1);
    await page.unrouteAll({ behavior: 'wait' });
    await sure.click();
    await dialog.waitFor({ state: 'detached' });
    expect((await studio.gateway.gql(`{ cardsByIds(ids: ["${ids.join('", "')}"]) { id } }`)).data).toEqual({
      cardsByIds: [null, null],
    });
  });

  test('hits are judged by keyboard, a judgement is undone, and search is evaluated with them', async () => {
    const page = await visitor.visit(studio, '/#/quality');
    await page.getByLabel(name('judge.set')).fill(mark);
    const query = page.locator('.judge').getByLabel(name('search.query'));
    await query.fill('sign error');
    await query.press('Enter');
    await page.locator('.judged li').nth(3).waitFor();
    const done = page.locator('.judge-keys [role=status]');
    // As fast as they can be pressed.
    for (const key of ['2', '1']) await page.keyboard.press(key);
    // Held: one judgement, as the next hit has not been read.
    for (let times = 0; times < 3; times += 1) await page.keyboard.down('0');
    await page.keyboard.up('0');
    await soon(() => done.textContent()).toMatch(/(^|\D)3\D/);
    await page.keyboard.press('u');
    await soon(() => page.locator('.judged [aria-pressed=true]').count()).toBe(2);
    await expectAccessible(page);
    await page.getByRole('tab', { name: name('quality.part.evaluations'), exact: true }).click();
    await page.locator('.evaluate').getByLabel(name('judge.set')).selectOption(mark);
    await page.getByRole('button', { name: name('evaluations.start') }).click();
    await page.locator('.runs button', { hasText: mark }).first().waitFor();
    await page.locator('.rankings .whole').waitFor();
    await expectAccessible(page);
  });

  test('a zero-result search becomes the case that its judgements belong to, once', async () => {
    const lost = { operation: 'byError', text: `qqxzv wvkpt ${mark} ${'x'.repeat(2_000)}` };
    const { data } = await studio.gateway.gql<{ byError: { hits: object[] } }>(
      'query ($text: String) { byError(text: $text, options: { minScore: 1 }) { hits { rank } } }',
      lost,
    );
    expect(data?.byError.hits).toEqual([]);
    const page = await visitor.visit(studio, '/#/quality');
    const row = page.getByRole('row', { name: lost.text });
    const zeroTab = page.getByRole('tab', { name: name('quality.part.zero'), exact: true });
    const setsTab = page.getByRole('tab', { name: name('quality.part.sets'), exact: true });
    await soon(async () => {
      await setsTab.click();
      await zeroTab.click();
      await page.locator('.data, .empty').first().waitFor();
      return row.count();
    }).toBe(1);
    // A long text leaves the width of the other columns, and lines of other searches on the screen.
    const box = await row.getByRole('cell').first().boundingBox();
    expect(box?.width).toBeLessThan(800);
    expect(box?.height).toBeLessThan(150);
    await row.getByRole('button', { name: name('zero.make') }).click();
    await row.getByRole('button', { name: name('zero.made') }).waitFor();
    const { errors } = await studio.gateway.gql(
      `mutation ($query: GoldenQueryInput!) {
        judgeHit(set: "zero-results", query: $query, cardId: "sample-en-001", relevance: SAME_MISTAKE) { judgementId }
      }`,
      { query: lost },
    );
    expect(errors).toBeUndefined();
    await setsTab.click();
    await zeroTab.click();
    await row.getByRole('button', { name: name('zero.made'), disabled: true }).waitFor();
    const { data: stored } = await studio.gateway.gql<{ goldenSet: { goldenCases: { nodes: { text: string }[] } } }>(
      '{ goldenSet(name: "zero-results") { goldenCases { nodes { text operation relevant { cardId } } } } }',
    );
    expect(stored?.goldenSet.goldenCases.nodes.filter(({ text }) => text === lost.text)).toEqual([
      { ...lost, relevant: [{ cardId: 'sample-en-001' }] },
    ]);
  });

  test('selected cards become a paper, which prints without the surrounding page', async () => {
    const page = await visitor.visit(studio, '/#/cards');
    const boxes = page.locator('.card-row input');
    await boxes.nth(0).check();
    await boxes.nth(2).check();
    await expectAccessible(page);
    await page.getByRole('link', { name: name('selection.paper') }).click();
    await page.locator('.sheet li').first().waitFor();
    expect(await page.locator('.sheet').first().locator('> ol > li').count()).toBe(2);
    await expectAccessible(page);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.bar').isVisible()).toBe(false);
    expect(await page.locator('.sheet').first().isVisible()).toBe(true);
    const pdf = await page.pdf({ preferCSSPageSize: true });
    expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length).toBeGreaterThan(1);
    const breaks = await page.evaluate("getComputedStyle(document.querySelector('.sheet-answers')).breakBefore");
    expect(breaks).toBe('page');
  });

  test('an export and a paper have the selected cards as they are now, without those that are gone', async () => {
    const ids = ['edited', 'deleted', 'gone', 'merged', 'removed'].map((one) => `now-${one}-${mark}`);
    const [edited, deleted, gone, merged, removed] = ids as [string, string, string, string, string];
    const inputs = ids.map((id) => ({ id, subject: 'math', difficulty: 1, questionText: `Question of ${id}` }));
    const change = async (mutation: string): Promise<void> =>
      expect((await studio.gateway.gql(`mutation { ${mutation} }`)).errors).toBeUndefined();
    await studio.gateway.gql(
      'mutation ($inputs: [CreateCardInput!]!) { createCards(inputs: $inputs) { card { id } } }',
      { inputs },
    );
    const page = await visitor.visit(studio, '/#/cards');
    const counted = (count: number) => page.getByText(name('selection.count').replace('{count}', String(count)));
    for (const id of ids) await selectBox(page, id).check();
    await change(`deleteCard(id: "${deleted}")`);
    await page.getByRole('combobox', { name: name('selection.format') }).selectOption('jsonl');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: name('selection.export') }).press('Enter'),
    ]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line).id)).toEqual([edited, gone, merged, removed]);
    await counted(4).waitFor();
    await expectAccessible(page);
    await change(`updateCard(id: "${edited}", input: { questionText: "Corrected ${mark}" }) { id }`);
    await change(`deleteCard(id: "${gone}")`);
    await change(`mergeCards(from: "${merged}", into: "${edited}") { id }`);
    await page.getByRole('link', { name: name('selection.paper') }).click();
    const questions = page.locator('.sheet').first().locator('> ol > li .card-text');
    await soon(() => questions.allInnerTexts()).toEqual([`Corrected ${mark}`, `Question of ${removed}`]);
    await page.goto(`${new URL(studio.gateway.url).origin}/#/cards/${removed}`);
    await page.getByRole('button', { name: name('card.delete') }).click();
    const sure = page.getByRole('dialog').getByRole('button', { name: name('card.delete') });
    await sure.click();
    await counted(1).waitFor();
    await change(`deleteCard(id: "${edited}")`);
  });

  /** The list of cards, with a new card with these attachments selected. */
  const visitSelected = async (id: string, attachments: readonly object[]): Promise<Page> => {
    const input = { id, subject: 'math', difficulty: 2, questionText: `See the figure of ${id}.`, attachments };
    const { errors } = await studio.gateway.gql(
      'mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }',
      { input },
    );
    expect(errors).toBeUndefined();
    const page = await visitor.visit(studio, '/#/cards');
    await selectBox(page, id).check();
    return page;
  };

  test('a paper has the attachments of its questions, and with the answers those of the solutions', async () => {
    const id = `figure-${visitor.mark}`;
    const attachments = ['QUESTION', 'SOLUTION', 'STUDENT_WORK', 'OTHER'].map((kind) => {
      return { kind, url: `https://example.org/${kind}.png` };
    });
    const page = await visitSelected(id, attachments);
    let isOffline = true;
    await page.route(/\/graphql$/, (route) =>
      isOffline && route.request().postDataJSON().operationName === 'CardFiles' ? route.abort() : route.fallback(),
    );
    await page.getByRole('link', { name: name('selection.paper') }).click();
    await page.getByText(name('error.OFFLINE')).waitFor();
    isOffline = false;
    const filesOf = (sheet: number): Promise<string[]> =>
      page.locator('.sheet').nth(sheet).locator('a').allInnerTexts();
    await soon(() => filesOf(0)).toEqual(['https://example.org/QUESTION.png']);
    expect(await filesOf(1)).toEqual(['https://example.org/SOLUTION.png']);
    await page.getByLabel(name('paper.wrong')).check();
    await soon(() => filesOf(1)).toEqual(['https://example.org/SOLUTION.png', 'https://example.org/STUDENT_WORK.png']);
    await expectAccessible(page);
  });

  test('a paper can be printed when its pictures are there', async () => {
    const id = `picture-${visitor.mark}`;
    const url = new URL('/attachments', studio.gateway.url);
    const uploaded = await fetch(url, { method: 'POST', body: PIXEL, headers: { 'content-type': 'image/png' } });
    const { attachment } = (await uploaded.json()) as { readonly attachment: { readonly sha256: string } };
    const attachments = [{ kind: 'QUESTION', sha256: attachment.sha256 }];
    const page = await visitSelected(id, attachments);
    let send = (): void => undefined;
    const sent = new Promise<void>((resolve) => {
      send = resolve;
    });
    await page.route(/\/attachments\//, async (route) => {
      await sent;
      await route.fallback();
    });
    await page.getByRole('link', { name: name('selection.paper') }).click();
    await page.locator('.sheet').first().getByText(name('state.loading')).waitFor();
    const button = page.getByRole('button', { name: name('paper.print') });
    await soon(() => button.isDisabled()).toBe(true);
    send();
    await page.locator('.sheet img').waitFor();
    await soon(() => button.isEnabled()).toBe(true);
  });
});
