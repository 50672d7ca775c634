import { expect, test } from 'vitest';
import { optionalSource, source } from '../../../src/domain/parse/scalars.js';

test.each([501, 20_000])('a source of %d characters is refused with its limit in characters', (count) => {
  for (const parser of [source, optionalSource]) {
    const { error } = parser.safeParse('数'.repeat(count));
    expect(error?.issues.map(({ message }) => message)).toEqual(['must have at most 500 characters']);
  }
});
