import { letterOf, splitOptions } from '../domain/choices.js';
import { normalise } from '../text/normalise.js';
import { dense } from './notation.js';

/** One letter or several: `B`, `BD`, `B、D`, `B 和 D`; not the beginning of a word. */
const LETTERS = "([A-L](?:\\s{0,3}(?:[、,，和与及&]|and\\b)?\\s{0,3}[A-L](?![\\w'])|[A-L]){0,5})(?![\\w'])";

/** Not before other letters to choose from: `选 B 还是 C？` */
const ALONE = '(?!(?:\\s{0,3}[、,，和与及&]?\\s{0,3}[A-L]){0,5}\\s{0,3}(?:选?项\\s{0,3})?(?:还是|或|or\\b))';

const CHOSEN = new RegExp(
  [
    '(?:选(?:择|项\\s*[是为:：])?|填|答案(?:\\s*(?:就|应该?|只能)?[是为选])?|(?<!\\p{Script=Han})答|[Cc]hoose|[Pp]ick|[Ss]elect',
    '|(?:[Aa]ns(?:wer)?|choice|option)\\s+(?:is|(?:must|should|would|has to) be)|[Aa]ns(?:wer)?)',
    `(?:\\s*[:：])?\\s*(?:(?:option|choice)\\s)?[(（]?${LETTERS}${ALONE}`,
  ].join(''),
  'gu',
);

/** Behind the letter, which does not name a part of a figure: `角 B 对边` and `angle B is right` say nothing. */
const RIGHT = new RegExp(
  [
    `(?<![\\w'∠]|[角点边∠]\\s{0,4}|(?:[Aa]ngle|[Pp]oint|[Ss]ide|[Vv]ertex)\\s{1,4})${LETTERS}[)）]?\\s*`,
    '(?:(?:选?项\\s*)?(?:才|就|都)?是?(?:正确|对|符合题意)的?(?:答案|选项)?(?=[^\\S\\n]*(?:[吧呢\\p{P}\\n]|了(?!吗)|$))',
    '|(?:is|are) (?:the |both )?(?:correct|right(?![- ]?(?:angle|triangle|of|above|below))|answers?)\\b)',
  ].join(''),
  'gu',
);

/** Behind a letter that ends what is said. */
const ENDED = '[)）]?(?=\\s*(?:选?项\\s*)?(?:[.。,，;；!！\\n]|$))';

const NOT_ASKED = '(?![^。.!！\\n]{0,30}[吗?？])';

/** Of a letter that can only be that of an option: `正确的是 B`, `所以 B。`, `只有 B 符合`, `It must be B.`, `只剩下 B`. */
const OF_OPTION = new RegExp(
  [
    `(?:(?:正确|符合题意)的?(?:选项|一[项组句个])?[是为]|[Ii]t (?:must|should|has to|can only) be)\\s*[:：]?\\s*[(（]?${LETTERS}(?!\\s{0,3}(?:吗|还是|or\\b|[?？]))`,
    `(?:所以|因此|应该?[是为]|[Ii]t(?:'s| is)(?: option| choice)?|[Gg]o (?:with|for))\\s*[是为]?\\s*[(（]?${LETTERS}${ENDED}`,
    `(?:[剩留]下?(?:了|的)?(?:就?是)?|leaves(?: only| us with)?|left with)\\s*(?:option )?${LETTERS}\\s*(?:选?项)?\\s*了?${ENDED}`,
    `(?<![\\w'])${LETTERS}\\s*(?:选?项\\s*)?才(?:是|对|行|合适|符合|满足|成立)${NOT_ASKED}`,
    `(?<![\\w'])${LETTERS}\\s(?:it is|is (?:the )?(?:only )?(?:one|odd))(?![a-z])${NOT_ASKED}`,
    `只有\\s*${LETTERS}\\s*(?:选?项)?\\s*(?:符合|正确|成立|满足|对)(?!\\p{Script=Han}{0,4}[吗?？])`,
  ].join('|'),
  'gu',
);

const BOXED = /\\f?box(?:ed)?\s*\{\s*(?:\\(?:text|mathrm|rm)\s*)?\{?\s*([A-L]{1,6})\s*\}?\s*\}/g;

/** A question whose right statements are not its answer. */
const ASKS_FOR_WRONG =
  /错|有误|不(?:正确|对|是|属于|符合|成立|能|可能|恰当|合理)|n['’]t\b|\b(?:wrong|incorrect|not|false|except)\b/i;

/** The letters at the beginning of a reference solution, and what follows. */
const LEADING = new RegExp(`^\\s*(?:[①-⑨]\\s*|\\(?(?=[A-L]\\)))?${LETTERS}\\)?(?![、,，]?\\s*[A-L])`);

/** Behind letters that are the whole answer, or before its words. */
const END = /^\s*(?:[.。]?\s*$|[.。]?\s*\n|。)/;
const BEFORE_WORDS = /^\s*(?:[.．](?!\d)|[、)）])\s*(?!\p{Script=Han}{0,3}(?:错|不?对|不?正确))\S/u;
const BEFORE_REASON = /^\s*[,，]?\s*(?:因为|由于|because\b|since\b)/i;

