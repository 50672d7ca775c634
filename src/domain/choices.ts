/** Choices of one question: A to L. */
export const MAX_CHOICES = 12;

/** Of one choice, in code points. */
export const MAX_CHOICE_CHARS = 500;

/** `A`, `B`, ... by position, of the first 26. */
export function letterOf(place: number): string {
  return String.fromCharCode(65 + place);
}

/** The choices with their letters, each on a line of its own: `A. 12`. */
export function letteredLines(choices: readonly string[]): string {
  return choices.map((choice, place) => `${letterOf(place)}. ${choice}`).join('\n');
}

const LETTER = /^\s*[(（]?\s*([A-La-lＡ-Ｌａ-ｌ])\s{0,2}[.．、:：)）]\s*(?=\S)/;

/** Choices that all begin with their letters, without them: the position says the letter. */
export function withoutLetters(choices: readonly string[]): readonly string[] {
  const hasLetter = (text: string, place: number): boolean =>
    LETTER.exec(text)?.[1]?.normalize('NFKC').toUpperCase() === letterOf(place);
  let texts = choices;
  // Once more, so that what is stored never begins with its letters. A cell may repeat them thousands of times.
  while (texts.length > 0 && texts.every(hasLetter)) texts = texts.map((text) => text.replace(LETTER, ''));
  return texts;
}

/** Whether a text is a choice behind the first one, by its letter: `B. 15`. */
export function isLaterChoice(text: string): boolean {
  return /^\s*[(（]?\s*[B-LＢ-Ｌ]\s{0,2}[.．、:：)）]/.test(text);
}

const LINES = /[\r\n]+/;
const SEPARATORS = [LINES, /(?<=\S)\s+(?=[(（]?\s?[A-LＡ-Ｌ]\s?[.．、:：)）])/, /[|;；]/, /<br ?\/?>/i];
/** Before a lettered choice, within a line or at its beginning. */
const BEFORE_LETTER = /(?<=\S)(?:\s*[,，、;；|/]\s*|\s+)(?=[(（]?\s?[A-LＡ-Ｌ]\s?[.．、:：)）])/;
const BEFORE_SMALL_LETTER = /(?<=\S)(?:\s*[,，、;；|/]\s*|\s+)(?=[(（]?\s?[a-lａ-ｌ]\s?[.．、:：)）])/;

/**
 * The choices of one text: one a line, or lettered within lines (`A. 12  B. 15`), or between `|`, `;`, `；` or `<br>`.
 * Lines whose letters have gaps are divided at the letters, if those have none: a line may hold two choices, or the
 * rest of one. Text that is not divided is one choice.
 */
export function choicesIn(text: string): readonly string[] {
  for (const separator of [LINES, BEFORE_LETTER, BEFORE_SMALL_LETTER]) {
    const parts = partsOf(text, separator);
    const choices = withoutLetters(parts);
    if (parts.length > 1 && choices !== parts) return choices.map((choice) => choice.replace(/\s*[\r\n]\s*/g, ' '));
  }
  return SEPARATORS.map((separator) => partsOf(text, separator)).find(({ length }) => length > 1) ?? [text.trim()];
}

function partsOf(text: string, separator: RegExp): readonly string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Start of an option: its letter, at the beginning of a line or after a blank, and a punctuation mark. */
const OPTION = /(?<=^|[\s\u3000(（])([A-L])\s{0,2}[.．、:：)）]\s{0,4}/gm;

/**
 * The stem of a question, and the options in its text if there are at least two lettered in order; otherwise everything
 * is stem.
 */
export function splitOptions(text: string): { readonly stem: string; readonly options: readonly string[] } {
  const marks = [...text.matchAll(OPTION)];
  // The last A begins the options: an earlier one may be part of the question.
  const start = marks.findLastIndex(([, letter], place) => letter === 'A' && marks[place + 1]?.[1] === 'B');
  if (start === -1) return { stem: text, options: [] };
  const used: RegExpMatchArray[] = [];
  for (const mark of marks.slice(start)) {
    if (mark[1] === letterOf(used.length)) used.push(mark);
  }
  const options = used.map((mark, place) => text.slice((mark.index ?? 0) + mark[0].length, used[place + 1]?.index));
  return { stem: text.slice(0, used[0]?.index), options };
}
