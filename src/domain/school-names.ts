/** Subjects and grades: the one vocabulary in which the spelling of every client and every file is stored. */
import type { MetadataEntry } from './card-values.js';
import { cleanName, comparedName } from './clean-text.js';

const CHINESE_DIGITS = '零一二三四五六七八九';

/** 一 .. 十九 as a number; NaN for anything else. */
export function chineseNumber(text: string): number {
  if (text === '十') return 10;
  if (text.startsWith('十')) return 10 + CHINESE_DIGITS.indexOf(text.slice(1));
  const digit = CHINESE_DIGITS.indexOf(text);
  return digit > 0 && text.length === 1 ? digit : Number.NaN;
}

function numberIn(number: string): number {
  return /^\d/.test(number) ? Number(number) : chineseNumber(number);
}

/** Offset of a school stage's grades, by its name. */
const SCHOOLS: Readonly<Record<string, number>> = {
  ...{ 小: 0, 小学: 0, 国小: 0, p: 0, primary: 0 },
  ...{ 初: 6, 初中: 6, 中: 6, 中学: 6, 国: 6, 国中: 6, f: 6, form: 6, sec: 6, secondary: 6 },
  ...{ 高: 9, 高中: 9 },
};

const NUMBER = '(?<number>\\d{1,2}|十[一二]?|[一二三四五六七八九])';
/** The term of the year is ignored, also in brackets: 七年级（上）, 九年级全一册, 八年级第一学期. */
const TERM_NAME = '(?:[上下](?:册|学期)?|第[一二12]学期|全(?:一?册|一)?)';
const TERM = `\\s*(?:${TERM_NAME}|\\(\\s*${TERM_NAME}\\s*\\))?`;
const GRADE_FORMS = [
  new RegExp(`^(?:g|grade|year|yr|y)\\s*\\.?\\s*${NUMBER}$`),
  new RegExp(`^${NUMBER}(?:st|nd|rd|th)?\\s*grade$`),
  new RegExp(`^(?<school>小学|初中|高中|国小|国中|中学|小|初|高|国)?\\s*${NUMBER}\\s*(?:年级)?${TERM}$`),
  // Of Hong Kong: 中四級, Form 4, F.4, Sec 4, P.5. S1 may also be the first year of senior high school.
  new RegExp(`^(?<school>[小中])\\s*(?<number>[1-6一二三四五六])\\s*级?${TERM}$`),
  /^(?<school>primary|p|form|f|secondary|sec)\s*\.?\s*(?<number>[1-6])$/,
];

/** G1 .. G12 for a grade in Chinese or English; for any other name, the name in half width and lower case. */
export function gradeOf(text: string): string {
  // Programs write a column of numbers with gaps as 7.0.
  const name = comparedName(text).replace(/^(\d{1,2})\.0+$/, '$1');
  for (const form of GRADE_FORMS) {
    const { number, school } = form.exec(name)?.groups ?? {};
    if (number === undefined) continue;
    const value = numberIn(number);
    // 初一 begins after the sixth grade, but 初中七年级 already counts from the first.
    const before = school === undefined || value > 6 ? 0 : (SCHOOLS[school] ?? 0);
    const grade = before + value;
    if (grade >= 1 && grade <= 12) return `G${grade}`;
  }
  return folded(text);
}

const CLASS_NUMBER = '(?<number>\\d{1,2}|十[一二三四五六七八九]?|[一二三四五六七八九]|[a-z])';
/** A class behind its grade. 12班, 三二班 and 102班 are none: their grade is not certain. */
const CLASS_FORMS = [
  new RegExp(`^(?<of>.+?)\\s*\\(\\s*${CLASS_NUMBER}\\s*\\)\\s*班$`),
  new RegExp(`^(?<of>.*年级|初中?[一二三]|高中?[一二三]|国中?[一二三])[\\s-]*${CLASS_NUMBER}\\s*班$`),
  /^(?<of>[一二三四五六七八九])(?<number>\d{1,2})班$/,
  /^(?<of>[789])(?<number>0[1-9]|[12]\d)班$/,
  /^(?<of>[a-z]+\s*\.?\s*\d{1,2})[\s,(-]*class\s*(?<number>\d{1,2}|[a-z])\)?$/,
];

/**
 * The grade of the name of a class, and the class as an entry of metadata: G8 and 班级: 3班 for 初二(3)班 and 803班, G8 and
 * class: 3 for Grade 8 Class 3. Undefined for other names.
 */