/** Each option has its own remark there: `A. 错 B. 对`. */
const OTHER_LETTER = /(?:^|[\s;；。])[A-L]\s{0,3}(?:选?项)?\s{0,3}[.．、:：]/;

/** The letters of choices that a hint says to be the answer: `选 B`, `答案：AC`, `the answer is (D)`, `B 正确`. */
export function chosenIn(hint: string, question: string): readonly string[] {
  const { length } = splitOptions(question).options;
  const said = hint.replace(BOXED, '答案是 $1。');
  const letters = [RIGHT, CHOSEN, ...(length > 0 ? [OF_OPTION] : [])].flatMap((pattern) => lettersIn(said, pattern));
  return [...letters, ...placesIn(said, length), ...leftIn(said, length)];
}

/** Said to be chosen by its place: `选第一个`, `the answer is the second option`. */
const PLACE =
  /(?:选择?|答案(?:就|应该?)?[是为]|answer is|choose|pick|select)\s*(?:the )?(?:第([一二三四])[个项]|(first|second|third|fourth) (?:option|choice|one))(?!\s*(?:还是|或|or ))|第([一二三四])个?选?项(?:才|就)?是?(?:正确|对)的(?![吗?？])/gi;
const PLACES = ['一first', '二second', '三third', '四fourth'];

function placesIn(said: string, options: number): readonly string[] {
  return [...said.matchAll(PLACE)].flatMap(([, chosen, english = '', right]) => {
    const place = PLACES.findIndex((words) => words.includes(chosen ?? right ?? english.toLowerCase()));
    return place < options ? [letterOf(place)] : [];
  });
}

/** All options but one, and what says that these are out: `A、B、D 都不符合`, `that rules out A, B and C`. */
const LISTED_LETTERS = /(?<![\w'])[A-L](?:\s{0,3}(?:[、,，和与及]|and )\s{0,3}[A-L](?![\w'])){1,10}/g;
const OUT =
  /排除|剩下|都(?:不[是对符能]|错)|rule[sd]? out|eliminate|cross(?:ed)? out|(?:are|is) (?:all )?(?:wrong|incorrect|out)(?![a-z])/i;

/** The option that a sentence leaves when it takes away the others. */
function leftIn(said: string, options: number): readonly string[] {
  if (options < 3) return [];
  const letters = Array.from({ length: options }, (_, place) => letterOf(place));
  return said.split(/(?<=[。.!！?？\n])/).flatMap((sentence) => {
    if (!OUT.test(sentence) || /[吗?？]/.test(sentence)) return [];
    return (sentence.match(LISTED_LETTERS) ?? []).flatMap((list) => {
      const left = letters.filter((letter) => !lettersOf(list).includes(letter));
      return left.length === 1 ? left : [];
    });
  });
}

function lettersIn(text: string, pattern: RegExp): readonly string[] {
  return [...normalise(text).matchAll(pattern)].flatMap(([, ...found]) => {
    const letters = found.find((group) => group !== undefined);
    return letters === undefined ? [] : [lettersOf(letters)];
  });
}

function lettersOf(list: string): string {
  return [...new Set(list.match(/[A-L]/g))].sort().join('');
}

/**
 * The letters of the choice that a reference solution ends with, or begins with; that of the option whose words it is;
 * or those that alone are right in a question for what is right.
 */
export function choiceOf(reference: string, question: string): string | undefined {
  const { stem, options } = splitOptions(question);
  const isJudged = options.length > 0 && !ASKS_FOR_WRONG.test(stem);
  const right = new Set(isJudged ? lettersIn(reference, RIGHT) : []);
  const [only] = right.size === 1 ? right : [];
  return (
    lettersIn(reference, CHOSEN).at(-1) ??
    only ??
    leadingLetters(normalise(reference), options) ??
    sameOption(reference, options)
  );
}

function leadingLetters(reference: string, options: readonly string[]): string | undefined {
  const [found, list] = LEADING.exec(reference) ?? [];
  if (found === undefined || list === undefined) return undefined;
  const rest = reference.slice(found.length);
  const letters = lettersOf(list);
  if (END.test(rest) || (options.length > 0 && /^\s*[,，]/.test(rest))) return letters;
  if (OTHER_LETTER.test(rest)) return undefined;
  if (BEFORE_WORDS.test(rest) || BEFORE_REASON.test(rest)) return letters;
  const option = dense(options[letters.charCodeAt(0) - 65] ?? '');
  return letters.length === 1 && option !== '' && bare(rest).startsWith(option) ? letters : undefined;
}

const STATED = /^\s*(?:(?:故?答案|答|\bans(?:wer)?|it)\s*(?:is\b|应?[是为:：])?\s*|[是为选填]\s*)+/i;

function sameOption(reference: string, options: readonly string[]): string | undefined {
  const [first = ''] = reference.trim().split('\n');
  const words = bare(first.replace(STATED, ''));
  const place = words === '' ? -1 : options.findIndex((option) => bare(option) === words);
  return place < 0 ? undefined : String.fromCharCode(65 + place);
}

function bare(text: string): string {
  return dense(text).replace(/^[:(（]+|(?<![.)）])[.)）]+$/g, '');
}
