import { atOnce } from '../domain/steps.js';
import { formulaShapes } from '../text/formula-shapes.js';
import { FUNCTIONS } from '../text/latex-commands.js';
import { lexemes } from '../text/lexemes.js';
import { STOP_WORDS } from '../text/stop-words.js';
import type { Tokenizer } from '../text/tokenizer.js';

/** The terms of a text, in order: always the same ones for the same text. */
export type Analyse = (text: string) => readonly string[];

/** Begins the term of a shape, and no token. */
const SHAPE_MARK = '\u0001';

/**
 * The factors of the idf of what formulas are made of, in the lexical lanes and the label profiles. Numbers and
 * variables change when an exercise is reused, and as rare terms they would outweigh the words and the shape of the
 * formula: docs/quality.md.
 */
const FORMULA_WEIGHTS = { shape: 0.5, number: 0.3, sign: 0.4, variable: 0.4 } as const;

/** Begins the term of an English function word, and no token. */
const FUNCTION_MARK = '\u0002';

/**
 * A question of grammar is about its function words (which or that, who or whom); other questions only have them around
 * their own words. With .5 or 1 the public sets are ranked as well: docs/quality.md.
 */
const FUNCTION_WORD_WEIGHT = 0.3;

/**
 * A function word that more documents have says nothing, and its postings list would be among the longest. Nor does one
 * that no document has: no card asks for it, and the words around it may be answered.
 */
const MAX_FUNCTION_SHARE = 0.1;

/** No text that a person wrote has as many; a text of signs alone may, and is cut. */
const MAX_TERMS = 20_000;

const NUMBER = /^\d/;
const SIGN = /^[\p{Sm}\p{So}\p{Script=Greek}/%*^:-]/u;
const VARIABLE = /^[a-z]$/;

/**
 * The tokens of a text, the shapes of its formulas, and its English function words. The tokens of an equation (x, y and
 * numbers) do not say what kind of equation it is. Shapes beyond {@link MAX_TERMS} are not made: nobody would index
 * them.
 */
export function analyserOf(tokenizer: Pick<Tokenizer, 'tokensOfAll'>): Analyse {
  return (text) => {
    const parts = lexemes(text);
    const tokens = tokenizer.tokensOfAll(parts);
    const shapes = formulaShapes(parts, Math.max(0, MAX_TERMS - tokens.length));
    const functions = parts.filter(
      ({ kind, text: word }) => kind === 'word' && word.length > 1 && STOP_WORDS.has(word),
    );
    return tokens.concat(
      shapes.map(shapeTerm),
      functions.map(({ text: word }) => functionTerm(word)),
    );
  };
}

/** The terms of texts, in order; a text in each step. */
export function* termSteps(texts: readonly string[], analyse: Analyse): Generator<void, readonly string[]> {
  const terms: (readonly string[])[] = [];
  for (const text of texts) {
    terms.push(analyse(text));
    yield;
  }
  return terms.flat().slice(0, MAX_TERMS);
}

export function termsOfTexts(texts: readonly string[], analyse: Analyse): readonly string[] {
  return atOnce(termSteps(texts, analyse));
}

/** The term of a shape: no token is equal to it. */
export function shapeTerm(shape: string): string {
  return SHAPE_MARK + shape;
}

/** Only a formula with an operator has one. */
export function isShape(term: string): boolean {
  return term.startsWith(SHAPE_MARK);
}

/** The term of an English function word: no token is equal to it. */
export function functionTerm(word: string): string {
  return FUNCTION_MARK + word;
}

/** Without the function words, unless there is nothing else. */
export function contentTerms(terms: readonly string[]): readonly string[] {
  const content = terms.filter((term) => !isFunctionWord(term));
  return content.length === 0 ? terms : content;
}

function isFunctionWord(term: string): boolean {
  return term.startsWith(FUNCTION_MARK);
}

/** A number, sign, variable or shape. */
export function isFormulaTerm(term: string): boolean {
  return !isFunctionWord(term) && termWeight(term, 0) < 1;
}

/** A name with a digit or an index: `h2o`, `x1`. */
const FORMULA_NAME = /[\d_]/;

/**
 * Beside the formulas of a query, as in `how do I solve x²+6x=7`. A query with more words is ranked better by these
 * (decision 015).
 */
const MAX_WORDS_BESIDE = 3;

/**
 * The different terms of a text's formulas, with names and functions, if it has few other words and an operator
 * (`solve x+1=3`), or no other words (`sin 30`); else none.
 */
export function formulaOf(terms: readonly string[]): readonly string[] {
  const content = new Set(contentTerms(terms));
  const formula = [...content].filter((term) => isFormulaTerm(term) || FORMULA_NAME.test(term) || FUNCTIONS.has(term));
  const words = content.size - formula.length;
  const isAlone = words === 0 && formula.length > 1;
  return isAlone || (words <= MAX_WORDS_BESIDE && formula.some(isShape)) ? formula : [];
}

/** The factor of the idf of a term that this share of the documents has: 1 for a word, 0 for one that says nothing. */
export function termWeight(term: string, share: number): number {
  if (isFunctionWord(term)) return share === 0 || share > MAX_FUNCTION_SHARE ? 0 : FUNCTION_WORD_WEIGHT;
  if (isShape(term)) return FORMULA_WEIGHTS.shape;
  if (NUMBER.test(term)) return FORMULA_WEIGHTS.number;
  if (SIGN.test(term)) return FORMULA_WEIGHTS.sign;
  return VARIABLE.test(term) ? FORMULA_WEIGHTS.variable : 1;
}
