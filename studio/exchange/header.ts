/** Where a table begins, as the gateway finds it (src/exchange/formats/header.ts); a test compares both. */

/** Above the header there may be a title and some lines about the class. */
export const HEADER_WITHIN = 20;

/** Names of the column of the question, as the gateway knows them. */
export const QUESTION_NAMES =
  '题目 题干 问题 原题 错题 题面 题文 试题 题目内容 题干内容 试题内容 题目描述 错题内容 错题题目 question questiontext problem stem prompt item';

/** Names of the subject and the difficulty, which every card has. */
const REQUIRED_NAMES =
  '学科 科目 学科名称 subject course 难度 难易 难易度 难易程度 难度等级 难度星级 难度系数 difficulty level';

/** Names of other columns. */
export const OTHER_NAMES = [
  'id 卡片id 卡片编号 cardid',
  REQUIRED_NAMES,
  '年级 年段 学段年级 适用年级 使用年级 所属年级 grade gradelevel year yeargroup yearlevel',
  '选项 选项内容 备选项 choices options a b c d e f',
  ...[...'abcdefghijkl'].flatMap((letter, place) => [
    `选项${letter} ${letter}选项 ${letter}项 option${letter} 选项${place + 1} option${place + 1}`,
  ]),
  '学生解法 错解 错误解法 错误解答 错误过程 错误做法 学生答案 学生作答 学生解答 学生错解 学生错误答案 我的答案 我的解法 我的解答 错误答案 作答',
  'studentsolution studentsolutiontext studentanswer wrongsolution wronganswer mysolution myanswer',
  '正解 解析 答案 正确答案 正确解法 正确解答 参考答案 标准答案 参考解法 参考解答 答案解析',
  '答案及解析 答案与解析 参考答案及解析 解答 解法 解题过程 解题思路 订正 改正',
  'solution answer correctanswer correctsolution referencesolution goldsolution goldsolutionbrief explanation key',
  '知识点 考点 标签 知识标签 知识点标签 所属知识点 考查知识点 相关知识点 知识点1 知识点2 知识点3 主题',
  'topic topics topictags tag tags knowledgepoint knowledgepoints concept concepts',
  '错因 错误类型 错误原因 错因分析 错误原因分析 错误分类 错误类别 错误归因 错因类型 错因分类 出错原因 失分原因',
  'error errors errortype errortypes mistake mistaketype misconception misconceptions cause reason',
  '质量等级 质量 质量评级 评级 quality qualitygrade rating',
  '来源 出处 题目来源 试题来源 错题来源 试卷 教材 source origin book paper',
  '备注 笔记 批注 反思 总结 错题反思 note notes comment comments remark remarks',
  '时间 日期 错题时间 错题日期 做错时间 出错时间 发生时间 记录时间 记录日期 考试日期 occurredat date time when datetime',
  '自定义数据 元数据 附加数据 metadata',
  '附件 附件链接 图片链接 attachment attachments attachmenturl imageurl imageurls',
  'occurrences',
].join(' ');

const QUESTION = new Set(QUESTION_NAMES.split(' '));
const REQUIRED = new Set(REQUIRED_NAMES.split(' '));
const OTHERS = new Set(OTHER_NAMES.split(' '));

/** Names of row counters, which may be repeated in the second row of a header. */
const COUNTERS = new Set('序号 编号 题号 # no nr number index'.split(' '));

/** Traditional characters of these names, each followed by its simplified one. */
const TRADITIONAL = new Map(
  `乾干 來来 係系 備备 內内 參参 問问 圖图 學学 屬属 幹干 捲卷 據据 數数 時时 標标 歸归 準准 發发 確确 稱称 筆笔 簽签 籤签 級级 結结 編编 總总 繫系 義义
處处 號号 別别 彆别 與与 訂订 關关 記记 註注 評评 試试 誤误 識识 質质 過过 適适 選选 錄录 錯错 録录 鏈链 間间 難难 項项 題题 類类 髮发 麵面 點点 齣出`
    .split(/\s+/)
    .map((pair) => [pair.slice(0, 1), pair.slice(1)] as const),
);

