/** The search studio, from the first visit on. */
import type { Locator } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { en } from '../../../studio/messages/en/index.js';
import { browserPath, expectAccessible, soon } from '../../support/browser.js';
import { indexed } from '../../support/notebook.js';
import { SAMPLE, studioOf, Visitor, WAYS } from './visitor.js';

const studio = studioOf(SAMPLE);

describe.skipIf(browserPath === null).each(WAYS)('%s', (_title, way) => {
  const visitor = new Visitor(way);
  const name = visitor.name.bind(visitor);
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  test('a first visit explains the page, offers examples, and shows hits with their reasons', async () => {
    const page = await visitor.visit(studio);
    await page.getByRole('heading', { name: name('welcome.title') }).waitFor();
    await soon(() => page.locator('html').getAttribute('lang')).toBe(way.language);
    await expectAccessible(page);
    await page.getByRole('button', { name: name('example.byError') }).click();
    const hits = page.locator('.hits .hit');
    await hits.first().waitFor();
    expect(await hits.count()).toBeGreaterThan(2);
    await expectAccessible(page);
    await hits.first().locator('summary').click();
    const sum = await hits.first().locator('.lane-table tbody tr td:nth-child(5)').allTextContents();
    const score = Number(await hits.first().locator('.score').textContent());
    expect(sum.map(Number).reduce((a, b) => a + b)).toBeCloseTo(score, 1);
  });

  test('a hit that comes before better ones says why, and the steps of a solution are on lines of their own', async () => {
    const page = await visitor.visit(studio);
    await visitor.search(page, 'for loop range off by one');
    const scores = (await page.locator('.hit .score').allTextContents()).map(Number);
    const early = scores.flatMap((score, place) =>
      scores.slice(place).some((later) => later > score) ? [place + 1] : [],
    );
    expect(early).not.toEqual([]);
    const covers = page.locator('.hit', { hasText: name('hit.covers') });
    expect(await covers.locator('.rank').allTextContents()).toEqual(early.map(String));
    const solved = (await visitor.search(page, '移项没有变号')).filter({ hasText: 'x > -3' }).locator('.wrong');
    expect(await solved.innerText()).toMatch(/-2x > 6 \| : \(-2\)\nx > -3$/);
  });

  test('dragging a slider reorders the hits, and marks those that moved', async () => {
    const page = await visitor.visit(studio);
    const hits = await visitor.search(page, 'Calculate 1/2 + 1/3');
    const before = await ids(hits);
    await visitor.openPanel(page, 'tuning.title');
    await page.getByRole('slider', { name: name('perspective.QUESTION') }).fill('0');
    await page.getByRole('slider', { name: name('perspective.ERROR') }).fill('1');
    await soon(() => ids(hits)).not.toEqual(before);
    await page.locator('.hit .moved').first().waitFor();
    await page.getByRole('button', { name: name('compare.pin') }).click();
    await page.getByRole('slider', { name: name('perspective.SOLUTION') }).fill('1');
    await soon(() => page.locator('.comparison .side').count()).toBe(2);
    await expectAccessible(page);
  });

  test('a saved profile has every setting of the profile that was chosen, but for the sliders that were moved', async () => {
    const page = await visitor.visit(studio);
    await visitor.search(page, 'Calculate 1/2 + 1/3');
    await visitor.openPanel(page, 'tuning.title');
    await page.getByLabel(name('tuning.profile')).selectOption('plain-vectors');
    await page.getByRole('slider', { name: name('tuning.diversity') }).fill('0.25');
    await page.getByRole('button', { name: name('profile.save') }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(name('profile.name')).fill(visitor.mark);
    await dialog.getByRole('button', { name: name('action.save') }).click();
    await dialog.waitFor({ state: 'detached' });
    const { data } = await studio.gateway.gql<{ searchProfiles: { name: string; settings: object }[] }>(
      `{ searchProfiles { name settings { diversity expandWith fusion inferredWeight lexicalShare minResults profilePower
        thresholdSteps voteShare weights { question solution concept error } } } }`,
    );
    const settingsOf = (one: string) => data?.searchProfiles.find((profile) => profile.name === one)?.settings;
    expect(settingsOf(visitor.mark)).toEqual({ ...settingsOf('plain-vectors'), diversity: 0.25 });
  });

  test('where no card is close, the closest are shown on request, for that search alone', async () => {
    const page = await visitor.visit(studio);
    const box = page.getByLabel(name('search.query'), { exact: true }).first();
    await box.fill('明天春游带什么零食');
    await page.getByRole('button', { name: name('closest.show') }).click();
    const hits = page.locator('.hits .hit');
    await hits.first().waitFor();
    expect(await page.getByText(name('closest.about')).count()).toBe(1);
    await expectAccessible(page);
    const expectNone = async () => {
      await page.getByRole('button', { name: name('closest.show') }).waitFor();
      expect(await hits.count()).toBe(0);
    };
    // With another filter some card might be close.
    await visitor.openPanel(page, 'filter.title');
    await page
      .getByRole('form', { name: name('filter.title') })
      .getByLabel(name('subject.physics'))
      .first()
      .check();
    await expectNone();
    await page.getByRole('button', { name: name('closest.show') }).click();
    await hits.first().waitFor();
    await box.fill('明天春游带什么饮料');
    await expectNone();
  });

  test('a filter shows its matches, with the number of cards for each value', async () => {
    const page = await visitor.visit(studio);
    const hits = await visitor.search(page, 'force');
    await visitor.openPanel(page, 'filter.title');
    const filters = page.getByRole('form', { name: name('filter.title') }).first();
    const physics = filters.getByLabel(name('subject.physics'));
    const count = await filters
      .locator('label', { hasText: name('subject.physics') })
      .locator('.count')
      .textContent();
    await physics.check();
    await soon(() => filters.locator('.panel-head .count').textContent()).toContain(String(count));
    await soon(async () => new Set(await hits.locator('.facts > span:first-child').allTextContents())).toEqual(
      new Set([name('subject.physics')]),
    );
    await expectAccessible(page);
  });

  test('the words that a list of values is looked through with stay visible while they hide values', async () => {
    const page = await visitor.visit(studio);
    await visitor.search(page, 'force');
    await visitor.openPanel(page, 'filter.title');
    const filters = page.getByRole('form', { name: name('filter.title') }).first();
    const topics = filters.getByRole('group', { name: name('field.topicTags'), exact: true });
    await topics.getByRole('searchbox').fill('no such topic');
    await soon(() => topics.getByRole('checkbox').count()).toBe(0);
    const errors = filters.getByRole('group', { name: name('field.errorTypes'), exact: true });
    const { data } = await studio.gateway.gql<{ facets: { errorType: { value: string }[] } }>(
      '{ facets { errorType { value } } }',
    );
    await errors.getByRole('searchbox').fill(String(data?.facets.errorType.at(-1)?.value));
    await errors.getByRole('checkbox').check();
    // The rarest error has fewer topics than a list shows.
    await soon(() => filters.locator('.panel-head .count').textContent()).toMatch(/^\D*\d\D*$/);
    await topics.getByRole('searchbox').fill('');
    await soon(() => topics.getByRole('checkbox').count()).toBeGreaterThan(0);
    expect(await topics.getByRole('searchbox').count()).toBe(0);
  });

  test('why not: a filtered card is distinguished from one with a lower rank', async () => {
    const page = await visitor.visit(studio);
    await visitor.search(page, 'Calculate 1/2 + 1/3');
    await visitor.openPanel(page, 'tuning.title');
    await page.getByRole('button', { name: name('whyNot.open') }).click();
    const dialog = page.getByRole('dialog');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/graphql$/, async (route) => {
      if (route.request().postDataJSON().operationName === 'SimilarQuestions') await held;
      return route.fallback();
    });
    const byId = page.waitForResponse((response) => response.request().postDataJSON()?.operationName === 'OneCard');
    await dialog.getByLabel(name('whyNot.pick')).fill('sample-en-076');
    await (await byId).finished();
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    // No card is shown before the other query is answered, since the list would move below a click.
    expect(await dialog.locator('.picks button').count()).toBe(0);
    release();
    await dialog.getByRole('button', { name: 'sample-en-076' }).click();
    await dialog.locator('.reason-no').waitFor();
    expect(await dialog.locator('.reason-yes').count()).toBe(2);
    expect(await page.evaluate("document.activeElement.matches('dialog div:has(> .reasons)')")).toBe(true);
    // The card was searched for alone: its ranks tell nothing.
    const rank = { name: name('lane.rank'), exact: true };
    expect(await dialog.getByRole('table').first().getByRole('columnheader', rank).count()).toBe(0);
    expect(await dialog.getByRole('table').last().getByRole('columnheader', rank).count()).toBe(1);
    await expectAccessible(page);
    await dialog.getByLabel(name('whyNot.pick')).fill('sample-en-017');
    await dialog.getByRole('button', { name: 'sample-en-017' }).click();
    await dialog.locator('.reason-found').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('why not: filters have the names of the panel, and a text is not asked for as an id', async () => {
    const page = await visitor.visit(studio);
    await visitor.search(page, 'force');
    await visitor.openPanel(page, 'filter.title');
    const filters = page.getByRole('form', { name: name('filter.title') }).first();
    await filters.getByLabel(name('subject.biology')).check();
    await filters.getByLabel(name('quality.EXCELLENT')).check();
    await page.locator('.found[aria-busy=false]').waitFor();
    await visitor.openPanel(page, 'tuning.title');
    await page.getByRole('button', { name: name('whyNot.open') }).click();
    const dialog = page.getByRole('dialog');
    for (const text of ['-2x', '_a', '.5']) {
      const asked = page.waitForResponse((response) => response.request().postDataJSON()?.variables.text === text);
      await dialog.getByLabel(name('whyNot.pick')).fill(text);
      await (await asked).finished();
      await dialog.locator('.picks button').first().waitFor();
      expect(await dialog.getByRole('alert').count(), text).toBe(0);
    }
    await dialog.getByLabel(name('whyNot.pick')).fill('sample-en-076');
    await dialog.getByRole('button', { name: 'sample-en-076' }).click();
    const fields = (['field.subject', 'field.qualityGrade'] as const).map(name).join(name('list.comma'));
    await dialog.locator('.reason-no').getByText(name('whyNot.filter').replace('{fields}', fields)).waitFor();
  });
});

test.skipIf(browserPath === null)('why not: a filter on a broader label is not the reason', async () => {
  const visitor = new Visitor({ language: 'en', locale: 'en-US', messages: en, device: 'desktop' });
  const { errors } = await studio.gateway.gql(
    `mutation ($inputs: [CreateCardInput!]!) {
      createCards(inputs: $inputs) { card { id } }
      setLabel(kind: TOPIC_TAG, name: "capitals", input: { parent: "geography of Europe" }) { label { name } }
    }`,
    {
      inputs: ['geography of Europe', 'capitals'].map((tag, place) => ({
        id: `europe-${place}`,
        subject: 'geography',
        difficulty: 1,
        questionText: place === 0 ? 'Name the longest river of Europe.' : '7 x 8 = ?',
        topicTags: [tag],
      })),
    },
  );
  expect(errors).toBeUndefined();
  await indexed(studio.gateway);
  const page = await visitor.visit(studio);
  await visitor.search(page, 'Name the longest river of Europe');
  const filters = page.getByRole('form', { name: visitor.name('filter.title') }).first();
  const topics = filters.getByRole('group', { name: visitor.name('field.topicTags'), exact: true });
  await topics.getByRole('searchbox').fill('geography of Europe');
  await topics.getByRole('checkbox').check();
  await soon(() => page.locator('.hits .hit').count()).toBe(1);
  await page.getByRole('button', { name: visitor.name('whyNot.open') }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(visitor.name('whyNot.pick')).fill('europe-1');
  await dialog.getByRole('button', { name: 'europe-1' }).click();
  await dialog.locator('.reason-no').waitFor();
  expect(await dialog.getByText(visitor.name('whyNot.passes')).count()).toBe(1);
  expect(await visitor.leave()).toEqual([]);
});

function ids(hits: Locator): Promise<(string | null)[]> {
  return hits.evaluateAll((elements) => elements.map((element) => element.getAttribute('data-card')));
}
