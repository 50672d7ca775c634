import { expect, onTestFinished, test } from 'vitest';
import { dayOf, offsetAt } from '../../../src/domain/local-day.js';

test('a day is read with one formatter for each time zone, and few of many spellings are kept', () => {
  const { DateTimeFormat } = Intl;
  const created: unknown[] = [];
  class Counted extends DateTimeFormat {
    constructor(...given: ConstructorParameters<typeof DateTimeFormat>) {
      super(...given);
      created.push(given[1]?.timeZone);
    }
  }
  Object.assign(Intl, { DateTimeFormat: Counted });
  onTestFinished(() => void Object.assign(Intl, { DateTimeFormat }));

  const moment = new Date('2026-03-01T17:00:00Z');
  const countOf = (zone: string): number => created.filter((one) => one === zone).length;
  for (let time = 0; time < 3; time++) expect(dayOf(moment, 'asia/SHANGHAI')).toBe('2026-03-02');
  expect(countOf('asia/SHANGHAI')).toBe(1);
  const letters = [...'asia/tokyo'];
  for (let spelling = 0; spelling < 300; spelling++) {
    const zone = letters.map((letter, place) => (spelling & (1 << place) ? letter.toUpperCase() : letter)).join('');
    expect(dayOf(moment, zone)).toBe('2026-03-02');
  }
  dayOf(moment, 'asia/SHANGHAI');
  expect(countOf('asia/SHANGHAI')).toBe(2);
});

test.each([
  ['UTC', '2026-03-01T12:00:00Z', 0],
  ['Asia/Shanghai', '2026-03-01T12:00:00Z', 480],
  ['America/New_York', '2026-03-07T12:00:00Z', -300],
  ['America/New_York', '2026-03-09T12:00:00Z', -240],
  ['Asia/Kathmandu', '2026-03-01T12:00:00Z', 345],
])('the offset of %s at %s is %d minutes', (zone, moment, minutes) => {
  expect(offsetAt(new Date(moment), zone)).toBe(minutes * 60_000);
});
