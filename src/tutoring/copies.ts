import { dense } from './notation.js';
import { sentencesOf } from './segments.js';

/** Sentences of the reference that a hint repeats word for word give it away too; shorter ones are anybody's. */
const MIN_SENTENCE = 12;

export interface TellingSentence {
  readonly text: string;
  /** Whether the question has it too, as it is or in another layout: then it is the answer only if said to be. */
  readonly given: 'exact' | 'dense' | null;
}

/** A corrected sentence behind its explanation: `删去“使”：这次参观……`. */
const CORRECTED =
  /(?:改[为成]|应为|删去|去掉|[Cc]orrect(?:ed)?)[^:：]{0,40}[:：]\s*((?=\p{Lu}|\p{Script=Han})[^:：=\d]+)$/u;

/** An explanation at the end of a sentence, and not its number. */
const BRACKET = /[(（](?=[^()（）]*\p{L})[^()（）]*[)）][.。]?$/u;

/** A reference solution that is one phrase, and judges nothing. */
const PHRASE = /^(?!.*(?:[对错误]|正确))[\p{Script=Han}\s·、，“”《》]+[。！]?$/u;
const MIN_PHRASE = 5;

/**
 * The sentences of a reference solution that are long enough, each once, and also without the explanation before it;
 * of one phrase, as 等腰三角形, the phrase. In steps: 8,000 sentences take .1 s.
 */
export function* tellingSentences(reference: string, asked: string): Generator<void, readonly TellingSentence[]> {
  const question = dense(asked);
  const least = PHRASE.test(reference.trim()) ? MIN_PHRASE : MIN_SENTENCE;
  const isLong = (text: string, chars: number): boolean => dense(text).length >= chars;
  const sentences = new Set<string>();
  for (const { start, end } of sentencesOf(reference)) {
    yield;
    const sentence = reference.slice(start, end);
    const corrected = CORRECTED.exec(sentence)?.[1] ?? '';
    for (const text of [sentence, sentence.replace(BRACKET, '')]) if (isLong(text, least)) sentences.add(text);
    if (isLong(corrected, MIN_PHRASE)) sentences.add(corrected);
  }
  const telling: TellingSentence[] = [];
  for (const text of sentences) {
    yield;
    const isDense = (): boolean => question.includes(unstopped(dense(text)));
    telling.push({ text, given: asked.includes(unstopped(text)) ? 'exact' : isDense() ? 'dense' : null });
  }
  return telling;
}

/** What says, before or behind a sentence of the question, that it is the answer; without layout. */
const CALLED_RIGHT = new RegExp(
  [
    '(?:答案|(?:正确|没有语病)的?(?:[一那]?[句项个]|句子|说法|写法|读法|命题|结论|选项|表述|判断)?|对的|改[为成]|所以|应?选择?',
    '|应该?[是写填为]|(?:right|correct|best)(?:sentence|one|statement|version|form|choice|option)?|answer|soit|^it',
    '|(?:choose|pick|write)(?:the)?(?:sentence|statement|one)?)(?:就?应?该?[是为]|is)?:?$',
  ].join(''),
);
const RIGHT_BEHIND =
  /^\.{0,3}(?:(?:这[一个]?[句项]?(?:说法)?)?(?:才|就)?是?(?:正确|对)的|才?对(?:了|\.*$)|就?是(?:正确)?答案|(?:that)?is(?:the)?(?:right|correct|answer))(?!吗|还是|or)/;

/** The sentence that a hint repeats. */
export function copiedFrom(sentences: readonly TellingSentence[], hint: string): string | undefined {
  if (sentences.length === 0) return undefined;
  // The end of the hint, quotation marks and emphasis end a sentence too.
  const copies = dense(`${hint}.`.replace(/(?<=\p{L})["”」*]/gu, '.'));
  return sentences.find(({ text, given }) => {
    const copy = dense(text);
    // A corrected sentence may differ from that of the question in its capitals and commas alone.
    if (given !== 'exact' && copies.includes(copy) && (given === null || hint.includes(unstopped(text)))) return true;
    return given !== null && isCalledRight(unstopped(copy), copies);
  })?.text;
}

function isCalledRight(copy: string, hint: string): boolean {
  for (let at = hint.indexOf(copy); at >= 0; at = hint.indexOf(copy, at + 1)) {
    if (CALLED_RIGHT.test(hint.slice(Math.max(0, at - 30), at)) || RIGHT_BEHIND.test(hint.slice(at + copy.length)))
      return true;
  }
  return false;
}

function unstopped(sentence: string): string {
  return sentence.replace(/[.。]$/, '');
}
