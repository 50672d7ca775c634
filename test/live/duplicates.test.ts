import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const CREATE = `mutation ($input: CreateCardInput!, $onDuplicate: OnDuplicate) {
  createCard(input: $input, onDuplicate: $onDuplicate) { id occurrences studentSolutionText notes topicTags } }`;
const TIMES = `query ($id: ID!) { occurrencesOf(cardId: $id) {
  number occurredAt wrongSolution errorTypes mergedId merged { questionText notes source topicTags } } }`;

describe('the same question twice', () => {
  const input = {
    id: 'twice',
    subject: 'math',
    difficulty: 2,
    questionText: '下列说法正确的是（ ）\nA. 零是正数\nB. 零是负数\nC. 零是整数',
    studentSolutionText: '选 A',
    errorTypes: ['概念不清'],
    occurredAt: '2026-02-01T00:00:00.000Z',
  };
  const reordered = {
    ...input,
    id: 'twice-again',
    questionText: '下列说法正确的是( )\nA. 零是整数\nB. 零是正数\nC. 零是负数',
    studentSolutionText: '选 C',
    errorTypes: ['粗心'],
    notes: '第二次',
    occurredAt: '2026-02-08T00:00:00.000Z',
  };

  test('becomes an occurrence on create with MERGE, with its date, wrong solution and errors', async () => {
    expect((await gateway.gql(CREATE, { input })).errors).toBeUndefined();
    const rejected = await gateway.gql(CREATE, { input: reordered, onDuplicate: 'REJECT' });
    expect(rejected.errors?.[0]?.extensions.code).toBe('CONFLICT');
    const merged = await gateway.gql(CREATE, { input: reordered, onDuplicate: 'MERGE' });
    expect(merged.data?.createCard).toMatchObject({
      id: 'twice',
      occurrences: 2,
      studentSolutionText: '选 A',
      notes: '第二次',
    });
    const { data } = await gateway.gql<{ occurrencesOf: object[] }>(TIMES, { id: 'twice' });
    expect(data?.occurrencesOf).toEqual([
      {
        number: 1,
        occurredAt: input.occurredAt,
        wrongSolution: '选 A',
        errorTypes: ['概念不清'],
        mergedId: null,
        merged: null,
      },
      {
        number: 2,
        occurredAt: reordered.occurredAt,
        wrongSolution: '选 C',
        errorTypes: ['粗心'],
        mergedId: 'twice-again',
        merged: { questionText: reordered.questionText, notes: null, source: null, topicTags: null },
      },
    ]);
  });

  test('is listed in a cluster and can be merged without losing text of either card', async () => {
    const question = '某商店以每件 80 元的价格购进一批衬衫，按标价的九折出售，仍可获利 20%，求每件的标价';
    const pair = [
      {
        id: 'shirt-1',
        subject: 'math',
        grade: 'G7',
        difficulty: 3,
        questionText: question,
        source: '周测',
        topicTags: ['打折销售'],
        errorTypes: ['列式错误'],
      },
      {
        id: 'shirt-2',
        subject: 'math',
        difficulty: 4,
        questionText: `${question}？`,
        source: '月考',
        notes: '又错了',
        topicTags: ['一元一次方程'],
        errorTypes: ['审题不清'],
      },
    ];
    for (const one of pair) expect((await gateway.gql(CREATE, { input: one })).errors).toBeUndefined();
    const clusters = await gateway.gql<{ duplicates: { exact: boolean; nearness: number; cards: { id: string }[] }[] }>(
      'query ($filter: CardFilter) { duplicates(filter: $filter) { exact nearness cards { id } } }',
      { filter: { topicTags: ['打折销售', '一元一次方程'] } },
    );
    expect(clusters.data?.duplicates.map(({ cards }) => cards.map(({ id }) => id))).toEqual([['shirt-1', 'shirt-2']]);
    const page = async (first: number, after: string | null) => {
      const query = `query ($first: Int, $after: String) { duplicates(first: $first, after: $after) { cursor cards { id } } }`;
      return (await gateway.must<{ duplicates: { cursor: string }[] }>(query, { first, after })).duplicates;
    };
    for (const place of [1, 2]) {
      for (const id of ['one', 'two']) {
        const other = { id: `${id}-${place}`, subject: 'math', difficulty: 1, questionText: `What is 31 + 4${place}?` };
        expect((await gateway.gql(CREATE, { input: other })).errors).toBeUndefined();
      }
    }
    const whole = await page(100, null);
    expect(whole.length).toBeGreaterThan(2);
    const paged: { cursor: string }[] = [];
    for (let next = await page(1, null); next.length > 0; next = await page(1, next[0]?.cursor ?? null))
      paged.push(...next);
    expect(paged).toEqual(whole);
    const { errors } = await gateway.gql('{ duplicates(after: "WyJhIl0") { cursor } }');
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'after' });
    const merge =
      'mutation ($into: ID!, $from: ID!) { mergeCards(into: $into, from: $from) { id grade difficulty source notes topicTags errorTypes occurrences } }';
    const merged = await gateway.gql<{ mergeCards: object }>(merge, { into: 'shirt-1', from: 'shirt-2' });
    expect(merged.data?.mergeCards).toMatchObject({
      id: 'shirt-1',
      grade: 'G7',
      difficulty: 3,
      source: '周测',
      notes: '又错了',
      topicTags: ['打折销售', '一元一次方程'],
      errorTypes: ['列式错误', '审题不清'],
      occurrences: 2,
    });
    const times = await gateway.gql<{ occurrencesOf: { mergedId: string; merged: object }[] }>(TIMES, {
      id: 'shirt-1',
    });
    expect(times.data?.occurrencesOf[1]).toMatchObject({
      mergedId: 'shirt-2',
      merged: { questionText: `${question}？`, source: '月考' },
    });
    expect((await gateway.gql('{ card(id: "shirt-2") { id } }')).data?.card).toEqual({ id: 'shirt-1' });
    const gone = await gateway.gql(merge, { into: 'shirt-1', from: 'shirt-2' });
    expect(gone.errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    expect((await gateway.gql(merge, { into: 'shirt-1', from: 'shirt-1' })).errors?.[0]?.extensions.code).toBe(
      'BAD_USER_INPUT',
    );
  });
});
