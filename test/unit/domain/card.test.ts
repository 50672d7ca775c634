import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { perspectiveTexts } from '../../../src/domain/card.js';
import { PERSPECTIVES } from '../../../src/domain/perspective.js';
import { cardOf, cardsArb } from '../../support/generators.js';

const bare = cardOf({ id: 'a', questionText: 'q' });

describe('perspectiveTexts', () => {
  test('keeps the student’s and the reference solution as separate texts', () => {
    const both = perspectiveTexts({ ...bare, studentSolutionText: 'wrong', goldSolutionBrief: 'right' });
    expect(both.solution).toEqual(['wrong', 'right']);
    expect(perspectiveTexts({ ...bare, goldSolutionBrief: 'right' }).solution).toEqual(['right']);
    expect(perspectiveTexts(bare).solution).toEqual([]);
  });

  test('joins the topic tags to one text, in the client’s order', () => {
    expect(perspectiveTexts({ ...bare, topicTags: ['b', 'a'] }).concept).toEqual(['b\na']);
    expect(perspectiveTexts(bare).concept).toEqual([]);
  });

  test('adds the student’s solution to the error types as context', () => {
    const errorTypes = ['计算错误', 'sign error'];
    expect(perspectiveTexts({ ...bare, errorTypes }).error).toEqual(['计算错误\nsign error']);
    expect(perspectiveTexts({ ...bare, errorTypes, studentSolutionText: '3-5=2' }).error).toEqual([
      '计算错误\nsign error\n3-5=2',
    ]);
  });

  test('has no error text if only a wrong solution is known', () => {
    expect(perspectiveTexts({ ...bare, studentSolutionText: 'wrong' }).error).toEqual([]);
  });

  test('never invents a text: an absent part has no text, and no text is empty', () => {
    fc.assert(
      fc.property(cardsArb(1), (cards) => {
        for (const card of cards) {
          const texts = perspectiveTexts(card);
          for (const perspective of PERSPECTIVES) for (const text of texts[perspective]) expect(text).not.toBe('');
          expect(texts.question).toEqual([card.questionText]);
          expect(texts.concept).toHaveLength(card.topicTags.length > 0 ? 1 : 0);
          expect(texts.error).toHaveLength(card.errorTypes.length > 0 ? 1 : 0);
        }
      }),
    );
  });
});
