import { afterEach, describe, expect, test } from 'vitest';
import { wordingOf } from '../../../studio/app/wording.js';
import { browserPath, expectAccessible, soon } from '../../support/browser.js';
import { tokenOf } from '../../support/tokens.js';
import { studioWithStudents } from './students.js';
import { Visitor, WAYS } from './visitor.js';

const studio = studioWithStudents();

describe.skipIf(browserPath === null).each(WAYS)('%s', (_title, way) => {
  const visitor = new Visitor(way);
  const { mark } = visitor;
  const name = visitor.name.bind(visitor);
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  test('a student practises with the keyboard only: hints, solution, right or wrong, and no attempt is lost or stored twice', async () => {
    const student = `amy-${mark}`;
    const page = await visitor.signIn(studio, { sub: student }, '/#/today');
    const task = page.locator('.task');
    await task.locator('.task-question .katex').waitFor();
    await expectAccessible(page);
    // Below: it is told when the next question is shown, whose buttons must not move under a finger.
    expect(await page.locator('.task ~ [role=status]').count()).toBe(1);
    const first = String(await task.getAttribute('data-card'));
    const announced = task.locator('[aria-live=polite]');
    expect(await announced.count()).toBe(1);
    let hintRequests = 0;
    await page.route(/\/graphql$/, async (route) => {
      if (route.request().postDataJSON().operationName !== 'Hints' || hintRequests++ > 0) return route.fallback();
      const errors = [{ message: 'no answer within 2000 ms', extensions: { code: 'DEADLINE_EXCEEDED' } }];
      return route.fulfill({ json: { errors } });
    });
    await page.keyboard.press('h');
    await page.getByRole('button', { name: name('practice.hint.left').replace('{count}', '2') }).waitFor();
    for (const _ of [2, 3]) await page.keyboard.press('h');
    await soon(() => announced.locator('.hints li').count()).toBe(3);
    expect(hintRequests).toBeGreaterThan(1);
    await page.unrouteAll({ behavior: 'wait' });
    // The hints tell how another question is solved.
    expect(await task.textContent()).not.toContain(`(${first.at(-1)})`);
    await page.keyboard.press('Space');
    await task
      .locator('.solution')
      .getByText(`(${first.at(-1)})`)
      .waitFor();
    await expectAccessible(page);
    const hintsSent: number[] = [];
    await page.route(/\/graphql$/, async (route) => {
      const { operationName, variables } = route.request().postDataJSON();
      if (operationName === 'RecordAttempts') {
        hintsSent.push(variables.attempts[0].hints);
        // The gateway stores the attempt, and its answer is lost.
        await route.fetch();
      }
      return route.abort();
    });
    await page.keyboard.press('1');
    await page.getByText(name('error.OFFLINE')).waitFor();
    expect(hintsSent[0]).toBe(3);
    await page.keyboard.press('Space');
    await page.keyboard.press('2');
    await soon(() => task.getAttribute('data-card')).not.toBe(first);
    await expectAccessible(page);
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByText(name('error.OFFLINE')).waitFor({ state: 'detached' });
    for (const _ of [3, 4]) {
      await page.keyboard.press('Space');
      await page.keyboard.press('2');
    }
    await page.getByText(name('today.done'), { exact: true }).waitFor();
    await expectAccessible(page);
    const { data } = await studio.gateway
      .as(await tokenOf({ sub: student }))
      .gql('{ mastery(topicTags: ["linear inequalities"]) { nodes { attempts right } } }');
    expect(data).toEqual({ mastery: { nodes: [{ attempts: 4, right: 3 }] } });
  });

  test('a hint that was asked for and not shown does not count', async () => {
    const student = `sol-${mark}`;
    const input = { subject: 'math', difficulty: 2, questionText: 'What is 17 + 28?' };
    const { errors } = await studio.gateway
      .as(await tokenOf({ sub: student }))
      .gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    expect(errors).toBeUndefined();
    const page = await visitor.signIn(studio, { sub: student }, '/#/today');
    await page.locator('.task').waitFor();
    const button = page.locator('.task .actions button').first();
    expect(await button.innerText()).toBe(`H ${name('practice.hint')}`);
    for (const _ of [1, 2, 3]) await page.keyboard.press('h');
    await page.getByText(name('hint.none')).waitFor();
    await soon(() => button.innerText()).toBe(`H ${name('practice.hint.none')}`);
    expect(await button.isDisabled()).toBe(true);
    // The clock was set back since the card was shown: an attempt takes no less than 0 ms.
    await page.evaluate('window.now = Date.now; Date.now = () => window.now() - 3_600_000');
    await page.keyboard.press('Space');
    await page.locator('.solution').waitFor();
    await page.evaluate('Date.now = window.now');
    const sent = page.waitForRequest((request) => request.postDataJSON()?.operationName === 'RecordAttempts');
    await page.keyboard.press('2');
    expect((await sent).postDataJSON().variables.attempts[0]).toMatchObject({ correct: true, hints: 0, durationMs: 0 });
    await page.getByText(name('today.done'), { exact: true }).waitFor();
  });

  test('a card is practised with the files of its question, and its solution is shown with the others', async () => {
    const student = `pia-${mark}`;
    const attachments = ['QUESTION', 'SOLUTION'].map((kind) => ({ kind, url: `https://example.org/${kind}.png` }));
    const input = { subject: 'math', difficulty: 2, questionText: 'See the figure.', attachments };
    const { errors } = await studio.gateway
      .as(await tokenOf({ sub: student }))
      .gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    expect(errors).toBeUndefined();
    const page = await visitor.signIn(studio, { sub: student }, '/#/today');
    const links = page.locator('.task .attachments a');
    await links.first().waitFor();
    expect(await links.allInnerTexts()).toEqual(['https://example.org/QUESTION.png']);
    await expectAccessible(page);
    await page.keyboard.press('Space');
    await page.locator('.solution .attachments a').waitFor();
    expect(await links.allInnerTexts()).toEqual([
      'https://example.org/QUESTION.png',
      'https://example.org/SOLUTION.png',
    ]);
    await expectAccessible(page);
  });

  test('an attempt that is sent again has the time when it was made, by the gateway, and signing out or a reload asks first', async () => {
    const student = `uma-${mark}`;
    const asStudent = studio.gateway.as(await tokenOf({ sub: student }));
    const input = { id: student, subject: 'math', difficulty: 2, questionText: 'What is 19 + 23?' };
    await asStudent.gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    const page = await visitor.visit(studio, '/#/today');
    const aheadBy = (days: number) => page.clock.setSystemTime(Date.now() + days * 86_400_000);
    await aheadBy(3);
    const credential = page.getByLabel(name('signIn.credential'));
    await credential.fill(await tokenOf({ sub: student }));
    await page.keyboard.press('Enter');
    await page.locator('.task').waitFor();
    const sent: string[] = [];
    let isOffline = true;
    await page.route(/\/graphql$/, (route) => {
      const { operationName, variables } = route.request().postDataJSON();
      if (operationName !== 'RecordAttempts') return route.fallback();
      sent.push(variables.attempts[0].at);
      return isOffline ? route.abort() : route.fallback();
    });
    await page.keyboard.press('Space');
    await page.keyboard.press('2');
    await page.getByText(name('error.OFFLINE')).waitFor();
    expect(Math.abs(Date.parse(String(sent[0])) - Date.now())).toBeLessThan(60_000);
    const asked: string[] = [];
    page.removeAllListeners('dialog');
    page.on('dialog', (dialog) => {
      asked.push(dialog.type() === 'beforeunload' ? 'beforeunload' : dialog.message());
      void dialog.dismiss();
    });
    if (visitor.phone) await page.getByRole('button', { name: name('nav.menu') }).click();
    await page.getByRole('button', { name: name('viewer.signOut') }).click();
    const leave = name('practice.leave').replace('{count}', '1');
    expect(asked).toEqual([leave]);
    expect(await credential.count()).toBe(0);
    await page.evaluate('location.reload()');
    await soon(() => asked).toEqual([leave, 'beforeunload']);
    expect(await credential.count()).toBe(0);
    await aheadBy(4);
    isOffline = false;
    await page.getByText(name('today.done'), { exact: true }).waitFor();
    expect(sent.length).toBeGreaterThan(1);
    expect(new Set(sent).size).toBe(1);
    await page.reload();
    await credential.waitFor();
    expect(asked.length).toBe(2);
  });

  test('a card whose attempt could not be sent is not offered again, and counts as done', async () => {
    const student = `ben-${mark}`;
    const inputs = [1, 2].map((place) => {
      return { id: `${student}-${place}`, subject: 'math', difficulty: 2, questionText: `What is ${place} + 5?` };
    });
    const { errors } = await studio.gateway
      .as(await tokenOf({ sub: student }))
      .gql('mutation ($inputs: [CreateCardInput!]!) { createCards(inputs: $inputs) { card { id } } }', { inputs });
    expect(errors).toBeUndefined();
    const page = await visitor.signIn(studio, { sub: student }, '/#/today');
    const task = page.locator('.task');
    const first = String(await task.getAttribute('data-card'));
    await page.route(/\/graphql$/, (route) =>
      route.request().postDataJSON().operationName === 'RecordAttempts' ? route.abort() : route.fallback(),
    );
    const answer = async (): Promise<void> => {
      await page.keyboard.press('Space');
      await page.keyboard.press('2');
    };
    const counted = async (left: number, done: number): Promise<void> =>
      page.getByText(name('today.counts').replace('{left}', `${left}`).replace('{done}', `${done}`)).waitFor();
    const comeBack = async (): Promise<void> => {
      await page.evaluate(`location.hash = '#/fingerprint'`);
      await page.locator('h1', { hasText: name('nav.fingerprint') }).waitFor();
      await page.evaluate(`location.hash = '#/today'`);
    };
    await answer();
    await page.getByText(name('error.OFFLINE')).waitFor();
    await comeBack();
    await counted(1, 1);
    expect(await task.getAttribute('data-card')).not.toBe(first);
    await page.getByLabel(name('today.siblings')).check();
    await counted(1, 1);
    await task.waitFor();
    expect(await task.getAttribute('data-card')).not.toBe(first);
    await task.focus();
    await answer();
    await comeBack();
    await counted(0, 2);
    await page.getByText(name('practice.waiting').replace('{count}', '2')).waitFor();
    expect(await task.count()).toBe(0);
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByText(name('today.done'), { exact: true }).waitFor();
    await counted(0, 2);
  });

  test('a student with cards is not told that there are none while the schedule cannot be loaded', async () => {
    const student = `ida-${mark}`;
    const asStudent = studio.gateway.as(await tokenOf({ sub: student }));
    // After three right answers the next review is days away.
    const attempts = [3, 2, 1].map((days) => {
      const at = new Date(Date.now() - days * 86_400_000).toISOString();
      return { key: `${student}-${days}`, cardId: student, at, correct: true };
    });
    const { errors } = await asStudent.gql(
      `mutation ($id: ID!, $attempts: [AttemptInput!]!) {
        createCard(input: { id: $id, subject: "math", difficulty: 2, questionText: "What is 8 + 9?" }) { id }
        recordAttempts(attempts: $attempts) { outcome }
      }`,
      { id: student, attempts },
    );
    expect(errors).toBeUndefined();
    const page = await visitor.visit(studio, '/#/today');
    await page.route(/\/graphql$/, (route) =>
      route.request().postDataJSON().operationName === 'Schedule' ? route.abort() : route.fallback(),
    );
    await page.getByLabel(name('signIn.credential')).fill(await tokenOf({ sub: student }));
    await page.keyboard.press('Enter');
    await page.locator('.empty').waitFor();
    expect(await page.getByText(name('today.none'), { exact: true }).count()).toBe(0);
    await page.getByText(name('error.OFFLINE')).waitFor();
  });

  test('a student with cards who has set no new cards a day is not told that there are none', async () => {
    const student = `nia-${mark}`;
    const asStudent = studio.gateway.as(await tokenOf({ sub: student }));
    const settings = 'mutation { savePracticeSettings(input: { newPerDay: 0 }) { newPerDay } }';
    expect((await asStudent.gql(settings)).errors).toBeUndefined();
    const page = await visitor.signIn(studio, { sub: student }, '/#/today');
    await page.getByText(name('today.none'), { exact: true }).waitFor();
    const input = { subject: 'math', difficulty: 2, questionText: 'What is 6 + 7?' };
    await asStudent.must('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    await page.evaluate(`location.hash = '#/cards'`);
    await page.locator('.card-row').waitFor();
    await page.evaluate(`location.hash = '#/today'`);
    await page.getByText(name('today.done'), { exact: true }).waitFor();
    expect(await page.getByText(name('today.none'), { exact: true }).count()).toBe(0);
  });

  test('a student hears how many reviews the daily limit leaves for later, whatever is done already', async () => {
    const student = `lea-${mark}`;
    const asStudent = studio.gateway.as(await tokenOf({ sub: student }));
    const ids = [1, 2, 3, 4].map((place) => `${student}-${place}`);
    const inputs = ids.map((id) => ({ id, subject: 'math', difficulty: 2, questionText: `What is ${id} + 1?` }));
    const at = new Date(Date.now() - 90 * 86_400_000).toISOString();
    await asStudent.must(
      `mutation ($inputs: [CreateCardInput!]!, $attempts: [AttemptInput!]!) {
        savePracticeSettings(input: { dailyLimit: 3 }) { dailyLimit }
        createCards(inputs: $inputs) { card { id } }
        recordAttempts(attempts: $attempts) { outcome }
      }`,
      { inputs, attempts: ids.map((cardId) => ({ key: cardId, cardId, at, correct: true })) },
    );
    const page = await visitor.signIn(studio, { sub: student }, '/#/today');
    const said = page.getByText(wordingOf(way.language).t('forecast.limit', { limit: 3, later: 1 }));
    await said.waitFor();
    await page.getByText(wordingOf(way.language).t('retention.none', { days: 30 })).waitFor();
    for (const _ of [1, 2]) {
      await page.keyboard.press('Space');
      await page.keyboard.press('2');
    }
    await page.evaluate(`location.hash = '#/fingerprint'`);
    await page.locator('h1', { hasText: name('nav.fingerprint') }).waitFor();
    await page.evaluate(`location.hash = '#/today'`);
    // Two reviews are due on the first day, and one of them is left today.
    await said.waitFor();
  });
});
