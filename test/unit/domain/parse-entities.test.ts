import { describe, expect, test } from 'vitest';
import { BadInputError } from '../../../src/domain/errors.js';
import { parseRepresentations } from '../../../src/domain/parse/entities.js';

const card = (id: unknown) => ({ __typename: 'MistakeCard', id });
const label = (name: unknown, kind: unknown = 'TOPIC_TAG') => ({ __typename: 'Label', kind, name });

describe('the keys of entities', () => {
  test('are read each by itself, and an unusable one leaves the others as they are', () => {
    expect(
      parseRepresentations([card('a1'), card('no id!'), 'a1', label(' fractions'), label('x'.repeat(401))]),
    ).toEqual([
      card('a1'),
      null,
      new BadInputError('representations[2]', 'must be an object'),
      { __typename: 'Label', kind: 'topicTags', name: 'fractions' },
      null,
    ]);
  });

  test('may have a whole number as the id of a card', () => {
    expect(parseRepresentations([card(12)])).toEqual([card('12')]);
  });

  test.each([
    ['[0].id', 'is required', { __typename: 'MistakeCard' }],
    ['[0].id', 'must be a text', card(1.5)],
    ['[0].name', 'must be a text', label(1)],
    ['[0].kind', 'must be one of TOPIC_TAG, ERROR_TYPE', label('fractions', 'topicTags')],
    ['[0].__typename', 'must be MistakeCard or Label', { __typename: 'ApiKey', id: 'a1' }],
    ['[0].__typename', 'must be MistakeCard or Label', { id: 'a1' }],
  ])('are refused by the name %s if one %s', (field, problem, key) => {
    expect(parseRepresentations([key])).toEqual([new BadInputError(`representations${field}`, problem)]);
  });

  test.each([[[]], [Array.from({ length: 101 }, () => card('a1'))], ['a1']])(
    'are refused as a whole unless they are a list of 1 to 100',
    (keys) => {
      expect(() => parseRepresentations(keys)).toThrow(
        /^representations: must (not be empty|have at most 100 entries|be a list)$/,
      );
    },
  );
});
