import type { CardField as Field } from '../../domain/import.js';
import type { Language } from '../../domain/language.js';

type Translated = Readonly<Record<Language, string>>;

interface FileField {
  /** Known header names, each as `foldHeader` writes it. */
  readonly names: string;
}

/** A field that is a column of exported tables and of the template. */
export interface Column extends FileField {
  readonly header: Translated;
  /** In characters. */
  readonly width: number;
  readonly meaning: Translated;
  /** Absent where the cell is usually empty. */
  readonly example?: Translated;
}

/** Names of columns of one choice. */
const CHOICE_COLUMNS = [...'abcdefghijkl']
  .flatMap((letter, place) => [
    ...[`选项${letter}`, `${letter}选项`, `${letter}项`, `option${letter}`],
    ...[`选项${place + 1}`, `option${place + 1}`],
  ])
  .join(' ');

/** How files name the fields of a card, in the order of the exported columns. */
export const FILE_FIELDS: Readonly<Record<Field, FileField | Column>> = {
  id: {
    names: 'id 卡片id 卡片编号 cardid',
    header: { en: 'id', zh: '卡片id' },
    width: 16,
    meaning: {
      en: 'Leave it empty for a new mistake. A row with the id of a card that exists changes that card.',
      zh: '新错题请留空；填写已有卡片的id，就会修改那张卡片。',
    },
  },
  subject: {
    names: '学科 科目 学科名称 学科名 所属学科 所属科目 学科科目 subject course',
    header: { en: 'subject', zh: '学科' },
    width: 10,
    meaning: { en: 'math, physics, english, ... or any other name.', zh: '数学、语文、英语、物理……也可以填其他名称。' },
    example: { en: 'math', zh: '数学' },
  },
  grade: {
    names: '年级 年段 学段年级 年级班级 所在年级 适用年级 使用年级 所属年级 grade gradelevel year yeargroup yearlevel',
    header: { en: 'grade', zh: '年级' },
    width: 8,
    meaning: { en: 'G1 to G12, Grade 6, or any other name.', zh: '一年级到高三，或 G1 到 G12，也可以填其他名称。' },
    example: { en: 'G6', zh: '六年级' },
  },
  difficulty: {
    names: '难度 难易 难易度 难易程度 题目难度 试题难度 难度级别 难度等级 难度星级 难度系数 difficulty level',
    header: { en: 'difficulty', zh: '难度' },
    width: 10,
    meaning: {
      en: '1 (easiest) to 5, or easy, medium, hard.',
      zh: '1（最易）到 5（最难），或 容易、较易、中等、较难、困难。',
    },
    example: { en: '2', zh: '较易' },
  },
  questionText: {
    names:
      '题目 题干 问题 原题 错题 题面 题文 试题 题目内容 题干内容 试题内容 题目描述 错题内容 错题题目 题目原文 原题内容 错题原题 错题原文 试题题干 题干文本 题目文字 题目及选项 question questiontext problem stem prompt item',
    header: { en: 'question', zh: '题目' },
    width: 60,
    meaning: {
      en: 'The question as it was asked. Line breaks and LaTeX, such as $\\frac{1}{2}$, are kept.',
      zh: '题目原文，可以换行，可以用 LaTeX，例如 $\\frac{1}{2}$。',
    },
    example: { en: 'Calculate $\\frac{1}{2}+\\frac{1}{3}$.', zh: '计算：$\\frac{1}{2}+\\frac{1}{3}$' },
  },
  choices: {
    names: `选项 选项内容 备选项 choices options a b c d e f ${CHOICE_COLUMNS}`,
    header: { en: 'choices', zh: '选项' },
    width: 30,
    meaning: {
      en: 'The choices of a multiple-choice question, one a line: A. ... Columns A, B, C, D do as well.',
      zh: '选择题的选项，每行一个：A. ……也可以分成 A、B、C、D 几列。',
    },
  },
  studentSolutionText: {
    names:
      '学生解法 错解 错误解法 错误解答 错误过程 错误做法 学生答案 学生作答 学生解答 学生作答内容 作答内容 学员答案 考生答案 用户答案 我的作答 学生的答案 学生错解 学生错误答案 我的错解 我的做法 错误解题过程 我的答案 我的解法 我的解答 错误答案 作答 studentsolution studentsolutiontext studentanswer wrongsolution wronganswer mysolution myanswer',
    header: { en: 'student solution', zh: '学生解法' },
    width: 40,
    meaning: { en: 'What the student wrote, as it was written.', zh: '学生当时写的解法，照原样填写。' },
    example: { en: '$\\frac{2}{5}$', zh: '$\\frac{2}{5}$' },
  },
  goldSolutionBrief: {
    names:
      '正解 解析 答案 正确答案 正确解法 正确解答 参考答案 标准答案 参考解法 参考解答 答案解析 答案及解析 答案与解析 参考答案及解析 解答 参考答案与解析 正确选项 试题解析 题目解析 详细解析 解法 解题过程 解题思路 订正 改正 订正过程 正确过程 正确做法 正确解题过程 答案详解 标答 solution answer correctanswer correctsolution referencesolution goldsolution goldsolutionbrief explanation key',
    header: { en: 'correct solution', zh: '正解' },
    width: 40,
    meaning: { en: 'The correct solution in brief.', zh: '正确解法，简要即可。' },
    example: { en: '$\\frac{3}{6}+\\frac{2}{6}=\\frac{5}{6}$', zh: '$\\frac{3}{6}+\\frac{2}{6}=\\frac{5}{6}$' },
  },
  topicTags: {
    names:
      '知识点 考点 标签 知识标签 知识点标签 所属知识点 考查知识点 相关知识点 考察知识点 涉及知识点 对应知识点 知识点1 知识点2 知识点3 知识点一 知识点二 知识点三 一级知识点 二级知识点 三级知识点 知识点名称 考点名称 主题 topic topics topictags tag tags knowledgepoint knowledgepoints concept concepts',
    header: { en: 'topics', zh: '知识点' },
    width: 24,
    meaning: { en: 'The knowledge points, with commas between them.', zh: '知识点，用逗号、顿号或分号隔开。' },
    example: { en: 'addition of fractions, common denominator', zh: '异分母分数加法、通分' },
  },
  errorTypes: {
    names:
      '错因 错误类型 错误原因 错因分析 错误原因分析 错误分类 错误类别 错误归因 错因类型 错因分类 出错原因 失分原因 丢分原因 失误原因 错因标签 错误标签 做错原因 错题原因 error errors errortype errortypes mistake mistaketype misconception misconceptions cause reason',
    header: { en: 'error types', zh: '错因' },
    width: 24,
    meaning: {
      en: 'What went wrong: sign error, misread the question, ..., with commas between them.',
      zh: '错在哪里，例如 计算错误、审题不清，用逗号、顿号或分号隔开。',
    },
    example: { en: 'numerators and denominators added', zh: '分子分母分别相加' },
  },
  qualityGrade: {
    names: '质量等级 质量 质量评级 评级 quality qualitygrade rating',
    header: { en: 'quality', zh: '质量等级' },
    width: 12,
    meaning: {
      en: 'excellent, good or fair, as material to practise with.',
      zh: '优、良 或 中，表示作为练习材料的质量。',
    },
    example: { en: 'good', zh: '良' },
  },
  source: {
    names:
      '来源 出处 题目来源 试题来源 错题来源 来源试卷 所属试卷 试卷来源 作业名称 练习名称 试卷 试卷名称 考试名称 考试 教材 source origin book paper',
    header: { en: 'source', zh: '来源' },
    width: 20,
    meaning: {
      en: 'The book and page, or the test. Left empty, the name of the sheet is used if you have renamed it.',
      zh: '课本页码或试卷名称；留空时，如果工作表改了名，就使用工作表的名称。',
    },
    example: { en: 'workbook, page 12', zh: '练习册第12页' },
  },
  notes: {
    names:
      '备注 笔记 批注 反思 总结 错题反思 反思总结 备注说明 教师点评 老师点评 教师评语 老师评语 note notes comment comments remark remarks',
    header: { en: 'notes', zh: '备注' },
    width: 30,
    meaning: { en: 'Anything else; it is not searched.', zh: '其他想记下的内容，不参与搜索。' },
    example: { en: 'The denominators must be made equal first.', zh: '先通分，再相加。' },
  },
  occurredAt: {
    names:
      '时间 日期 错题时间 错题日期 做错时间 做错日期 出错时间 出错日期 发生时间 发生日期 记录时间 记录日期 考试日期 考试时间 测试日期 测试时间 做题日期 做题时间 occurredat date time when datetime',
    header: { en: 'date', zh: '时间' },
    width: 26,
    meaning: {
      en: 'When the mistake was made: 2026-03-01. Left empty, when it was imported.',
      zh: '出错的日期，例如 2026-03-01；留空时使用导入的时间。',
    },
    example: { en: '2026-03-01', zh: '2026-03-01' },
  },
  metadata: {
    names: '自定义数据 元数据 附加数据 metadata',
    header: { en: 'metadata', zh: '自定义数据' },
    width: 20,
    meaning: {
      en: 'What an app stores with the card: a "key: value" on each line, or a JSON object of texts.',
      zh: '应用随卡片保存的数据：每行一个“键：值”，或由文本组成的 JSON 对象。',
    },
  },
  attachments: {
    names: '附件 附件链接 图片链接 attachment attachments attachmenturl imageurl imageurls',
    header: { en: 'attachments', zh: '附件' },
    width: 30,
    meaning: {
      en: 'Addresses of images or files that begin with https://, one a line.',
      zh: '图片或文件的网址，以 https:// 开头，每行一个。',
    },
  },
  occurrences: { names: 'occurrences' },
};
