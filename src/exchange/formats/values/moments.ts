import { cleanName } from './text.js';

/** The days of Excel begin here; its 29 February 1900, which never was, lies before any date that matters. */
const EXCEL_EPOCH_MS = Date.UTC(1899, 11, 30);
/** Workbooks of old Macs begin four years and a day later. */
const MAC_OFFSET_DAYS = 1462;
const DAY_MS = 86_400_000;

const TIME = '(?:[ T]?(?<hour>\\d{1,2})[:时点](?<minute>\\d{1,2})(?:[:分](?<second>\\d{1,2})秒?|分)?)?';
const FORMS = [
  new RegExp(`^(?<year>\\d{4})[-/.](?<month>\\d{1,2})[-/.](?<day>\\d{1,2})${TIME}$`),
  new RegExp(`^(?<year>\\d{4})年(?<month>\\d{1,2})月(?<day>\\d{1,2})日?${TIME}$`),
  /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})$/,
];

/**
 * The moment that a text means, year first; without a time of day the beginning of the day, without a zone in UTC. Undefined for
 * anything else: 03/04/2025 is two days, depending on who wrote it.
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
    // JavaScript takes the 30th of February for the 2nd of March.
    const isReal = moment.getUTCMonth() === month - 1 && moment.getUTCDate() === day && hour < 24 && minute < 60;
    return isReal && second < 60 ? moment : undefined;
  }
  return undefined;
}

/** The moment of a serial number of days, as workbooks keep it, to the second. */
export function momentOfSerial(days: number, startsIn1904 = false): Date {
  const shifted = startsIn1904 ? days + MAC_OFFSET_DAYS : days;
  return new Date(EXCEL_EPOCH_MS + Math.round((shifted * DAY_MS) / 1000) * 1000);
}
