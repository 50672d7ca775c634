/** Every list of the API that is paged, found in the schema: one that is added later is tried as well. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, getNamedType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/config/package-root.js';
import { SEARCH_OPERATIONS } from '../../src/domain/search.js';
import { type Api, sharedGateway } from '../support/gateway.js';
import { createCard, indexed } from '../support/notebook.js';
import { until } from '../support/until.js';

const schema = buildSchema(readFileSync(join(packageRoot(), 'schema.graphql'), 'utf8'));

interface List {
  /** What an entry is known by. */
  readonly node: string;
  /** The field around the connection, of the first or the second of two objects. */
  readonly parent?: (which: 0 | 1) => string;
  /** Arguments with which it is another list. */
  readonly others?: readonly string[];
}

const SETS = ['pages', 'others'] as const;
const evaluationIds: string[] = [];
const importIds: string[] = [];

/** A connection that is not here has to be added. */
const LISTS: Readonly<Record<string, List>> = {
  'Evaluation.caseReports': { node: 'id', parent: (which) => `evaluation(id: "${evaluationIds[which]}")` },
  'GoldenSet.goldenCases': { node: 'id', parent: (which) => `goldenSet(name: "${SETS[which]}")` },
  'ImportJob.rowProblems': { node: 'row column', parent: (which) => `importJob(id: "${importIds[which]}")` },
  'ImportJob.rows': { node: 'row', parent: (which) => `importJob(id: "${importIds[which]}")` },
  'Query.attempts': {
    node: 'key',
    others: ['owner: "zoe"', 'cardId: "card-1"', 'from: "2026-01-01T00:00:00Z"', 'to: "2027-01-01T00:00:00Z"'],
  },
  'Query.cards': { node: 'id', others: ['filter: { difficultyMin: 1 }', 'orderBy: { field: UPDATED }'] },
  'Query.changes': { node: 'cardId' },
  'Query.dueCards': { node: 'card { id }', others: ['filter: { subjects: ["math"] }'] },
  'Query.errorTypes': { node: 'name', others: ['prefix: "s"'] },
  'Query.mastery': { node: 'kind name', others: ['owner: "zoe"', 'topicTags: ["sums"]', 'errorTypes: ["slip"]'] },
  'Query.topicTags': { node: 'name', others: ['prefix: "s"', 'parent: "sums"'] },
};

const connections = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .flatMap((type) => Object.values(type.getFields()).map((field) => ({ place: `${type.name}.${field.name}`, field })))
  .filter(({ field }) => getNamedType(field.type).name.endsWith('Connection'))
  .map(({ place }) => place)
  .sort();

