import type { Card, SolvableContent } from '../../../domain/card.js';
import { letteredLines } from '../../../domain/choices.js';
import type { Language } from '../../../domain/language.js';
import { chineseGrade, chineseSubject } from '../../../domain/school-names.js';
import type { CardWithOccurrences } from './card-lines.js';

const EN = {
  title: 'Mistakes to practise',
  questions: 'Questions',
  answers: 'Answers and mistake notes',
  answersOnly: 'Answers',
  answer: 'Answer',
  mistake: 'Mistake',
  topics: 'Topics',
  notes: 'Notes',
  name: 'Name',
  noAnswer: 'not recorded',
  difficulty: (value: number) => `difficulty ${value}`,
  subject: (name: string) => name,
  grade: (name: string) => name,
  colon: ': ',
  listed: (labels: readonly string[]) => labels.join('; '),
  bracketed: (text: string) => ` (${text})`,
  count: (questions: number) => `${questions} ${questions === 1 ? 'question' : 'questions'}`,
};
type PaperTexts = Readonly<typeof EN>;

const ZH: PaperTexts = {
  title: '错题练习',
  questions: '题目',
  answers: '答案与错因',
  answersOnly: '答案',
  answer: '答案',
  mistake: '错解',
  topics: '知识点',
  notes: '备注',
  name: '姓名',
  noAnswer: '未记录',
  difficulty: (value) => `难度 ${value}`,
  subject: chineseSubject,
  grade: chineseGrade,
  colon: '：',
  listed: (labels) => labels.join('；'),
  bracketed: (text) => `（${text}）`,
  count: (questions) => `共 ${questions} 题`,
};

export const PAPER_TEXTS: Readonly<Record<Language, PaperTexts>> = { en: EN, zh: ZH };

export interface Paper {
  /** Null: the default of the language. */
  readonly title: string | null;
  readonly language: Language;
  /** True for cards of {@link withoutMistakes}: then the heading of the answers promises no notes. */
  readonly withoutMistakes?: boolean;
}

export function answersOf({ language, withoutMistakes }: Paper): string {
  const { answers, answersOnly } = PAPER_TEXTS[language];
  return withoutMistakes === true ? answersOnly : answers;
}

/** The card without what its student got wrong and noted: for papers that others read. */
export function withoutMistakes({ card }: CardWithOccurrences): CardWithOccurrences {
  return { card: { ...card, studentSolutionText: null, errorTypes: [], notes: null }, occurrences: [] };
}

/** 数学 · 五年级 · 难度 2 · the source */
export function metaOf({ subject, grade, difficulty, source }: Card, language: Language): string {
  const texts = PAPER_TEXTS[language];
  const parts = [
    texts.subject(subject),
    grade === null ? null : texts.grade(grade),
    texts.difficulty(difficulty),
    source,
  ];
  return parts.filter((part) => part !== null).join(' · ');
}

/** The texts of a question: its choices are no rows of a table before them. */
export function questionTexts({ questionText, choices }: Card): readonly string[] {
  return choices.length === 0 ? [questionText] : [questionText, letteredLines(choices)];
}

/** What a paper has below a question: its answer, its mistakes, topics and notes, as far as there are any. */
interface AnswerEntry {
  readonly term: string;
  /** Of a mistake. */
  readonly day?: string;
  /** Empty for a mistake of which nothing else is known. */
  readonly text: string;
}

/** In the format of the paper: `written` has formulas, `words` are labels. */
export function answerEntries(
  { card, occurrences }: CardWithOccurrences,
  language: Language,
  { written, words = written }: { written(text: string): string; words?(text: string): string },
): readonly AnswerEntry[] {
  const texts = PAPER_TEXTS[language];
  const mistakes = occurrences.map(({ occurredAt, wrongSolution, errorTypes }) => {
    const errors = errorTypes.length === 0 ? '' : texts.bracketed(words(texts.listed(errorTypes)));
    const text = `${wrongSolution === null ? '' : written(wrongSolution)}${errors}`;
    return { term: texts.mistake, day: occurredAt.toISOString().slice(0, 10), text };
  });
  return [
    { term: texts.answer, text: answerTo(card, texts, written) },
    ...mistakes,
    ...(card.topicTags.length === 0 ? [] : [{ term: texts.topics, text: words(texts.listed(card.topicTags)) }]),
    ...(card.notes === null ? [] : [{ term: texts.notes, text: written(card.notes) }]),
  ];
}

/** The reference solution, by `written` in the format of the paper. */
export function answerTo(
  { goldSolutionBrief }: SolvableContent,
  { noAnswer }: PaperTexts,
  written: (text: string) => string,
): string {
  return goldSolutionBrief === null ? noAnswer : written(goldSolutionBrief);
}
