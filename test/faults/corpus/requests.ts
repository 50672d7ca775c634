import type { Gateway } from '../../support/gateway.js';
import { type Attack, BAD_INPUT, type Outcome, outcomeOf, refused, TAKEN } from './attack.js';

const BAD = refused('400');
const times = (count: number, text: (place: number) => string): string =>
  Array.from({ length: count }, (_, place) => text(place)).join(' ');
const bomb = (levels: number): string =>
  `{ ...F0 } ${times(levels, (n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`)} fragment F${levels} on Query { __typename }`;
const deep = (levels: number): string => `${'{ cards { nodes '.repeat(levels)}{ id }${' } }'.repeat(levels)}`;

const ALL = `id subject grade difficulty questionText studentSolutionText goldSolutionBrief topicTags errorTypes source notes
  occurredAt occurrences createdAt updatedAt revision index { state indexedRevision perspectives lastError }`;

type Headers = Readonly<Record<string, string>>;

/** Sends bytes to a route, with any method and headers. */
function raw(
  name: string,
  expected: Outcome,
  path: string,
  body: string | Uint8Array | null,
  headers: Headers = { 'content-type': 'application/json' },
  method = 'POST',
): Attack {
  const send = async ({ url }: Gateway): Promise<string> =>
    outcomeOf(await fetch(new URL(path, url), { method, headers, body: body as Uint8Array<ArrayBuffer> | null }));
  return { name, expected, send };
}

/** Sends one operation. */
function operation(name: string, expected: Outcome, query: string, variables: object = {}): Attack {
  return raw(name, expected, '/graphql', JSON.stringify({ query, variables }));
}

/** A document without variables. */
const documents: readonly Attack[] = [
  operation('101 aliases', BAD, `{ ${times(101, (n) => `a${n}: __typename`)} }`),
  operation('aliases of a search', BAD, `{ ${times(30, (n) => `a${n}: hybridSearch(text: "x") { hits { score } }`)} }`),
  operation('20,000 times the same field', BAD, `{ ${'__typename '.repeat(20_000)} }`),
  operation('20,000 brackets', BAD, '['.repeat(20_000)),
  operation('20,000 nested selections', BAD, '{a'.repeat(20_000)),
  operation('thirteen levels', BAD, deep(13)),
  operation('a fragment bomb of 2^20', BAD, bomb(20)),
  operation('a fragment bomb of 2^90', BAD, bomb(90)),
  operation(
    'fragments in a circle',
    BAD,
    '{ ...A } fragment A on Query { ...B ...B } fragment B on Query { ...A ...A }',
  ),
  operation('10,000 directives', BAD, `{ __typename ${'@a '.repeat(10_000)} }`),
  operation('overlapping fields', BAD, `{ ${'cards { totalCount } '.repeat(120)} }`),
  operation('inline fragments', BAD, `{ ${'... on Query { ... on Query { cards { totalCount } } } '.repeat(70)} }`),
  operation('2,000 variables of one name', BAD, `query A(${'$a:a '.repeat(2_000)}) { __typename }`),
  operation(
    '500 operations',
    BAD,
    times(500, (n) => `query Q${n}{__typename}`),
  ),
  operation('twenty deletions', BAD, `mutation { ${times(20, (n) => `a${n}: deleteCard(id: "x")`)} }`),
  operation(
    'three pages of everything',
    BAD,
    `{ ${times(3, (n) => `p${n}: cards(first: 100) { nodes { ${ALL} } edges { node { ${ALL} } } }`)} }`,
  ),
  operation(
    'a text of 200 kB in a document',
    BAD_INPUT,
    `{ hybridSearch(text: "${'x'.repeat(200_000)}") { hits { score } } }`,
  ),
  operation('a comment of 200 kB', TAKEN, `{ __typename } #${'x'.repeat(200_000)}`),
];

const SEARCH =
  'query ($text: String!, $filter: CardFilter, $options: SearchOptions) { hybridSearch(text: $text, filter: $filter, options: $options) { hits { score } } }';
