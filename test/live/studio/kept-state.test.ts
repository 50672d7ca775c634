/** What is typed, chosen and shown stays as it was, and nothing is done by accident. */
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { browserPath, soon } from '../../support/browser.js';
import { indexed } from '../../support/notebook.js';
import { SAMPLE, studioOf, Visitor, WAYS } from './visitor.js';

const studio = studioOf(SAMPLE);

/** Nothing here depends on the language or the device. */
const [, way] = WAYS.find(([, { language, device }]) => language === 'zh-CN' && device === 'phone') ?? [];

describe.skipIf(browserPath === null || way === undefined)('kept state', () => {
  const visitor = new Visitor(way as NonNullable<typeof way>);
  const name = visitor.name.bind(visitor);
  const open = (address: string): Promise<Page> => visitor.visit(studio, address);
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  test('a number with a decimal point is typed sign by sign', async () => {
    const page = await open('/#/today');
    await page.getByText(name('practiceSettings.title')).click();
    const field = page.getByLabel(name('practiceSettings.desiredRetention'));
    await field.press('Control+a');
    await field.pressSequentially('0.85');
    expect(await field.inputValue()).toBe('0.85');
    const saved = page.waitForRequest((request) => request.postData()?.includes('SavePracticeSettings') ?? false);
    await page.getByRole('button', { name: name('action.save') }).click();
    expect((await saved).postDataJSON().variables.input).toMatchObject({ desiredRetention: 0.85, newPerDay: 10 });
  });

  /** Lets the cards to practise wait until the returned function is called. */
  async function dueCardsWait(page: Page): Promise<() => void> {
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('query DueCards')) await answered;
      await route.continue();
    });
    return answer;
  }

  test('nothing can be typed while practice settings are saved, and they are as they were if that fails', async () => {
    const page = await open('/');
    const answerDue = await dueCardsWait(page);
    await page.evaluate("location.hash = '/today'");
    const box = page.locator('details', { hasText: name('practiceSettings.title') });
    await box.locator('summary').click();
    const field = page.getByLabel(name('practiceSettings.newPerDay'));
    await field.fill('12');
    let answer = (): void => undefined;
    let late = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let isOffline = true;
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('SavePracticeSettings')) return route.fallback();
      await late;
      return isOffline ? route.abort() : route.continue();
    });
    await field.press('Enter');
    await soon(() => field.isDisabled()).toBe(true);
    expect(await box.locator(':is(input, button):enabled').count()).toBe(0);
    // A card that comes meanwhile does not take the focus: what is typed next would be keys of the card.
    answerDue();
    await page.locator('.task').waitFor();
    answer();
    await page.getByText(name('error.OFFLINE')).waitFor();
    await page.keyboard.type('3');
    expect(await field.inputValue()).toBe('123');
    isOffline = false;
    late = Promise.resolve();
    await field.fill('11');
    await field.press('Enter');
    await soon(() => box.getAttribute('open')).toBeNull();
  });

  test('a card that comes to be practised leaves the focus where one types', async () => {
    const page = await open('/');
    const answer = await dueCardsWait(page);
    await page.evaluate("location.hash = '/today'");
    await page.getByText(name('practiceSettings.title')).click();
    const field = page.getByLabel(name('practiceSettings.desiredRetention'));
    await field.press('Control+a');
    await page.keyboard.type('0.');
    answer();
    await page.locator('.task').waitFor();
    await page.keyboard.type('85');
    expect(await field.inputValue()).toBe('0.85');
  });

  test('a double click does not delete a group', async () => {
    const { errors } = await studio.gateway.gql(
      'mutation { saveStudentGroup(input: { name: "kept", owners: ["amy"] }) { name } }',
    );
    expect(errors).toBeUndefined();
    const page = await open('/#/class');
    await page.locator('.page-head select').first().selectOption('kept');
    await page.getByRole('button', { name: name('group.edit') }).click();
    await page.getByRole('button', { name: name('group.delete') }).dblclick();
    await page.getByRole('button', { name: name('group.delete') }).waitFor();
    const { data } = await studio.gateway.gql<{ studentGroups: { name: string }[] }>('{ studentGroups { name } }');
    expect(data?.studentGroups.map((group) => group.name)).toContain('kept');
  });

  test('a search that one comes back to is at its place, and shows what was changed', async () => {
    const input = { subject: 'math', difficulty: 1, questionText: '解不等式 $-7x>91$，写出过程', errorTypes: ['gone'] };
    const { data } = await studio.gateway.gql<{ createCard: { id: string } }>(
      'mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }',
      { input },
    );
    const id = String(data?.createCard.id);
    await indexed(studio.gateway);
    const page = await open('/');
    await visitor.search(page, input.questionText);
    // The formulas, which move what is below them.
    await page.locator(`.hit[data-card="${id}"] .katex`).first().waitFor();
    const last = page.locator('.hit h3 a').last();
    await last.scrollIntoViewIfNeeded();
    const top = await page.evaluate('scrollY');
    await last.click();
    await page.locator('.card-page').waitFor();
    await studio.gateway.gql('mutation ($id: ID!) { deleteCard(id: $id) }', { id });
    let answer = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/\/graphql$/, async (route) => {
      await late;
      await route.fallback();
    });
    await page.goBack();
    await soon(() => page.evaluate('scrollY')).toBe(top);
    answer();
    await page.locator(`.hit[data-card="${id}"]`).waitFor({ state: 'detached' });
  });

  test('neighbours of one perspective are not shown as those of another', async () => {
    const page = await open('/#/cards/sample-zh-067');
    await page.locator('.short li').first().waitFor();
    await page.getByRole('tab', { name: name('perspective.SOLUTION') }).click();
    await soon(() => page.locator('.short li').count()).toBeGreaterThan(0);
    let answer = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/\/graphql$/, async (route) => {
      if (route.request().postDataJSON().operationName === 'ByError') await late;
      await route.fallback();
    });
    await page.getByRole('tab', { name: name('perspective.ERROR') }).click();
    await page.locator('.box .loading').waitFor();
    expect(await page.locator('.short li').count()).toBe(0);
    answer();
    await page.locator('.short li').first().waitFor();
  });

  test('figures are not asked for again before the last ones have come', async () => {
    const page = await open('/');
    await page.clock.install();
    let asked = 0;
    await page.route(/\/graphql$/, async (route) => {
      if (route.request().postDataJSON().operationName !== 'IndexStatus') return route.fallback();
      asked += 1;
    });
    await page.evaluate(`location.hash = '#/operations'`);
    await soon(() => asked).toBe(1);
    // Longer than the 3 s between two questions.
    await page.clock.runFor(4_000);
    // Requests come in the order in which they were sent.
    await page.evaluate("fetch('readyz').then(({ status }) => status)");
    expect(asked).toBe(1);
  });

  test('a card cannot be saved without the file that is being uploaded', async () => {
    const page = await open('/#/cards/new');
    await page.getByLabel(`${name('field.questionText')} *`).fill('如图，求角 $\\alpha$ 的大小');
    let answer = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/\/attachments/, async (route) => {
      await late;
      await route.fallback();
    });
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    await page
      .getByLabel(name('attachments.upload'))
      .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: png });
    await page.getByText(name('attachments.uploading')).waitFor();
    const save = page.locator('form.draft button[type=submit]');
    expect(await save.isDisabled()).toBe(true);
    answer();
    await page.locator('.attachments li img').waitFor();
    await save.click();
    await page.locator('.card-page .attachments img').waitFor();
  });

  test('an import is left only after a question', async () => {
    const page = await open('/#/exchange');
    const rows = ['questionText,subject,difficulty', '1+1 等于几？,math,1'].join('\n');
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) });
    await page.getByRole('button', { name: name('import.try') }).click();
    const start = page.getByRole('button', { name: name('import.start'), exact: true });
    await soon(() => start.isEnabled()).toBe(true);
    let answer = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/\/import\?/, async (route) => {
      await late;
      await route.fallback();
    });
    const asked: string[] = [];
    page.removeAllListeners('dialog');
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    await start.click();
    await page.evaluate(`location.hash = '#/cards'`);
    await soon(() => asked).toEqual([name('import.leave')]);
    await page.getByRole('status').getByText(name('import.sending')).waitFor();
    answer();
    await page.getByRole('link', { name: name('import.look') }).click();
    await page.locator('.cards-page').waitFor();
    expect(asked).toHaveLength(1);
  });

  test('a search that is to be judged and finds nothing says so', async () => {
    const page = await open('/#/quality');
    await page.locator('.judge input[type=search]').fill('qwxzvkjh');
    await page.locator('.judge').getByText(name('empty.hits')).waitFor();
  });

  test('the counts of today follow the attempts', async () => {
    const page = await open('/#/today');
    const counts = page.locator('.page-head .count');
    await counts.waitFor();
    await page.locator('.task').waitFor();
    const [left = 0, done = 0] = (await counts.innerText()).match(/\d+/g)?.map(Number) ?? [];
    await page.keyboard.press(' ');
    await page.keyboard.press('2');
    const countsAre = async (page: Page, expected: readonly number[]): Promise<void> =>
      soon(async () => (await page.locator('.page-head .count').innerText()).match(/\d+/g)?.map(Number)).toEqual(
        expected,
      );
    await countsAre(page, [left - 1, done + 1]);
    // What is answered in one tab is not asked in another one that shows it or has it in its list.
    const other = await page.context().newPage();
    await other.goto(page.url());
    const cardOf = (one: Page): Promise<string | null> => one.locator('.task').getAttribute('data-card');
    const shown = await cardOf(page);
    await soon(() => cardOf(other)).toBe(shown);
    await page.keyboard.press(' ');
    await page.keyboard.press('2');
    await soon(() => cardOf(page)).not.toBe(shown);
    const next = await cardOf(page);
    await soon(() => cardOf(other)).toBe(next);
    await countsAre(other, [left - 2, done + 2]);
    await other.locator('.task').focus();
    await other.keyboard.press(' ');
    await other.keyboard.press('2');
    await soon(() => cardOf(page)).not.toBe(next);
    await soon(() => cardOf(other)).toBe(await cardOf(page));
    for (const one of [page, other]) await countsAre(one, [left - 3, done + 3]);
  });

  test('a card that comes again on the day on which it was practised counts as done once', async () => {
    // Where it is noon, two minutes ago was on the same day.
    const hours = 12 - new Date().getUTCHours();
    const timeZone = `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
    const attempt = { key: 'again', cardId: 'sample-en-017', correct: false, at: new Date(Date.now() - 120_000) };
    await studio.gateway.must(
      `mutation ($timeZone: String!, $attempt: AttemptInput!) {
        savePracticeSettings(input: { timeZone: $timeZone }) { timeZone }
        recordAttempts(attempts: [$attempt]) { outcome }
      }`,
      { timeZone, attempt },
    );
    const page = await open('/#/today');
    await page.locator('.task[data-card=sample-en-017]').waitFor();
    const counts = page.locator('.page-head .count');
    const [left = 0, done = 0] = (await counts.innerText()).match(/\d+/g)?.map(Number) ?? [];
    expect(done).toBeGreaterThan(0);
    await page.keyboard.press(' ');
    await page.keyboard.press('2');
    await soon(async () => (await counts.innerText()).match(/\d+/g)?.map(Number)).toEqual([left - 1, done]);
  });
});
