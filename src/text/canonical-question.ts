import { splitOptions } from '../domain/choices.js';
import type { CanonicalQuestion } from '../domain/duplicates.js';
import { filesIn, withoutFiles } from './html.js';
import { plainFormulas } from './latex.js';
import { type Lexeme, lexemes } from './lexemes.js';
import { normalise } from './normalise.js';
import { STOP_WORDS } from './stop-words.js';

/**
 * Chinese words that reverse a question, or name one of several people, quantities or shapes in it: with another such
 * word it is another question, however similar the rest.
 */
const EXACT_HAN =
  /(?:增加|增大|增长|提高|上升|升高|扩大|减少|减小|降低|下降|缩小)[到至]|[从由][大小高低长短重轻快慢]到|串联|并联|平行|垂直|相向|相背|同向|反向|[顺逆](?=[时水流风])|升序|降序|正比|反比|吸热|放热|不|没有|无|非|未|否|错|误|正确|最大|最小|最多|最少|最长|最短|最高|最低|至少|至多|增|减|大于|小于|多于|少于|[甲乙丙丁戊二两三四五六七八九十百千万亿半左右上下前后奇偶真假长宽高底加乘除差积商]|周长|面积|体积|半径|直径/g;

/** Their English counterparts. */
const EXACT_WORDS = new Set(
  (
    'not no never none neither nor without except incorrect wrong false true correct least most smallest largest greatest ' +
    'minimum maximum shortest longest fewest increase decrease increased decreased more less fewer greater before after odd ' +
    'even first second third fourth fifth last half double twice triple thrice one two three four five six seven eight nine ten ' +
    'eleven twelve twenty hundred thousand add subtract plus minus times product sum difference quotient area perimeter volume ' +
    'circumference radius diameter length width height left right north south east west parallel perpendicular clockwise ' +
    'counterclockwise anticlockwise ascending descending'
  ).split(' '),
);

/** Single letters that are words and not variables. */
const ARTICLES = new Set(['a', 'i']);

const HAN = /\p{Script=Han}/u;

/** Chinese is written without blanks: ignore those between two characters. */
const BLANKS_IN_CHINESE = /(?<=\p{Script=Han})\s+(?=\p{Script=Han})/gu;

/** One end of an interval, and what divides it from the other. */
const BOUND = '[^()\\[\\],，]{1,20}';

/**
 * Signs that no search asks for, but that make another question: 2(3+4) and 2·3+4, f'(2) and f(2), 5! and 5, [0,1) and
 * (0,1], ① and ②, Ⅰ and Ⅱ. An apostrophe within or after a word, and 〇, are none.
 */
const MARKS = new RegExp(
  [
    '([()]',
    "(?<=(?<![A-Za-z'])[A-Za-z]|[\\d°)\\u0370-\\u03ff])'{1,4}(?![A-Za-z'])",
    '(?<=(?<![A-Za-z])[A-Za-z]|[\\d)])!(?!=)',
    `\\[(?=${BOUND}[,，]${BOUND}[)\\]])`,
    `(?<=[(\\[]${BOUND}[,，]${BOUND})\\]`,
    '(?!\\u3007)[\\p{No}\\p{Nl}])',
  ].join('|'),
  'u',
);

const TWO_LETTERS = /^[A-Za-z][A-Z]\d{0,8}$/;

/**
 * CO and Co, mW and MW differ; other words are the same in any case. So are those of a heading (SUM OF), and PM after
 * a time.
 */
function isCased(lexeme: string): boolean {
  return TWO_LETTERS.test(lexeme) && lexeme !== 'PM' && !STOP_WORDS.has(lexeme.toLowerCase());
}

function unlessCased(lexeme: string): string {
  return isCased(lexeme) ? lexeme : lexeme.toLowerCase();
}

