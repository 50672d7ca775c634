import { beforeAll, describe, expect, test } from 'vitest';
import { type Api, sharedGateway } from '../support/gateway.js';
import { createCard, idsOf, indexed, wholeSearch as search } from '../support/notebook.js';
import { until } from '../support/until.js';

let tess: Api;
let amy: Api;
let ben: Api;

beforeAll(async () => {
  const { gateway, tokenOf } = await sharedGateway();
  tess = gateway.as(await tokenOf({ sub: 'tess', role: 'teacher' }));
  amy = gateway.as(await tokenOf({ sub: 'amy' }));
  ben = gateway.as(await tokenOf({ sub: 'ben' }));
});

interface Label {
  readonly name: string;
  readonly cardCount: number;
  readonly aliases: readonly string[];
  readonly parent: string | null;
  readonly children: readonly string[];
}

const LABEL = 'kind name cardCount aliases parent children';

async function labels(of: Api, args: string, field = 'topicTags') {
  const query = `{ ${field}(${args}) { nodes { ${LABEL} } totalCount pageInfo { hasNextPage endCursor } } }`;
  const { data, errors } = await of.gql<Record<string, Page>>(query);
  expect(errors).toBeUndefined();
  return (data as Record<string, Page>)[field] as Page;
}

interface Page {
  readonly nodes: readonly Label[];
  readonly totalCount: number;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

interface Changed {
  readonly changed: { readonly label: Label; readonly changedCards: number };
}

function change(of: Api, call: string) {
  return of.gql<Changed>(`mutation { changed: ${call} { label { ${LABEL} } changedCards } }`);
}

async function cardOf(id: string) {
  const { data } = await tess.gql<{
    card: { revision: number; topicTags: string[]; errorTypes: string[]; subject: string; grade: string };
  }>(`{ card(id: "${id}") { revision topicTags errorTypes subject grade } }`);
  return data?.card;
}

async function matching(filter: string): Promise<readonly string[]> {
  const { data } = await tess.gql<{ cards: { nodes: { id: string }[] } }>(
    `{ cards(filter: { ${filter} }) { nodes { id } } }`,
  );
  return data?.cards.nodes.map(({ id }) => id).sort() ?? [];
}

describe('a list of labels', () => {
  test('counts the cards that the viewer may see, and hides labels of others from students', async () => {
    await createCard(amy, { id: 'l1', questionText: 'q1', topicTags: ['List One', 'List Two'] });
    await createCard(ben, { id: 'l2', questionText: 'q2', topicTags: ['List One', 'List Three'] });
    const names = async (of: Api) =>
      (await labels(of, 'prefix: "list "')).nodes.map(({ name, cardCount }) => [name, cardCount]);
    expect(await names(tess)).toEqual([
      ['List One', 2],
      ['List Three', 1],
      ['List Two', 1],
    ]);
    expect(await names(amy)).toEqual([
      ['List One', 1],
      ['List Two', 1],
    ]);
  });

  test('is read page by page; a cursor is valid for one kind only', async () => {
    const first = await labels(tess, 'prefix: "ＬＩＳＴ", first: 2');
    expect(first).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
    const rest = await labels(tess, `prefix: "List", first: 2, after: "${first.pageInfo.endCursor}"`);
    expect(rest.nodes.map(({ name }) => name)).toEqual(['List Two']);
    expect(rest).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: false } });
    const { errors } = await tess.gql(`{ errorTypes(after: "${first.pageInfo.endCursor}") { totalCount } }`);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'after' });
  });
});

