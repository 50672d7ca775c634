/** Practising in the studio, what goes wrong, and what a class gets wrong, each with the role that it is for. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { browserPath, expectAccessible, launchBrowser, soon } from '../../support/browser.js';
import { type Gateway, startGateway } from '../../support/gateway.js';
import { indexed } from '../../support/notebook.js';
import { TOKEN_SETTINGS, tokenOf } from '../../support/tokens.js';
import { Visitor, WAYS } from './visitor.js';

const QUESTIONS = ['-2x>6', '5-3x<14', '-x\\ge 4', '7-2x>1'];

let browser: Browser;
let gateway: Gateway;

/** Four mistakes of one kind, and the token of their student. */
async function studentWithCards(student: string, extra: object = {}): Promise<string> {
  const token = await tokenOf({ sub: student });
  const inputs = QUESTIONS.map((formula, place) => ({
    id: `${student}-${place}`,
    subject: 'math',
    difficulty: 2,
    questionText: `Solve the inequality $${formula}$`,
    studentSolutionText: 'I divided and kept the sign.',
    goldSolutionBrief: `Dividing by a negative number turns the sign (${place}).`,
    topicTags: ['linear inequalities'],
    errorTypes: ['sign error'],
    ...(place === 0 && extra),
  }));
  const { errors } = await gateway
    .as(token)
    .gql('mutation ($inputs: [CreateCardInput!]!) { createCards(inputs: $inputs) { card { id } } }', { inputs });
  expect(errors).toBeUndefined();
  return token;
}

