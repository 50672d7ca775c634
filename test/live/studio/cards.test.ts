/** Cards written, changed, imported, printed and judged in the studio. */
import { statSync } from 'node:fs';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, expectAccessible, launchBrowser, soon } from '../../support/browser.js';
import { type Gateway, startGateway } from '../../support/gateway.js';
import { indexed } from '../../support/notebook.js';
import { gb18030File } from './gb18030-file.js';
import { Visitor, WAYS } from './visitor.js';

let browser: Browser;
let gateway: Gateway;
beforeAll(async () => {
  if (browserPath === null) return;
  browser = await launchBrowser();
  gateway = await startGateway({ env: { SEED_SAMPLE: 'true', SEARCH_LOG: 'texts' } });
  await gateway.ready();
  await indexed(gateway);
});
afterAll(async () => {
  await browser?.close();
  await gateway?.close();
});

describe.skipIf(browserPath === null).each(WAYS)('%s', (_title, way) => {
  const visitor = new Visitor(way);
  const { mark } = visitor;
  const name = visitor.name.bind(visitor);
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  test('the card form suggests labels, warns of a duplicate, and adds it as another occurrence', async () => {
    const page = await visitor.visit(browser, gateway.url, '/#/cards/new');
    const form = page.locator('form.draft');
    await form.getByLabel(`${name('field.questionText')} *`).fill('解不等式：$-2x>6$');
    await form.locator('.suggestions button').first().waitFor();
    await page.getByText(name('editor.duplicate')).waitFor();
    // The draft stays open.
    expect(await form.locator('.notice-warning a').first().getAttribute('target')).toBe('_blank');
    await page.locator('.preview .katex').first().waitFor();
    await expectAccessible(page);
    await form.getByLabel(name('field.studentSolutionText')).fill(`$x>-3$ (${mark})`);
    await page.getByRole('button', { name: name('editor.merge') }).click();
    await page.locator('.occurrences').getByText(mark).waitFor();
    await expectAccessible(page);
  });

  test('a suggested label that contains a comma is added as one label', async () => {
    const page = await visitor.visit(browser, gateway.url, '/#/cards/new');
    const tag = 'divides by -2, and keeps the sign';
    await page.route(/\/graphql$/, (route) => {
      if (route.request().postDataJSON().operationName !== 'SuggestTags') return route.fallback();
      return route.fulfill({ json: { data: { suggestTags: [{ perspective: 'ERROR', tag, cards: 1 }] } } });
    });
    const form = page.locator('form.draft');
    await form.getByLabel(`${name('field.questionText')} *`).fill('Solve $-2x>6$');
    const suggestion = form.locator('.suggestions button');
    await suggestion.click();
    await suggestion.waitFor({ state: 'detached' });
    expect(await form.locator('.tag').evaluateAll((tags) => tags.map((one) => one.firstChild?.textContent))).toEqual([
      tag,
    ]);
  });

  test('an unsaved card is left by a link, the history or a reload only after a question', async () => {
    const page = await visitor.visit(browser, gateway.url, '/#/cards');
    await page.getByRole('link', { name: name('cards.new') }).click();
    const question = page.getByLabel(`${name('field.questionText')} *`);
    await question.click();
    await question.fill(`Unsaved ${mark}`);
    const asked: string[] = [];
    let answer = false;
    page.removeAllListeners('dialog');
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void (answer ? dialog.accept() : dialog.dismiss());
    });
    const cancel = page.getByRole('link', { name: name('action.cancel') });
    const stays = async (...types: readonly string[]): Promise<void> => {
      await soon(() => asked).toEqual(types);
      await soon(() => page.url()).toMatch(/#\/cards\/new$/);
      expect(await question.inputValue()).toBe(`Unsaved ${mark}`);
    };
    await cancel.click();
    await stays('confirm');
    await page.evaluate('history.back()');
    await stays('confirm', 'confirm');
    await page.evaluate('location.reload()');
    await stays('confirm', 'confirm', 'beforeunload');
    answer = true;
    await cancel.click();
    await page.locator('.card-row').first().waitFor();
  });

  test('a conflicting edit shows both versions, and nothing is lost', async () => {
    const id = `conflict-${mark}`;
    const input = { id, subject: 'math', difficulty: 2, questionText: 'What is 2 + 2?', source: 'book' };
    await gateway.gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    const page = await visitor.visit(browser, gateway.url, `/#/cards/${id}/edit`);
    const question = page.locator('form.draft').getByLabel(`${name('field.questionText')} *`);
    await question.fill('What is 2 + 3?');
    await page.getByLabel(name('attachments.link')).fill('https://example.org/mine');
    await page.getByRole('button', { name: name('attachments.addLink') }).click();
    await gateway.gql(`mutation {
      updateCard(id: "${id}", input: {
        questionText: "What is 2 + 4?", source: "page 7", attachments: { url: "https://example.org/theirs", kind: OTHER }
      }) { id }
    }`);
    await page.getByRole('button', { name: name('action.save') }).click();
    const conflict = page.getByRole('region', { name: name('conflict.title') });
    await conflict.waitFor();
    expect(await conflict.locator('ins').allTextContents()).toEqual(expect.arrayContaining(['3', '4']));
    await expectAccessible(page);
    await conflict.getByRole('button', { name: name('conflict.decide') }).click();
    await page.getByRole('button', { name: name('action.save') }).click();
    await page.locator(`article[data-card="${id}"]`).waitFor();
    const { data } = await gateway.gql(`{ card(id: "${id}") { questionText source attachments { url } } }`);
    const attachments = ['theirs', 'mine'].map((one) => ({ url: `https://example.org/${one}` }));
    expect(data).toEqual({ card: { questionText: 'What is 2 + 3?', source: 'page 7', attachments } });
  });

  test('a merge of duplicates is undone, and both cards are as they were', async () => {
    const cards = ['first', 'second'].map((one) => ({ id: `${one}-${mark}`, studentSolutionText: one }));
    for (const card of cards) {
      const input = { ...card, subject: 'math', difficulty: 2, questionText: `What is 17 + 28? (${mark})` };
      await gateway.gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    }
    const [first, second] = cards.map(({ id }) => id);
    const stored = async () =>
      (await gateway.gql(`{ cardsByIds(ids: ["${first}", "${second}"]) { id studentSolutionText } }`)).data?.cardsByIds;
    const page = await visitor.visit(browser, gateway.url, '/#/duplicates');
    const pair = page.getByRole('region', { name: name('duplicates.pair') });
    const own = page.locator(`article[data-card="${first}"]`);
    // Cards of other tests may be duplicates too.
    for (await pair.waitFor(); (await own.count()) === 0; await pair.waitFor()) {
      await page.getByRole('button', { name: name('duplicates.keep') }).click();
    }
    await page.getByRole('button', { name: name('duplicates.merge') }).click();
    const undo = page.getByRole('button', { name: name('duplicates.undo') });
    await undo.waitFor();
    await expectAccessible(page);
    const [kept, same] = (await stored()) as { id: string }[];
    expect(same).toEqual(kept);
    await undo.click();
    await undo.waitFor({ state: 'detached' });
    await own.waitFor();
    expect(await stored()).toEqual(cards);
    await expectAccessible(page);
    await gateway.gql(`mutation { deleteCards(ids: ["${first}", "${second}"]) { deleted } }`);
  });

  test('a card that was changed since it was shown is not merged unseen, and K waits for a running merge', async () => {
    const ids = ['kept', 'gone'].map((one) => `${one}-${mark}`);
    for (const id of ids) {
      const input = { id, subject: 'math', difficulty: 2, questionText: `What is 31 + 45? (${mark})` };
      await gateway.gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    }
    const [kept, gone] = ids;
    const page = await visitor.visit(browser, gateway.url, '/#/duplicates');
    const pair = page.getByRole('region', { name: name('duplicates.pair') });
    const own = page.locator(`article[data-card="${gone}"]`);
    // Cards of other tests may be duplicates too.
    for (await pair.waitFor(); (await own.count()) === 0; await pair.waitFor()) await page.keyboard.press('k');
    await gateway.gql(`mutation { updateCard(id: "${gone}", input: { notes: "written meanwhile" }) { id } }`);
    await page.keyboard.press('m');
    await pair.getByText(name('error.CONFLICT')).waitFor();
    await own.getByText('written meanwhile').waitFor();
    expect((await gateway.gql(`{ card(id: "${gone}") { id } }`)).data).toEqual({ card: { id: gone } });
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
    expect((await gateway.gql(`{ card(id: "${gone}") { id } }`)).data).toEqual({ card: { id: kept } });
    await gateway.gql(`mutation { deleteCards(ids: ["${kept}"]) { deleted } }`);
  });

  test('the page of a merged card is that of the card it was merged into', async () => {
    const [from, into] = ['from', 'into'].map((one) => `merge-${one}-${mark}`);
    for (const id of [from, into]) {
      const input = { id, subject: 'math', difficulty: 2, questionText: `Question ${id}` };
      await gateway.gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    }
    await gateway.gql(`mutation { mergeCards(from: "${from}", into: "${into}") { id } }`);
    const page = await visitor.visit(browser, gateway.url, `/#/cards/${from}`);
    await page.locator(`article[data-card="${into}"] .occurrences`).waitFor();
    await page.getByRole('button', { name: name('card.delete') }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: name('card.delete') })
      .click();
    await soon(() => page.url()).toMatch(/#\/cards$/);
    expect((await gateway.gql(`{ card(id: "${into}") { id } }`)).data).toEqual({ card: null });
  });

  test('a GB18030 file with bad rows is previewed, tested in a dry run, and imported without them', async () => {
    const page = await visitor.visit(browser, gateway.url, '/#/exchange');
    const file = { name: `notebook-${mark}.csv`, mimeType: 'text/csv', buffer: gb18030File(mark) };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('columnheader', { name: '题目' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: name('import.try') }).click();
    const failed = page.locator('.figure-failed dd');
    await soon(() => failed.textContent()).toBe('2');
    const problems = page.locator('.problems tbody tr');
    expect(await problems.count()).toBeGreaterThanOrEqual(2);
    expect(await problems.locator('td[lang=en]').count(), 'reasons that are not in the language of the page').toBe(0);
    expect((await gateway.gql(`{ card(id: "gb-${mark}-1") { id } }`)).data).toEqual({ card: null });
    await page.getByRole('button', { name: name('import.start'), exact: true }).click();
    await page.getByRole('link', { name: name('import.look') }).waitFor();
    await expectAccessible(page);
    expect((await gateway.gql(`{ card(id: "gb-${mark}-1") { questionText } }`)).data).toEqual({
      card: { questionText: `（${mark}）两车相向而行，几小时后相遇？` },
    });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: name('import.template') }).click(),
    ]);
    expect(statSync(await download.path()).size).toBeGreaterThan(3_000);
  });

  test('an import is tried as it is set, and shows what fails', async () => {
    const page = await visitor.visit(browser, gateway.url, '/#/exchange');
    const chooser = page.locator('input[type=file]');
    const [tryIt, start] = (['import.try', 'import.start'] as const).map((key) =>
      page.getByRole('button', { name: name(key), exact: true }),
    ) as [Locator, Locator];
    await chooser.setInputFiles({
      name: 'a.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('题目;学科;难度\n1 + 1;数学;1\n'),
    });
    await page.getByRole('columnheader', { name: '学科' }).waitFor();
    // The same name can be chosen again.
    expect(await chooser.inputValue()).toBe('');
    await tryIt.click();
    await soon(() => start.isEnabled()).toBe(true);
    await page.getByLabel(name('import.onDuplicate')).selectOption('REJECT');
    expect(await start.isEnabled()).toBe(false);
    await page.route(/\/template\.xlsx/, (route) => route.abort());
    await page.getByRole('button', { name: name('import.template') }).click();
    await page.getByRole('alert').getByText(name('error.OFFLINE')).waitFor();
  });

  test('an import that is cancelled before the gateway answers ends there, whatever is chosen next', async () => {
    const page = await visitor.visit(browser, gateway.url, '/#/exchange');
    const [tryIt, cancel] = (['import.try', 'action.cancel'] as const).map((key) =>
      page.getByRole('button', { name: name(key), exact: true }),
    ) as [Locator, Locator];
    const choose = (file: string) =>
      page.locator('input[type=file]').setInputFiles({
        name: `${file}-${mark}.csv`,
        mimeType: 'text/csv',
        buffer: Buffer.from(`question,subject,difficulty\nWhat is 3 + 4? ${file},math,1\n`),
      });
    for (const next of [null, 'other']) {
      await choose('first');
      let answer = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        answer = resolve;
      });
      const arrived = new Promise<string>((resolve) => {
        void page.route(/\/import\?/, async (route) => {
          const response = await route.fetch();
          resolve((await response.json()).importJob.id);
          await held;
          await route.fulfill({ response });
        });
      });
      await tryIt.click();
      const id = await arrived;
      await cancel.click();
      await soon(() => cancel.isEnabled()).toBe(false);
      if (next !== null) await choose(next);
      const cancelled = page.waitForRequest((request) => request.postDataJSON()?.operationName === 'CancelImport');
      answer();
      expect((await cancelled).postDataJSON().variables).toEqual({ id });
      await cancel.waitFor({ state: 'detached' });
      expect(await page.locator('.figure-failed').count()).toBe(next === null ? 1 : 0);
      await page.unrouteAll({ behavior: 'wait' });
    }
  });

  test('cards are listed in the order of the API a page at a time, and all are loaded for other orders only', async () => {
    const page = await visitor.visit(browser, gateway.url, '/#/cards');
    const shown = () =>
      page.locator('.card-row-text').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    const count = page.locator('.cards-bar .count');
    const sort = page.getByRole('combobox', { name: name('cards.sort') });
    const listed = async (orderBy: string): Promise<readonly string[]> => {
      const { data } = await gateway.gql<{ cards: { nodes: { id: string }[] } }>(
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
    await gateway.gql('mutation ($inputs: [CreateCardInput!]!) { createCards(inputs: $inputs) { card { id } } }', {
      inputs,
    });
    const page = await visitor.visit(browser, gateway.url, '/#/cards');
    for (const id of ids) await page.getByLabel(name('cards.select').replace('{id}', id)).check();
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
    await dialog.getByRole('listitem').getByText(String(ids[1])).waitFor();
    await expectAccessible(page);
    await soon(() => page.locator(`.card-row-text[href$="${ids[0]}"]`).count()).toBe(0);
    await soon(() => page.locator('.card-row.selected').count()).toBe(1);
    await page.unrouteAll({ behavior: 'wait' });
    await sure.click();
    await dialog.waitFor({ state: 'detached' });
    expect((await gateway.gql(`{ cardsByIds(ids: ["${ids.join('", "')}"]) { id } }`)).data).toEqual({
      cardsByIds: [null, null],
    });
  });

  test('hits are judged by keyboard, a judgement is undone, and search is evaluated with them', async () => {
    const page = await visitor.visit(browser, gateway.url, '/#/quality');
    await page.getByLabel(name('judge.set')).fill(mark);
    const query = page.locator('.judge').getByLabel(name('search.query'));
    await query.fill('sign error');
    await query.press('Enter');
    await page.locator('.judged li').nth(3).waitFor();
    const done = page.locator('.judge-keys [role=status]');
    // As fast as they can be pressed.
    for (const key of ['2', '1', '0']) await page.keyboard.press(key);
    await soon(() => done.textContent()).toMatch(/(^|\D)3\D/);
    await page.keyboard.press('u');
    await soon(() => page.locator('.judged [aria-pressed=true]').count()).toBe(2);
    await expectAccessible(page);
    await page.getByRole('tab', { name: name('quality.part.evaluations'), exact: true }).click();
    await page.getByLabel(name('judge.set')).selectOption(mark);
    await page.getByRole('button', { name: name('evaluations.start') }).click();
    await page.locator('.runs button', { hasText: mark }).first().waitFor();
    await page.locator('.rankings .whole').waitFor();
    await expectAccessible(page);
  });

  test('a zero-result search becomes the case that its judgements belong to, once', async () => {
    const lost = { operation: 'byError', text: `qqxzv wvkpt ${mark}` };
    const { data } = await gateway.gql<{ byError: { hits: object[] } }>(
      'query ($text: String) { byError(text: $text, options: { minScore: 1 }) { hits { rank } } }',
      lost,
    );
    expect(data?.byError.hits).toEqual([]);
    const page = await visitor.visit(browser, gateway.url, '/#/quality');
    const row = page.getByRole('row', { name: lost.text });
    const zeroTab = page.getByRole('tab', { name: name('quality.part.zero'), exact: true });
    const setsTab = page.getByRole('tab', { name: name('quality.part.sets'), exact: true });
    await soon(async () => {
      await setsTab.click();
      await zeroTab.click();
      await page.locator('.data, .empty').first().waitFor();
      return row.count();
    }).toBe(1);
    await row.getByRole('button', { name: name('zero.make') }).click();
    await row.getByRole('button', { name: name('zero.made') }).waitFor();
    const { errors } = await gateway.gql(
      `mutation ($query: GoldenQueryInput!) {
        judgeHit(set: "zero-results", query: $query, cardId: "sample-en-001", relevance: SAME_MISTAKE) { judgementId }
      }`,
      { query: lost },
    );
    expect(errors).toBeUndefined();
    await setsTab.click();
    await zeroTab.click();
    await row.getByRole('button', { name: name('zero.made'), disabled: true }).waitFor();
    const { data: stored } = await gateway.gql<{ goldenSet: { goldenCases: { nodes: { text: string }[] } } }>(
      '{ goldenSet(name: "zero-results") { goldenCases { nodes { text operation relevant { cardId } } } } }',
    );
    expect(stored?.goldenSet.goldenCases.nodes.filter(({ text }) => text === lost.text)).toEqual([
      { ...lost, relevant: [{ cardId: 'sample-en-001' }] },
    ]);
  });

  test('selected cards become a paper, which prints without the surrounding page', async () => {
    const page = await visitor.visit(browser, gateway.url, '/#/cards');
    const boxes = page.locator('.card-row input');
    await boxes.nth(0).check();
    await boxes.nth(2).check();
    await expectAccessible(page);
    await page.getByRole('link', { name: name('selection.paper') }).click();
    await page.locator('.sheet li').first().waitFor();
    expect(await page.locator('.sheet').first().locator('li').count()).toBe(2);
    await expectAccessible(page);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.bar').isVisible()).toBe(false);
    expect(await page.locator('.sheet').first().isVisible()).toBe(true);
    const pdf = await page.pdf({ preferCSSPageSize: true });
    expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length).toBeGreaterThan(1);
    const breaks = await page.evaluate("getComputedStyle(document.querySelector('.sheet-answers')).breakBefore");
    expect(breaks).toBe('page');
  });
});
