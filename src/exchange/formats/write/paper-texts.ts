import type { Language } from '../../../domain/language.js';

export interface PaperTexts {
  readonly title: string;
  readonly questions: string;
  readonly answers: string;
  readonly answer: string;
  readonly mistake: string;
  readonly topics: string;
  readonly notes: string;
  readonly name: string;
  readonly noAnswer: string;
  readonly difficulty: (value: number) => string;
  readonly count: (questions: number) => string;
}

export const PAPER_TEXTS: Readonly<Record<Language, PaperTexts>> = {
  en: {
    title: 'Mistakes to practise',
    questions: 'Questions',
    answers: 'Answers and mistake notes',
    answer: 'Answer',
    mistake: 'Mistake',
    topics: 'Topics',
    notes: 'Notes',
    name: 'Name',
    noAnswer: 'none is kept',
    difficulty: (value) => `difficulty ${value}`,
    count: (questions) => `${questions} ${questions === 1 ? 'question' : 'questions'}`,
  },
  zh: {
    title: '错题练习',
    questions: '题目',
    answers: '答案与错因',
    answer: '答案',
    mistake: '错解',
    topics: '知识点',
    notes: '备注',
    name: '姓名',
    noAnswer: '未记录',
    difficulty: (value) => `难度 ${value}`,
    count: (questions) => `共 ${questions} 题`,
  },
};

export interface Paper {
  /** Null: the default of the language. */
  readonly title: string | null;
  readonly language: Language;
}
