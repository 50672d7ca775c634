import { describe, expect, test } from 'vitest';
import { parseAnswerCase, parseDialogue } from '../../../src/domain/parse/answer-cases.js';
import { claimsOf, measureAnswer, type RecordedAnswer } from '../../../src/tutoring/answer-metrics.js';

const termsOf = (text: string): readonly string[] => text.toLowerCase().match(/[a-z\d]+/g) ?? [];

function answerOf(given: Partial<RecordedAnswer>): RecordedAnswer {
  return {
    id: 'a',
    mode: 'EXPLAIN',
    label: null,
    text: '',
    quotes: new Map([
      ['S1', 'the denominators must be equal before you add'],
      ['S2', 'a rope of seven meters is cut twice'],
      ['S3', 'the denominators must be equal'],
    ]),
    refusal: null,
    failure: null,
    wasAskedAgain: false,
    promptTokens: 100,
    answerTokens: 10,
    firstMs: 1,
    totalMs: 2,
    question: 'Work out 3/4 + 1/8.',
    card: null,
    sources: [],
    ...given,
  };
}

describe('citation recall is the share of claims that their sources support, precision the share of needed citations', () => {
  test.each([
    ['a claim with its source', 'The denominators must be equal [S1].', 1, 1, 1 / 3],
    ['a claim with another source', 'The denominators must be equal [S2].', 0, 0, 1 / 3],
    ['a claim without a source', 'The denominators must be equal.', 0, null, 0],
    ['a needless second source', 'The denominators must be equal [S1][S2].', 1, 1 / 2, 2 / 3],
    ['two sources that say the same', 'The denominators must be equal [S1][S3].', 1, 1, 2 / 3],
    ['a citation behind the full stop', 'The denominators must be equal. [S1] A rope is cut twice. [S2]', 1, 1, 2 / 3],
    [
      'half of the claims',
      'The denominators must be equal [S1]. Then multiply all numerators by nine.',
      1 / 2,
      1,
      1 / 3,
    ],
    ['no claim', 'Well done!', null, null, 0],
  ])('%s', (_name, text, citationRecall, citationPrecision, sourcesUsed) => {
    const metrics = measureAnswer(answerOf({ text }), termsOf);
    expect(metrics).toEqual({ citationRecall, citationPrecision, sourcesUsed, leak: null });
  });
});

test('a hint leaks if it shows the final answer; a refusal has no citations to measure', () => {
  const card = { questionText: 'Work out 3/4 + 1/8.', goldSolutionBrief: 'It makes 7/8.', studentSolutionText: null };
  const sources = [{ verdict: 'DUPLICATE' as const, card }];
  expect(measureAnswer(answerOf({ mode: 'HINT_1', text: 'It is 0.875.', sources }), termsOf).leak).toBe(1);
  expect(measureAnswer(answerOf({ mode: 'HINT_1', text: 'Look at 3/4.', sources }), termsOf).leak).toBe(0);
  const nothing = { citationRecall: null, citationPrecision: null, sourcesUsed: null, leak: null };
  expect(measureAnswer(answerOf({ refusal: 'NO_EVIDENCE' }), termsOf)).toEqual(nothing);
});

test('a claim is a sentence without its citations', () => {
  expect(claimsOf('先通分 [S1]。再相加。[S2][S1]')).toEqual([
    { sentence: expect.stringMatching(/^先通分\s+。$/), labels: ['S1'] },
    { sentence: expect.stringMatching(/^再相加\s+。$/), labels: ['S2', 'S1'] },
  ]);
});

test('a case names what is wrong with it', () => {
  expect(parseAnswerCase({ id: '1', text: 'a', evidence: 'NONE' }, 'line 1')).toMatchObject({
    mode: 'EXPLAIN',
    cardId: null,
  });
  expect(() => parseAnswerCase({ id: '1', text: 'a', mode: 'SHOUT' }, 'line 1')).toThrow('line 1.mode: must be one of');
  expect(() => parseAnswerCase({ id: '1' }, 'line 1')).toThrow('must have either text or cardId');
});

test('a dialogue of MathDial or MRBench becomes a card and a case about it', () => {
  const dial = {
    qid: 5000012,
    question: 'How many?',
    ground_truth: '12',
    student_incorrect_solution: '13',
    scenario: 1,
  };
  expect(parseDialogue('mathdial', dial, 'entry 1')).toEqual({
    card: {
      id: 'mathdial-5000012',
      subject: 'math',
      difficulty: 3,
      questionText: 'How many?',
      studentSolutionText: '13',
      goldSolutionBrief: '12',
    },
    case: { id: 'mathdial-5000012', text: null, cardId: 'mathdial-5000012', mode: 'HINT_2', evidence: 'ENOUGH' },
  });
  const bench = {
    conversation_id: '930-b01',
    conversation_history: 'Tutor: hi',
    Ground_Truth_Solution: 'Not Available',
  };
  expect(parseDialogue('mrbench', bench, 'entry 1')).toEqual({
    card: { id: 'mrbench-930-b01', subject: 'math', difficulty: 3, questionText: 'Tutor: hi' },
    case: { id: 'mrbench-930-b01', text: null, cardId: 'mrbench-930-b01', mode: 'HINT_2', evidence: null },
  });
  expect(() => parseDialogue('mathdial', {}, 'entry 1')).toThrow('entry 1.qid');
});