/** Tokens of a question; formulas in one notation, options sorted by text instead of letter. */
export function canonicalQuestion(text: string): CanonicalQuestion {
  const { stem, options } = splitOptions(normalise(withoutFiles(text)).replace(BLANKS_IN_CHINESE, ''));
  // In an English text a word is fuzzy; in a Chinese text a Latin word is a variable, a unit or a name.
  const inChinese = HAN.test(text);
  const sorted = options.map((option) => {
    const part = partsOf(option, inChinese);
    return { part, written: [...part.exact, '', ...part.fuzzy].join('\u0001') };
  });
  sorted.sort((a, b) => (a.written < b.written ? -1 : 1));
  const inOrder = [partsOf(stem, inChinese), ...sorted.map(({ part }) => part)];
  // A separator between two options, so that 1 | 23 differs from 12 | 3.
  const words = inOrder.flatMap(({ exact }, place) => (place === 0 ? exact : ['|', ...exact]));
  // With another picture it is another question.
  const exact = [...words, ...filesIn(text).toSorted()];
  const fuzzy = inOrder.flatMap(({ fuzzy }) => fuzzy);
  // Two questions of other punctuation marks are not one question.
  return { exact: exact.length + fuzzy.length === 0 ? [normalise(text).replace(/\s+/g, '')] : exact, fuzzy };
}

/** Tokens of a stem or an option. Of round brackets, those around a calculation or a list count. */
function partsOf(text: string, inChinese: boolean): CanonicalQuestion {
  const exact: string[] = [];
  const fuzzy: string[] = [];
  const pieces = inOneNotation(text).split(MARKS);
  pieces.forEach((piece, place) => {
    if (place % 2 === 1) {
      const isBracket = piece === '(' || piece === ')';
      const within = piece === '(' ? pieces[place + 1] : pieces[place - 1];
      if (!isBracket || isCalculation(within) || isList(within)) {
        exact.push(unlessCased(piece.normalize('NFKC')));
      }
      return;
    }
    const found = lexemes(piece, unlessCased);
    found.forEach((lexeme, at) => {
      if (lexeme.kind === 'han') {
        exact.push(...(lexeme.text.match(EXACT_HAN) ?? []));
        fuzzy.push(...pairs(lexeme.text));
      } else if (inChinese || lexeme.kind !== 'word' || isExactWord(lexeme, found[at - 1], found[at + 1])) {
        exact.push(lexeme.text);
      } else {
        fuzzy.push(lexeme.text);
      }
    });
  });
  return { exact, fuzzy };
}

/** In derivatives and recurring decimals, `\ddot{x}` and `0.\dot3`. `plainFormulas` drops the dots. */
const DOTS = /\\(d?dot)(?![A-Za-z])\s*(?:\{\s*(\\?[A-Za-z]+|\d+)\s*\}|(\\[A-Za-z]+|[A-Za-z\d]))/g;

/** Primes too: f′, 30″, f‴, f^{\prime\prime}. Dots become combining characters. */
function inOneNotation(text: string): string {
  const dotted = text.replace(
    DOTS,
    (_, dots: string, group?: string, single?: string) => `${group ?? single}${dots === 'dot' ? '\u0307' : '\u0308'} `,
  );
  return plainFormulas(dotted)
    .replaceAll('″', "''")
    .replaceAll('‴', "'''")
    .replace(/\^\(('+)\)/g, '$1');
}

function isCalculation(text: string | undefined): boolean {
  return text !== undefined && /[\p{Sm}*/^-]/u.test(text);
}

/**
 * A point or an interval, (1,2): the set {1,2} is another question, and braces are dropped as those of LaTeX groups. A
 * list that has words is a remark.
 */
function isList(text: string | undefined): boolean {
  return (
    text !== undefined &&
    /^[^,，、]{1,20}([,，、][^,，、]{1,20})+$/.test(text) &&
    !/[A-Za-z]{3}|\p{Script=Han}/u.test(text)
  );
}

/** Character bigrams; a single character is one by itself. */
function pairs(han: string): string[] {
  const characters = [...han];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

/** A word next to an operator is part of a formula: the xs of 6u - xs. One whose case counts is a formula or a unit. */
function isExactWord({ text }: Lexeme, before: Lexeme | undefined, after: Lexeme | undefined): boolean {
  if (isCased(text) || EXACT_WORDS.has(text) || (text.length === 1 && !ARTICLES.has(text))) return true;
  return text.length <= 3 && (before?.kind === 'sign' || after?.kind === 'sign');
}
