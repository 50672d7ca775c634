import { lowerBound } from './lower-bound.js';

/** A part of a text, by UTF-16 offsets; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Boundaries at which a text may be split, best first: paragraphs, lines, before the steps of a solution, sentences,
 * clauses. A match belongs to the part before it.
 */
const BORDERS = [
  /\n\s*\n/g,
  /\n/g,
  /(?=第[一二三四五六七八九十\d]+步|步骤\s?[一二三四五六七八九十\d]|\bStep\s\d|[①-⑳]|(?<![A-Za-z0-9\\])[(（]\d{1,2}[)）])/gu,
  /[。！？!?；;]|\.\s/g,
  /[，,、]|\s/g,
] as const;

/**
 * Start of an indivisible span. Formulas between dollars and Markdown tables are matched whole. For formulas in
 * brackets, LaTeX environments and HTML tables only the start is matched, and the end searched for separately: matching
 * them whole takes quadratic time in a text with thousands of unclosed starts.
 */
const WHOLE =
  /(?<!\\)\$\$[^$]+\$\$|(?<!\\)\$[^$\n]+\$|(?:^[ \t]*\|.*\|[ \t]*(?:\n|$)){2,}|(?<opening>\\\(|\\\[|\\begin\{(?<name>\w+\*?)\}|<table)/gim;

/** Maximum overlap of two passages, as a share of a passage: the last sentence of one is context of the next. */
const OVERLAP_SHARE = 1 / 8;

/** Splits the text into parts of at most `maxChars`; see {@link spansOf}. */
export function split(text: string, maxChars: number): readonly string[] {
  return spansOf(text, maxChars).map(({ start, end }) => text.slice(start, end));
}

/**
 * Splits a text into spans of at most `maxChars`, in order, which cover the whole text. A span ends at the best
 * boundary of its second half; the next may overlap it by up to an eighth of its length, in whole sentences or steps.
 * Formulas and tables are never split, unless one is longer than `maxChars`.
 */
export function spansOf(text: string, maxChars: number): readonly Span[] {
  if (text.length <= maxChars) return [{ start: 0, end: text.length }];
  const places = new Places(text, maxChars);
  const spans: Span[] = [];
  let start = 0;
  for (let end = 0; end < text.length; ) {
    const last = end;
    end = places.endFrom(start);
    if (end <= last) {
      // With the overlap, the next span would add nothing new: start it at the end of the last one.
      start = last;
      end = places.endFrom(start);
    }
    spans.push({ start, end });
    start = places.overlapBefore(end, start);
  }
  return spans;
}

/** Positions at which one text may be split. */
class Places {
  readonly #wholes: readonly Span[];
  readonly #wholeStarts: readonly number[];
  /** By class, best first; ascending within. */
  readonly #borders: readonly (readonly number[])[];

  constructor(
    private readonly text: string,
    private readonly maxChars: number,
  ) {
    this.#wholes = wholesOf(text).filter(({ start, end }) => end - start <= maxChars);
    this.#wholeStarts = this.#wholes.map(({ start }) => start);
    const borders = BORDERS.map((border) =>
      [...text.matchAll(border)].map(({ index, 0: found }) => index + found.length).filter((at) => this.#isOpen(at)),
    );
    // The last resort: before or after an indivisible span.
    this.#borders = [...borders, this.#wholes.flatMap(({ start, end }) => [start, end])];
  }

  /** End of the span that begins at `start`: after `start`, and at most `maxChars` away. */
  endFrom(start: number): number {
    const limit = start + this.maxChars;
    if (limit >= this.text.length) return this.text.length;
    const lastAfter = (least: number): number | undefined => {
      for (const places of this.#borders) {
        const last = places[lowerBound(places, limit + 1) - 1];
        if (last !== undefined && last > least) return last;
      }
      return undefined;
    };
    const cut = lastAfter(start + this.maxChars / 2);
    if (cut !== undefined) return cut;
    if (this.#isOpen(limit)) return this.#betweenCharacters(limit);
    return lastAfter(start) ?? this.#betweenCharacters(limit);
  }

  /** Start of the span after `end`, overlapping the last sentences or steps before it; `end` if there are none. */
  overlapBefore(end: number, start: number): number {
    const least = Math.max(start + 1, end - this.maxChars * OVERLAP_SHARE);
    const borders = this.#borders.slice(0, -2).map((places) => places[lowerBound(places, least)] ?? end);
    const first = Math.min(end, ...borders);
    // After a later border there is even less.
    return /[\p{L}\p{N}]/u.test(this.text.slice(first, end)) ? first : end;
  }

  #isOpen(at: number): boolean {
    const before = this.#wholes[lowerBound(this.#wholeStarts, at) - 1];
    return before === undefined || at >= before.end;
  }

  /** Never within a surrogate pair. */
  #betweenCharacters(at: number): number {
    return /[\uD800-\uDBFF]/.test(this.text[at - 1] ?? '') ? at - 1 : at;
  }
}

/** Indivisible spans of a text (formulas, markup), in order, none nested. */
export function wholesOf(text: string): readonly Span[] {
  const beginnings = new RegExp(WHOLE);
  // Only ASCII letters, so that all offsets stay the same.
  const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const absent = new Set<string>();
  const wholes: Span[] = [];
  for (let found = beginnings.exec(text); found !== null; found = beginnings.exec(text)) {
    const { index, groups: { opening, name } = {} } = found;
    if (opening !== undefined) {
      const closing = closingOf(opening, name);
      // A formula in brackets is not empty.
      const from = beginnings.lastIndex + (name === undefined && opening.startsWith('\\') ? 1 : 0);
      const at = absent.has(closing) ? -1 : lower.indexOf(closing, from);
      // No closing delimiter after this position: none after a later one either.
      if (at < 0) absent.add(closing);
      beginnings.lastIndex = at < 0 ? index + 1 : at + closing.length;
      if (at < 0) continue;
    }
    wholes.push({ start: index, end: beginnings.lastIndex });
  }
  return wholes;
}

/** In lower case. */
function closingOf(opening: string, name: string | undefined): string {
  if (name !== undefined) return `\\end{${name.toLowerCase()}}`;
  if (opening.startsWith('<')) return '</table>';
  return opening === '\\(' ? '\\)' : '\\]';
}