/** Longer names are sentences. */
const MAX_NAME_CHARS = 100;

const BRACKETS = /[([【](.*?)[)\]】]/g;

/** In simplified Chinese, without case, blanks, marks of required columns and hints in brackets, as in the gateway. */
function folded(name: string): string {
  if (name.length > MAX_NAME_CHARS) return '';
  const text = name.replace(/\p{Script=Han}/gu, (sign) => TRADITIONAL.get(sign) ?? sign).normalize('NFKC');
  return bare(text.replace(BRACKETS, '')) || bare([...text.matchAll(BRACKETS)][0]?.[1] ?? '');
}

function bare(text: string): string {
  return text.replace(/[\s\u200b\u200c\u2060_\-*:：/、.]+/g, '').toLowerCase();
}

const isQuestion = (name: string): boolean => QUESTION.has(folded(name));

export function isKnownName(name: string): boolean {
  return isQuestion(name) || OTHERS.has(folded(name));
}

/** Of a field of a card, or of a row counter. */
const isName = (name: string): boolean => isKnownName(name) || COUNTERS.has(folded(name));

/** True for names of the question and of another column: then the gateway reads the rows below them as cards. */
export function isHeader(names: readonly string[]): boolean {
  return names.some(isQuestion) && names.filter(isKnownName).length > 1;
}

/**
 * The header with the names of its second row, such as A, B, C and D below 选项; undefined if the row below it is none,
 * as the gateway decides it.
 */
export function withSecondRow(names: readonly string[], below: readonly string[]): readonly string[] | undefined {
  const isMissing = (name: string, at: number): boolean => !isBlank(name) && isBlank(names[at] ?? '');
  const isMerged = (name: string, at: number): boolean =>
    name.trim() === names[at]?.trim() && REQUIRED.has(folded(name));
  const isSecond =
    below.some(isMissing) && (below.some(isMerged) || below.every((name) => isBlank(name) || isName(name)));
  if (!isSecond) return undefined;
  const width = Math.max(names.length, below.length);
  return Array.from({ length: width }, (_, at) => {
    const [first = '', second = ''] = [names[at], below[at]];
    return isBlank(second) || (isName(first) && !isName(second)) ? first : second;
  });
}

/** True for the header of another part of the sheet, as the gateway decides it. */
export function isHeaderBelow(headers: readonly string[], row: readonly string[]): boolean {
  const names = row.filter((cell) => !isBlank(cell)).map((cell) => cell.trim());
  const above = headers.map((header) => header.trim());
  return (
    names.some((name) => isName(name) && above.includes(name)) &&
    names.every((name) => isName(name) || above.includes(name)) &&
    names.filter(isQuestion).length === 1 &&
    isHeader(names)
  );
}

const isBlank = (cell: string): boolean => cell.trim() === '';

/**
 * The place of the header among rows without empty ones. A row in which only the question is known may be a sentence:
 * it is the header if no other row has more known names. Without a name of the question beside others, the gateway is
 * to be told which column it is, and the row with most known names is the header; if there are none, the first row of
 * more than one cell, since a title has one.
 */
export function headerPlace(rows: readonly (readonly string[])[]): number {
  const known = rows.slice(0, HEADER_WITHIN).map((row) => ({
    names: row.filter(isKnownName).length,
    hasQuestion: row.some(isQuestion),
  }));
  const whole = known.findIndex(({ names, hasQuestion }) => hasQuestion && names > 1);
  if (whole !== -1) return whole;
  const most = Math.max(...known.map(({ names }) => names));
  if (most === 0) {
    const first = rows.slice(0, HEADER_WITHIN).findIndex((row) => row.filter((cell) => !isBlank(cell)).length > 1);
    return Math.max(0, first);
  }
  const alone = known.findIndex(({ hasQuestion }) => hasQuestion);
  return alone !== -1 && most === 1
    ? alone
    : Math.max(
        0,
        known.findIndex(({ names }) => names === most),
      );
}
