import { type Card, hasSolution } from '../domain/card.js';
import type { SearchHit } from '../domain/search-result.js';
import type { Span } from '../domain/split.js';
import { SOURCE_FIELDS, type SourceText, type TextSpan } from '../domain/tutoring.js';
import { normalise } from '../text/normalise.js';
import { harmless } from './fence.js';
import { sentencesOf } from './segments.js';
import type { CountTokens } from './tokens.js';
import type { Words } from './words.js';

interface Quote {
  readonly spans: readonly TextSpan[];
  readonly text: string;
  /** Of the quoted sentences, as {@link sameSentence} has them. */
  readonly sentences: readonly string[];
}

interface QuoteInput {
  readonly card: Card;
  /** Fields to quote, most important first. */
  readonly types: readonly SourceText[];
  /** The most tokens that the text may have. */
  readonly limit: number;
  /** Sentences that stand elsewhere already. */
  readonly seen: ReadonlySet<string>;
  readonly words: Words;
  readonly count: CountTokens;
}

/** A sentence, or a label, that may be quoted. */
interface Candidate {
  readonly span: TextSpan;
  readonly sentence: string | null;
}

/**
 * As many whole sentences of a card as there is room for; null if that is no sentence that is not quoted already. In
 * steps, a sentence each, because a card has up to 48 KB of them. Pure.
 */
export function* quoteSteps(input: QuoteInput): Generator<void, Quote | null> {
  const { card, types, limit, seen, words, count } = input;
  const quoted: Candidate[] = [];
  const own = new Set<string>();
  let tokens = 0;
  for (const type of types) {
    let cost = count(words.texts[type]) + 2;
    yield;
    for (const candidate of candidatesOf(card, type)) {
      yield;
      const { span, sentence } = candidate;
      if (sentence !== null && (seen.has(sentence) || own.has(sentence))) continue;
      // Two tokens for what joins it to the one before.
      const more = cost + count(slice(card, span)) + 2;
      if (tokens + more > limit) continue;
      tokens += more;
      cost = 0;
      quoted.push(candidate);
      if (sentence !== null) own.add(sentence);
    }
  }
  for (;;) {
    yield;
    const text = textOf(card, types, quoted, words);
    if (!quoted.some(({ sentence }) => sentence !== null)) return null;
    if (count(text) <= limit)
      return { spans: joined(card, quoted), text, sentences: quoted.flatMap(({ sentence }) => sentence ?? []) };
    quoted.pop();
  }
}

function candidatesOf(card: Card, type: SourceText): readonly Candidate[] {
  const field = SOURCE_FIELDS[type];
  const value = card[field];
  if (value === null) return [];
  if (typeof value !== 'string') {
    return value.map((_, place) => ({ span: { type, field, start: place, end: place + 1 }, sentence: null }));
  }
  return sentencesOf(value).map(({ start, end }) => ({
    span: { type, field, start, end },
    sentence: sameSentence(value.slice(start, end)),
  }));
}

/** The quoted part of a field; labels with a line break between them. */
export function slice(card: Card, { field, start, end }: TextSpan): string {
  const value = card[field];
  return typeof value === 'string' ? value.slice(start, end) : (value ?? []).slice(start, end).join('\n');
}

/** Spans of one field with nothing but blanks between them are one. */
function joined(card: Card, quoted: readonly Candidate[]): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  for (const { span } of quoted) {
    const last = spans.at(-1);
    if (last?.field === span.field && isBlank(card, last, span)) {
      spans[spans.length - 1] = { ...last, end: span.end };
    } else spans.push(span);
  }
  return spans;
}

function isBlank(card: Card, last: Span, { field, start }: TextSpan): boolean {
  const value = card[field];
  return typeof value === 'string' ? value.slice(last.end, start).trim() === '' : last.end === start;
}

function textOf(card: Card, types: readonly SourceText[], quoted: readonly Candidate[], words: Words): string {
  const spans = joined(card, quoted);
  const lines = types.flatMap((type) => {
    const own = spans.filter((span) => span.type === type);
    if (own.length === 0) return [];
    const isList = typeof card[SOURCE_FIELDS[type]] !== 'string';
    const texts = own.map((span) => (isList ? slice(card, span).replaceAll('\n', words.comma) : slice(card, span)));
    return [`${words.texts[type]}${words.colon}${texts.join(isList ? words.comma : ' … ')}`];
  });
  return lines.join('\n');
}

/** A sentence for comparing: what differs in width, blanks and punctuation alone is the same. */
function sameSentence(text: string): string {
  return normalise(text)
    .toLowerCase()
    .replace(/[\s，,。.！!？?；;：:、]+/g, '');
}

const MAX_EXAMPLES = 3;
const MAX_EXAMPLE_TOKENS = 350;

/**
 * Few-shot examples for prompts of other systems: question, wrong step, reference, why; of cards that have all of them.
 * In steps. Pure.
 */
export function* formattedExamples(
  hits: readonly SearchHit[],
  words: Words,
  count: CountTokens,
): Generator<void, readonly string[]> {
  const types = ['QUESTION', 'WRONG_SOLUTION', 'REFERENCE_SOLUTION', 'ERROR_TYPE'] as const;
  const complete = hits.filter(
    ({ card }) => card.studentSolutionText !== null && hasSolution(card) && card.errorTypes.length > 0,
  );
  const examples: string[] = [];
  for (const { card } of complete.slice(0, MAX_EXAMPLES)) {
    const quoted = yield* quoteSteps({ card, types, limit: MAX_EXAMPLE_TOKENS, seen: new Set(), words, count });
    const example = harmless(quoted?.text ?? '');
    // What was made harmless may be longer than it was.
    if (example !== '' && count(example) <= MAX_EXAMPLE_TOKENS) examples.push(example);
  }
  return examples;
}