describe('renameLabel', () => {
  test('gives the cards of the school new revisions, and searches find them by the new name', async () => {
    await createCard(amy, { id: 'r1', questionText: 'Calculate 1/2 + 1/3.', topicTags: ['adding fractoins'] }, true);
    await createCard(ben, { id: 'r2', questionText: 'Calculate 2/5 + 1/4.', topicTags: ['adding fractoins'] }, true);
    const { data, errors } = await change(
      tess,
      'renameLabel(kind: TOPIC_TAG, from: "Adding Fractoins", to: "adding fractions")',
    );
    expect(errors).toBeUndefined();
    expect(data?.changed).toMatchObject({
      label: { name: 'adding fractions', cardCount: 2, aliases: ['adding fractoins'] },
      changedCards: 2,
    });
    expect(await cardOf('r1')).toMatchObject({ revision: 2, topicTags: ['adding fractions'] });
    // The old name is an alias: once the cards are indexed again, both names find them.
    await indexed(tess);
    const filter = { topicTags: ['adding fractoins'] };
    expect(idsOf(await search(tess, 'byConcept', { text: 'fractions', filter }))).toHaveLength(2);
    const found = await search(tess, 'byConcept', {
      text: 'adding fractions',
      filter: { topicTags: ['Adding fractions'] },
    });
    expect(idsOf(found).toSorted()).toEqual(['r1', 'r2']);
    expect(found.receipt.inferredConcepts).toContain('adding fractions');
  });

  test('refuses the name of another label, a missing label, and students', async () => {
    await createCard(amy, { id: 'r3', questionText: 'q', topicTags: ['one name', 'another name'] });
    const taken = await change(tess, 'renameLabel(kind: TOPIC_TAG, from: "one name", to: "Another  Name")');
    expect(taken.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'to' });
    const absent = await change(tess, 'renameLabel(kind: ERROR_TYPE, from: "one name", to: "x")');
    expect(absent.errors?.[0]?.extensions).toMatchObject({ code: 'NOT_FOUND' });
    const student = await change(amy, 'renameLabel(kind: TOPIC_TAG, from: "one name", to: "x")');
    expect(student.errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN' });
    expect(await cardOf('r3')).toMatchObject({ revision: 1, topicTags: ['one name', 'another name'] });
  });

  test('can change only the spelling', async () => {
    const { data } = await change(tess, 'renameLabel(kind: TOPIC_TAG, from: "ONE NAME", to: "One name")');
    expect(data?.changed).toMatchObject({ label: { name: 'One name', aliases: [] }, changedCards: 1 });
  });
});

describe('mergeLabels', () => {
  test('leaves one label on each card and occurrence, at the first place of the merged labels', async () => {
    await createCard(amy, { id: 'm1', questionText: 'q', errorTypes: ['计算失误', 'other', '计算错误'] });
    await createCard(ben, { id: 'm2', questionText: 'q', errorTypes: ['slip', '计算失误'] });
    const { data, errors } = await change(
      tess,
      'mergeLabels(kind: ERROR_TYPE, from: ["计算失误", "Slip"], into: "计算错误")',
    );
    expect(errors).toBeUndefined();
    expect(data?.changed).toMatchObject({ label: { aliases: ['计算失误', 'slip'], cardCount: 2 }, changedCards: 2 });
    expect(await cardOf('m1')).toMatchObject({ revision: 2, errorTypes: ['other', '计算错误'] });
    expect(await cardOf('m2')).toMatchObject({ revision: 2, errorTypes: ['计算错误'] });
    const times = await ben.gql<{ occurrencesOf: { errorTypes: string[] }[] }>(
      '{ occurrencesOf(cardId: "m2") { errorTypes } }',
    );
    expect(times.data?.occurrencesOf).toEqual([{ errorTypes: ['计算错误'] }]);
    expect((await labels(tess, 'prefix: "计算失误"', 'errorTypes')).nodes.map(({ name }) => name)).toEqual([
      '计算错误',
    ]);
    // Whoever still writes the old name means the label.
    await createCard(amy, { id: 'm3', questionText: 'q', errorTypes: ['SLIP', '计算错误'] });
    expect(await cardOf('m3')).toMatchObject({ revision: 1, errorTypes: ['计算错误'] });
  });
});