export function classNamed(text: string): { readonly grade: string; readonly entry: MetadataEntry } | undefined {
  const name = comparedName(text);
  for (const form of CLASS_FORMS) {
    const { of, number } = form.exec(name)?.groups ?? {};
    if (of === undefined || number === undefined) continue;
    const grade = gradeOf(of);
    if (!/^G\d+$/.test(grade)) continue;
    const shown = /^[a-z]/.test(number) ? number.toUpperCase() : String(numberIn(number));
    const entry = name.endsWith('班') ? { key: '班级', value: `${shown}班` } : { key: 'class', value: shown };
    return { grade, entry };
  }
  return undefined;
}

/** Not empty: a name of invisible characters is kept. */
function folded(text: string): string {
  return cleanName(text).toLowerCase() || text;
}

/** The first Chinese name is the one on Chinese papers. */
const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  math: ['数学', '奥数', 'maths', 'mathematics'],
  chinese: ['语文', '中文', '中国语文'],
  english: ['英语', '英文', '英国语文'],
  physics: ['物理'],
  chemistry: ['化学'],
  biology: ['生物', '生物学'],
  history: ['历史'],
  geography: ['地理'],
  politics: ['政治', '道德与法治', '道法', '思想政治'],
  science: ['科学'],
};

export const KNOWN_SUBJECTS = Object.keys(SUBJECTS);

/** The English name of a known subject; for any other name, the name in half width and lower case. */
export function subjectOf(text: string): string {
  return knownSubject(text) ?? folded(text);
}

/** The English name of a known subject; otherwise undefined. Tables have blanks in short names, 数　学, and 数学科. */
function knownSubject(text: string): string | undefined {
  const name = comparedName(text).replaceAll(' ', '').replace(/科$/, '');
  return KNOWN_SUBJECTS.find((subject) => subject === name || SUBJECTS[subject]?.includes(name));
}

/** Behind the number of a grade: 八(3)班, 8年级3班, 803班. 12班 has no grade. */
const CLASS = /(?<=[一二三四五六七八九])(?:年级)?\(?\d{1,2}\)?班|(?<=\d)(?:年级\(?\d{1,2}\)?|\(\d{1,2}\)|0\d)班/;
/** Words beside the subject in the name of a sheet. */
const SHEET_WORDS =
  /错题[本集]?|整理|汇总|统计表?|收集|记录|期[中末]|(?:第?[一二三四五六七八九十\d]{1,2}次?)?(?:月考|单元)|周[测练]|考试|测[试验]|试卷|作业|练习|复习|专题|培优|20\d\d年?/g;
/** Courses of senior high schools, in which the subject is the same: 数学（理）, 高一物理必修1, 选择性必修第二册. */
const COURSE = /^[文理]科|[文理]科?$|(?:选择性)?(?:必修|选修)(?:第?[一二三四五\d]{1,2}册?)?/g;
/** What may be left without a grade: a school stage, a term, the number or the date of a sheet. */
const NO_GRADE = new RegExp(`^(?:小学|初中|高中|${TERM_NAME}|[\\d年月日]*|\\d{1,2}班|[一二三四五六七八九十])$`);

/**
 * The subject and the grade that a sheet or a category is named after: 英语(八下), 八年级数学下册, 八(3)班物理错题. None if
 * more is in the name, as in 科学计数法: a wrong subject would not be noticed.
 */
export function namedAfter(sheet: string): { readonly subject?: string; readonly grade?: string } {
  const whole = knownSubject(sheet);
  if (whole !== undefined) return { subject: whole };
  const name = comparedName(sheet).replace(CLASS, '年级').replace(SHEET_WORDS, '');
  for (const [subject, names] of Object.entries(SUBJECTS)) {
    for (const one of [subject, ...names]) {
      if (!name.includes(one)) continue;
      const rest = name
        .replace(one, '')
        .replace(/[\s()[\]_\-.,·、]/g, '')
        .replace(COURSE, '');
      if (NO_GRADE.test(rest)) return { subject };
      const grade = gradeOf(rest);
      if (/^G\d+$/.test(grade)) return { subject, grade };
    }
  }
  return {};
}

/** 数学 for `math`; the name itself where the subject is unknown. */
export function chineseSubject(subject: string): string {
  return SUBJECTS[subject]?.[0] ?? subject;
}

const CHINESE_GRADES = ['一年级', '二年级', '三年级', '四年级', '五年级', '六年级', '七年级', '八年级', '九年级'];
const HIGH_SCHOOL = ['高一', '高二', '高三'];

/** 五年级 for `G5`; the name itself where the grade is unknown. */
export function chineseGrade(grade: string): string {
  const number = Number(/^G(\d{1,2})$/.exec(grade)?.[1] ?? 0);
  return [...CHINESE_GRADES, ...HIGH_SCHOOL][number - 1] ?? grade;
}
