import { expect, test } from 'vitest';
import { laterDay } from '../../../src/domain/local-day.js';
import { parseMoment } from '../../../src/domain/parse/practice.js';

test('the day that is asked about leaves room for the days of a forecast', () => {
  const last = parseMoment('9998-12-31T23:59:59.999Z', 'at');
  expect(laterDay(last.toISOString().slice(0, 10), 91)).toBe('9999-04-01');
  for (const at of ['9999-01-01T00:00:00Z', '9999-12-31T23:59:59Z']) {
    expect(() => parseMoment(at, 'at')).toThrow('at: must be before the year 9999');
  }
});
