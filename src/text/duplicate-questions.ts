import { createHash } from 'node:crypto';
import { questionOf } from '../domain/card.js';
import type { CanonicalQuestion, Owner, QuestionFingerprints } from '../domain/duplicates.js';
import { canonicalQuestion } from './canonical-question.js';
import { normalise } from './normalise.js';

/**
 * Minimum nearness of duplicates. Exact tokens must be equal anyway; this is the tolerance for the others. `npm run
 * bench -- duplicates` shows other values: with lower ones, fewer and fewer of the real questions that are merged have
 * the same solution.
 */
export const DUPLICATE_THRESHOLD = 0.85;

/**
 * Bands and rows of the MinHash. Two questions of nearness .85 (the minimum of duplicates) share a band with
 * probability 1 - (1 - .85^3)^8 = .999; two with the same exact tokens and a nearness of .2 with .06, and are then
 * distinguished by their texts.
 */
const BANDS = 8;
const ROWS = 3;

/** Insignificant blanks: all but those between two Latin letters or digits, because 1 2/3 is not 12/3. */
const NEEDLESS_BLANKS = /(?<![A-Za-z0-9])\s+|\s+(?![A-Za-z0-9])/g;

/**
 * Similarity of two questions, 0 .. 1: 0 if their exact tokens differ, otherwise the multiset Jaccard similarity of
 * their fuzzy tokens.
 */
export function nearnessOf(a: CanonicalQuestion, b: CanonicalQuestion): number {
  if (a.exact.length !== b.exact.length || a.exact.some((part, place) => part !== b.exact[place])) return 0;
  const counts = new Map<string, number>();
  for (const part of a.fuzzy) counts.set(part, (counts.get(part) ?? 0) + 1);
  let shared = 0;
  for (const part of b.fuzzy) {
    const left = counts.get(part) ?? 0;
    if (left === 0) continue;
    counts.set(part, left - 1);
    shared += 1;
  }
  const all = a.fuzzy.length + b.fuzzy.length - shared;
  return all === 0 ? 1 : shared / all;
}

/** What a card's question is compared by, in whatever notation its formulas and order its options are. */
export interface QuestionKeys {
  readonly canonical: CanonicalQuestion;
  readonly fingerprints: QuestionFingerprints;
}

export function questionKeys(owner: Owner, card: Parameters<typeof questionOf>[0]): QuestionKeys {
  const question = questionOf(card);
  const canonical = canonicalQuestion(question);
  return { canonical, fingerprints: questionFingerprints(owner, question, canonical) };
}

export function questionFingerprints(
  { tenantId, ownerId }: Owner,
  text: string,
  question: CanonicalQuestion,
): QuestionFingerprints {
  const plain = normalise(text).replace(NEEDLESS_BLANKS, '').replace(/\s+/g, ' ');
  const key = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  return { key, bands: bandsOf([tenantId, ownerId, ...question.exact].join('\u0001'), new Set(question.fuzzy)) };
}

/** Apart from hash collisions, only questions with the same seed (owner and exact tokens) share a band. */
function bandsOf(seedText: string, features: ReadonlySet<string>): readonly number[] {
  const seed = hash(seedText);
  const minima = new Uint32Array(BANDS * ROWS).fill(0xffffffff);
  for (const feature of features) {
    const base = hash(feature);
    for (let row = 0; row < minima.length; row++) {
      const value = mix(base ^ Math.imul(row + 1, 0x9e3779b1));
      if (value < (minima[row] as number)) minima[row] = value;
    }
  }
  return Array.from({ length: BANDS }, (_, band) => {
    let value = mix(seed ^ Math.imul(band + 1, 0x85ebca6b));
    for (let row = band * ROWS; row < (band + 1) * ROWS; row++) value = mix(value ^ (minima[row] as number));
    return value | 0;
  });
}

/** FNV-1a over UTF-16 units, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return mix(value);
}

/** The finaliser of MurmurHash3: every bit of the answer depends on every bit of the value. */
function mix(value: number): number {
  let bits = value >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
