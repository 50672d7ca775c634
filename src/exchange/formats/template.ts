import { CARD_CONTENT } from '../../domain/card-content.js';
import type { Language } from '../../domain/language.js';
import { chineseSubject, KNOWN_SUBJECTS } from '../../domain/school-names.js';
import { COLUMNS, SHEET_NAMES } from './columns.js';
import type { Sheet } from './write/xlsx.js';

/** In characters. */
const EXPLANATION_WIDTHS = [20, 10, 90, 50];

const TEXTS = {
  en: {
    explained: 'what the columns mean',
    explanationHeaders: ['column', 'needed', 'meaning', 'example'],
    required: 'yes',
    optional: 'no',
    grades: Array.from({ length: 12 }, (_, place) => `G${place + 1}`),
    subjects: KNOWN_SUBJECTS,
    difficulties: ['1', '2', '3', '4', '5'],
    qualities: ['excellent', 'good', 'fair'],
  },
  zh: {
    explained: '填写说明',
    explanationHeaders: ['列', '必填', '说明', '示例'],
    required: '是',
    optional: '否',
    grades: '一年级 二年级 三年级 四年级 五年级 六年级 初一 初二 初三 高一 高二 高三'.split(' '),
    subjects: KNOWN_SUBJECTS.map(chineseSubject),
    difficulties: ['容易', '较易', '中等', '较难', '困难'],
    qualities: ['优', '良', '中'],
  },
} satisfies Record<Language, object>;

/**
 * The sheets of a workbook to fill in: an empty table with drop-down lists, and a sheet that explains each column. The
 * example is in the explanation, because in the table it would be imported.
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
      rows: COLUMNS.map(({ field, header, meaning, example }) => [
        header[language],
        field !== 'id' && CARD_CONTENT[field].presence === 'required' ? texts.required : texts.optional,
        meaning[language],
        example?.[language] ?? '',
      ]),
    },
  ];
}
