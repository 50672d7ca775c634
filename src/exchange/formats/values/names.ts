import { cleanName, comparedName } from '../../../domain/clean-text.js';
import { chineseNumber } from '../../../domain/school-names.js';

/**
 * Words of the difficulties; easy and hard, 容易 and 困难, are the ends of the scale, because most people use three steps.
 */
const DIFFICULTIES = [
  '容易, 很容易, 非常容易, 简单, 很简单, 基础, 易, 送分, 低, 很低, easy, very easy, trivial, simple, basic, low',
  '较易, 较容易, 较简单, 比较容易, 比较简单, 偏易, 中等偏易, 中易, 中下, 中等偏下, 较低, 偏低, 中低, fairly easy, rather easy',
  '中等, 中, 一般, 适中, 普通, medium, moderate, normal, average, intermediate',
  '较难, 比较难, 偏难, 中难, 中等偏难, 中上, 中等偏上, 较高, 偏高, 中高, fairly hard, rather hard, fairly difficult, rather difficult',
  '困难, 难, 很难, 非常难, 极难, 压轴, 竞赛, 高, 很高, hard, difficult, very hard, very difficult, expert, high',
].map((words) => words.split(', '));

const STARS = /^([★*⭐🌟]{1,5})☆*$/u;

/** Phones and WPS write this variation selector behind each star. */
const EMOJI_STYLE = /\ufe0f/g;

/** A coefficient behind a word, and what the word is said of: 适中(0.65), 中档题, 容易题(0.9), 中等难度, 难度3. */
const SUFFIX = /(?:[题档]{1,2}|难度)?(?:\(0?\.\d+\))?$/;
const PREFIX = /^难度[: ]*/;

/** Parses a difficulty from 1 to 5 in words, digits or stars; otherwise undefined. */
export function difficultyOf(text: string): number | undefined {
  const name = comparedName(text).replace(PREFIX, '');
  if (/^[1-5](?:\.0+)?(?:级|星级?|颗星)?$/.test(name)) return Number(name[0]);
  if (/^[一二三四五](?:级|星级?|颗星)$/.test(name)) return chineseNumber(name[0] as string);
  const stars = STARS.exec(name.replace(EMOJI_STYLE, ''))?.[1];
  if (stars !== undefined) return [...stars].length;
  const word = name
    .replace(SUFFIX, '')
    .replace(/(?<=\p{Script=Han}) (?=\p{Script=Han})/gu, '')
    .trim();
  const place = DIFFICULTIES.findIndex((words) => words.includes(word));
  return place === -1 ? undefined : place + 1;
}

/**
 * The least coefficients (难度系数) of the difficulties 1 to 5: the share of the points that students got. Question banks
 * print 容易 (0.94), 较易 (0.85), 适中 (0.65), 较难 (0.4) and 困难 (0.15).
 */
const COEFFICIENTS = [0.9, 0.75, 0.5, 0.3, 0];

/** The difficulty of a coefficient, as .65 or 65 %; otherwise undefined. */
export function difficultyOfCoefficient(text: string): number | undefined {
  const [, number, percent] = /^(\d{1,3}(?:\.\d+)?|\.\d+)\s*(%?)$/.exec(cleanName(text)) ?? [];
  const coefficient = Number(number) / (percent === '%' ? 100 : 1);
  return coefficient > 0 && coefficient <= 1 ? COEFFICIENTS.findIndex((least) => coefficient >= least) + 1 : undefined;
}

const QUALITIES: Readonly<Record<string, readonly string[]>> = {
  EXCELLENT: ['excellent', '优', '优秀', '精品', '经典', 'a', '好题'],
  GOOD: ['good', '良', '良好', '较好', 'b'],
  FAIR: ['fair', '中', '一般', '合格', '普通', 'c'],
};

/** Parses EXCELLENT, GOOD or FAIR and their synonyms; otherwise undefined. */
export function qualityOf(text: string): string | undefined {
  const name = comparedName(text);
  return Object.keys(QUALITIES).find((grade) => QUALITIES[grade]?.includes(name));
}