const CARDS = 'query ($filter: CardFilter, $after: String) { cards(filter: $filter, after: $after) { totalCount } }';
const CONTEXT = 'query ($text: String!) { tutoringContext(text: $text) { tokens } }';

/** Texts of a query that are dear to read: each has as many characters as it may. */
const texts: Readonly<Record<string, string>> = {
  'one Chinese word of 2,000 characters': '错'.repeat(2_000),
  'Chinese without an end': '分数应用题不会做怎么办呢'.repeat(166),
  'nested fractions': `$${'\\frac{'.repeat(330)}$`,
  'open brackets': '('.repeat(2_000),
  dollars: '$'.repeat(2_000),
  backslashes: '\\'.repeat(2_000),
  'environments that do not end': '\\begin{a}'.repeat(220),
  options: 'A. B. '.repeat(333),
  'blanks between letters': 'a '.repeat(1_000),
  'marks upon a letter': `a${'\u0301'.repeat(1_999)}`,
  'signs without a width': '\u200b'.repeat(1_998),
  'signs of direction': '\u202e'.repeat(1_998),
  'half-width and full-width': '！ａ１'.repeat(666),
  digits: '1'.repeat(2_000),
};

/** A text without a word is no query. */
const WITHOUT_WORDS = new Set([
  'open brackets',
  'dollars',
  'backslashes',
  'environments that do not end',
  'signs without a width',
  'signs of direction',
]);

const FIFTY = Array.from({ length: 50 }, (_, n) => `label ${n}`);

const searches: readonly Attack[] = [
  ...Object.entries(texts).map(([name, text]) =>
    operation(`search: ${name}`, WITHOUT_WORDS.has(name) ? BAD_INPUT : TAKEN, SEARCH, {
      text,
    }),
  ),
  operation('search: layers of it', TAKEN, SEARCH, {
    text: texts['Chinese without an end'],
    options: { strategy: 'LAYERED' },
  }),
  operation('search: 20 keywords', TAKEN, SEARCH, {
    text: 'x',
    options: { keywords: Array.from({ length: 20 }, (_, n) => `${n}${'分'.repeat(97)}`) },
  }),
  operation('a context for 16,000 blanks', TAKEN, CONTEXT, { text: `What is 1 ${' '.repeat(15_900)}+ 1?` }),
  operation('a filter of 20,000 ids', BAD_INPUT, SEARCH, {
    text: 'x',
    filter: { excludeCardIds: Array.from({ length: 20_000 }, () => 'x') },
  }),
  operation('5,000 bad values', BAD_INPUT, CARDS, { filter: { grade: Array.from({ length: 5_000 }, () => 5) } }),
  operation('a filter by fifty topic tags and fifty error types', TAKEN, CARDS, {
    filter: { allTopicTags: FIFTY, allErrorTypes: FIFTY },
  }),
  operation('an endless cursor', BAD_INPUT, CARDS, { after: 'x'.repeat(100_000) }),
  operation('a malformed cursor', BAD_INPUT, CARDS, { after: Buffer.from('{"a":1}').toString('base64url') }),
];

const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const inVariables = (value: string): string =>
  `{"query":${JSON.stringify(CARDS)},"variables":{"filter":{"grade":${value}}}}`;

const ATTACH = `mutation ($url: String!, $altText: String) {
  createCard(input: { subject: "math", difficulty: 1, questionText: "x", attachments: [{ url: $url, altText: $altText }] }) { id }
}`;

