import { expect, test, vi } from 'vitest';
import { laterDay } from '../../../src/domain/local-day.js';
import { parseMoment, parsePracticeSettings } from '../../../src/domain/parse/practice.js';

test('the day that is asked about leaves room for the days of a forecast', () => {
  const last = parseMoment('9998-12-31T23:59:59.999Z', 'at');
  expect(laterDay(last.toISOString().slice(0, 10), 91)).toBe('9999-04-01');
  for (const at of ['9999-01-01T00:00:00Z', '9999-12-31T23:59:59Z']) {
    expect(() => parseMoment(at, 'at')).toThrow('at: must be before the year 9999');
  }
});

test('a time zone has its IANA name, not an abbreviation that is also that of another zone', () => {
  const zoneOf = (timeZone: string) => parsePracticeSettings({ timeZone }, 'input').timeZone;
  for (const zone of ['Asia/Shanghai', 'UTC', 'GMT', 'PRC', 'Etc/GMT-8']) expect(zoneOf(zone)).toBe(zone);
  for (const zone of ['CST', 'cst', 'BST', 'UTC+8', '+08:00', 'Asia/Beijing']) {
    expect(() => zoneOf(zone)).toThrow('input.timeZone: must be the IANA name of a time zone, such as Asia/Shanghai');
  }
});

test('an offset is no time zone, although newer versions of Node format dates with it', () => {
  const format = vi.spyOn(Intl, 'DateTimeFormat').mockImplementation(class {} as never);
  try {
    for (const timeZone of ['+08:00', '-0330', '+08']) {
      expect(() => parsePracticeSettings({ timeZone }, 'input')).toThrow('input.timeZone: must be the IANA name');
    }
  } finally {
    format.mockRestore();
  }
});
