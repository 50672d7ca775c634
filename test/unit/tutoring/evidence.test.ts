import { expect, test } from 'vitest';
import { evidenceOf, reasonText } from '../../../src/tutoring/evidence.js';
import { cardOf } from '../../support/generators.js';
import { hitOf } from './notebook.js';

const plain = cardOf({ id: 'plain', studentSolutionText: null, topicTags: [], errorTypes: [] });
const tagged = cardOf({ ...plain, topicTags: ['fractions'] });
const solved = cardOf({ id: 'solved', goldSolutionBrief: '7/8' });

test.each([
  ['no hit for a text', [], null, 'NONE', 'nothing'],
  ['no hit for a card without a reference solution', [], tagged, 'THIN', 'alone'],
  ['no hit for a card that is a question alone', [], plain, 'NONE', 'alone'],
  ['a card with a reference solution', [], solved, 'ENOUGH', 'reference'],
  ['the same question, solved', [hitOf(solved, { score: 0.4, verdict: 'DUPLICATE' })], null, 'ENOUGH', 'same question'],
  ['the same question, unsolved', [hitOf(plain, { score: 0.4, verdict: 'DUPLICATE' })], null, 'THIN', 'few'],
  ['one of the same topic', [hitOf(plain, { score: 0.3, verdict: 'SAME_IDEA' })], null, 'THIN', 'few'],
  [
    'one alike, and one near',
    [hitOf(plain, { score: 0.66, verdict: 'RELATED' }), hitOf(solved)],
    null,
    'ENOUGH',
    'near',
  ],
  ['one very near', [hitOf(plain, { score: 0.73, verdict: 'RELATED' })], null, 'ENOUGH', 'near'],
  [
    'many far away',
    Array.from({ length: 10 }, () => hitOf(plain, { score: 0.65, verdict: 'RELATED' })),
    null,
    'THIN',
    'few',
  ],
] as const)('the evidence of %s', (_name, hits, card, verdict, kind) => {
  expect(evidenceOf({ hits, search: 'byError', card })).toMatchObject({ verdict, why: { kind } });
});

test('a reason counts near cards only if there are any', () => {
  const few = { kind: 'few', hits: 10 } as const;
  expect(reasonText({ ...few, near: 0 }, 'en')).toBe('10 cards found, none closely related.');
  expect(reasonText({ ...few, near: 1 }, 'en')).toBe('10 cards found, only one closely related.');
  expect(reasonText({ ...few, near: 0 }, 'zh')).toBe('找到 10 张卡片，都不密切相关。');
  expect(reasonText({ ...few, near: 1 }, 'zh')).toBe('找到 10 张卡片，其中只有 1 张密切相关。');
  const one = [
    { kind: 'near', near: 1 } as const,
    { kind: 'few', near: 1 } as const,
    { kind: 'few', near: 0 } as const,
  ];
  expect(one.map((why) => reasonText({ ...why, hits: 1 }, 'en'))).toEqual([
    '1 closely related card found.',
    'Only 1 closely related card found.',
    'Only 1 card found, not closely related.',
  ]);
  expect(one.map((why) => reasonText({ ...why, hits: 1 }, 'zh'))).toEqual([
    '找到 1 张密切相关的卡片。',
    '只找到 1 张密切相关的卡片。',
    '只找到 1 张卡片，而且并不密切相关。',
  ]);
});
