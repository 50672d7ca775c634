import { lexemes } from './lexemes.js';
import type { Tokenizer } from './words.js';

/** A text in which words can be looked for: whatever is spelled alike but for case, width and the English plural is equal. */
export interface Phrase {
  readonly text: string;
  /** Where each word begins and ends in `text`, in order. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Reads a text as a phrase. Chinese words lie side by side, everything else is set apart; hyphens and punctuation are gone. */
export function phraseOf(text: string, tokenizer: Pick<Tokenizer, 'segments'>): Phrase {
  const starts: number[] = [];
  const ends: number[] = [];
  let read = '';
  const add = (word: string): void => {
    starts.push(read.length);
    read += word;
    ends.push(read.length);
  };
  for (const { kind, text: part } of lexemes(text)) {
    if (kind === 'sign' && part === '-') continue;
    if (read !== '') read += ' ';
    if (kind === 'han') for (const word of tokenizer.segments(part)) add(word);
    else add(kind === 'word' ? singular(part) : part);
  }
  return { text: read, starts, ends };
}

/**
 * Without its plural or possessive ending; not always a word, but the same for both numbers. A stem would be too little: it
 * makes `oxidant` an oxide and `probability` what is probable.
 */
function singular(word: string): string {
  const own = word.replace(/'s?$/, '');
  if (own.length <= 3 || /(?:ss|us|is)$/.test(own)) return own;
  if (own.endsWith('ies')) return `${own.slice(0, -3)}y`;
  return own.replace(/(?<=s|x|z|ch|sh)es$|s$/, '');
}
