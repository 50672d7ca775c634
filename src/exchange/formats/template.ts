import type { Language } from '../../domain/language.js';
import { SHEET_NAMES } from './columns.js';
import { COLUMNS } from './write/table.js';
import type { Sheet } from './write/xlsx.js';

interface TemplateTexts {
  readonly explained: string;
  readonly explanationHeaders: readonly [string, string, string, string];
  readonly required: string;
  readonly optional: string;
  /** In the order of the columns. */
  readonly explanations: readonly string[];
  readonly example: readonly string[];
  readonly grades: readonly string[];
  readonly subjects: readonly string[];
  readonly difficulties: readonly string[];
  readonly qualities: readonly string[];
}

/** In characters. */
const EXPLANATION_WIDTHS = [20, 10, 90, 50];

const REQUIRED: ReadonlySet<string> = new Set(['subject', 'difficulty', 'questionText']);

const TEXTS: Readonly<Record<Language, TemplateTexts>> = {
  en: {
    explained: 'what the columns mean',
    explanationHeaders: ['column', 'needed', 'meaning', 'example'],
    required: 'yes',
    optional: 'no',
    explanations: [
      'Leave it empty for a new mistake. A row with the id of a card that exists changes that card.',
      'math, physics, english, ... or any other name.',
      'G1 to G12, Grade 6, or any other name.',
      '1 (easiest) to 5, or easy, medium, hard.',
      'The question as it was asked. Line breaks and LaTeX, such as $\\frac{1}{2}$, are kept. Options go below it, one a line: A. ...',
      'What the student wrote, as it was written.',
      'The correct solution in brief.',
      'The knowledge points, with commas between them.',
      'What went wrong: sign error, misread the question, ..., with commas between them.',
      'excellent, good or fair, as material to practise with.',
      'The book and page, or the test. Left empty, the name of the sheet is used where you have renamed it.',
      'Anything else; it is not searched.',
      'When the mistake was made: 2026-03-01. Left empty, when it was imported.',
    ],
    example: [
      '',
      'math',
      'G6',
      '2',
      'Calculate $\\frac{1}{2}+\\frac{1}{3}$.',
      '$\\frac{2}{5}$',
      '$\\frac{3}{6}+\\frac{2}{6}=\\frac{5}{6}$',
      'addition of fractions, common denominator',
      'numerators and denominators added',
      'good',
      'workbook, page 12',
      'The denominators must be made equal first.',
      '2026-03-01',
    ],
    grades: ['G1', 'G2', 'G3', 'G4', 'G5', 'G6', 'G7', 'G8', 'G9', 'G10', 'G11', 'G12'],
    subjects: [
      'math',
      'chinese',
      'english',
      'physics',
      'chemistry',
      'biology',
      'history',
      'geography',
      'politics',
      'science',
    ],
    difficulties: ['1', '2', '3', '4', '5'],
    qualities: ['excellent', 'good', 'fair'],
  },
  zh: {
    explained: '填写说明',
    explanationHeaders: ['列', '必填', '说明', '示例'],
    required: '是',
    optional: '否',
    explanations: [
      '新错题请留空；填写已有卡片的id，就会修改那张卡片。',
      '数学、语文、英语、物理……也可以填其他名称。',
      '一年级到高三，或 G1 到 G12，也可以填其他名称。',
      '1（最易）到 5（最难），或 容易、较易、中等、较难、困难。',
      '题目原文，可以换行，可以用 LaTeX，例如 $\\frac{1}{2}$。选项写在下面，每行一个：A. ……',
      '学生当时写的解法，照原样填写。',
      '正确解法，简要即可。',
      '知识点，用逗号、顿号或分号隔开。',
      '错在哪里，例如 计算错误、审题不清，用逗号、顿号或分号隔开。',
      '优、良 或 中，表示作为练习材料的质量。',
      '课本页码或试卷名称；留空时，如果工作表改了名，就使用工作表的名称。',
      '其他想记下的内容，不参与搜索。',
      '出错的日期，例如 2026-03-01；留空时使用导入的时间。',
    ],
    example: [
      '',
      '数学',
      '六年级',
      '较易',
      '计算：$\\frac{1}{2}+\\frac{1}{3}$',
      '$\\frac{2}{5}$',
      '$\\frac{3}{6}+\\frac{2}{6}=\\frac{5}{6}$',
      '异分母分数加法、通分',
      '分子分母分别相加',
      '良',
      '练习册第12页',
      '先通分，再相加。',
      '2026-03-01',
    ],
    grades: [
      '一年级',
      '二年级',
      '三年级',
      '四年级',
      '五年级',
      '六年级',
      '初一',
      '初二',
      '初三',
      '高一',
      '高二',
      '高三',
    ],
    subjects: ['数学', '语文', '英语', '物理', '化学', '生物', '历史', '地理', '政治', '科学'],
    difficulties: ['容易', '较易', '中等', '较难', '困难'],
    qualities: ['优', '良', '中'],
  },
};

/**
 * The sheets of a workbook to fill in: an empty table with drop-down lists, and a sheet that explains each column. The example
 * is in the explanation, because in the table it would be imported.
 */
export function templateSheets(language: Language): readonly Sheet[] {
  const texts = TEXTS[language];
  const place = (field: string): number => COLUMNS.findIndex((column) => column.field === field);
  return [
    {
      name: SHEET_NAMES[language],
      columns: COLUMNS.map(({ header, width }) => ({ header: header[language], width })),
      rows: [],
      choices: new Map([
        [place('subject'), texts.subjects],
        [place('grade'), texts.grades],
        [place('difficulty'), texts.difficulties],
        [place('qualityGrade'), texts.qualities],
      ]),
    },
    {
      name: texts.explained,
      columns: texts.explanationHeaders.map((header, at) => ({ header, width: EXPLANATION_WIDTHS[at] ?? 0 })),
      rows: COLUMNS.map(({ field, header }, at) => [
        header[language],
        REQUIRED.has(field) ? texts.required : texts.optional,
        texts.explanations[at] ?? '',
        texts.example[at] ?? '',
      ]),
    },
  ];
}
