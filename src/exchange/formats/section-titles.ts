import { comparedName } from '../../domain/clean-text.js';
import { type CellValue, isEmpty } from './source.js';

/** Longer texts are questions. */
const MAX_CHARS = 120;

/** 一、 (二) 第一部分 II. */
const NUMBER = String.raw`\(?(?:第?[一二三四五六七八九十]{1,3}(?:部分|大题)?|[ivx]{1,4})(?:[、.,:)] ?| )`;
const TYPE =
  '(?:(?:单项|多项|不定项|单|多)?选择|(?:语法|完形|选词)?填空|判断|解答|计算|(?:综合)?应用|简答|问答|作图|操作|(?:实验)?探究|实验|综合|论述|材料分析|证明|翻译|默写|改错|阅读(?:理解)?|解决问题|书面表达|作文)';
/** How many questions and points it has, or what is to be done: (每小题3分), :本大题共6小题, :对的打√。(10分), (要求写出过程). */
const ABOUT = String.raw`(?: ?[:,。(]? ?(?:本|共|每|满分)[^?=_]*(?:\d ?分|小题)[^?=_]*|[^?=_\d]*\([^()?=_]*\d ?分\)| ?\([\p{Script=Han},、。 ]+\))?[。.:]?`;
const FORMS = [
  RegExp(String.raw`^(?:${NUMBER}|\d{1,2}[、.] ?)?${TYPE}题${ABOUT}$`, 'u'),
  RegExp(`^${NUMBER}${TYPE}${ABOUT}$`, 'u'),
  /^第 ?(?:[一二三四五六七八九十]{1,3}|\d{1,2}) ?(?:章|单元)(?:[ :][^?=_()]{1,20})?$/,
];

/**
 * The title of a section, such as 二、填空题（每空2分，共20分） or 第一章 有理数, if a row has nothing else; undefined for
 * other rows.
 */
export function sectionIn(values: readonly CellValue[]): string | undefined {
  const [title, ...others] = values.filter((value) => !isEmpty(value));
  if (typeof title !== 'string' || title.length > MAX_CHARS || others.length > 0) return undefined;
  const name = comparedName(title);
  return FORMS.some((form) => form.test(name)) ? title.trim() : undefined;
}