beforeAll(async () => {
  if (browserPath === null) return;
  browser = await launchBrowser();
  gateway = await startGateway({ env: { ...TOKEN_SETTINGS } });
  for (const student of ['kim', 'lee', 'max']) {
    await studentWithCards(student, student === 'kim' ? { topicTags: ['told of nobody'] } : {});
  }
  await Promise.all(WAYS.map(([, way]) => studentWithCards(`amy-${new Visitor(way).mark}`)));
  await indexed(gateway.as(await tokenOf({ sub: 'kim' })));
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

  const signIn = async (claims: { sub: string; role?: string }, address: string): Promise<Page> => {
    const page = await visitor.visit(browser, gateway.url, address);
    await page.getByLabel(name('signIn.credential')).fill(await tokenOf(claims));
    await page.keyboard.press('Enter');
    await page.locator('.shell').waitFor();
    return page;
  };

  test('a student practises with the keyboard only: hints, solution, right or wrong, and no attempt is lost or stored twice', async () => {
    const student = `amy-${mark}`;
    const page = await signIn({ sub: student }, '/#/today');
    const task = page.locator('.task');
    await task.locator('.task-question .katex').waitFor();
    await expectAccessible(page);
    const first = String(await task.getAttribute('data-card'));
    let hintRequests = 0;
    await page.route(/\/graphql$/, async (route) => {
      if (route.request().postDataJSON().operationName !== 'Hints' || hintRequests++ > 0) return route.fallback();
      const errors = [{ message: 'no answer within 2000 ms', extensions: { code: 'DEADLINE_EXCEEDED' } }];
      return route.fulfill({ json: { errors } });
    });
    for (const _ of [1, 2, 3]) await page.keyboard.press('h');
    await soon(() => page.locator('.hints li').count()).toBe(3);
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
    await page.getByRole('button', { name: name('action.retry') }).click();
    await page.getByText(name('error.OFFLINE')).waitFor({ state: 'detached' });
    for (const _ of [3, 4]) {
      await page.keyboard.press('Space');
      await page.keyboard.press('2');
    }
    await page.getByText(name('today.done'), { exact: true }).waitFor();
    await expectAccessible(page);
    const { data } = await gateway
      .as(await tokenOf({ sub: student }))
      .gql('{ mastery(topicTags: ["linear inequalities"]) { nodes { attempts right } } }');
    expect(data).toEqual({ mastery: { nodes: [{ attempts: 4, right: 3 }] } });
  });

  test('a hint that was asked for and not shown does not count', async () => {
    const student = `sol-${mark}`;
    const input = { subject: 'math', difficulty: 2, questionText: 'What is 17 + 28?' };
    const { errors } = await gateway
      .as(await tokenOf({ sub: student }))
      .gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    expect(errors).toBeUndefined();
    const page = await signIn({ sub: student }, '/#/today');
    await page.locator('.task').waitFor();
    for (const _ of [1, 2, 3]) await page.keyboard.press('h');
    await page.getByText(name('hint.none')).waitFor();
    await page.keyboard.press('Space');
    await page.locator('.solution').waitFor();
    const sent = page.waitForRequest((request) => request.postDataJSON()?.operationName === 'RecordAttempts');
    await page.keyboard.press('2');
    expect((await sent).postDataJSON().variables.attempts[0]).toMatchObject({ correct: true, hints: 0 });
    await page.getByText(name('today.done'), { exact: true }).waitFor();
  });

  test('an attempt sent late has the time when it was made, by the gateway, and signing out asks first', async () => {
    const student = `uma-${mark}`;
    const asStudent = gateway.as(await tokenOf({ sub: student }));
    const input = { id: student, subject: 'math', difficulty: 2, questionText: 'What is 19 + 23?' };
    await asStudent.gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    const page = await visitor.visit(browser, gateway.url, '/#/today');
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
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    if (visitor.phone) await page.getByRole('button', { name: name('nav.menu') }).click();
    await page.getByRole('button', { name: name('viewer.signOut') }).click();
    expect(asked).toEqual([name('practice.leave').replace('{count}', '1')]);
    expect(await credential.count()).toBe(0);
    await aheadBy(4);
    isOffline = false;
    await page.getByRole('button', { name: name('action.retry') }).click();
    await page.getByText(name('today.done'), { exact: true }).waitFor();
    expect(sent).toEqual([sent[0], sent[0]]);
  });

  test('a student with cards is not told that there are none while the schedule cannot be loaded', async () => {
    const student = `ida-${mark}`;
    const asStudent = gateway.as(await tokenOf({ sub: student }));
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
    const page = await visitor.visit(browser, gateway.url, '/#/today');
    await page.route(/\/graphql$/, (route) =>
      route.request().postDataJSON().operationName === 'Schedule' ? route.abort() : route.fallback(),
    );
    await page.getByLabel(name('signIn.credential')).fill(await tokenOf({ sub: student }));
    await page.keyboard.press('Enter');
    await page.locator('.empty').waitFor();
    expect(await page.getByText(name('today.none'), { exact: true }).count()).toBe(0);
    await page.getByText(name('error.OFFLINE')).waitFor();
  });

  test('the error analysis shows errors by topic as a chart and as a table, and links to a ladder', async () => {
    const page = await signIn({ sub: `amy-${mark}` }, '/#/fingerprint');
    await page.getByRole('img', { name: /sign error.*linear inequalities|linear inequalities.*sign error/ }).waitFor();
    await page.locator('.chart summary').click();
    const row = page.locator('.chart tbody tr');
    expect(await row.locator('.card-link').count()).toBe(3);
    await expectAccessible(page);
    await page
      .locator('.worth')
      .getByRole('link', { name: name('ladder.practise') })
      .first()
      .click();
    await page.locator('.task, .empty').first().waitFor();
    await expectAccessible(page);
  });

  test('a fingerprint that cannot be loaded leaves none of another student on the page', async () => {
    const page = await signIn({ sub: 'tom', role: 'teacher' }, '/#/fingerprint?owner=kim');
    const heatMap = page.getByRole('region', { name: name('fingerprint.heatMap') });
    await heatMap.waitFor();
    await page.route(/\/graphql$/, (route) => route.abort());
    await page.getByLabel(name('fingerprint.student')).fill('lee');
    await page.getByRole('button', { name: name('fingerprint.show') }).click();
    await page.getByText(name('error.OFFLINE')).waitFor();
    expect(await heatMap.count()).toBe(0);
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('button', { name: name('action.retry') }).click();
    await heatMap.waitFor();
  });

  test('while a fingerprint or class report loads, none of another student or group is on the page', async () => {
    const teacher = gateway.as(await tokenOf({ sub: 'tom', role: 'teacher' }));
    for (const [group, ...owners] of [
      ['loading a', 'kim', 'lee', 'max'],
      ['loading b', 'kim', 'lee', 'max', 'ann'],
    ]) {
      const input = { name: group, owners };
      await teacher.gql('mutation ($input: StudentGroupInput!) { saveStudentGroup(input: $input) { name } }', {
        input,
      });
    }
    const page = await signIn({ sub: 'tom', role: 'teacher' }, '/#/fingerprint?owner=kim');
    const heatMap = page.getByRole('region', { name: name('fingerprint.heatMap') });
    await heatMap.waitFor();
    const student = page.getByLabel(name('fingerprint.student'));
    await page.route(/\/graphql$/, async (route) => {
      if (route.request().postDataJSON().operationName !== 'Fingerprint') return route.fallback();
    });
    await student.fill('lee');
    await page.getByRole('button', { name: name('fingerprint.show') }).click();
    await page.getByRole('heading', { level: 1, name: /lee/ }).waitFor();
    expect(await heatMap.count()).toBe(0);
    // As long as the ids of owners may be.
    expect(await student.getAttribute('maxlength')).toBe('200');
    await page.unrouteAll();
    if (visitor.phone) await page.getByRole('button', { name: name('nav.menu') }).click();
    await page.getByRole('link', { name: name('nav.class'), exact: true }).click();
    const groups = page.getByLabel(name('class.group'));
    const report = page.locator('.class-report');
    await groups.selectOption('loading a');
    await report.waitFor();
    await page.route(/\/graphql$/, async (route) => {
      if (route.request().postDataJSON().operationName !== 'ClassReport') return route.fallback();
    });
    await groups.selectOption('loading b');
    await soon(() => groups.inputValue()).toBe('loading b');
    await page.getByText(name('state.loading')).waitFor();
    expect(await report.count()).toBe(0);
    await page.unrouteAll();
  });

  test('a student has no class page, and the gateway refuses its data', async () => {
    const page = await signIn({ sub: `amy-${mark}` }, '/#/class');
    if (visitor.phone) await page.getByRole('button', { name: name('nav.menu') }).click();
    await page.getByRole('link', { name: name('nav.today') }).waitFor();
    expect(await page.getByRole('link', { name: name('nav.class'), exact: true }).count()).toBe(0);
    const { errors } = await gateway
      .as(await tokenOf({ sub: `amy-${mark}` }))
      .gql('{ classOverview(owners: ["kim"]) { students } }');
    expect(errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });

  test('a teacher creates a group and sees its mistakes, without labels that concern too few students', async () => {
    const page = await signIn({ sub: 'tom', role: 'teacher' }, '/#/class');
    await page.getByRole('button', { name: name('group.new') }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(name('group.name')).fill(mark);
    await dialog.getByLabel(name('group.students')).fill('kim, lee, max,');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: name('action.save') }).click();
    const errors = page.getByRole('region', { name: name('class.errors') }).first();
    await errors.getByRole('row', { name: /sign error/ }).waitFor();
    expect(await page.locator('.class-report').textContent()).not.toContain('told of nobody');
    await page.locator('.notice').getByText('1', { exact: false }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: name('group.new') }).click();
    await dialog.getByLabel(name('group.name')).fill(mark);
    await dialog.getByText(name('group.replaces')).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: name('group.edit') }).click();
    await dialog.getByRole('button', { name: name('group.delete') }).click();
    await dialog.getByRole('button', { name: mark }).click();
    await dialog.waitFor({ state: 'detached' });
  });
});
