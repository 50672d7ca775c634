import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Jieba } from '@node-rs/jieba';
import { packageRoot } from '../config/package-root.js';
import { readJiebaFile } from './jieba-files.js';
import { FUNCTIONS } from './latex-commands.js';
import { type Lexeme, lexemes } from './lexemes.js';
import { stem } from './stem.js';
import { isPictograph, STOP_SIGNS, STOP_WORDS } from './stop-words.js';

/**
 * Frequency of a school term in jieba's dictionary, whose corpus has 60 million words: enough to be preferred to its
 * parts, but no more, because a term with a higher frequency also takes characters from its neighbours.
 */
const SCHOOL_TERM_FREQUENCY = 10_000;

/** Contains jieba's dictionary: create one instance and share it. */
export class Tokenizer {
  readonly #jieba: Jieba;

  /** Reads two dictionaries (5 MB) synchronously; throws if the file of school terms is missing. */
  constructor() {
    this.#jieba = Jieba.withDict(readJiebaFile('dict.txt'));
    const entries = schoolTerms().map((term) => `${term} ${SCHOOL_TERM_FREQUENCY} n\n`);
    this.#jieba.loadDict(Buffer.from(entries.join('')));
  }

  /**
   * The tokens of a text, in order, each as often as it occurs: Chinese words and the shorter words within them,
   * English stems, numbers and fractions as written, signs and LaTeX commands; without stop words. All notations of a
   * formula give the same tokens.
   */
  tokens(text: string): string[] {
    return this.tokensOfAll(lexemes(text));
  }

  tokensOfAll(parts: readonly Lexeme[]): string[] {
    return parts.flatMap((part, i) => this.tokensOf(part, parts[i - 1], parts[i + 1]));
  }

  /** Splits a run of Chinese into words, without the shorter words within them. */
  segments(run: string): readonly string[] {
    return this.#jieba.cut(run, true);
  }

  /** The same by the dictionary alone: a character that is in no word of it is apart. */
  dictionaryWords(run: string): readonly string[] {
    return this.#jieba.cut(run, false);
  }

  /** The tokens of one lexeme between its neighbours. */
  tokensOf({ kind, text }: Lexeme, before: Lexeme | undefined, after: Lexeme | undefined): readonly string[] {
    switch (kind) {
      case 'han':
        return this.#jieba.cutForSearch(text, true).filter((word) => !STOP_WORDS.has(word));
      case 'word':
        // A letter next to an operator or function is a variable, even `a`.
        if (text.length === 1 && (isFormula(before) || isFormula(after))) return [text];
        return STOP_WORDS.has(text) ? [] : [stem(text)];
      case 'sign':
        return STOP_SIGNS.has(text) || isPictograph(text) ? [] : [text];
      case 'number':
        // A fraction is also a quotient.
        return text.includes('/') ? [text, '/'] : [text];
      case 'name':
        return [text];
    }
  }
}

function isFormula(lexeme: Lexeme | undefined): boolean {
  return lexeme !== undefined && (lexeme.kind === 'sign' || (lexeme.kind === 'word' && FUNCTIONS.has(lexeme.text)));
}

/** School terms that a general dictionary lacks. */
export function schoolTerms(): readonly string[] {
  const lines = readFileSync(join(packageRoot(), 'src', 'text', 'k12-words.txt'), 'utf8').split('\n');
  return lines.filter((line) => !line.startsWith('#')).flatMap((line) => line.split(' ').filter((word) => word !== ''));
}