interface Page {
  readonly edges: readonly { readonly cursor: string; readonly node: unknown }[];
  readonly nodes: readonly unknown[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

let gateway: Api;
beforeAll(async () => {
  const shared = await sharedGateway();
  gateway = shared.gateway.as(await shared.tokenOf({ sub: 'amy', role: 'admin' }));
  const labels = { topicTags: ['fractions', 'decimals', 'sums'], errorTypes: ['sign error', 'slip', 'unit error'] };
  for (const n of [1, 2, 3, 4])
    await createCard(gateway, {
      id: `card-${n}`,
      questionText: `1/2 + 1/${n}`,
      studentSolutionText: '1/2 + 1/3',
      ...labels,
    });
  await indexed(gateway);
  const attempts = [1, 2, 3].map((n) => ({
    key: `k${n}`,
    cardId: `card-${n}`,
    correct: n === 1,
    at: '2026-01-01T00:00:00Z',
  }));
  await gateway.gql('mutation ($attempts: [AttemptInput!]!) { recordAttempts(attempts: $attempts) { outcome } }', {
    attempts,
  });
  const cases = [1, 2, 3].map((n) => {
    return { id: `case-${n}`, operation: 'byConcept', text: 'sums', relevant: [{ cardId: `card-${n}`, grade: 1 }] };
  });
  const bad = { questionText: '1 + 1', subject: 'math', difficulty: 9 };
  for (const name of SETS) {
    const made = await gateway.must<Record<'evaluate' | 'importCards', { id: string }>>(
      `mutation ($input: SaveGoldenSetInput!, $rows: [ImportCardInput!]!) {
        saveGoldenSet(input: $input) { name } evaluate(set: "${name}") { id } importCards(rows: $rows) { id }
      }`,
      { input: { name, cases }, rows: [bad, bad, bad] },
    );
    evaluationIds.push(made.evaluate.id);
    importIds.push(made.importCards.id);
    const isDone = async () => {
      const { evaluation } = await gateway.must<{ evaluation: { state: string } }>(
        `{ evaluation(id: "${made.evaluate.id}") { state } }`,
      );
      return evaluation.state === 'DONE';
    };
    await until(isDone, { deadlineMs: 60_000, what: 'the evaluation to end' });
  }
});

async function ask(place: string, variables: object, others = '', which: 0 | 1 = 0) {
  const { node, parent } = LISTS[place] as List;
  const list = `list: ${place.split('.')[1]}(first: $first, after: $after ${others}) {
    edges { cursor node { ${node} } } nodes { ${node} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`;
  const asked = parent === undefined ? list : `parent: ${parent(which)} { ${list} }`;
  const query = `query ($first: Int, $after: String) { ${asked} }`;
  const { data, errors } = await gateway.gql<{ list?: Page; parent?: { list: Page | null } }>(query, { ...variables });
  return { page: data?.list ?? data?.parent?.list ?? null, errors };
}

async function pageOf(place: string, variables: object): Promise<Page> {
  const { page, errors } = await ask(place, variables);
  if (page === null) throw new Error(`${place} answered ${JSON.stringify(errors)}`);
  return page;
}

test('every connection of the schema is tested', () => {
  expect(connections).toEqual(Object.keys(LISTS));
});

describe.each(connections)('%s', (place) => {
  test('has the same entries on pages of one entry as on a single page', async () => {
    const whole = await pageOf(place, { first: 100 });
    expect(whole.nodes.length).toBeGreaterThan(2);
    expect(whole.edges.map(({ node }) => node)).toEqual(whole.nodes);
    expect(whole.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false });
    const seen: unknown[] = [];
    for (let after: string | null = null, hasNextPage = true; hasNextPage; ) {
      const { edges, pageInfo }: Page = await pageOf(place, { first: 1, after });
      expect(pageInfo.hasPreviousPage).toBe(after !== null);
      expect(pageInfo.startCursor).toBe(edges[0]?.cursor ?? null);
      seen.push(...edges.map(({ node }) => node));
      ({ hasNextPage, endCursor: after } = pageInfo);
      expect(seen.length).toBeLessThanOrEqual(whole.nodes.length);
    }
    expect(seen).toEqual(whole.nodes);
  });

  test('continues after the cursor of any entry, and treats null like an absent argument', async () => {
    const { edges, nodes } = await pageOf(place, { first: null, after: null });
    const { nodes: rest } = await pageOf(place, { after: edges[0]?.cursor });
    expect(rest).toEqual(nodes.slice(1));
  });

  test('refuses the cursors of the other lists', async () => {
    const accepted: string[] = [];
    for (const other of connections.filter((one) => one !== place)) {
      const { edges } = await pageOf(other, { first: 1 });
      const { errors } = await ask(place, { after: edges[0]?.cursor });
      if (errors?.[0]?.extensions.field !== 'after') accepted.push(other);
    }
    expect(accepted).toEqual([]);
  });

  test('refuses the cursors of the same list with other arguments, and of another object', async () => {
    const { edges } = await pageOf(place, { first: 1 });
    if (LISTS[place]?.parent !== undefined) {
      const { errors } = await ask(place, { after: edges[0]?.cursor }, '', 1);
      expect(errors?.[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', field: 'after' });
    }
    for (const others of LISTS[place]?.others ?? []) {
      const { errors } = await ask(place, { after: edges[0]?.cursor }, others);
      expect([others, errors?.[0]?.extensions]).toEqual([others, { code: 'BAD_USER_INPUT', field: 'after' }]);
    }
  });

  test.each([
    ['first', { first: 0 }],
    ['first', { first: -1 }],
    ['first', { first: 101 }],
    ['after', { after: '' }],
    ['after', { after: 'no cursor' }],
    ['after', { after: Buffer.from('another list').toString('base64url') }],
    ['after', { after: 'x'.repeat(5_000) }],
  ])('refuses by the name %s: %j', async (field, variables) => {
    const { page, errors } = await ask(place, variables);
    expect([page, errors?.map(({ extensions }) => extensions)]).toEqual([null, [{ code: 'BAD_USER_INPUT', field }]]);
  });
});

interface FoundPage {
  readonly hits: readonly { readonly rank: number; readonly card: { readonly id: string } }[];
  readonly pageInfo: Page['pageInfo'];
}

function find(operation: string, variables: object) {
  const query = `query ($text: String = "1/2 + 1/3 fractions sign error", $topK: Int, $after: String, $filter: CardFilter) {
    found: ${operation}(text: $text, topK: $topK, after: $after, filter: $filter, options: { thresholdSteps: [0], minResults: 50 }) {
      hits { rank card { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }`;
  return gateway.gql<{ found: FoundPage }>(query, { ...variables });
}

async function foundBy(operation: string, variables: object): Promise<FoundPage> {
  const { data, errors } = await find(operation, variables);
  if (data === null) throw new Error(`${operation} answered ${JSON.stringify(errors)}`);
  return data.found;
}

describe.each(SEARCH_OPERATIONS)('%s', (operation) => {
  test('has the same hits on pages of one as on one page', async () => {
    const whole = await foundBy(operation, { topK: 200 });
    expect(whole.hits.length).toBeGreaterThan(2);
    expect(whole.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false });
    const seen: FoundPage['hits'][number][] = [];
    for (let after: string | null = null, hasNextPage = true; hasNextPage; ) {
      const { hits, pageInfo }: FoundPage = await foundBy(operation, { topK: 1, after });
      expect(pageInfo).toMatchObject({ hasPreviousPage: after !== null, startCursor: pageInfo.endCursor });
      seen.push(...hits);
      ({ hasNextPage, endCursor: after } = pageInfo);
      expect(seen.length).toBeLessThanOrEqual(whole.hits.length);
    }
    expect(seen).toEqual(whole.hits);
  });

  test.each(['', 'no cursor', Buffer.from('another list').toString('base64url'), 'x'.repeat(5_000)])(
    'refuses the cursor %s',
    async (after) => {
      const { errors } = await find(operation, { after });
      expect(errors?.map(({ extensions }) => extensions)).toEqual([{ code: 'BAD_USER_INPUT', field: 'after' }]);
    },
  );

  test('refuses the cursor of another search, and goes on with another size of page', async () => {
    const { hits, pageInfo } = await foundBy(operation, { topK: 2 });
    const after = pageInfo.endCursor;
    expect((await find(operation, { after, text: 'another text' })).errors?.[0]?.extensions.field).toBe('after');
    const { hits: rest } = await foundBy(operation, { after, topK: 200 });
    const { hits: whole } = await foundBy(operation, { topK: 200 });
    expect([...hits, ...rest]).toEqual(whole);
    const { hits: again } = await foundBy(operation, { after, topK: 200, filter: null });
    expect(again).toEqual(rest);
  });
});

test('a card that is created or deleted between two pages of a search is found or left out, and no other comes twice', async () => {
  const operation = 'similarQuestions';
  const first = await foundBy(operation, { topK: 2 });
  await createCard(gateway, { id: 'late', questionText: '1/2 + 1/3 fractions sign error' }, true);
  await gateway.gql('mutation { deleteCard(id: "card-1", waitForIndex: true) }');
  const { hits: rest, pageInfo } = await foundBy(operation, { after: first.pageInfo.endCursor, topK: 200 });
  const ids = [...first.hits, ...rest].map(({ card }) => card.id);
  expect(rest[0]).toMatchObject({ rank: 3, card: { id: 'late' } });
  expect(ids).toHaveLength(new Set(ids).size);
  expect(new Set([...ids, 'card-1'])).toEqual(new Set(['card-1', 'card-2', 'card-3', 'card-4', 'late']));
  expect(pageInfo.hasNextPage).toBe(false);
});