describe('setLabel', () => {
  test('builds a tree: filters and searches for the parent find cards with labels below it', async () => {
    for (const [id, tag] of [
      ['t1', '异分母分数加法'],
      ['t2', '分数除法'],
    ] as const) {
      await createCard(amy, { id, questionText: `题目 ${id}`, topicTags: [tag] }, true);
      await change(tess, `setLabel(kind: TOPIC_TAG, name: "分数运算", input: { aliases: ["fraction arithmetic"] })`);
      const { errors } = await change(tess, `setLabel(kind: TOPIC_TAG, name: "${tag}", input: { parent: "分数运算" })`);
      expect(errors).toBeUndefined();
    }
    expect((await labels(amy, 'parent: "Fraction Arithmetic"')).nodes.map(({ name }) => name).sort()).toEqual(
      ['分数除法', '异分母分数加法'].sort(),
    );
    for (const name of ['分数运算', 'FRACTION ARITHMETIC']) {
      expect(await matching(`topicTags: ["${name}"]`)).toEqual(['t1', 't2']);
      const filtered = await search(tess, 'byConcept', { text: '分数', filter: { topicTags: [name] } });
      expect(filtered.receipt.matchedByFilter).toBe(2);
      expect(idsOf(await search(tess, 'byConcept', { text: name, topK: 2 })).toSorted()).toEqual(['t1', 't2']);
    }
  });

  test('answers with a label that nothing uses any more', async () => {
    for (const aliases of ['["spare"]', '[]']) {
      const answer = await change(tess, `setLabel(kind: TOPIC_TAG, name: "unused", input: { aliases: ${aliases} })`);
      expect(answer).toMatchObject({ data: { changed: { label: { name: 'unused', aliases: JSON.parse(aliases) } } } });
    }
  });

  test('keeps the first of aliases that differ in case or width alone', async () => {
    const repeated = '["Sign Rule", "sign rule", "ｓign rule", "TWICE"]';
    const answer = await change(tess, `setLabel(kind: TOPIC_TAG, name: "twice", input: { aliases: ${repeated} })`);
    expect(answer).toMatchObject({ data: { changed: { label: { aliases: ['Sign Rule'] } } } });
  });

  test('refuses a cycle, an unknown parent, and the name of another label as an alias', async () => {
    const codeOf = async (call: string) => (await change(tess, call)).errors?.[0]?.extensions;
    const circle = 'setLabel(kind: TOPIC_TAG, name: "分数运算", input: { parent: "分数除法" })';
    expect(await codeOf(circle)).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.parent' });
    const unknown = 'setLabel(kind: TOPIC_TAG, name: "分数除法", input: { parent: "none" })';
    expect(await codeOf(unknown)).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.parent' });
    const taken = 'setLabel(kind: TOPIC_TAG, name: "分数除法", input: { aliases: ["a", "分数运算"] })';
    expect(await codeOf(taken)).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.aliases[1]' });
    const below = 'mergeLabels(kind: TOPIC_TAG, from: ["分数运算"], into: "分数除法")';
    expect(await codeOf(below)).toMatchObject({ code: 'BAD_USER_INPUT', field: 'into' });
    const { errors } = await change(tess, 'renameLabel(kind: TOPIC_TAG, from: "nowhere", to: "b")');
    expect(errors).toMatchObject([{ message: 'no label with the name "nowhere"', extensions: { code: 'NOT_FOUND' } }]);
    expect((await labels(tess, 'prefix: "分数除法"')).nodes).toMatchObject([{ parent: '分数运算', aliases: [] }]);
  });
});

describe('the vocabulary', () => {
  test('is the same for created and changed cards, filters and facets', async () => {
    await createCard(amy, { id: 'v1', subject: '数学', grade: '五年级', questionText: 'q', topicTags: ['Ｖ tag '] });
    await createCard(amy, { id: 'v2', subject: ' Maths', grade: '5', questionText: 'q', topicTags: ['v TAG'] });
    expect(await cardOf('v2')).toMatchObject({ subject: 'math', grade: 'G5', topicTags: ['Ｖ tag'] });
    const query = 'mutation { updateCard(id: "v2", input: { grade: "Grade 5", topicTags: ["v tag"] }) { revision } }';
    expect((await amy.gql<{ updateCard: object }>(query)).data?.updateCard).toEqual({ revision: 1 });
    expect(await matching('grade: ["小学五年级"], subject: ["数学"], topicTags: ["V Tag"]')).toEqual(['v1', 'v2']);
    const { data } = await tess.gql<{ facets: { topicTag: { value: string; count: number }[] } }>(
      '{ facets(filter: { grade: "g5" }) { topicTag { value count } } }',
    );
    expect(data?.facets.topicTag).toEqual([{ value: 'Ｖ tag', count: 2 }]);
    await indexed(tess);
    await until(
      async () => {
        const found = await search(tess, 'byConcept', {
          text: 'v tag',
          filter: { grade: ['五年级'], topicTags: ['v tag'] },
        });
        return found.receipt.matchedByFilter === 2;
      },
      { deadlineMs: 30_000, what: 'the filter of a search to match both cards' },
    );
  });
});
