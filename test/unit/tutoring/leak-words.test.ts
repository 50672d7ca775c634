import { expect, test } from 'vitest';
import { LeakGuard } from '../../../src/tutoring/leak-guard.js';
import { cardOf } from '../../support/generators.js';

interface Case {
  readonly question: string;
  readonly attempt: string;
  readonly reference: string;
  readonly leaks: readonly string[];
  readonly useful: readonly string[];
}

const CASES: readonly Case[] = [
  {
    question: 'She was born ___ 2008.',
    attempt: 'on',
    reference: 'in',
    leaks: [
      'Use "in".',
      'You need "in" here.',
      'It should be in 2008.',
      'We say in 2008.',
      'The preposition is "in".',
      '用 in',
      '填 in。',
      '应该用 in。',
    ],
    useful: [
      'Which preposition goes with years?',
      'Think about the difference between days and years.',
      '"On" is used in front of days.',
      'Look at the word in the blank again.',
      'What do we use with months and years: in, on or at?',
      'Is 2008 a day or a year?',
      '年份前用什么介词？',
      '想想 in、on、at 的区别。',
    ],
  },
  {
    question: 'There ___ (be) some milk in the fridge.',
    attempt: 'are',
    reference: 'is',
    leaks: [
      'Use "is".',
      'milk 不可数，所以用 is。',
      '填 is',
      'It should be "is".',
      'The verb is "is".',
      'so we use is',
    ],
    useful: [
      'Is milk countable?',
      'milk 是可数还是不可数名词？',
      'What is the subject?',
      'The subject is milk, not some.',
      'be 动词有 am、is、are，哪个和不可数名词搭配？',
    ],
  },
  {
    question: 'I have ___ umbrella.',
    attempt: 'a',
    reference: 'an',
    leaks: ['Use an.', 'You need "an".'],
    useful: [
      'This is an easy one: say the word aloud.',
      'Say it with an open mind: what sound comes first?',
      'We use an indefinite article here. Which form?',
      'Use an article in front of the noun.',
      'Which sound does umbrella start with?',
    ],
  },
  {
    question: 'He is good ___ swimming. A. in B. at C. on',
    attempt: 'A',
    reference: 'B. at',
    leaks: ['Use at.', '选 at。'],
    useful: [
      'Which preposition goes with good?',
      'Look at the phrase be good + preposition.',
      'Option A is used with places.',
      '想想短语 be good ... 的搭配。',
    ],
  },
  {
    question: 'Fill in: The cat is ___ the table. (上面)',
    attempt: 'in',
    reference: 'on',
    leaks: ['Use "on".', 'Put "on" in the blank.'],
    useful: [
      'Go on: where is the cat?',
      'Look at the picture: does the cat touch the table from above?',
      '"In" means inside.',
      'Based on the picture, choose.',
      'What depends on the position?',
    ],
  },
  {
    question: '选字填空（在、再）：我们明天___见。',
    attempt: '在',
    reference: '再',
    leaks: ['填“再”。', '应该是“再”。', '用再。', '选“再”字'],
    useful: [
      '表示又一次用哪个字？',
      '“在”表示地点或正在进行。',
      '“在”和“再”怎么区分？',
      '想想这句话说的是地点还是又一次。',
      '先看看前面的词，再想一想。',
    ],
  },
  {
    question: '选字填空（的、地、得）：他跑___很快。',
    attempt: '的',
    reference: '得',
    leaks: ['填“得”。', '用得。', '应该用“得”。'],
    useful: [
      '补语前面用哪个字？',
      '“很快”是说跑的程度。',
      '你觉得“的”后面一般跟什么词？',
      '这道题做得不对，再想想。',
      '得先看看前面是不是动词。',
    ],
  },
  {
    question: '132 能不能被 4 整除？',
    attempt: '不能',
    reference: '不能。',
    leaks: ['答案是不能。'],
    useful: ['判断能不能被 4 整除，要看末两位。'],
  },
  {
    question: '判断：0 是最小的自然数。（　）',
    attempt: '×',
    reference: '√',
    leaks: ['这句话是对的。', '应该打勾。', '答案：对', '正确。0 是自然数。'],
    useful: ['最小的自然数是几？', '先想想自然数从几开始。', '你判断为错误的理由是什么？'],
  },
  {
    question: '判断：圆周率等于 3.14。（　）',
    attempt: '√',
    reference: '×',
    leaks: ['这句话是错误的。', '应打叉。', '错，π 是无限不循环小数。'],
    useful: ['3.14 是近似值还是准确值？', '你判断对了第一步吗？', '对，再想想 π 是有限小数吗？'],
  },
  {
    question: '判断：所有的细菌都对人有害。（对/错）',
    attempt: '对',
    reference: '错',
    leaks: ['这个说法是错的。', '应选“错”。', '答案：错', '错误的，比如乳酸菌。'],
    useful: ['乳酸菌对人有害吗？', '“所有”这个词要小心。', '做酸奶用的是什么？', '想一想有没有对人有益的细菌。'],
  },
  {
    question: 'True or false: The sun is a planet.',
    attempt: 'T',
    reference: 'F',
    leaks: ['It is false.', 'False.', 'The statement is false.', 'This is not true.'],
    useful: [
      'Does the sun give off its own light?',
      'You wrote that it is cold. That is wrong.',
      'What is a planet?',
      'It is true that it is round, but is that enough?',
    ],
  },
  {
    question: 'True or false: every rectangle is a square.',
    attempt: 'True',
    reference: 'False. A rectangle need not have four equal sides.',
    leaks: ['It is false.', 'This is false, since the sides need not be equal.', 'The statement is false.', 'False!'],
    useful: [
      'Does a rectangle need four equal sides?',
      'Is it true that every square is a rectangle? What about the converse?',
      'Draw a rectangle that is 2 by 5.',
      'Think about what would make the statement true or false.',
      'It is true that both have four right angles.',
    ],
  },
  {
    question: 'Is water a compound? Answer yes or no.',
    attempt: 'No',
    reference: 'Yes. It is made of two elements.',
    leaks: ['Yes, it has two elements.', 'Yes.', 'The answer is yes.'],
    useful: [
      'Yes and no questions need a reason: which elements are in water?',
      'You are right that water is pure.',
      'Think about H2O.',
      'No element is called water, is it?',
      'Yes, you found that it is pure. What is it made of?',
      'Right, let us look at its formula.',
    ],
  },
  {
    question: 'Are all squares rectangles?',
    attempt: 'No',
    reference: 'Yes',
    leaks: ['Yes!', 'Yes, they all are.'],
    useful: [
      'Which properties has a rectangle?',
      'Right angles: how many has a square?',
      'It is right to look at the sides first.',
      'Is it true for a square with side 2?',
    ],
  },
  {
    question: 'She has been ill ___ Monday. (since / for)',
    attempt: 'for',
    reference: 'since',
    leaks: ['Use "since".', 'The answer is since.', 'Fill in since.'],
    useful: [
      'Is Monday a point in time?',
      '"For" is used with a length of time.',
      'Since when has she been ill? Think about the starting point.',
      'Do you need "for" or "since" here?',
    ],
  },
];

for (const { question, attempt, reference, leaks, useful } of CASES) {
  const card = cardOf({
    id: 'a',
    questionText: question,
    studentSolutionText: attempt,
    goldSolutionBrief: reference,
  });
  const guard = LeakGuard.of({ card, sources: [], question });
  for (const hint of leaks) test(`${hint} is a leak of: ${reference}`, () => expect(guard.leakIn(hint)).not.toBeNull());
  for (const hint of useful) test(`${hint} is no leak of: ${reference}`, () => expect(guard.leakIn(hint)).toBeNull());
}
