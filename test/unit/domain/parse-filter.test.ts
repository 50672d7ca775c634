import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCardFilter } from '../../../src/domain/parse/filter.js';
import { outcome } from '../../support/outcome.js';

describe('the parser of filters', () => {
  test('returns exactly the given keys', () => {
    expect(parseCardFilter(undefined, 'filter')).toStrictEqual({});
    expect(parseCardFilter(null, 'filter')).toStrictEqual({});
    const filter = { grade: ['G5', ' G5 ', 'G6'], difficultyMin: 1, subject: undefined };
    expect(parseCardFilter(filter, 'filter')).toStrictEqual({ grade: ['G5', 'G6'], difficultyMin: 1 });
  });

  test.each([
    ['grades', 'grade', ['G5']],
    ['subjects', 'subject', ['math']],
    ['qualityGrades', 'qualityGrade', ['GOOD']],
  ])('takes %s by its earlier name %s too, but not by both', (name, earlier, value) => {
    expect(parseCardFilter({ [name]: value }, 'filter')).toStrictEqual({ [earlier]: value });
    expect(parseCardFilter({ [earlier]: value }, 'filter')).toStrictEqual({ [earlier]: value });
    const both = { [name]: value, [earlier]: value };
    expect(outcome(() => parseCardFilter(both, 'filter'))).toEqual({ refused: `filter.${earlier}` });
    expect(outcome(() => parseCardFilter({ [name]: [] }, 'filter'))).toEqual({ refused: `filter.${name}` });
  });

  test('refuses an empty list, and does not say what it would let through: that differs', () => {
    expect(() => parseCardFilter({ excludeCardIds: [] }, 'filter')).toThrow(
      /^filter\.excludeCardIds: must not be empty: leave it out to let every card through$/,
    );
  });

  test('refuses a range of difficulty whose minimum is above its maximum', () => {
    const difficulty = fc.integer({ min: 1, max: 5 });
    fc.assert(
      fc.property(difficulty, difficulty, (difficultyMin, difficultyMax) => {
        const filter = { difficultyMin, difficultyMax };
        const expected = difficultyMin <= difficultyMax ? { value: filter } : { refused: 'filter.difficultyMin' };
        expect(outcome(() => parseCardFilter(filter, 'filter'))).toEqual(expected);
      }),
    );
  });
});
