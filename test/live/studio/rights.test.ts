import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { browserPath, soon } from '../../support/browser.js';
import { createCard } from '../../support/notebook.js';
import { TOKEN_SETTINGS, tokenOf } from '../../support/tokens.js';
import { selectBox, studioOf, Visitor, WAYS } from './visitor.js';

const studio = studioOf({ ...TOKEN_SETTINGS, API_KEYS: 'true' });

describe.skipIf(browserPath === null).each(WAYS)('%s', (_title, way) => {
  const visitor = new Visitor(way);
  const { mark } = visitor;
  const name = visitor.name.bind(visitor);
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  test('who has no cards is told so, whatever they search for', async () => {
    const page = await visitor.signIn(studio, { sub: `nil-${mark}` }, '/#/search?q=ratio');
    await page.getByRole('heading', { name: name('welcome.empty') }).waitFor();
    await page.getByRole('link', { name: name('welcome.import') }).waitFor();
    expect(await page.getByText(name('empty.hits.nothingClose')).count()).toBe(0);
    // Until they have some, wherever those come from.
    const input = { subject: 'math', difficulty: 1, questionText: '牛顿第二定律' };
    const student = studio.gateway.as(await tokenOf({ sub: `nil-${mark}` }));
    await page.evaluate(`location.hash = '#/cards'`);
    await page.locator('.search-page').waitFor({ state: 'hidden' });
    await student.gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    await page.goBack();
    await page.locator('.found .empty').waitFor();
    expect(await page.getByRole('heading', { name: name('welcome.empty') }).count()).toBe(0);
  });

  test('nobody is told that nothing is close before it is known whether they have cards', async () => {
    const page = await visitor.signIn(studio, { sub: `nil-too-${mark}` }, '/');
    await page.locator('.welcome').waitFor();
    let answer = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const asked = new Promise<void>((resolve) => {
      void page.route('**/graphql', async (route) => {
        if (route.request().postDataJSON()?.operationName === 'Notebook') {
          resolve();
          await late;
        }
        await route.continue();
      });
    });
    await page.evaluate(`location.hash = '#/search?q=ratio'`);
    await asked;
    await page.locator('.found [role=status]', { hasText: name('empty.hits') }).waitFor();
    expect(await page.locator('.found .empty').count()).toBe(0);
    answer();
    await page.getByRole('heading', { name: name('welcome.empty') }).waitFor();
  });

  test('who has cards that are not indexed yet is told so, whatever they search for', async () => {
    const page = await visitor.signIn(studio, { sub: `nil-yet-${mark}` }, '/#/cards');
    await page.route('**/graphql', async (route) => {
      if (route.request().postDataJSON()?.operationName !== 'Notebook') return route.fallback();
      const response = await route.fetch();
      const { data } = await response.json();
      return route.fulfill({ response, json: { data: { ...data, indexStatus: { pending: 30 } } } });
    });
    const waiting = page.getByText(/30 (?:new or changed cards are being indexed|张新的或改动过的卡片正在编入索引)/);
    for (const address of ['#/search', '#/search?q=ratio']) {
      await page.evaluate(`location.hash = '${address}'`);
      await waiting.waitFor();
      expect(await page.getByRole('heading', { name: name('welcome.empty') }).count()).toBe(0);
      await page.evaluate(`location.hash = '#/cards'`);
      await waiting.waitFor({ state: 'hidden' });
    }
  });

  test('a teacher sees whose card it is, and finds the cards of one student', async () => {
    const owner = `auth0|mia-${mark}`;
    const input = { id: `of-mia-${mark}`, subject: 'math', difficulty: 1, questionText: '3 + 3?' };
    await studio.gateway
      .as(await tokenOf({ sub: owner }))
      .gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    await studio.gateway
      .as(await tokenOf({ sub: `noa-${mark}` }))
      .gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', {
        input: { ...input, id: `of-noa-${mark}` },
      });
    const teacher = `auth0|${'6f1c2e3d'.repeat(10)}|tom-${mark}`;
    const page = await visitor.signIn(studio, { sub: teacher, role: 'teacher' }, '/#/cards');
    // A long id leaves the links in one line, and is whole where it is pointed at.
    if (!visitor.phone)
      expect(await page.locator('.bar').evaluate(({ clientHeight }) => clientHeight)).toBeLessThan(60);
    expect(await page.locator('.viewer').getAttribute('title')).toContain(teacher);
    await visitor.openPanel(page, 'filter.title');
    const field = page.locator('form.filters').first().getByLabel(name('group.students'), { exact: true });
    const panel = page.locator('.panel-filters').first();
    expect(await panel.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await field.fill(owner);
    await field.press('Enter');
    await soon(() => page.locator('.card-row').count()).toBe(1);
    await page.keyboard.press('Escape');
    expect(await page.locator('.card-row .facts').innerText()).toContain(owner);
    await page.locator('.card-row a').click();
    await page.locator(`[data-card=of-mia-${mark}] .facts`, { hasText: owner }).first().waitFor();
  });

  test('a student is told that a link of a teacher selects cards of others', async () => {
    const sub = `own-${mark}`;
    const input = { subject: 'math', difficulty: 1, questionText: `求斜率 ${mark}` };
    const student = studio.gateway.as(await tokenOf({ sub }));
    await student.gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    const page = await visitor.signIn(studio, { sub }, '/#/cards?owners=other-student');
    const notice = page.locator('.notice', { hasText: name('filter.othersCards') });
    const showOwn = page.getByRole('button', { name: name('filter.ownCards') });
    await notice.waitFor();
    await showOwn.click();
    await page.locator('.card-row').waitFor();
    expect(await notice.count()).toBe(0);
    await page.evaluate(`location.hash = '#/search?q=${encodeURIComponent('求斜率')}&owners=other-student'`);
    await page.locator('.found .notice', { hasText: name('filter.othersCards') }).waitFor();
    await showOwn.click();
    await notice.waitFor({ state: 'detached' });
    await soon(() => page.url()).not.toContain('owners');
  });

  test('a paper of cards of several students has the mistakes of none, or of the one who is chosen', async () => {
    for (const student of ['pia', 'rob']) {
      const api = studio.gateway.as(await tokenOf({ sub: `${student}-${mark}`, tenant: `paper-${mark}` }));
      await createCard(api, {
        id: `of-${student}-${mark}`,
        questionText: '4 + 4?',
        studentSolutionText: `wrong of ${student}`,
        errorTypes: [`error of ${student}`],
      });
    }
    const teacher = { sub: `tom-${mark}`, role: 'teacher', tenant: `paper-${mark}` };
    const page = await visitor.signIn(studio, teacher, '/#/cards');
    for (const student of ['pia', 'rob']) {
      await selectBox(page, `of-${student}-${mark}`).check();
    }
    for (const format of ['html', 'csv'] as const) {
      await page.getByLabel(name('selection.format')).selectOption(format);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: name('selection.export'), exact: true }).click(),
      ]);
      expect(/(wrong|error) of/.test(readFileSync(await download.path(), 'utf8'))).toBe(format === 'csv');
    }
    await page.getByRole('link', { name: name('selection.paper') }).click();
    const answers = page.locator('.sheet-answers');
    await answers.locator('li').nth(1).waitFor();
    expect(await answers.innerText()).not.toMatch(/(wrong|error) of/);
    await page.getByLabel(name('paper.wrongOf')).selectOption(`pia-${mark}`);
    await answers.getByText('wrong of pia').waitFor();
    expect(await answers.innerText()).toContain('error of pia');
    expect(await answers.innerText()).not.toMatch(/(wrong|error) of rob/);
  });

  test('a card that the reader may not save, or a new one, has no form', async () => {
    const id = `read-${mark}`;
    const admin = studio.gateway.as(await tokenOf({ sub: `ada-${mark}`, role: 'admin' }));
    const { data } = await admin.gql<{ createApiKey: { text: string } }>(
      `mutation { createCard(input: { id: "${id}", subject: "math", difficulty: 1, questionText: "1 + 1?" }) { id }
        createApiKey(input: { ownerId: "amy-${mark}", role: TEACHER, scopes: [READ] }) { text } }`,
    );
    const page = await visitor.visit(studio, '/#/cards/new');
    await page.getByLabel(name('signIn.credential')).fill(String(data?.createApiKey.text));
    await page.keyboard.press('Enter');
    await page.getByText(name('editor.notAllowed'), { exact: true }).waitFor();
    await page.evaluate(`location.hash = '#/cards/${id}/edit'`);
    await page.getByRole('link', { name: '1 + 1?', exact: true }).click();
    await page.locator(`[data-card="${id}"]`).waitFor();
    // A teacher may write, but not change the card of a student.
    const ofStudent = `student-${mark}`;
    const input = { id: ofStudent, subject: 'math', difficulty: 1, questionText: '2 + 2?' };
    await studio.gateway
      .as(await tokenOf({ sub: `amy-${mark}` }))
      .gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    await page.evaluate(`location.hash = '#/cards/${ofStudent}/edit'`);
    await page.reload();
    await page.getByLabel(name('signIn.credential')).fill(await tokenOf({ sub: `tess-${mark}`, role: 'teacher' }));
    await page.keyboard.press('Enter');
    await page.getByText(name('editor.notAllowed'), { exact: true }).waitFor();
    expect(await page.locator('form.draft').count()).toBe(0);
    await page.getByRole('link', { name: '2 + 2?', exact: true }).waitFor();
  });

  test('a teacher is offered changes of their own cards only, an admin those of every card', async () => {
    const tenant = `rights-${mark}`;
    const create = async (sub: string, role: string, ids: readonly string[]): Promise<void> => {
      const owner = studio.gateway.as(await tokenOf({ sub, role, tenant }));
      for (const id of ids) {
        await createCard(owner, { id, difficulty: 1, questionText: `Question of ${sub}: 17 + 28` }, true);
      }
    };
    await create('amy', 'student', ['amy-1', 'amy-2']);
    await create('tom', 'teacher', ['tom-1']);
    const page = await visitor.visit(studio, '/#/duplicates');
    const signIn = async (sub: string, role: string): Promise<void> => {
      await page.getByLabel(name('signIn.credential')).fill(await tokenOf({ sub, role, tenant }));
      await page.keyboard.press('Enter');
      await page.locator('.shell').waitFor();
    };
    const open = (address: string) => page.goto(`${new URL(studio.gateway.url).origin}/#/${address}`);
    const pair = page.getByRole('region', { name: name('duplicates.pair') });
    const merge = page.getByRole('button', { name: name('duplicates.merge') });
    const compare = page.getByRole('link', { name: name('card.duplicates.compare') });
    const deletion = page.getByRole('button', { name: name('card.delete') });
    await signIn('tom', 'teacher');
    await pair.waitFor();
    expect(await merge.count()).toBe(0);
    await open('cards/amy-1');
    await page.locator('article[data-card="amy-1"]').waitFor();
    expect(await page.getByRole('link', { name: name('card.edit') }).count()).toBe(0);
    expect(await deletion.count()).toBe(0);
    await page.locator('aside .notice-warning a[href$="amy-2"]').waitFor();
    expect(await compare.count()).toBe(0);
    await open('cards/tom-1');
    await page.getByRole('link', { name: name('card.edit') }).waitFor();
    await deletion.waitFor();
    await open('cards');
    const deleteSelected = page.getByRole('button', { name: name('selection.delete') });
    await selectBox(page, 'tom-1').check();
    await deleteSelected.waitFor();
    await selectBox(page, 'amy-1').check();
    await deleteSelected.waitFor({ state: 'detached' });
    await page.reload();
    await signIn('ada', 'admin');
    await open('cards/amy-1');
    await deletion.waitFor();
    await compare.waitFor();
    await open('duplicates');
    await merge.waitFor();
  });
});
