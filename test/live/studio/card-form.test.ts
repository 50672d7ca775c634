import type { Locator } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { browserPath, expectAccessible, soon } from '../../support/browser.js';
import { deferred } from '../../support/deferred.js';
import { SAMPLE, studioOf, Visitor, WAYS } from './visitor.js';

const studio = studioOf(SAMPLE);

describe.skipIf(browserPath === null).each(WAYS)('%s', (_title, way) => {
  const visitor = new Visitor(way);
  const { mark } = visitor;
  const name = visitor.name.bind(visitor);
  afterEach(async () => expect(await visitor.leave()).toEqual([]));

  test('the card form suggests labels, warns of a duplicate, and adds it as another occurrence', async () => {
    const page = await visitor.visit(studio, '/#/cards/new');
    const form = page.locator('form.draft');
    await form.getByLabel(`${name('field.questionText')} *`).fill('解不等式：$-2x>6$');
    await form.locator('.suggestions button').first().waitFor();
    await page.getByText(name('editor.duplicate')).waitFor();
    // The draft stays open.
    const link = form.locator('.notice-warning a').first();
    expect(await link.getAttribute('target')).toBe('_blank');
    await soon(() => link.textContent()).toContain('解不等式');
    // It may appear where one is about to click: nothing in it stores the card.
    expect(await form.locator('.notice-warning button').count()).toBe(0);
    await page.locator('.preview .katex').first().waitFor();
    await expectAccessible(page);
    await form.getByLabel(name('field.studentSolutionText')).fill(`$x>-3$ (${mark})`);
    await page.getByRole('button', { name: name('editor.merge') }).click();
    await page.locator('.occurrences').getByText(mark).waitFor();
    await expectAccessible(page);
  });

  test('a duplicate that is saved before the warning is shown is not stored, unless one saves it again', async () => {
    const page = await visitor.visit(studio, '/#/cards/new');
    const form = page.locator('form.draft');
    const held = deferred();
    let created = 0;
    await page.route(/\/graphql$/, async (route) => {
      const { operationName } = route.request().postDataJSON();
      if (operationName === 'SimilarQuestions') await held.promise;
      if (operationName === 'CreateCard') created += 1;
      return route.fallback();
    });
    await form.getByLabel(`${name('field.questionText')} *`).fill('解不等式：$-2x>6$');
    await form.getByLabel(`${name('field.subject')} *`).fill(name('subject.math'));
    await page.getByRole('button', { name: name('action.save'), exact: true }).click();
    held.resolve();
    await page.getByText(name('editor.duplicate')).waitFor();
    const anyway = page.getByRole('button', { name: name('editor.saveAnyway') });
    await soon(() => anyway.isEnabled()).toBe(true);
    expect(created).toBe(0);
    await anyway.click();
    await page.locator('.card-page').waitFor();
    expect(created).toBe(1);
  });

  test('a suggested label that contains a comma is added as one label', async () => {
    const page = await visitor.visit(studio, '/#/cards/new');
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
    expect(
      await form.locator('.label-tag').evaluateAll((tags) => tags.map((one) => one.firstChild?.textContent)),
    ).toEqual([tag]);
  });

  test('suggested labels that come late move no button', async () => {
    const page = await visitor.visit(studio, '/#/cards/new');
    const form = page.locator('form.draft');
    const place = () => form.getByRole('button', { name: name('action.save'), exact: true }).boundingBox();
    const before = await place();
    const concept = { perspective: 'CONCEPT', cards: 1 };
    const tags = Array.from({ length: 8 }, (_, at) => ({ ...concept, tag: `a long label ${at}` }));
    const suggestTags = [...tags, { perspective: 'ERROR', tag: 'divides by -2', cards: 1 }];
    await page.route(/\/graphql$/, (route) => {
      const { operationName } = route.request().postDataJSON();
      return operationName === 'SuggestTags' ? route.fulfill({ json: { data: { suggestTags } } }) : route.fallback();
    });
    await form.getByLabel(name('field.studentSolutionText')).fill('Solve $-2x>6$');
    await form.locator('.suggestions button').last().waitFor();
    expect(await place()).toEqual(before);
    await expectAccessible(page);
  });

  test('labels are divided as in files: at separators, but not in brackets', async () => {
    const page = await visitor.visit(studio, '/#/cards/new');
    const field = page.locator('form.draft').getByLabel(name('field.topicTags'), { exact: true });
    await field.pressSequentially('函数（导数、极值）');
    expect(await field.inputValue()).toBe('函数（导数、极值）');
    await field.press('Enter');
    await field.pressSequentially('有理数；绝对值 |');
    const tags = page.locator('form.draft .label-tag');
    const shown = (): Promise<unknown> => tags.evaluateAll((all) => all.map((one) => one.firstChild?.textContent));
    await soon(shown).toEqual(['函数（导数、极值）', '有理数', '绝对值']);
  });

  test('nothing can be typed while a card is saved, and the fields are as they were if that fails', async () => {
    const page = await visitor.visit(studio, '/#/cards/sample-zh-067/edit');
    const source = page.getByLabel(name('field.source'));
    await source.fill(mark);
    const late = deferred();
    await page.route(/\/graphql$/, async (route) => {
      if (route.request().postDataJSON().operationName !== 'UpdateCard') return route.fallback();
      await late.promise;
      return route.abort();
    });
    await source.press('Enter');
    await soon(() => source.isDisabled()).toBe(true);
    expect(await page.locator('form.draft :is(input, select, textarea, button):enabled').count()).toBe(0);
    late.resolve();
    await page.getByText(name('error.OFFLINE')).waitFor();
    await page.keyboard.type('!');
    expect(await source.inputValue()).toBe(`${mark}!`);
  });

  test('a card whose answer was lost is saved again once, as a new one, as an occurrence and as a change, edited or not', async () => {
    const source = `lost answer ${mark}`;
    const page = await visitor.visit(studio, '/#/cards/new');
    const lost = new Set<string>();
    await page.route(/\/graphql$/, async (route) => {
      const { operationName, variables } = route.request().postDataJSON();
      const which = `${operationName} ${variables.onDuplicate}`;
      if (!/^(?:Create|Update)Card$/.test(operationName) || lost.has(which)) return route.fallback();
      lost.add(which);
      await route.fetch();
      return route.abort();
    });
    const saveTwice = async (button: Locator): Promise<void> => {
      await button.press('Enter');
      await page.getByText(name('error.OFFLINE')).waitFor();
      await soon(() => button.isEnabled()).toBe(true);
      await button.press('Enter');
      await page.locator('.card-page').waitFor();
    };
    const stored = async () => {
      const { data } = await studio.gateway.gql<{ cards: { nodes: { id: string; occurrences: number }[] } }>(
        'query ($source: String!) { cards(filter: { sources: [$source] }) { nodes { id occurrences revision notes } } }',
        { source },
      );
      return data?.cards.nodes ?? [];
    };
    const question = page.getByLabel(`${name('field.questionText')} *`);
    // Else it would find the card that is stored meanwhile, and rename the button.
    const searched = page.waitForResponse((one) => one.request().postDataJSON()?.operationName === 'SimilarQuestions');
    await question.fill(`What is 71 + 19? (${mark})`);
    await page.getByLabel(name('field.source')).fill(source);
    await (await searched).finished();
    await saveTwice(page.getByRole('button', { name: name('action.save') }));
    expect(await stored()).toMatchObject([{ occurrences: 1, revision: 1 }]);
    const [card] = await stored();

    await page.goto(`${new URL(studio.gateway.url).origin}/#/cards/new`);
    await question.fill(`What is 71 + 19? (${mark})`);
    await page.getByLabel(name('field.source')).fill(source);
    await saveTwice(page.getByRole('button', { name: name('editor.merge') }));
    expect(await stored()).toMatchObject([{ id: card?.id, occurrences: 2 }]);

    await page.goto(`${new URL(studio.gateway.url).origin}/#/cards/${card?.id}/edit`);
    await page.getByLabel(name('field.notes')).fill('changed');
    await saveTwice(page.getByRole('button', { name: name('action.save') }));
    expect(await stored()).toMatchObject([{ id: card?.id, notes: 'changed' }]);
    expect(lost.size).toBe(3);

    // What was stored by the lost request is no other person's change.
    lost.delete('UpdateCard undefined');
    await page.goto(`${new URL(studio.gateway.url).origin}/#/cards/${card?.id}/edit`);
    await page.getByLabel(name('field.notes')).fill('stored');
    const save = page.getByRole('button', { name: name('action.save') });
    await save.press('Enter');
    await page.getByText(name('error.OFFLINE')).waitFor();
    await soon(() => save.isEnabled()).toBe(true);
    await page.getByLabel(name('field.notes')).fill('changed again');
    await save.press('Enter');
    await page.locator('.card-page').waitFor();
    expect(await stored()).toMatchObject([{ id: card?.id, notes: 'changed again' }]);
    await studio.gateway.gql(`mutation { deleteCard(id: "${card?.id}") }`);
  });

  test('a card that the gateway stored is no duplicate of itself when it is saved again', async () => {
    const page = await visitor.visit(studio, '/#/cards/new');
    const seen = deferred();
    let searches = 0;
    let isLost = false;
    await page.route(/\/graphql$/, async (route) => {
      const { operationName } = route.request().postDataJSON();
      // The form's own search; the next one is that of the save.
      if (operationName === 'SimilarQuestions' && searches++ === 0) await seen.promise;
      if (operationName !== 'CreateCard' || isLost) return route.fallback();
      isLost = true;
      await route.fetch();
      return route.abort();
    });
    const form = page.locator('form.draft');
    await form.getByLabel(`${name('field.questionText')} *`).fill(`What is 64 + 17? (${mark})`);
    await soon(() => searches).toBe(1);
    const save = page.getByRole('button', { name: name('action.save'), exact: true });
    await save.press('Enter');
    await page.getByText(name('error.OFFLINE')).waitFor();
    await soon(() => save.isEnabled()).toBe(true);
    await save.press('Enter');
    await page.locator('.card-page').waitFor();
    seen.resolve();
  });

  test('a subject and a grade have their names in the language of the page, and are stored as the gateway calls them', async () => {
    const page = await visitor.visit(studio, '/#/cards/new');
    // The cards of the other ways are duplicates; a card can be saved without knowing of them.
    await page.route(/\/graphql$/, (route) =>
      route.request().postDataJSON().operationName === 'SimilarQuestions' ? route.abort() : route.fallback(),
    );
    const subject = page.getByLabel(`${name('field.subject')} *`);
    expect(await subject.inputValue()).toBe(name('subject.math'));
    await subject.fill(name('subject.physics'));
    await page.getByLabel(name('field.grade')).fill(name('grade.G8'));
    await page.getByLabel(`${name('field.questionText')} *`).fill(`Which force acts on a falling ball? (${mark})`);
    const sent = page.waitForRequest((request) => request.postDataJSON()?.operationName === 'CreateCard');
    await page.getByRole('button', { name: name('action.save') }).click();
    expect((await sent).postDataJSON().variables.input).toMatchObject({ subject: 'physics', grade: 'G8' });
    const facts = page.locator('.card-page .facts span');
    await soon(() => facts.allInnerTexts()).toEqual(
      expect.arrayContaining([name('subject.physics'), name('grade.G8')]),
    );
    await page.goto(`${page.url()}/edit`);
    await subject.fill('thermodynamics');
    await subject.blur();
    expect(await subject.inputValue()).toBe('thermodynamics');
  });

  test('an unsaved card is left by a link, the history or a reload only after a question', async () => {
    const page = await visitor.visit(studio, '/#/cards');
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
    await studio.gateway.gql('mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }', { input });
    const page = await visitor.visit(studio, `/#/cards/${id}/edit`);
    const question = page.locator('form.draft').getByLabel(`${name('field.questionText')} *`);
    await question.fill('What is 2 + 3?');
    await page.getByLabel(name('attachments.link')).fill('https://example.org/mine');
    // A link that was not added is not dropped: the form says so, and nothing is saved.
    await page.getByRole('button', { name: name('action.save') }).click();
    const message = (field: { readonly validationMessage?: string }): string | undefined => field.validationMessage;
    expect(await page.getByLabel(name('attachments.link')).evaluate(message)).toBe(name('attachments.linkNotAdded'));
    await page.getByRole('button', { name: name('attachments.addLink') }).click();
    await studio.gateway.gql(`mutation {
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
    const { data } = await studio.gateway.gql(`{ card(id: "${id}") { questionText source attachments { url } } }`);
    const attachments = ['theirs', 'mine'].map((one) => ({ url: `https://example.org/${one}` }));
    expect(data).toEqual({ card: { questionText: 'What is 2 + 3?', source: 'page 7', attachments } });
  });
});
