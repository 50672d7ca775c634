import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Jieba } from '@node-rs/jieba';
import { dict } from '@node-rs/jieba/dict.js';
import { packageRoot } from '../config/package-root.js';
import { FUNCTIONS } from './latex-commands.js';
import { type Lexeme, lexemes } from './lexemes.js';
import { stem } from './stem.js';
import { STOP_SIGNS, STOP_WORDS } from './stop-words.js';

/**
 * How often jieba is to think that a school term occurs, in a corpus of 60 million words: enough for the whole term to
 * win over its parts, and no more, since a term that wins too easily also takes letters from its neighbours.
 */
const SCHOOL_TERM_FREQUENCY = 10_000;

/** Turns texts into the tokens that are matched. Holds jieba's dictionary: make one and share it. */
export class Tokenizer {
  readonly #jieba: Jieba;

  /** Reads two dictionaries, 5 MB, without waiting; throws where the file of school terms is missing. */
  constructor() {
    this.#jieba = Jieba.withDict(dict);
    const entries = schoolTerms().map((term) => `${term} ${SCHOOL_TERM_FREQUENCY} n\n`);
    this.#jieba.loadDict(Buffer.from(entries.join('')));
  }

  /**
   * The tokens of a text, in order, repeated as often as they occur; none is empty. Chinese words with the shorter
   * words within them, English words stemmed, numbers and fractions as written, signs and LaTeX commands by
   * themselves; stop words left out. Notations of one formula give the same tokens.
   */
  tokens(text: string): string[] {
    return this.tokensOfAll(lexemes(text));
  }

  /** {@link tokens} of a text whose lexemes are known. */
  tokensOfAll(parts: readonly Lexeme[]): string[] {
    return parts.flatMap((part, i) => this.tokensOf(part, parts[i - 1], parts[i + 1]));
  }

  /** A run of Chinese as words, in order: the run itself, cut, without the shorter words within them. */
  segments(run: string): readonly string[] {
    return this.#jieba.cut(run, true);
  }

  /** The tokens of one lexeme between its neighbours: {@link tokens}, a part at a time. */
  tokensOf({ kind, text }: Lexeme, before: Lexeme | undefined, after: Lexeme | undefined): readonly string[] {
    switch (kind) {
      case 'han':
        return this.#jieba.cutForSearch(text, true).filter((word) => !STOP_WORDS.has(word));
      case 'word':
        // A letter beside a sign or a function is a variable, even if it is an article elsewhere.
        if (text.length === 1 && (isFormula(before) || isFormula(after))) return [text];
        return STOP_WORDS.has(text) ? [] : [stem(text)];
      case 'sign':
        return STOP_SIGNS.has(text) ? [] : [text];
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

function schoolTerms(): string[] {
  const lines = readFileSync(join(packageRoot(), 'src', 'text', 'k12-words.txt'), 'utf8').split('\n');
  return lines.filter((line) => !line.startsWith('#')).flatMap((line) => line.split(' ').filter((word) => word !== ''));
}
