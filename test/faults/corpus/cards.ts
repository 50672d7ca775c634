import type { Gateway } from '../../support/gateway.js';
import { type Attack, BAD_INPUT, outcomeOf, TAKEN } from './attack.js';

/** What a text of a card may have, in bytes. */
const MAX_TEXT_BYTES = 16_384;

const filling = (piece: string, before = '', after = ''): string => {
  const room = MAX_TEXT_BYTES - Buffer.byteLength(before) - Buffer.byteLength(after);
  return before + piece.repeat(Math.floor(room / Buffer.byteLength(piece))) + after;
};

/** Texts of cards that are dear to compare, to index or to print: each as long as it may be. */
const TEXTS: Readonly<Record<string, string>> = {
  'thousands of formulas': filling('$x^2$ '),
  'a formula of nested fractions': filling('\\frac{', '$', '1$'),
  'a formula of nested roots': `$${'\\sqrt{'.repeat(1_300)}1${'}'.repeat(1_300)}$`,
  'a wide matrix': filling('1 & ', '$\\begin{matrix} ', '1 \\end{matrix}$'),
  'a long matrix': filling('1 \\\\ ', '$\\begin{matrix} ', '1 \\end{matrix}$'),
  'macros that grow': `$\\def\\a{x}${Array.from({ length: 25 }, (_, n) => `\\def\\${String.fromCharCode(98 + n)}{\\${String.fromCharCode(97 + n)}\\${String.fromCharCode(97 + n)}}`).join('')}\\z$`,
  'a macro that calls itself': '$\\def\\a{\\a\\a}\\a$',
  'rules as large as a page': filling('\\rule{50em}{50em}', '$', '$'),
  'delimiters that grow': filling('\\left(', '$', '$'),
  'one exponent upon the other': filling('^{x', '$x', '$'),
  'dollars alone': filling('$'),
  backslashes: filling('\\'),
  braces: filling('{'),
  'environments that do not end': filling('\\begin{cases}'),
  'options without end': filling('A. 1 B. 2 '),
  blanks: filling('a  '),
  'Chinese without a stop': filling('错题'),
  digits: filling('7'),
  signs: filling('≤≥'),
  tags: filling('<b>'),
  lines: filling('1\n'),
  'a thousand values': `$${Array.from({ length: 1_700 }, (_, n) => `x=${1_000 + n}`).join(',')}$`,
};

/** Those that say nothing to search for. */
const WITHOUT_WORDS: ReadonlySet<string> = new Set(['delimiters that grow', 'dollars alone', 'backslashes', 'braces']);

const CREATE = 'mutation ($input: CreateCardInput!) { createCard(input: $input, onDuplicate: MERGE) { id } }';

const CONTEXT = 'query ($id: ID!) { tutoringContext(cardId: $id, mode: HINT_3) { sources { revealsAnswer } } }';
const SEARCH = `query ($id: ID!) {
  hybridSearch(cardId: $id, topK: 200, options: { diversity: 0.5 }) { hits { card { id } verdict } }
}`;

/**
 * Creates a card of each text, or finds that another asks the same, prints it as a paper, searches from it, and asks
 * for a tutor's context.
 */
export const CARDS: readonly Attack[] = Object.entries(TEXTS).flatMap(([name, text]): readonly Attack[] => {
  const input = {
    subject: 'math',
    difficulty: 1,
    questionText: text,
    studentSolutionText: text,
    goldSolutionBrief: text,
  };
  let id = '';
  const create = async (gateway: Gateway): Promise<string> => {
    const { status, data, errors } = await gateway.gql<{ createCard: { id: string } }>(CREATE, { input });
    id = data?.createCard.id ?? '';
    return [status, ...(errors ?? []).map(({ extensions }) => extensions.code)].join(' ');
  };
  const print = async (format: string, { url }: Gateway): Promise<string> =>
    outcomeOf(
      await fetch(new URL('/export', url), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ format, cardIds: [id] }),
      }),
    );
  const ask =
    (query: string) =>
    async (gateway: Gateway): Promise<string> => {
      const { status, errors } = await gateway.gql(query, { id });
      return [status, ...(errors ?? []).map(({ extensions }) => extensions.code)].join(' ');
    };
  return [
    { name: `card: ${name}`, expected: TAKEN, send: create },
    { name: `paper: ${name}`, expected: TAKEN, send: (gateway) => print('html', gateway) },
    { name: `Markdown: ${name}`, expected: TAKEN, send: (gateway) => print('md', gateway) },
    { name: `search: ${name}`, expected: WITHOUT_WORDS.has(name) ? BAD_INPUT : TAKEN, send: ask(SEARCH) },
    { name: `context: ${name}`, expected: TAKEN, send: ask(CONTEXT) },
  ];
});
