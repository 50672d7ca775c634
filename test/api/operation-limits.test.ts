import { describe, expect, test } from 'vitest';
import { attackTarget, INVALID, TOO_COMPLEX, times, UNPARSED } from './attack-target.js';

const target = attackTarget();

/** Fragments that each spread the next one twice under other aliases: 9 levels are 512 ways to the last. */
const ALIASED_BOMB = `{ ...F0 } ${times(9, (n) => `fragment F${n} on Query { a${n}: cards { totalCount } b${n}: cards { totalCount } ...F${n + 1} ...F${n + 1} }`)} fragment F9 on Query { __typename }`;
const SPREAD_BOMB = (levels: number): string =>
  `{ ...F0 } ${times(levels, (n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`)} fragment F${levels} on Query { __typename }`;
const DEEP = (levels: number): string => `${'{ types '.repeat(levels)}{ name }${' }'.repeat(levels)}`;

const FIELDS = ['questionText', 'subject', 'grade', '__typename'];
/** So many aliases in one operation, at most five of each field. */
const aliases = (count: number): string =>
  `{ cards { nodes { ${times(count, (n) => `a${n}: ${FIELDS[Math.floor(n / 5)]}`)} } } }`;

describe('a request over the limits', () => {
  test.each([
    ['thirteen levels', DEEP(12), TOO_COMPLEX],
    ['101 aliases of a real field', `{ ${times(101, (n) => `a${n}: cards { totalCount }`)} }`, TOO_COMPLEX],
    ['six aliases of one field', `{ ${times(6, (n) => `a${n}: card(id: "x") { id }`)} }`, TOO_COMPLEX],
    [
      'six aliases of one field in a fragment',
      `{ ...A } fragment A on Query { ${times(6, (n) => `a${n}: card(id: "x") { id }`)} }`,
      TOO_COMPLEX,
    ],
    ['six aliases of __typename', `{ ${times(6, (n) => `a${n}: __typename`)} }`, TOO_COMPLEX],
    ['sixteen aliases, none of one field more than five times', aliases(16), TOO_COMPLEX],
    ['a field of the root eleven times', `{ ${times(11, () => 'cards { totalCount }')} }`, TOO_COMPLEX],
    [
      'a mutation twenty times under aliases',
      `mutation { ${times(20, (n) => `a${n}: deleteCard(id: "x")`)} }`,
      TOO_COMPLEX,
    ],
    ['four mutations', `mutation { ${times(4, (n) => `a${n}: deleteCard(id: "x")`)} }`, TOO_COMPLEX],
    ['an aliased fragment bomb', ALIASED_BOMB, TOO_COMPLEX],
    ['a fragment bomb of 2^20', SPREAD_BOMB(20), TOO_COMPLEX],
    ['a fragment bomb of 2^90', SPREAD_BOMB(90), TOO_COMPLEX],
    [
      'a fragment bomb that the operation does not spread',
      `{ __typename } ${SPREAD_BOMB(20).replace('{ ...F0 }', '')}`,
      TOO_COMPLEX,
    ],
    ['overlapping fields', `{ ${times(120, () => 'cards { totalCount }')} }`, TOO_COMPLEX],
    [
      'a product of inline fragments',
      `{ ${times(70, () => '... on Query { ... on Query { cards { totalCount } } }')} }`,
      TOO_COMPLEX,
    ],
    [
      '13 levels in a fragment named __schema',
      `{ ...__schema } fragment __schema on Query { __schema ${DEEP(12)} }`,
      TOO_COMPLEX,
    ],
  ])('%s', async (_what, query, expected) => {
    expect(await target.attack(query, {})).toEqual(expected);
  });

  test.each([
    ['20,000 brackets', '['.repeat(20_000), UNPARSED],
    ['20,000 brackets in an argument', `{ cards(filter: ${'['.repeat(20_000)} `, UNPARSED],
    ['20,000 nested selections', '{a'.repeat(20_000), UNPARSED],
    ['more than 1,000 tokens', `{ ${'__typename '.repeat(1_001)} }`, UNPARSED],
    ['20,000 times the same field', `{ ${'__typename '.repeat(20_000)} }`, UNPARSED],
    ['3,000 overlapping fields', `{ ${'cards { totalCount } '.repeat(750)} }`, UNPARSED],
    ['a cycle of fragments', '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }', INVALID],
    [
      'a cycle of fragments that spread each other twice',
      SPREAD_BOMB(60).replace('{ __typename }', '{ ...F0 ...F0 }'),
      INVALID,
    ],
    ['2,000 variables of one name', `query A(${'$a:a '.repeat(2_000)}) { __typename }`, UNPARSED],
    ['200 variables of one name', `query A(${'$a:Int '.repeat(200)}) { __typename }`, INVALID],
    ['500 operations', times(500, (n) => `query Q${n}{__typename}`), UNPARSED],
    ['100 operations', times(100, (n) => `query Q${n}{__typename}`), INVALID],
    ['a subscription', 'subscription { cards { totalCount } }', INVALID],
    ['@defer', '{ ... @defer { cards { totalCount } } }', INVALID],
    ['@stream', '{ cards { nodes @stream { id } } }', INVALID],
    ['a type by its name', '{ __type(name: "MistakeCard") { name } }', INVALID],
  ])('%s', async (_what, query, expected) => {
    expect(await target.attack(query, {})).toEqual(expected);
  });

  test('is refused before it is executed, in less processor time than a thousand ordinary requests take', async () => {
    const honest = await cpuMs(async () => {
      for (let n = 0; n < 20; n++) await target.api.post('{ __typename }');
    });
    for (const query of [ALIASED_BOMB, SPREAD_BOMB(90), '['.repeat(20_000), `{ ${'__typename '.repeat(20_000)} }`]) {
      expect(await cpuMs(() => target.attack(query, {}))).toBeLessThan(50 * honest);
    }
  });
});

/** Processor time of client and gateway, which are in this process: a stall of the machine does not count. */
async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const started = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1_000;
}

/** Everything that a search can tell of a card. */
const ALL_OF_A_CARD = `id subject grade difficulty questionText studentSolutionText goldSolutionBrief topicTags errorTypes
  qualityGrade source notes occurredAt occurrences createdAt updatedAt revision
  index { state indexedRevision indexedAt perspectives lastError }`;

const EVERY_HIT = `hits { rank score threshold card { ${ALL_OF_A_CARD} } lanes { perspective kind score weight rank } }`;

describe('long lists', () => {
  const pages = (count: number, size: string): string =>
    times(
      count,
      (n) => `p${n}: cards(first: ${size}) { nodes { ${ALL_OF_A_CARD} } edges { node { ${ALL_OF_A_CARD} } } }`,
    );

  test.each([
    ['written out', `{ ${pages(3, '100')} }`, {}],
    ['in a variable', `query ($n: Int!) { ${pages(3, '$n')} }`, { n: 100 }],
    ["in a variable's default", `query ($n: Int = 100) { ${pages(3, '$n')} }`, {}],
    ['in a fragment', `query ($n: Int!) { ...A } fragment A on Query { ${pages(3, '$n')} }`, { n: 100 }],
  ])('cost as much as they may become: their length %s', async (_where, query, variables) => {
    expect(await target.attack(query, { variables })).toEqual(TOO_COMPLEX);
  });

  test.each([
    ['first: 101', pages(3, '101'), 'first: must be at most 100'],
    ['first: -1', pages(3, '-1'), 'first: must be at least 1'],
    ['topK: 201', `byError(text: "x", topK: 201) { ${EVERY_HIT} }`, 'topK: must be at most 200'],
    ['topK: -1', `byError(text: "x", topK: -1) { ${EVERY_HIT} }`, 'topK: must be at least 1'],
  ])(
    'are refused before they are executed if their length is out of range, with its name: %s',
    async (_, query, message) => {
      expect(await target.attack(`{ ${query} }`, {})).toEqual({ status: 400, codes: ['BAD_USER_INPUT'] });
      expect((await target.api.post(`{ ${query} }`)).errors).toMatchObject([
        { message, extensions: { field: message.split(':')[0] } },
      ]);
    },
  );

  test('of common lengths are returned, and an invalid length is named in the error', async () => {
    expect(await target.api.post(`{ ${pages(1, '100')} }`)).toMatchObject({ status: 200, errors: [] });
    const { errors } = await target.api.post('query ($n: Int!) { cards(first: $n) { totalCount } }', { n: 1_000 });
    expect(errors[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', field: 'first' });
  });
});

describe('requests of ordinary clients are answered:', () => {
  test.each([
    [
      'a search with everything that it can tell',
      `{ hybridSearch(text: "x", topK: 50) { hits { rank score card { ${ALL_OF_A_CARD} } lanes { perspective kind score weight contribution rank } rerankLogit layer threshold } receipt { candidates stages { stage tookMs } degraded { part reason } } } }`,
    ],
    [
      'five searches at once',
      `{ ${times(5, (n) => `s${n}: hybridSearch(text: "x", topK: 5) { hits { rank score card { ${ALL_OF_A_CARD} } lanes { perspective kind score } } }`)} }`.replace(
        's4: hybridSearch',
        's4: byError',
      ),
    ],
    [
      'components that each ask for the same id',
      `{ cards { nodes { id ${times(30, () => '... on MistakeCard { id __typename }')} } } }`,
    ],
    ['fifteen aliases, five of each field', aliases(15)],
    ['three mutations', `mutation { ${times(3, (n) => `a${n}: deleteCard(id: "x")`)} }`],
  ])('%s', async (_what, query) => {
    expect(await target.api.post(query)).toMatchObject({ status: 200, errors: [] });
  });
});
