import { simplified } from '../domain/simplified.js';
import { withoutFiles } from './html.js';
import { plainFormulas } from './latex.js';
import { normalise } from './normalise.js';

/**
 * A part of a text before tokenization. `han` is a run of Chinese, up to a whole sentence, without word boundaries;
 * `name` is a word with digits or an index (`H2O`, `x1`, `a_n`).
 */
export interface Lexeme {
  readonly kind: 'han' | 'word' | 'name' | 'number' | 'sign';
  /** In lower case unless folded otherwise, never empty; a number without thousands separators. */
  readonly text: string;
}

/** Longer runs of letters are split, to limit the length of a token. */
const LONGEST_WORD = 64;

/** Letters of any alphabet but Greek, whose letters are signs (`2πr`). */
const LETTER = '(?:(?![\\p{Script=Han}\\p{Script=Greek}])[\\p{L}\\p{M}])';

/** In order of precedence; each is bounded or needs no backtracking, so any text takes linear time. */
const PATTERN = new RegExp(
  [
    '[\\p{Script=Han}\\u3007]+',
    // A fraction of whole numbers is one number, unless it is part of a longer quotient.
    '(?<!/ ?|[.\\d])\\d{1,15} ?/ ?\\d{1,15}(?!\\d|\\.\\d| ?/ ?\\d)',
    // 1,000,000.5
    '\\d{1,3}(?:,\\d{3}){1,6}(?!,?\\d)(?:\\.\\d{1,20})?',
    '\\d{1,40}(?:\\.\\d{1,20})?',
    // Functions are often written without a space: sinA, cos2x, log2.
    '(?:sin|cos|tan|cot|log|ln|lg)(?=[A-Cx-z](?![A-Za-z])|\\d|_)',
    '[A-Za-z]{1,8}(?:\\d{1,8}|_[A-Za-z](?![A-Za-z]))[A-Za-z0-9]{0,24}',
    `${LETTER}{1,${LONGEST_WORD}}(?:'${LETTER}{1,4}(?!${LETTER}))?`,
    // A LaTeX command without a character.
    '\\\\[A-Za-z]{1,32}',
    // A power, with its exponent if that is one number or name.
    '\\^(?:[+-]?[A-Za-z0-9]{1,12}|[+-])?',
    // A ratio; other colons are punctuation.
    '(?<=[\\d\\s]):(?=\\s{0,2}\\d)',
    '[\\p{Sm}\\p{So}\\p{Script=Greek}/%*-]',
  ].join('|'),
  'gu',
);

/** Chinese with a blank after each character, as text recognition writes it. */
const SPACED = /(?<!\p{Script=Han})\p{Script=Han}(?: {1,2}\p{Script=Han}){2,}(?!\p{Script=Han})/gu;

/**
 * A question of yes or no is no negation: 有没有 asks for 有, 是不是 for 是. Not any verb: 相等不等 is no such question, nor
 * is a character that ends another word: 可能不能, 所有没有.
 */
const YES_OR_NO =
  /(?<![不可只所还若但就都总于而也要凡或具没含拥功性智机社相绝反面足许需主重对自能应以定])(?:([是能会对够可要应该愿])不\1|(有)没有)/g;

const HAN = /[\p{Script=Han}\u3007]/u;
const WORD = new RegExp(LETTER, 'u');

/**
 * The lexemes of a text in order, formulas in one notation, without punctuation and addresses; `fold` gets their text
 * as it is written. Never throws; linear time.
 */
export function lexemes(text: string, fold = (lexeme: string): string => lexeme.toLowerCase()): Lexeme[] {
  const written = simplified(normalise(withoutFiles(text)))
    .replace(SPACED, (run) => run.replaceAll(' ', ''))
    .replace(YES_OR_NO, '$1$2');
  const found = plainFormulas(written).match(PATTERN) ?? [];
  return found.map((lexeme) => {
    const kind = kindOf(lexeme);
    return { kind, text: kind === 'number' ? lexeme.replace(/[, ]/g, '') : fold(lexeme) };
  });
}

function kindOf(lexeme: string): Lexeme['kind'] {
  const code = lexeme.charCodeAt(0);
  if (code >= 0x30 && code <= 0x39) return 'number';
  if (code < 0x80) {
    if (!/^[A-Za-z]/.test(lexeme)) return 'sign';
    return /[\d_]/.test(lexeme) ? 'name' : 'word';
  }
  if (HAN.test(lexeme)) return 'han';
  return WORD.test(lexeme) ? 'word' : 'sign';
}
