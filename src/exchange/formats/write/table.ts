import type { CardField } from '../../../domain/import.js';
import type { Language } from '../../../domain/language.js';
import { joinLabels } from '../values/labels.js';
import type { CardWithTimes } from './card-lines.js';

/** A column of a table of cards. */
export interface Column {
  readonly field: CardField;
  readonly header: Readonly<Record<Language, string>>;
  /** In characters. */
  readonly width: number;
}

/** The columns of a table of cards, in order; the importer knows every header. */
export const COLUMNS: readonly Column[] = [
  { field: 'id', header: { en: 'id', zh: '卡片id' }, width: 16 },
  { field: 'subject', header: { en: 'subject', zh: '学科' }, width: 10 },
  { field: 'grade', header: { en: 'grade', zh: '年级' }, width: 8 },
  { field: 'difficulty', header: { en: 'difficulty', zh: '难度' }, width: 10 },
  { field: 'questionText', header: { en: 'question', zh: '题目' }, width: 60 },
  { field: 'studentSolutionText', header: { en: 'student solution', zh: '学生解法' }, width: 40 },
  { field: 'goldSolutionBrief', header: { en: 'correct solution', zh: '正解' }, width: 40 },
  { field: 'topicTags', header: { en: 'topics', zh: '知识点' }, width: 24 },
  { field: 'errorTypes', header: { en: 'error types', zh: '错因' }, width: 24 },
  { field: 'qualityGrade', header: { en: 'quality', zh: '质量等级' }, width: 12 },
  { field: 'source', header: { en: 'source', zh: '来源' }, width: 20 },
  { field: 'notes', header: { en: 'notes', zh: '备注' }, width: 30 },
  { field: 'occurredAt', header: { en: 'date', zh: '时间' }, width: 26 },
];

/**
 * The rows of a card in a table, in the order of {@link COLUMNS}: one for each occurrence, all with the card's id, by which the
 * importer joins them again. Differing fields of merged cards are not exported to tables.
 */
export function tableRows({ card, occurrences }: CardWithTimes): readonly (readonly string[])[] {
  return occurrences.map(({ occurredAt, wrongSolution, errorTypes }) => [
    card.id,
    card.subject,
    card.grade ?? '',
    String(card.difficulty),
    card.questionText,
    wrongSolution ?? '',
    card.goldSolutionBrief ?? '',
    joinLabels(card.topicTags),
    joinLabels(errorTypes),
    card.qualityGrade ?? '',
    card.source ?? '',
    card.notes ?? '',
    occurredAt.toISOString(),
  ]);
}
