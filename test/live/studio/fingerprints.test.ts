import type { Locator } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { browserPath, expectAccessible, soon } from '../../support/browser.js';
import { tokenOf } from '../../support/tokens.js';
import { studioWithStudents } from './students.js';
import { Visitor, WAYS } from './visitor.js';

const studio = studioWithStudents();

interface Variables {
  readonly group?: string;
  readonly owner?: string;
  readonly from?: string | null;
}

describe.skipIf(browserPath === null).each(WAYS)('%s', (_title, way) => {
  const visitor = new Visitor(way);
  const { mark } = visitor;
  const name = visitor.name.bind(visitor);
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  test('the error analysis shows errors by topic as a chart and as a table, and links to a ladder', async () => {
    const page = await visitor.signIn(studio, { sub: `amy-${mark}` }, '/#/fingerprint');
    await page.getByRole('img', { name: /sign error.*linear inequalities|linear inequalities.*sign error/ }).waitFor();
    await page.locator('.chart summary').click();
    const row = page.locator('.chart tbody tr');
    expect(await row.getByRole('link', { name: /Solve the inequality/ }).count()).toBe(3);
    expect(await row.getByRole('link', { name: 'sign error' }).count()).toBe(1);
    await expectAccessible(page);
    await page
      .locator('.worth')
      .getByRole('link', { name: name('ladder.practise') })
      .first()
      .click();
    await page.locator('.task, .empty').first().waitFor();
    // The ids of imported cards say nothing to a student.
    await page.getByRole('heading', { level: 1, name: /Solve the inequality/ }).waitFor();
    await expectAccessible(page);
  });

  test('a fingerprint that cannot be loaded leaves none of another student on the page', async () => {
    const page = await visitor.signIn(studio, { sub: 'tom', role: 'teacher' }, '/#/fingerprint?owner=kim');
    const heatMap = page.getByRole('region', { name: name('fingerprint.heatMap') });
    await heatMap.waitFor();
    await page.route(/\/graphql$/, (route) => route.abort());
    await page.getByLabel(name('column.student')).fill('lee');
    await page.getByRole('button', { name: name('fingerprint.show') }).click();
    await page.getByText(name('error.OFFLINE')).waitFor();
    expect(await heatMap.count()).toBe(0);
    await page.unrouteAll({ behavior: 'wait' });
    await heatMap.waitFor();
  });

  test("the errors of another student do not link to the viewer's own ladders", async () => {
    const page = await visitor.signIn(studio, { sub: 'tom', role: 'teacher' }, '/#/fingerprint?owner=lee');
    await page.locator('.chart summary').click();
    await page.locator('.chart tbody tr', { hasText: 'sign error' }).waitFor();
    expect(await page.locator('a[href^="#/ladder"]').count()).toBe(0);
  });

  test('while a fingerprint or class report loads, none of another student or group is on the page', async () => {
    const teacher = studio.gateway.as(await tokenOf({ sub: 'tom', role: 'teacher' }));
    for (const [group, ...owners] of [
      ['loading a', 'kim', 'lee', 'max'],
      ['loading b', 'kim', 'lee', 'max', 'ann'],
    ]) {
      const input = { name: group, owners };
      await teacher.gql('mutation ($input: StudentGroupInput!) { saveStudentGroup(input: $input) { name } }', {
        input,
      });
    }
    const page = await visitor.signIn(studio, { sub: 'tom', role: 'teacher' }, '/#/fingerprint?owner=kim');
    const heatMap = page.getByRole('region', { name: name('fingerprint.heatMap') });
    await heatMap.waitFor();
    const student = page.getByLabel(name('column.student'));
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

  test('the way back from a student leads to the group and the time that were chosen', async () => {
    const teacher = studio.gateway.as(await tokenOf({ sub: 'tom', role: 'teacher' }));
    const input = { name: `way back ${mark}`, owners: ['kim', 'lee', 'max'] };
    await teacher.must('mutation ($input: StudentGroupInput!) { saveStudentGroup(input: $input) { name } }', { input });
    const page = await visitor.signIn(studio, { sub: 'tom', role: 'teacher' }, '/#/class');
    const groups = page.getByLabel(name('class.group'));
    const time = page.getByLabel(name('time.label'));
    /** Chooses, and waits until the page asks for it: it hears of its new address later than the address changes. */
    const choose = async (field: Locator, value: string, isAskedBy: (variables: Variables) => boolean) => {
      const asked = page.waitForRequest((request) => isAskedBy(request.postDataJSON()?.variables ?? {}));
      await field.selectOption(value);
      await asked;
    };
    await choose(groups, input.name, ({ group }) => group === input.name);
    await choose(time, '90', ({ group }) => group === input.name);
    await page.goto(`${new URL(studio.gateway.url).origin}/#/fingerprint?owner=kim`);
    await page.getByRole('heading', { level: 1, name: /kim/ }).waitFor();
    await choose(time, '7', ({ owner, from }) => owner === 'kim' && from !== null);
    await page.getByLabel(name('column.student')).fill('lee');
    await page.getByRole('button', { name: name('fingerprint.show') }).click();
    await page.getByRole('heading', { level: 1, name: /lee/ }).waitFor();
    expect(await time.inputValue()).toBe('7');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: /kim/ }).waitFor();
    await page.goBack();
    await soon(() => groups.inputValue()).toBe(input.name);
    expect(await time.inputValue()).toBe('90');
    await teacher.must('mutation ($name: String!) { deleteStudentGroup(name: $name) }', { name: input.name });
  });

  test('a class report does not say that there is no data where it concerns too few students', async () => {
    const teacher = studio.gateway.as(await tokenOf({ sub: 'tom', role: 'teacher' }));
    const input = { name: `few ${mark}`, owners: ['kim', 'lee'] };
    await teacher.must('mutation ($input: StudentGroupInput!) { saveStudentGroup(input: $input) { name } }', { input });
    const page = await visitor.signIn(studio, { sub: 'tom', role: 'teacher' }, '/#/class');
    await page.getByLabel(name('class.group')).selectOption(input.name);
    const part = (title: Parameters<typeof name>[0]) => page.getByRole('region', { name: name(title) });
    for (const title of ['class.errors', 'class.topics', 'class.questions', 'class.changes'] as const) {
      await part(title).getByText(name('class.none.ofMany').replace('{least}', '3')).waitFor();
    }
    // Without attempts there is no share of right answers.
    const row = part('class.needsHelp').getByRole('row', { name: /lee/ }).first();
    expect(await row.getByRole('cell').last().textContent()).toBe('–');
    await teacher.must('mutation ($name: String!) { deleteStudentGroup(name: $name) }', { name: input.name });
  });

  test('a student has no class page, and the gateway refuses its data', async () => {
    const page = await visitor.signIn(studio, { sub: `amy-${mark}` }, '/#/class');
    if (visitor.phone) await page.getByRole('button', { name: name('nav.menu') }).click();
    await page.getByRole('link', { name: name('nav.today') }).waitFor();
    expect(await page.getByRole('link', { name: name('nav.class'), exact: true }).count()).toBe(0);
    const { errors } = await studio.gateway
      .as(await tokenOf({ sub: `amy-${mark}` }))
      .gql('{ classOverview(owners: ["kim"]) { students } }');
    expect(errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });

  test('a teacher creates a group and sees its mistakes, without labels that concern too few students', async () => {
    const page = await visitor.signIn(studio, { sub: 'tom', role: 'teacher' }, '/#/class');
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

  test('a column of names that is pasted becomes the students of a group', async () => {
    const page = await visitor.signIn(studio, { sub: 'tom', role: 'teacher' }, '/#/class');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: name('group.new') }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(name('group.students')).fill('amy');
    await page.evaluate("navigator.clipboard.writeText('kim\\r\\nlee, jo\\tmax\\r\\n')");
    await page.keyboard.press('ControlOrMeta+V');
    await soon(async () =>
      (await dialog.locator('.label-tag').allInnerTexts()).map((tag) => tag.split(' ')[0]),
    ).toEqual(['amy', 'kim', 'lee', 'jo', 'max']);
    // A single name is pasted into what is typed.
    await page.evaluate("navigator.clipboard.writeText('su')");
    await page.keyboard.press('ControlOrMeta+V');
    await soon(() => dialog.getByLabel(name('group.students')).inputValue()).toBe('su');
    // They are dropped only after a question, also by a second Escape and by the history.
    page.removeAllListeners('dialog');
    let asked = 0;
    let isDropped = false;
    page.on('dialog', async (question) => {
      asked++;
      expect(question.message()).toBe(name('group.leave'));
      await (isDropped ? question.accept() : question.dismiss());
    });
    for (const times of [1, 2]) {
      await page.keyboard.press('Escape');
      await soon(() => asked).toBe(times);
      expect(await dialog.locator('.label-tag').count()).toBe(6);
    }
    await page.evaluate("location.hash = '#/cards'");
    await soon(() => asked).toBe(3);
    isDropped = true;
    await dialog.getByRole('button', { name: name('action.close') }).click();
    // A closed dialog is not there for the page's reader before the question is asked.
    await soon(() => asked).toBe(4);
    await dialog.waitFor({ state: 'detached' });
  });
});
