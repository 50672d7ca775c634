import { cleanName } from '../../../domain/clean-text.js';

/** Day 0 of Excel; its non-existent 29 February 1900 is before any date that matters. */
const EXCEL_EPOCH_MS = Date.UTC(1899, 11, 30);
/** Day 0 of workbooks with the 1904 date system is four years and a day later. */
const MAC_OFFSET_DAYS = 1462;
const DAY_MS = 86_400_000;

const TIME = '(?:[ T]?(?<hour>\\d{1,2})[:时点](?<minute>\\d{1,2})(?:[:分](?<second>\\d{1,2})秒?|分)?)?';
const FORMS = [
  new RegExp(`^(?<year>\\d{4})[-/.](?<month>\\d{1,2})[-/.](?<day>\\d{1,2})${TIME}$`),
  new RegExp(`^(?<year>\\d{4})年(?<month>\\d{1,2})月(?<day>\\d{1,2})日?${TIME}$`),
  /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})$/,
];

/**
 * Parses a date with the year first; the time defaults to the beginning of the day, the zone to UTC. Undefined for anything else:
 * 03/04/2025 is ambiguous.
 */
export function momentOf(text: string): Date | undefined {
  const name = cleanName(text);
  if (/[zZ]$|[+-]\d{2}:?\d{2}$/.test(name) && name.includes(':')) {
    const moment = new Date(name.replace(' ', 'T').replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
    return Number.isNaN(moment.getTime()) ? undefined : moment;
  }
  for (const form of FORMS) {
    const parts = form.exec(name)?.groups;
    if (parts === undefined) continue;
    const [year, month, day, hour, minute, second] = ['year', 'month', 'day', 'hour', 'minute', 'second'].map((part) =>
      Number(parts[part] ?? 0),
    ) as [number, number, number, number, number, number];
    const moment = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
    // JavaScript parses 30 February as 2 March.
    const isReal = moment.getUTCMonth() === month - 1 && moment.getUTCDate() === day && hour < 24 && minute < 60;
    return isReal && second < 60 ? moment : undefined;
  }
  return undefined;
}

/** The time of a workbook's serial number of days, to the second. */
export function momentOfSerial(days: number, startsIn1904 = false): Date {
  const shifted = startsIn1904 ? days + MAC_OFFSET_DAYS : days;
  return new Date(EXCEL_EPOCH_MS + Math.round((shifted * DAY_MS) / 1000) * 1000);
}
