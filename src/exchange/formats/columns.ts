import { CARD_FIELDS, type CardField as Field } from '../../domain/import.js';
import type { Language } from '../../domain/language.js';

/** Sheet name of exports and of the template; as a sheet's name it is not read as the subject of its cards. */
export const SHEET_NAMES: Readonly<Record<Language, string>> = { en: 'cards', zh: '错题' };

/** Fields that may have several columns: their texts are joined in the order of the columns. */
const SHARED: ReadonlySet<Field> = new Set([
  'questionText',
  'options',
  'studentSolutionText',
  'goldSolutionBrief',
  'topicTags',
  'errorTypes',
  'notes',
]);

export function mayRepeat(field: Field): boolean {
  return SHARED.has(field);
}

/** Known header names of each field, each as {@link foldHeader} writes it. */
const NAMES: Readonly<Record<Field, string>> = {
  id: 'id 卡片id 卡片编号 cardid',
  subject: '学科 科目 学科名称 subject course',
  grade: '年级 年段 学段年级 适用年级 grade gradelevel year',
  difficulty: '难度 难易度 难易程度 难度等级 难度系数 difficulty level',
  questionText:
    '题目 题干 问题 原题 错题 题面 题文 试题 题目内容 题干内容 试题内容 题目描述 错题内容 question questiontext problem stem prompt item',
  options:
    '选项 选项内容 options choices a b c d e 选项a 选项b 选项c 选项d 选项e optiona optionb optionc optiond optione',
  studentSolutionText:
    '学生解法 错解 错误解法 错误解答 错误过程 学生答案 学生作答 学生解答 我的答案 我的解法 我的解答 错误答案 作答 studentsolution studentsolutiontext studentanswer wrongsolution wronganswer mysolution myanswer',
  goldSolutionBrief:
    '正解 解析 答案 正确答案 正确解法 正确解答 参考答案 标准答案 参考解答 答案解析 解答 解法 解题过程 solution answer correctanswer correctsolution referencesolution goldsolution goldsolutionbrief explanation key',
  topicTags:
    '知识点 考点 标签 知识标签 知识点标签 主题 topic topics topictags tag tags knowledgepoint knowledgepoints concept concepts',
  errorTypes:
    '错因 错误类型 错误原因 错因分析 错误分类 错误归因 error errors errortype errortypes mistake mistaketype cause reason',
  qualityGrade: '质量等级 质量 质量评级 评级 quality qualitygrade rating',
  source: '来源 出处 题目来源 试题来源 试卷 教材 source origin book paper',
  notes: '备注 笔记 批注 反思 总结 错题反思 note notes comment comments remark remarks',
  occurredAt:
    '时间 日期 错题时间 错题日期 做错时间 出错时间 发生时间 记录时间 记录日期 occurredat date time when datetime',
  metadata: 'metadata',
  occurrences: 'occurrences',
};

const BY_NAME: ReadonlyMap<string, Field> = new Map(
  CARD_FIELDS.flatMap((field) => NAMES[field].split(' ').map((name): [string, Field] => [name, field])),
);

/** Row counters: they are no ids, and are skipped without a notice. */
const COUNTERS: ReadonlySet<string> = new Set(['序号', '编号', '题号', '#', 'no', 'no.', 'nr', 'number', 'index']);

/** Normalises a header: removes case, blanks, marks of required columns and hints in brackets. */
export function foldHeader(header: string): string {
  return header
    .normalize('NFKC')
    .replace(/[([【].*?[)\]】]/g, '')
    .replace(/[\s_\-*:：/、.]+/g, '')
    .toLowerCase();
}

/** Longer headers are sentences, and folding takes quadratic time for unclosed brackets. */
const MAX_HEADER_CHARS = 100;

/** The field of a header; null for a row counter, undefined for an unknown header. */
export function fieldOf(header: string): Field | null | undefined {
  if (header.length > MAX_HEADER_CHARS) return undefined;
  const folded = foldHeader(header);
  return BY_NAME.get(folded) ?? (COUNTERS.has(folded) ? null : undefined);
}
