/**
 * Only what is certainly talk is left out: removed words of a question change its hits, talk that stays only lowers
 * their scores. So a request must speak of this question, and thanks alone stay (Fine, thank you. 不用了，谢谢).
 */
const THIS_ONE = '[这那]一?[道个]?题目?';
const REQUEST = [
  '(?:(?:(?:老师|大家|[你您])好|老师)[，,!！。]\\s{0,3})?',
  `(?:(?:请问(?:一下)?[，,]?)?${THIS_ONE}(?:该?怎么|如何)[做解算写][啊呀呢]?|请?帮我看(?:看|一下)${THIS_ONE})`,
].join('');
const ENGLISH_REQUEST = [
  '(?:(?:hi|hello|hey)[,!]\\s{1,3})?',
  '(?:(?:(?:can|could) (?:you|someone|anyone) )?(?:please )?help(?: me)? with|how (?:do|can|should) i (?:do|solve))',
  ' this (?:one|question|problem)',
].join('');
const THANKS = '(?:谢谢|多谢|感谢)(?:老师|大家|[你您啦了])?';

/** Not the letter of an option, A. or (B), and what ends a question. */
const QUESTION_END = '(?:(?<!(?<![\\p{L}\\p{N}])[a-h])[.,，)）]|[?？!！。=_\\n])';
const ENDING = [
  `${REQUEST}[?？!！。]{0,3}\\s{0,3}(?:${THANKS})?`,
  `求(?:解答?|答案|过程|详解)[，,。!！]?\\s{0,3}${THANKS}`,
  '(?:please help(?: me)?[,.!]?\\s)?(?:thanks|thank you|thx) in advance',
].join('|');

const OPENING = new RegExp(
  `^\\s{0,3}(?:${REQUEST}|${ENGLISH_REQUEST})(?:[:：?？!！。\\n]|\\p{Extended_Pictographic})+\\s*`,
  'iu',
);
const CLOSING = new RegExp(`(?<=(?:^|${QUESTION_END})\\s{0,3})(?:${ENDING})[!！。.~～\\s]*$`, 'iu');

/** Questions about language may ask for the very words of a greeting or thanks. */
const ABOUT_LANGUAGE =
  /[字词句]|翻译|拼音|意思|写话|对话|[英汉法]语|[英中]文|translat|\b(?:say|said|words?|sentences?|mean|means|meaning)\b|chinese|english|french/i;

const NUMBER = '\\s{0,3}\\d{1,3}\\s?[.．、]\\s{0,3}';
const NO_SIGN = '(?!\\s*[-+−×÷*/^=<>＋－＝])';

/** The paper that a question is from, before it: (2023·北京·期中), （2022年上海中考）. */
const SOURCE = new RegExp(
  `^((?:${NUMBER})?)[（(]20\\d\\d[年春夏秋冬]?(?:\\s?[·•]\\s?\\p{Script=Han}{2}[\\p{Script=Han}\\d·•,，\\s]{0,40}` +
    `|[\\p{Script=Han}·•,，\\s]{0,40}(?:期中|期末|中考|高考|模拟|[一二三]模|月考|联考))[）)]${NO_SIGN}`,
  'u',
);

const marksOf = (words: string): string => `[（(【[]\\s?${words}\\s?\\d{1,2}\\s?(?:分|marks?)\\s?[）)】\\]]`;

/** 本题5分 anywhere; 5分 after the number of a question, or where its line ends with a digit, a mark or a gap before it. */
const MARKS = new RegExp(
  [
    marksOf('(?:本小?题|每小?题)(?:满分|共)?'),
    `(?<=^${NUMBER})${marksOf('')}${NO_SIGN}(?=.)`,
    `(?<=\\d|[?？!！。]\\s?|[（(]\\s{0,9}[）)]\\s?)${marksOf('(?:满分|共)?')}(?=\\s*$)`,
  ].join('|'),
  'gimu',
);

/** 落霞与什么齐飞来着: with it, the word before is read as another one. */
const RECALLING = /(?<=\p{Script=Han})来着(?=[?？!！。.…~～\s]*$)/u;

/** No calculation, as `mistakes in addition` is. */
const MOREOVER = /(?<=^\s{0,3}|[.!?;]\s{1,3})in addition,\s{0,3}/gi;

/**
 * A question without requests and thanks around it (请问这道题怎么做：……求解，谢谢), its source, its marks, and what is read
 * as other words. Of the 221 questions of the sample, 26 were not recognised as themselves with 求解，谢谢 behind them (by
 * hand): short formulas have fewer words than that. Unchanged if nothing else is said.
 */
export function withoutTalk(text: string): string {
  const question = ABOUT_LANGUAGE.test(text) ? text : withoutRequests(text);
  const asked = question.replace(SOURCE, '$1').replace(MARKS, ' ');
  return /[\p{L}\p{N}]/u.test(asked) ? asked : text;
}

function withoutRequests(text: string): string {
  return text.replace(CLOSING, '').replace(OPENING, '').replace(RECALLING, '').replace(MOREOVER, '');
}
