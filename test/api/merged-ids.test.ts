/** Every input that takes the id of a card, with the id of a card that was merged into another one. */
import { beforeAll, describe, expect, test } from 'vitest';
import { SEARCH_OPERATIONS } from '../../src/domain/search.js';
import { type Api, sharedGateway } from '../support/gateway.js';
import { createCard, idsOf, indexed, wholeSearch } from '../support/notebook.js';

const MERGE = `mutation ($from: ID!, $into: ID!) { mergeCards(from: $from, into: $into) { id } }`;

let amy: Api;
let ben: Api;
let tess: Api;
let bearer: string;

beforeAll(async () => {
  const { gateway, tokenOf } = await sharedGateway();
  bearer = await tokenOf({ sub: 'amy' });
  amy = gateway.as(bearer);
  ben = gateway.as(await tokenOf({ sub: 'ben' }));
  tess = gateway.as(await tokenOf({ sub: 'tess', role: 'teacher' }));
  const create = (id: string, sum: string, errorType = 'adds denominators') => {
    const texts = { questionText: `Calculate ${sum}`, studentSolutionText: 'I added tops and bottoms: 2/5' };
    return createCard(amy, { id, ...texts, topicTags: ['fractions'], errorTypes: [errorType] });
  };
  await create('kept', '1/2 + 1/3');
  await create('gone', '1/2 + 1/3 = ?');
  await create('other', '1/4 + 2/3');
  await create('third', '3/4 - 1/5', 'sign');
  await create('deleted', '7/8 - 1/6', 'sign');
  await amy.must(MERGE, { from: 'gone', into: 'kept' });
  await amy.must('mutation { deleteCard(id: "deleted") }');
  await indexed(amy);
});

const codesOf = async (api: Api, query: string, variables = {}) =>
  ((await api.gql(query, variables)).errors ?? []).map(({ extensions: { code, field } }) => field ?? code);

