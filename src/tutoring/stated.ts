import { plain } from './notation.js';
import { isSame, lastNumbers, numbersOf, spelledNumbersOf } from './numbers.js';
import { sentencesOf } from './segments.js';

/** Headings of question banks: 【答案】, [解析]. */
const HEADING =
  /(?:(?<!\s)\s+)?[【[［〔]\s*(?:参考)?(答案|解析|分析|详解|解答|点评|考点|点拨)\s*[】\]］〕]\s*[:：]?\s*/g;

/** A judgement that is a sign, or a letter of a question that says so. */
const SIGN = /^((?:答案[:：])?\s*[(（]?\s*)([√✓✔×✗✘]|[TF](?=[\s)）.。,，;；:：]|$))(?!\s*[\d(a-z])/;
const TRUE_OR_FALSE = /true or false|\bT\s*(?:\/|or)\s*F\b|判断/i;
const WORD_OF: Readonly<Record<string, string>> = { T: 'true', F: 'false', '√': '对', '✓': '对', '✔': '对' };

/** A reference solution with its judgement in a word: 错 for ×. */
export function withJudgement(reference: string, question: string): string {
  return reference.replace(SIGN, (all: string, before: string, sign: string) => {
    if (/[TF]/.test(sign) && !TRUE_OR_FALSE.test(question)) return all;
    return `${before.replace(/[(（]/, '')}${WORD_OF[sign] ?? '错'}。`;
  });
}

/** What follows an answer: its reason. */
const REASON = /\n(?:解析|分析|详解|解答|点评|考点|点拨)[:：]/;

/** A reference solution with its headings as words at the beginning of a line. */
export function withPlainHeadings(reference: string): string {
  return reference.replace(HEADING, '\n$1：').trim();
}

/** Without the reasons behind an answer that stands first. */
export function withoutReasons(reference: string): string {
  const answer = reference.search(/(?:^|\n)答案[:：]/);
  const reason = answer < 0 ? -1 : reference.slice(answer).search(REASON);
  return reason < 0 ? reference : reference.slice(0, answer + reason);
}

/** An answer before its reasons: `答案：15 人，先算 8+7。` */
const STATED =
  /(?:答案\s*[是为:：]|(?<!\p{Script=Han})答\s*[:：]|\bans(?:wer)?\s*(?:is\b|:))(?:[^，,。；;\n(（]|,(?=\d{3})){1,80}?(?=[，。；;\n(（]|,(?!\d{3})|\.(?:\s|$)|$)/giu;

/** One whose formula begins with a bracket: `答案是 $(3,-2)$` ends before it. */
const UNSTATED = /(?:\\[a-z]+|\{|[是为:：]\s*\$*|\bis\s*\$*)\s*$/i;

/** The answers that a reference solution states before its reasons, each in its own words. */
export function statedIn(reference: string): readonly string[] {
  const stated = [...reference.matchAll(STATED)].map(([text]) => text).filter((text) => !UNSTATED.test(text));
  return [...stated, ...firstIn(reference)];
}

const CLAUSE_ENDS = /[。.？?，,；;\n]/;
const ASKS = /求|多少|几|是什么|(?<![a-z])(?:find|what|determine|calculate)(?![a-z])/i;

/** A result with its name, in plain notation: `中位数是 5`, `d=2`. */
const NAMED =
  /(?<![\p{L}\p{N}_^)+*/-]\s?|[\p{L}\p{N}_])(?:所以|因此|[则故即得])?(\p{Script=Han}{2,6}?|[a-z](?:_\d)?)\s?(?:[是为=]|等于)\s?-?\d{1,15}(?:[./]\d{1,9})?(?![\d./]|\s?[-+*^=(])[^，,。；;\n]{0,6}(?=[，,。；;\n]|$)/gu;

/** The results of a reference solution for what the question names: of 求公差 d 和首项 a₁ also `d=2`. */
export function namedIn(reference: string, question: string): readonly string[] {
  const clauses = plain(question).split(CLAUSE_ENDS);
  const asked = clauses.filter((clause) => ASKS.test(clause)).join('\n');
  return [...plain(reference).matchAll(NAMED)].flatMap(([result, name = '']) => {
    const isAsked = /^[a-z]/.test(name) ? isAlone(name, asked) : asked.includes(name);
    return isAsked ? [result] : [];
  });
}

function isAlone(letter: string, text: string): boolean {
  return new RegExp(`(?<![a-z\\d_=+*/-]\\s?)${letter}(?!\\s?[a-z\\d_=+*/^(-])`).test(text);
}

/** A number with its unit, and nothing else: `共 21 棵`, `x = 3`, `21 trees`. */
const BARE =
  /^(?:[一总]?共有?|[是为]|it is|there are|(?:[a-z]|\p{Script=Han})\s*[=是为])?\s*-?[\d.,/]+\s*%?\s*(?:\p{Script=Han}{0,4}|[a-z°/^\d]{1,10}(?: [a-z]{1,10})?)\s*[.。]?$/u;

/** What goes on to a result: then what stands first is a step. */
const CONCLUDES = /所以|因此|故|答|[共得即]|(?<![a-z])(?:so|thus|hence|therefore|answer)(?![a-z])/;

/** A first sentence or clause that is a bare number, if what follows gives reasons and does not compute with it. */
function firstIn(reference: string): readonly string[] {
  const [span] = sentencesOf(reference);
  if (span === undefined) return [];
  const sentence = reference.slice(0, span.end);
  const clause = /^.+?(?=[，,]\s*(?:因为|由于|because|since))/i.exec(sentence)?.[0] ?? sentence;
  const first = plain(clause).trim();
  const rest = plain(reference.slice(clause.length));
  if (!BARE.test(first) || CONCLUDES.test(rest)) return [];
  const [number] = lastNumbers(first);
  const isUsed = numbersOf(rest).some(({ values }) =>
    values.some((one) => isSame(one, number?.values[0] ?? Number.NaN)),
  );
  return isUsed ? [] : [clause];
}

/** What stands before a part of a question, or of its answer: `(1)`, `② `. */
const PART = /(?<![\p{L}\p{N}_)\]}^])(?:\((\d{1,2})\)|([①-⑨]))/gu;

/** The parts of a text that are numbered in order from 1; none if these are fewer than two. */
export function partsOf(text: string): readonly string[] {
  const written = text.replace(/[（）]/g, (bracket) => (bracket === '（' ? '(' : ')'));
  const marks: RegExpMatchArray[] = [];
  for (const mark of written.matchAll(PART)) {
    if (Number(mark[1] ?? mark[2]?.normalize('NFKC')) === marks.length + 1) marks.push(mark);
  }
  if (marks.length < 2) return [];
  return marks.map(({ index = 0, 0: mark }, place) => written.slice(index + mark.length, marks[place + 1]?.index));
}

/** Before a small number in words that is the answer: nothing, or what says so. */
const BEFORE_SPELLED = /(?:^|[共是为得有剩要填于:：=]|(?<![a-z])(?:are|is|get|gives?|answer:?))\s*$/;

/** Such a number, and its unit, at the end of a sentence: no 三角形. */
const ENDING_SPELLED =
  /^(?:[负零一二两三四五六七八九十百千万亿点又分之半]+(?![角边面棱维])\p{Script=Han}{0,2}|[a-z]+(?:[- ][a-z]+){0,3})\s*[.。]?$/u;

/** A number in words that a sentence ends with as its answer: 一共二十一棵. */
export function spelledAnswersIn(sentence: string): readonly number[] {
  const written = plain(sentence).trim();
  return spelledNumbersOf(written).flatMap(({ at, value }) => {
    const before = written.slice(0, at);
    const isAnswer = BEFORE_SPELLED.test(before) || (Math.abs(value) > 12 && !/第\s*$/.test(before));
    return isAnswer && ENDING_SPELLED.test(written.slice(at)) ? [value] : [];
  });
}
