import { type Span, wholesOf } from '../domain/split.js';

/** A sentence that is longer, in UTF-16 units, is cut at its clauses, and where it has none anywhere. */
const MAX_SENTENCE = 240;

const SENTENCE_ENDS = /\n+|[。！？!?；;]+|\.(?=\s|$)/g;
const CLAUSE_ENDS = /[，,、:：]+|\s+/g;

/**
 * The sentences of a text, in order, without the blanks around them. Lines and sentences end one; a formula or a table
 * never does: it is in one sentence whole, however long it is.
 */
export function sentencesOf(text: string): readonly Span[] {
  const inside = new Uint8Array(text.length + 1);
  for (const { start, end } of wholesOf(text)) inside.fill(1, start + 1, end);
  const isOpen = (at: number): boolean => inside[at] === 0;
  const sentences: Span[] = [];
  for (const sentence of cut({ start: 0, end: text.length }, endsIn(text, SENTENCE_ENDS).filter(isOpen))) {
    const isLong = sentence.end - sentence.start > MAX_SENTENCE;
    sentences.push(...(isLong ? clausesOf(text, sentence, isOpen) : [sentence]));
  }
  return sentences.map((span) => trimmed(text, span)).filter(({ start, end }) => start < end);
}

function endsIn(text: string, ends: RegExp): readonly number[] {
  return [...text.matchAll(ends)].map(({ index, 0: found }) => index + found.length);
}

function cut({ start, end }: Span, places: readonly number[]): readonly Span[] {
  const inside = places.filter((at) => start < at && at < end);
  return [...inside, end].map((at, place) => ({ start: inside[place - 1] ?? start, end: at }));
}

/** Clauses, joined again as far as they stay within the length; what has no clause is cut between two characters. */
function clausesOf(text: string, sentence: Span, isOpen: (at: number) => boolean): readonly Span[] {
  const places = endsIn(text.slice(sentence.start, sentence.end), CLAUSE_ENDS)
    .map((at) => sentence.start + at)
    .filter(isOpen);
  const clauses: Span[] = [];
  for (const clause of cut(sentence, places)) {
    const last = clauses.at(-1);
    if (last !== undefined && clause.end - last.start <= MAX_SENTENCE) {
      clauses[clauses.length - 1] = { start: last.start, end: clause.end };
    } else clauses.push(clause);
  }
  return clauses.flatMap((clause) => charactersOf(text, clause, isOpen));
}

function charactersOf(text: string, { start, end }: Span, isOpen: (at: number) => boolean): readonly Span[] {
  const places: number[] = [];
  let last = start;
  for (let at = start + 1; at < end; at += 1) {
    if (at - last < MAX_SENTENCE || !isOpen(at) || /[\uDC00-\uDFFF]/.test(text[at] as string)) continue;
    places.push(at);
    last = at;
  }
  return cut({ start, end }, places);
}

function trimmed(text: string, { start, end }: Span): Span {
  const part = text.slice(start, end);
  const from = start + (part.length - part.trimStart().length);
  return { start: from, end: from + part.trim().length };
}
