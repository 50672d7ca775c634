/** A part of a text, by UTF-16 offsets; `end` is the first one that is not in it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Where a text may be cut, best place first: paragraphs, lines, before the steps of a solution, sentences, clauses. What is
 * matched stays with what it ends.
 */
const BORDERS = [
  /\n\s*\n/g,
  /\n/g,
  /(?=第[一二三四五六七八九十\d]+步|步骤\s?[一二三四五六七八九十\d]|\bStep\s\d|[①-⑳]|(?<![A-Za-z0-9\\])[(（]\d{1,2}[)）])/gu,
  /[。！？!?；;]|\.\s/g,
  /[，,、]|\s/g,
] as const;

/**
 * Where something begins that is one thing: a formula between dollars or a table of Markdown, found whole; a formula in brackets,
 * a LaTeX environment or a table of HTML, whose end is looked for, as to try each beginning to the end of a text that holds
 * thousands would take time in proportion to the square of its length.
 */
const WHOLE =
  /(?<!\\)\$\$[^$]+\$\$|(?<!\\)\$[^$\n]+\$|(?:^[ \t]*\|.*\|[ \t]*(?:\n|$)){2,}|(?<opening>\\\(|\\\[|\\begin\{(?<name>\w+\*?)\}|<table)/gim;

/** How much of a passage the next one may repeat: the sentence in which one ends is the context of the other. */
const OVERLAP_SHARE = 1 / 8;

/** The text in pieces of at most `maxChars`; see {@link spansOf}. */
export function split(text: string, maxChars: number): readonly string[] {
  return spansOf(text, maxChars).map(({ start, end }) => text.slice(start, end));
}

/**
 * The spans that a text is split into, each at most `maxChars` long, in order and together the whole text. One ends at the
 * best border of its second half, and the next may begin before that, with the last sentences or steps of an eighth of its
 * length. What is one thing (a formula, a table) is never cut, unless it is longer than a piece itself.
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
      // With what it would repeat, the next piece holds nothing new: it begins where the last one ended.
      start = last;
      end = places.endFrom(start);
    }
    spans.push({ start, end });
    start = places.overlapBefore(end, start);
  }
  return spans;
}

/** The places of one text where it may be cut. */
class Places {
  readonly #text: string;
  readonly #maxChars: number;
  readonly #wholes: readonly Span[];
  readonly #wholeStarts: readonly number[];
  /** By class, best first; ascending within. */
  readonly #borders: readonly (readonly number[])[];

  constructor(text: string, maxChars: number) {
    this.#text = text;
    this.#maxChars = maxChars;
    this.#wholes = wholesOf(text).filter(({ start, end }) => end - start <= maxChars);
    this.#wholeStarts = this.#wholes.map(({ start }) => start);
    const borders = BORDERS.map((border) =>
      [...text.matchAll(border)].map(({ index, 0: found }) => index + found.length).filter((at) => this.#isOpen(at)),
    );
    // Where nothing better offers itself, before or after what is one thing.
    this.#borders = [...borders, this.#wholes.flatMap(({ start, end }) => [start, end])];
  }

  /** Where the piece that begins at `start` ends: after `start`, and within the length of a piece. */
  endFrom(start: number): number {
    const limit = start + this.#maxChars;
    if (limit >= this.#text.length) return this.#text.length;
    const lastAfter = (least: number): number | undefined => {
      for (const places of this.#borders) {
        const last = places[countBelow(places, limit + 1) - 1];
        if (last !== undefined && last > least) return last;
      }
      return undefined;
    };
    const cut = lastAfter(start + this.#maxChars / 2);
    if (cut !== undefined) return cut;
    if (this.#isOpen(limit)) return this.#betweenCharacters(limit);
    return lastAfter(start) ?? this.#betweenCharacters(limit);
  }

  /** Where the piece after `end` may begin so that it repeats the last sentences or steps before; `end` where there are none. */
  overlapBefore(end: number, start: number): number {
    const least = Math.max(start + 1, end - this.#maxChars * OVERLAP_SHARE);
    const borders = this.#borders.slice(0, -2).map((places) => places[countBelow(places, least)] ?? end);
    const first = Math.min(end, ...borders);
    // After a later border there is even less.
    return /[\p{L}\p{N}]/u.test(this.#text.slice(first, end)) ? first : end;
  }

  #isOpen(at: number): boolean {
    const before = this.#wholes[countBelow(this.#wholeStarts, at) - 1];
    return before === undefined || at >= before.end;
  }

  /** Never between the halves of a surrogate pair. */
  #betweenCharacters(at: number): number {
    return /[\uD800-\uDBFF]/.test(this.#text[at - 1] ?? '') ? at - 1 : at;
  }
}

/** What is one thing in a text, in order; none within another. */
function wholesOf(text: string): readonly Span[] {
  const beginnings = new RegExp(WHOLE);
  // Letters of ASCII alone, so that every place stays where it is.
  const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const absent = new Set<string>();
  const wholes: Span[] = [];
  for (let found = beginnings.exec(text); found !== null; found = beginnings.exec(text)) {
    const { index, groups: { opening, name } = {} } = found;
    if (opening !== undefined) {
      const closing = closingOf(opening, name);
      // A formula in brackets has something in it.
      const from = beginnings.lastIndex + (name === undefined && opening.startsWith('\\') ? 1 : 0);
      const at = absent.has(closing) ? -1 : lower.indexOf(closing, from);
      // What does not end after this place does not end after a later one.
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

/** How many of the places, which ascend, are below a limit. */
function countBelow(places: readonly number[], limit: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
