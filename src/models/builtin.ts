import { LRUCache } from 'lru-cache';
import type { Perspective } from '../domain/perspective.js';
import type { Embedder, ModelIdentity, TextKind } from '../domain/ports/models.js';
import { inTurns, type Pause } from '../domain/steps.js';
import { formulaShapes } from '../text/formula-shapes.js';
import { type Lexeme, lexemes } from '../text/lexemes.js';
import type { Tokenizer } from '../text/tokenizer.js';
import type { WordWeights } from '../text/word-weights.js';
import { HashedFeatures } from './hashed-features.js';

/** With 256 every public set is ranked worse; 1,024 gain nothing for twice the memory and disk. */
const DIMS = 512;

/**
 * Beyond some 500 different features, what one of them adds is less than what chance collisions do (1 / √512), so a
 * longer text is better cut.
 */
const MAX_CHARS = 1200;

/**
 * Weight of a feature, and a number that separates its kind in the hash. Words are weighted by their {@link
 * WordWeights}.
 */
const FEATURES = {
  word: { kind: 1, weight: 1 },
  /** A Chinese word of one character carries little meaning. */
  character: { kind: 2, weight: 0.3 },
  name: { kind: 3, weight: 1 },
  /** A variable or the letter of an answer. */
  letter: { kind: 4, weight: 0.4 },
  /** Numbers change when a question is reused. */
  number: { kind: 5, weight: 0.3 },
  sign: { kind: 6, weight: 0.4 },
  shape: { kind: 7, weight: 0.45 },
  /** Two neighbouring characters: equal even if words are segmented differently. */
  chineseBigram: { kind: 8, weight: 0.2 },
  /** Four neighbouring letters: word families and misspellings. */
  englishGram: { kind: 9, weight: 0.2 },
  stopWord: { kind: 10, weight: 1 },
} as const;

type Feature = keyof typeof FEATURES;

/**
 * Increment the version whenever the vector of any text changes, be it by dictionaries, stemmer, weights or formula
 * notations. Since version 2 MathML and program notation are read as formulas, and emoji are ignored; since version 3
 * HTML, plain-text signs (`<=`, `sqrt`) and traditional characters are read too; since version 4 formulas in words
 * (`x squared`) and typed without signs (`.5`, `SO42-`); since version 5 tags of rich text and addresses are ignored,
 * and more notations of units and formulas are read; since version 6 fractions in English words (`two thirds`), and
 * irregular plurals (`axes`) are the same word as their singular; since version 7 `added`, `adding` and `add` are one
 * word, as are other forms of school words (`division`, `divide`).
 */
export const BUILTIN_MODEL: ModelIdentity = { name: 'builtin', dims: DIMS, dtype: 'f32', version: 7 };

/**
 * The beginning of nearly every text: Chinese, a number, or a word that is no part of a tag or an address. Such a text
 * has lexemes; looking for them would take as long as embedding it.
 */
const BEGINS_PLAINLY = /^[\s(（【“"$]*(?:\p{Script=Han}|\d|[A-Za-z]+[ $=+,])/u;

/**
 * The embedder that needs no download: words, character n-grams and formulas, hashed into a unit vector. It finds
 * similar words and formulas, not paraphrases. 100 characters take about 50 µs.
 */
export class BuiltinEmbedder implements Embedder {
  readonly model = BUILTIN_MODEL;
  readonly maxChars = MAX_CHARS;
  readonly lowestCosine = 0;
  /** By text: a query is embedded once for each perspective, with the same vector. */
  readonly #recent = new LRUCache<string, Float32Array>({ max: 64 });

  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly weights: WordWeights,
  ) {}

  /** True if there is more than punctuation. Needs no `this`. */
  readonly embeds = (text: string): boolean => BEGINS_PLAINLY.test(text) || lexemes(text).length > 0;

  /**
   * The kind and perspective of a text make no difference. Throws for a text that {@link embeds} refuses;
   * rejects with the signal's reason once it aborts.
   */
  async embed(
    texts: readonly string[],
    _kind: TextKind,
    _perspective: Perspective,
    signal: AbortSignal,
    pause?: Pause,
  ): Promise<readonly Float32Array[]> {
    const vectors: Float32Array[] = [];
    await inTurns(
      texts,
      (text) => {
        signal.throwIfAborted();
        vectors.push(this.#vectorOf(text));
      },
      pause,
    );
    return vectors;
  }

  #vectorOf(text: string): Float32Array {
    const known = this.#recent.get(text);
    if (known !== undefined) return known;
    const vector = this.#features(text).vector(DIMS);
    this.#recent.set(text, vector);
    return vector;
  }

  #features(text: string): HashedFeatures {
    const features = new HashedFeatures();
    const add = (feature: Feature, value: string, factor = 1): void =>
      features.add(FEATURES[feature].kind, value, FEATURES[feature].weight * factor);
    const parts = lexemes(text);
    for (const [i, part] of parts.entries()) {
      const tokens = this.tokenizer.tokensOf(part, parts[i - 1], parts[i + 1]);
      for (const token of tokens) add(featureOf(part, token), token, this.weights.of(token));
      if (part.kind === 'han') {
        for (const gram of grams(part.text, 2)) add('chineseBigram', gram);
      } else if (part.kind === 'word' && part.text.length > 1 && tokens.length > 0) {
        // A stop word has no token, and no n-grams either.
        for (const gram of grams(`<${part.text}>`, 4)) add('englishGram', gram);
      }
    }
    for (const shape of formulaShapes(parts)) add('shape', shape);
    // "Who am I?" has only stop words: use them rather than nothing.
    if (features.empty) for (const part of parts) add('stopWord', part.text);
    return features;
  }
}

function featureOf({ kind, text }: Lexeme, token: string): Feature {
  switch (kind) {
    case 'han':
      return token.length === 1 ? 'character' : 'word';
    case 'word':
      return text.length === 1 ? 'letter' : 'word';
    case 'name':
    case 'sign':
      return kind;
    case 'number':
      return token === '/' ? 'sign' : 'number';
  }
}

/** All n-grams of `length` UTF-16 code units; none if the text is shorter. */
function grams(text: string, length: number): string[] {
  const found: string[] = [];
  for (let start = 0; start + length <= text.length; start++) found.push(text.slice(start, start + length));
  return found;
}