describe('the id of a merged card', () => {
  test.each(SEARCH_OPERATIONS)('in %s searches from the card that it was merged into', async (operation) => {
    const [by, hits] = [
      await wholeSearch(amy, operation, { cardId: 'kept' }),
      await wholeSearch(amy, operation, { cardId: 'gone' }),
    ];
    expect(idsOf(hits)).toEqual(idsOf(by));
    expect(idsOf(hits)).toContain('other');
    expect(idsOf(hits)).not.toContain('kept');
  });

  test('in tutoringContext, cardDifficulty and practiceLadder means that card', async () => {
    const query = `query ($id: ID!) {
      tutoringContext(cardId: $id) { verdict sources { card { id } text } }
      cardDifficulty(cardId: $id) { estimate }
      practiceLadder(fromCardId: $id) { rungs { card { id } reason } missing } }`;
    const given = await amy.must<{ tutoringContext: { sources: object[] } }>(query, { id: 'gone' });
    expect(given).toEqual(await amy.must(query, { id: 'kept' }));
    expect(given.tutoringContext.sources[0]).toMatchObject({ card: { id: 'kept' } });
  });

  test('in attempts lists those at both cards', async () => {
    const attempt = (key: string, cardId: string) => `{ key: "${key}", cardId: "${cardId}", correct: true }`;
    const attempts = [attempt('k1', 'kept'), attempt('k2', 'gone')];
    await amy.must(`mutation { recordAttempts(attempts: [${attempts}]) { key } }`);
    const listed = await amy.must<Record<'kept' | 'gone' | 'deleted', { nodes: { key: string }[] }>>(`{
      kept: attempts(cardId: "kept") { nodes { key } } gone: attempts(cardId: "gone") { nodes { key } }
      deleted: attempts(cardId: "deleted") { nodes { key } } }`);
    expect(listed.kept.nodes.map(({ key }) => key).sort()).toEqual(['k1', 'k2']);
    expect([listed.gone, listed.deleted]).toEqual([listed.kept, { nodes: [] }]);
  });

  test('in excludeCardIds excludes that card, in lists and in searches', async () => {
    const listed = async (excluded: string[]): Promise<string[]> => {
      const { cards } = await amy.must<{ cards: { nodes: { id: string }[]; totalCount: number } }>(
        'query ($filter: CardFilter) { cards(filter: $filter) { totalCount nodes { id } } }',
        { filter: { excludeCardIds: excluded } },
      );
      expect(cards.totalCount).toBe(cards.nodes.length);
      return cards.nodes.map(({ id }) => id).sort();
    };
    expect(await listed(['gone'])).toEqual(['other', 'third']);
    expect(await listed(['deleted'])).toEqual(['kept', 'other', 'third']);
    expect(await listed(['kept', 'gone', 'third'])).toEqual(['other']);
    const filter = { excludeCardIds: ['gone'] };
    const text = '1/2 + 1/3';
    expect(idsOf(await wholeSearch(amy, 'hybridSearch', { text, filter })).toSorted()).toEqual(['other', 'third']);
    // Fewer hits than cards: the excluded card has no part in the search, as if it had been excluded by its own id.
    const foundWithout = async (...excludeCardIds: string[]) => {
      const asked = { text, topK: 1, filter: { excludeCardIds } };
      const { hits, receipt } = await wholeSearch(amy, 'hybridSearch', asked);
      const { matchedByFilter, nothingClose, candidates } = receipt;
      return { hits, matchedByFilter, nothingClose, candidates };
    };
    expect(await foundWithout('gone')).toEqual(await foundWithout('kept'));
    expect(await foundWithout('gone')).toMatchObject({ hits: [{}], matchedByFilter: 2 });
    const { facets, dueCards } = await amy.must<{ facets: { total: number }; dueCards: { nodes: object[] } }>(
      'query ($filter: CardFilter) { facets(filter: $filter) { total } dueCards(filter: $filter) { nodes { card { id } } } }',
      { filter },
    );
    expect(facets.total).toBe(2);
    expect(dueCards.nodes).toHaveLength(2);
  });

  test('in a judgement, as its query or its hit, judges that card, and not one card by itself', async () => {
    const judge = `mutation ($query: GoldenQueryInput!, $id: ID!) { judgeHit(query: $query, cardId: $id, relevance: RELATED) {
      case { cardId relevant { cardId } } } }`;
    const query = { operation: 'hybridSearch', cardId: 'gone' };
    expect(await tess.must(judge, { query, id: 'other' })).toEqual({
      judgeHit: { case: { cardId: 'kept', relevant: [{ cardId: 'other' }] } },
    });
    expect(await tess.must(judge, { query: { operation: 'hybridSearch', text: '1/2' }, id: 'gone' })).toEqual({
      judgeHit: { case: { cardId: null, relevant: [{ cardId: 'kept' }] } },
    });
    expect(await codesOf(tess, judge, { query, id: 'kept' })).toEqual(['cardId']);
    expect(await codesOf(tess, judge, { query, id: 'deleted' })).toEqual(['NOT_FOUND']);
  });

  test('in an export exports that card once, in its place, and in POST /context means it', async () => {
    const post = async (path: string, body: object): Promise<Response> => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${bearer}` };
      return fetch(new URL(path, amy.url), { method: 'POST', headers, body: JSON.stringify(body) });
    };
    const exported = await post('/export', { format: 'jsonl', cardIds: ['third', 'gone', 'other', 'kept'] });
    const lines = (await exported.text()).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(['third', 'kept', 'other']);
    expect((await post('/export', { format: 'jsonl', cardIds: ['deleted'] })).status).toBe(404);
    expect(await (await post('/context', { cardId: 'gone' })).json()).toMatchObject({ cardId: 'kept' });
  });

  test('is no card to change, to delete or to merge', async () => {
    expect(await codesOf(amy, 'mutation { updateCard(id: "gone", input: { difficulty: 3 }) { id } }')).toEqual([
      'NOT_FOUND',
    ]);
    expect(await amy.must('mutation { deleteCard(id: "gone") }')).toEqual({ deleteCard: false });
    expect(await codesOf(amy, MERGE, { from: 'gone', into: 'other' })).toEqual(['NOT_FOUND']);
    expect(await codesOf(amy, MERGE, { from: 'other', into: 'gone' })).toEqual(['NOT_FOUND']);
  });

  test('is unknown to whoever may not see the card that it was merged into', async () => {
    for (const id of ['gone', 'deleted']) {
      const queries = [...SEARCH_OPERATIONS, 'tutoringContext'].map(
        (name) => `{ ${name}(cardId: "${id}") { __typename } }`,
      );
      for (const query of [...queries, `{ cardDifficulty(cardId: "${id}") { estimate } }`]) {
        expect([query, ...(await codesOf(ben, query))]).toEqual([query, 'NOT_FOUND']);
      }
      expect(await codesOf(ben, `{ practiceLadder(fromCardId: "${id}") { missing } }`)).toEqual(['NOT_FOUND']);
    }
  });

  test('is that of a card again after unmergeCard', async () => {
    await amy.must('mutation { unmergeCard(id: "gone") { from { id } } }');
    await indexed(amy);
    expect(idsOf(await wholeSearch(amy, 'hybridSearch', { cardId: 'gone' }))).toContain('kept');
    const filter = { excludeCardIds: ['gone'] };
    expect(idsOf(await wholeSearch(amy, 'hybridSearch', { text: '1/2 + 1/3', filter }))).toContain('kept');
  });
});
