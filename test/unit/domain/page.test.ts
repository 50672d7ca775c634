import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BadInputError } from '../../../src/domain/errors.js';
import { decodeCursor, encodeCursor, type Place } from '../../../src/domain/page.js';

const isPlace = (values: Place): values is readonly [string, number] =>
  typeof values[0] === 'string' && typeof values[1] === 'number';

test('a cursor is decoded to the place that it was made of', () => {
  const textArb = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(textArb, fc.integer(), (name, place) => {
      expect(decodeCursor(encodeCursor([name, place]), isPlace)).toEqual([name, place]);
    }),
  );
});

test('anything else is refused: other texts, other places, and what PostgreSQL cannot store', () => {
  const good = encodeCursor(['a', 1]);
  const forged = (text: string): string => Buffer.from(text).toString('base64url');
  const bad = ['', ' ', good.slice(1), `${good}=`, `${good} `, forged('["a", 1]'), forged('["a",1e0]'), forged('{}')];
  for (const cursor of [...bad, encodeCursor([1, 'a']), encodeCursor(['a\0', 1])]) {
    expect(() => decodeCursor(cursor, isPlace)).toThrow(BadInputError);
  }
});
