import { cleanName } from './text.js';

const CHINESE_DIGITS = '零一二三四五六七八九';

/** 一 .. 十二 as a number; NaN for anything else. */
function chineseNumber(text: string): number {
  if (text === '十') return 10;
  if (text.startsWith('十')) return 10 + CHINESE_DIGITS.indexOf(text.slice(1));
  const digit = CHINESE_DIGITS.indexOf(text);
  return digit > 0 && text.length === 1 ? digit : Number.NaN;
}

/** Offset of a school stage's grades, by its name. */
const SCHOOLS: Readonly<Record<string, number>> = { 小: 0, 小学: 0, 初: 6, 初中: 6, 高: 9, 高中: 9 };

const NUMBER = '(?<number>\\d{1,2}|十[一二]?|[一二三四五六七八九])';
/** The term of the year is ignored. */
const TERM = '\\s*(?:[上下](?:册|学期)?|全[一册]?)?';
const GRADE_FORMS = [
  new RegExp(`^(?:g|grade|year|yr|y)\\s*\\.?\\s*${NUMBER}$`, 'i'),
  new RegExp(`^${NUMBER}(?:st|nd|rd|th)?\\s*grade$`, 'i'),
  new RegExp(`^(?<school>小学|初中|高中|小|初|高)?\\s*${NUMBER}\\s*(?:年级)?${TERM}$`),
];

/** Normalises a grade to G1 .. G12 from Chinese or English; any other name is returned unchanged. */
export function gradeOf(text: string): string {
  const name = cleanName(text);
  for (const form of GRADE_FORMS) {
    const { number, school } = form.exec(name)?.groups ?? {};
    if (number === undefined) continue;
    const value = /^\d/.test(number) ? Number(number) : chineseNumber(number);
    // 初一 begins after the sixth grade, but 初中七年级 already counts from the first.
    const before = school === undefined || value > 6 ? 0 : (SCHOOLS[school] ?? 0);
    const grade = before + value;
    if (grade >= 1 && grade <= 12) return `G${grade}`;
  }
  return name;
}

/** Words of the difficulties; easy and hard, 容易 and 困难, are the ends of the scale, because most people use three steps. */
const DIFFICULTIES: readonly (readonly string[])[] = [
  [
    '容易',
    '很容易',
    '非常容易',
    '简单',
    '很简单',
    '基础',
    '易',
    '送分',
    'easy',
    'very easy',
    'trivial',
    'simple',
    'basic',
  ],
  ['较易', '较容易', '较简单', '比较容易', '比较简单', '偏易', '中等偏易', '中易', 'fairly easy', 'rather easy'],
  ['中等', '中', '一般', '适中', '普通', 'medium', 'moderate', 'normal', 'average', 'intermediate'],
  ['较难', '比较难', '偏难', '中难', '中等偏难', 'fairly hard', 'rather hard', 'fairly difficult', 'rather difficult'],
  [
    '困难',
    '难',
    '很难',
    '非常难',
    '极难',
    '压轴',
    '竞赛',
    'hard',
    'difficult',
    'very hard',
    'very difficult',
    'expert',
  ],
];

/** Parses a difficulty from 1 to 5 in words, digits or stars; otherwise undefined. */
export function difficultyOf(text: string): number | undefined {
  const name = cleanName(text).toLowerCase();
  if (/^[1-5](?:\.0+)?(?:级|星)?$/.test(name)) return Number(name[0]);
  if (/^[一二三四五](?:级|星)$/.test(name)) return chineseNumber(name[0] as string);
  const stars = /^([★*⭐]{1,5})☆*$/u.exec(name)?.[1];
  if (stars !== undefined) return [...stars].length;
  const place = DIFFICULTIES.findIndex((words) => words.includes(name));
  return place === -1 ? undefined : place + 1;
}

const QUALITIES: Readonly<Record<string, readonly string[]>> = {
  EXCELLENT: ['excellent', '优', '优秀', '精品', '经典', 'a', '好题'],
  GOOD: ['good', '良', '良好', '较好', 'b'],
  FAIR: ['fair', '中', '一般', '合格', '普通', 'c'],
};

/** Parses EXCELLENT, GOOD or FAIR and their synonyms; otherwise undefined. */
export function qualityOf(text: string): string | undefined {
  const name = cleanName(text).toLowerCase();
  return Object.keys(QUALITIES).find((grade) => QUALITIES[grade]?.includes(name));
}

const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  math: ['数学', '奥数', 'maths', 'mathematics'],
  chinese: ['语文'],
  english: ['英语', '英文'],
  physics: ['物理'],
  chemistry: ['化学'],
  biology: ['生物', '生物学'],
  history: ['历史'],
  geography: ['地理'],
  politics: ['政治', '道德与法治', '道法', '思想政治'],
  science: ['科学'],
};

/** Normalises a known subject to its English name, so that one filter finds all; any other name is returned unchanged. */
export function subjectOf(text: string): string {
  const name = cleanName(text);
  const folded = name.toLowerCase();
  return knownSubject(folded) ?? name;
}

/** The English name of a known subject; otherwise undefined. */
export function knownSubject(name: string): string | undefined {
  const folded = name.trim().toLowerCase();
  return Object.keys(SUBJECTS).find((subject) => subject === folded || SUBJECTS[subject]?.includes(folded));
}
