import type { Verdict } from '../../../src/domain/search-result.js';

/** A card of the example, in the fields of a new card. */
interface ExampleCard {
  readonly id: string;
  readonly subject: string;
  readonly difficulty: number;
  readonly questionText: string;
  readonly studentSolutionText: string;
  readonly topicTags: readonly string[];
  readonly errorTypes: readonly string[];
}

/** A place in an expected list, and why the card has it. */
interface ExpectedHit {
  readonly id: string;
  readonly because: string;
}

/**
 * A student divided an inequality by a negative number and kept the sign. Her teacher wants the same error in questions
 * that do not look like hers: if she still falls for it, she has not understood it.
 */
const CARDS: readonly ExampleCard[] = [
  {
    id: 'mine',
    subject: 'math',
    difficulty: 2,
    questionText: 'Solve the inequality −2x > 6.',
    studentSolutionText: 'Divide both sides by −2: x > −3.',
    topicTags: ['linear inequalities'],
    errorTypes: ['inequality sign not reversed'],
  },
  {
    id: 'twin',
    subject: 'math',
    difficulty: 2,
    questionText: 'Solve the inequality −2x > 10.',
    studentSolutionText: 'Divide both sides by −2: x > −5.',
    topicTags: ['linear inequalities'],
    errorTypes: ['inequality sign not reversed'],
  },
  {
    id: 'sibling',
    subject: 'math',
    difficulty: 2,
    questionText: 'Solve the inequality −5x + 1 > 16.',
    studentSolutionText: '−5x > 15. Divide both sides by −5: x > −3.',
    topicTags: ['linear inequalities'],
    errorTypes: ['inequality sign not reversed'],
  },
  {
    id: 'tank',
    subject: 'math',
    difficulty: 3,
    questionText: 'A tank holds 500 litres and loses 2 litres a minute. When is it less than half full?',
    studentSolutionText: '−2t < 250 − 500. Divide both sides by −2: t < 125.',
    topicTags: ['modelling'],
    errorTypes: ['inequality sign not reversed'],
  },
  {
    id: 'decay',
    subject: 'physics',
    difficulty: 4,
    questionText:
      'A sample loses three quarters of its activity every hour. After how many hours is less than a millionth left?',
    studentSolutionText: 'Divide both sides by −2: n < 10.',
    topicTags: ['radioactive decay'],
    errorTypes: ['inequality sign not reversed'],
  },
  {
    id: 'fractions',
    subject: 'math',
    difficulty: 3,
    questionText: 'Solve the inequality −2x/3 > 6.',
    studentSolutionText: 'Times 3: −2x > 6, so x < −3.',
    topicTags: ['linear inequalities'],
    errorTypes: ['term forgotten when clearing fractions'],
  },
  {
    id: 'equation',
    subject: 'math',
    difficulty: 1,
    questionText: 'Solve the equation 2x + 6 = 0.',
    studentSolutionText: '2x = 6, x = 3.',
    topicTags: ['linear equations'],
    errorTypes: ['sign lost when moving a term'],
  },
  {
    id: 'spelling',
    subject: 'english',
    difficulty: 1,
    questionText: 'Write the -ing form of "run".',
    studentSolutionText: 'runing',
    topicTags: ['doubling consonants'],
    errorTypes: ['spelling'],
  },
];

/**
 * What a search for the errors of the card `mine` is to find, and what it finds where the question is to be avoided.
 */
export const CONTRAST_EXAMPLE = {
  cards: CARDS,
  operation: 'byError',
  cardId: 'mine',
  topK: 3,
  /** Without contrast: first what went wrong in the very same way, which is the very same question. */
  plain: [
    { id: 'twin', because: 'the same error type, and the same slip word for word' },
    { id: 'sibling', because: 'the same error type and nearly the same words' },
    { id: 'decay', because: 'the same error type, and the same slip with other numbers' },
  ],
  /** `options.avoid`. */
  avoid: { question: 1 },
  contrasted: [
    { id: 'decay', because: 'the same slip, and no word or formula of the question' },
    { id: 'tank', because: 'the same slip in a longer solution, in a story' },
    {
      id: 'sibling',
      because: 'the same error, but an inequality to solve, as mine: what is left of its score is less',
    },
  ],
  /** What leaves the list: my question with one other number. */
  avoided: 'twin',
  /** What these hits are said to be: the traps are what was asked for. */
  verdicts: {
    twin: 'SAME_QUESTION_NEW_SKIN',
    sibling: 'SAME_QUESTION_NEW_SKIN',
    tank: 'SAME_TRAP',
    decay: 'SAME_TRAP',
  },
} as const satisfies {
  readonly cards: readonly ExampleCard[];
  readonly plain: readonly ExpectedHit[];
  readonly contrasted: readonly ExpectedHit[];
  readonly verdicts: Readonly<Record<string, Verdict>>;
  readonly [rest: string]: unknown;
};