const bodies: readonly Attack[] = [
  raw('a list 100,000 deep in variables', BAD, '/graphql', inVariables(nested)),
  raw('objects 25,000 deep', BAD, '/graphql', inVariables(`${'{"a":'.repeat(25_000)}1${'}'.repeat(25_000)}`)),
  raw('30,000 keys', BAD, '/graphql', `{${times(20_000, (n) => `"k${n}":1,`)}"query":1}`),
  raw('a prototype', BAD, '/graphql', '{"query":"{__typename}","__proto__":{"a":1}}'),
  raw('a batch', BAD, '/graphql', JSON.stringify(Array.from({ length: 1_000 }, () => ({ query: '{__typename}' })))),
  raw('malformed JSON', BAD, '/graphql', '{"query":"{__typename}"'),
  raw('no UTF-8', BAD, '/graphql', Buffer.concat([Buffer.from('{"query":"'), Buffer.alloc(1_000, 0xff)])),
  raw('300 kB', refused('413'), '/graphql', `{"query":"${'x'.repeat(300_000)}"}`),
  raw('a form', refused('415'), '/graphql', 'query={__typename}', {
    'content-type': 'application/x-www-form-urlencoded',
  }),
  raw('a query in the address', refused('405'), `/graphql?query=${'%7B'.repeat(2_000)}`, null, {}, 'GET'),
  raw('an address of 15 kB', refused('404'), `/${'a'.repeat(15_000)}`, null, {}, 'GET'),
  raw('headers of 60 kB', refused('431'), '/graphql', '{}', {
    'content-type': 'application/json',
    x: 'x'.repeat(60_000),
  }),
  raw('an export of nothing known', refused('400'), '/export', '{"format":"exe"}'),
  raw(
    'an export of 500 unknown cards',
    refused('404'),
    '/export',
    JSON.stringify({ format: 'html', cardIds: Array.from({ length: 500 }, (_, n) => `no-${n}`) }),
  ),
  raw('an import of a type that forms send', refused('415'), '/import?name=a.csv', 'a', {
    'content-type': 'text/plain',
  }),
  raw('an import with a deep mapping', BAD, `/import?name=a.csv&mapping=${'['.repeat(5_000)}`, 'a', {
    'content-type': 'text/csv',
  }),
  raw('an import of a name that leads elsewhere', BAD, '/import?name=..%2F..%2Fetc%2Fpasswd', 'a', {
    'content-type': 'text/csv',
  }),
  raw('a page that is sent as an image', BAD, '/attachments', '<!doctype html><script>1</script>', {
    'content-type': 'image/png',
  }),
  raw('an image that is none', BAD, '/attachments', Buffer.alloc(100_000), { 'content-type': 'image/jpeg' }),
  raw('an SVG', refused('415'), '/attachments', '<svg/>', { 'content-type': 'image/svg+xml' }),
  raw(
    'a file of 6 MB',
    refused('413'),
    '/attachments',
    Buffer.concat([Buffer.from('%PDF-'), Buffer.alloc(6 * 2 ** 20)]),
    { 'content-type': 'application/pdf' },
  ),
  raw('a file for an owner that is none', BAD, '/attachments?owner=%00', '%PDF-1.7 xxx', {
    'content-type': 'application/pdf',
  }),
  raw('a file of a name that leads elsewhere', BAD, '/attachments/..%2F..%2Fetc%2Fpasswd', null, {}, 'GET'),
  operation('an attachment that runs a script', BAD_INPUT, ATTACH, { url: 'javascript:alert(1)' }),
  operation('an attachment of the machine itself', BAD_INPUT, ATTACH, { url: 'file:///etc/passwd' }),
  operation('an address that hides another one', BAD_INPUT, ATTACH, { url: 'https://example.org@example.net/' }),
  operation(
    '20,000 choices',
    BAD_INPUT,
    'mutation ($c: [String!]) { createCard(input: { subject: "m", difficulty: 1, questionText: "x", choices: $c }) { id } }',
    { c: Array.from({ length: 20_000 }, () => '') },
  ),
  operation('an endless address', BAD_INPUT, ATTACH, { url: `https://example.org/${'x'.repeat(10_000)}` }),
  operation('an alternative text of 100 kB', BAD_INPUT, ATTACH, { url: 'https://a.b', altText: 'x'.repeat(100_000) }),
  operation('an alternative text with NUL', BAD_INPUT, ATTACH, { url: 'https://a.b', altText: 'a\0b' }),
];

/** Requests that are made to cost much, or to break the gateway. */
export const REQUESTS: readonly Attack[] = [...documents, ...searches, ...bodies];
