import { cleanName } from '../../../domain/clean-text.js';
import type { DateOrder } from '../../../domain/import.js';
import { DAY_MS } from '../../../domain/local-day.js';

/** Day 0 of Excel; its non-existent 29 February 1900 is before any date that matters. */
const EXCEL_EPOCH_MS = Date.UTC(1899, 11, 30);
/** Day 0 of workbooks with the 1904 date system is four years and a day later. */
const MAC_OFFSET_DAYS = 1462;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const TIME =
  '(?:[ Tt]?(?:(?<half>[上中下]午|[早晚]上|凌晨) ?)?(?<hour>\\d{1,2})(?:[:时点](?<minute>\\d{1,2})(?:[:分](?<second>\\d{1,2}(?:\\.\\d{1,9})?)秒?|分)?|[时点]整?)(?: ?(?<noon>[AaPp][Mm]))?)?';
/** The year last: as in the US, or with the day first. */
const YEAR_LAST: Readonly<Record<DateOrder, RegExp>> = {
  month: new RegExp(`^(?<month>\\d{1,2})[-/.](?<day>\\d{1,2})[-/.](?<year>\\d{4})${TIME}$`),
  day: new RegExp(`^(?<day>\\d{1,2})[-/.](?<month>\\d{1,2})[-/.](?<year>\\d{4})${TIME}$`),
};
const FORMS = [
  new RegExp(`^(?<year>\\d{4})[-/.](?<month>\\d{1,2})[-/.](?<day>\\d{1,2})${TIME}$`),
  new RegExp(`^(?<year>\\d{4})年(?<month>\\d{1,2})月(?<day>\\d{1,2})[日号]?${TIME}$`),
  /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})$/,
  new RegExp(`^(?<month>[a-z]{3,9})\\.? (?<day>\\d{1,2})(?:st|nd|rd|th)?,? (?<year>\\d{4})${TIME}$`, 'i'),
  new RegExp(`^(?<day>\\d{1,2})(?:st|nd|rd|th)?[ -](?<month>[a-z]{3,9})\\.?,?[ -](?<year>\\d{4})${TIME}$`, 'i'),
];

const MONTHS = 'january february march april may june july august september october november december'.split(' ');

/**
 * Parses a date; the time defaults to the beginning of the day, the zone to UTC; of a range of times the start counts.
 * Undefined for anything else, and where there are two readings and no order is given: 03/04/2025 may be in March or in
 * April, 03/25/2025 may not.
 */
export function momentOf(text: string, order?: DateOrder): Date | undefined {
  const name = cleanName(text).replace(WEEKDAY, '').replace(BLANKS, '$1$2');
  const range = RANGE.exec(name);
  if (range !== null) {
    if (RANGE_OR_ZONE.test(name)) return undefined;
    const [start, end] = [minutesOf(range[1], range[2]), minutesOf(range[3], range[4])];
    return start < end && end <= 24 * 60 ? localMoment(name.slice(0, range.index), order) : undefined;
  }
  const zone = ZONE.exec(name);
  if (zone === null || !name.slice(0, zone.index).includes(':')) return localMoment(name, order);
  const local = localMoment(name.slice(0, zone.index), order);
  const offset = (zone[1] === '-' ? -1 : 1) * minutesOf(zone[2], zone[3]);
  const isOffset = offset >= -12 * 60 && offset <= 14 * 60;
  return local !== undefined && isOffset ? new Date(local.getTime() - offset * MINUTE_MS) : undefined;
}

/** NaN if the minutes are no part of an hour. */
function minutesOf(hours = '0', minutes = '0'): number {
  return Number(minutes) < 60 ? Number(hours) * 60 + Number(minutes) : Number.NaN;
}

/** The orders in which a date with the year last can be read; none for any other text. */
export function dateOrdersOf(text: string): readonly DateOrder[] {
  const name = cleanName(text);
  if (!/^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}/.test(name)) return [];
  return (['day', 'month'] as const).filter((order) => momentOf(name, order) !== undefined);
}

/** Behind a date: 2026年3月1日 星期日. */
const WEEKDAY = / ?(?:星期|周)[一二三四五六日天](?= |$)| ?\((?:星期|周)[一二三四五六日天]\)/;

/** Blanks around the units and signs of a date with the year first: 2026 年 3 月 1 日, 2026. 3. 1. */
const BLANKS = / ?([年月日号时点分]) ?|(?<=^\d{4}(?: ?[-/.] ?\d{1,2})?) ?([-/.]) ?/g;

/** The time of a test: 14:00-16:00. */
const RANGE = /(?<=(?<![\d:Tt])(\d{1,2}):(\d{2})) ?(?:[-~–〜]|—{1,2}|至|到) ?(\d{1,2}):(\d{2})$/;

/** 04:30-05:00: no test ends so early, but a program may have written a zone of America. */
const RANGE_OR_ZONE = /^[\d/.-]+ \d\d:\d\d ?-0[1-6]:\d\d$/;

/**
 * Z, +08:00, +0800 or +08 behind a time. With a minus, -05:00 and -05 may be the end of a range, except behind a T or
 * seconds: programs write zones there.
 */
const ZONE = / ?(?:[zZ]|(\+|-(?=\d{4}$)|(?<=(?:[Tt]\d\d|:\d\d):\d\d(?:\.\d+)? ?)-)(\d{2})(?::?(\d{2}))?)$/;

/** The time as if its zone were UTC. */
function localMoment(name: string, order?: DateOrder): Date | undefined {
  const forms = [...FORMS, ...(order === undefined ? Object.values(YEAR_LAST) : [YEAR_LAST[order]])];
  const readings = forms.flatMap((form) => momentIn(form.exec(name)?.groups) ?? []);
  const [first] = readings;
  return readings.every((one) => one.getTime() === first?.getTime()) ? first : undefined;
}

function momentIn(parts: Readonly<Record<string, string>> | undefined): Date | undefined {
  if (parts === undefined) return undefined;
  const number = (part: string): number => Number(parts[part] ?? 0);
  const [year, day] = [number('year'), number('day')];
  const [minute, second] = [number('minute'), number('second')];
  const hour = hourOf(number('hour'), parts.half ?? parts.noon?.toLowerCase());
  const month = monthOf(parts.month ?? '');
  const date = new Date(Date.UTC(year, month - 1, day));
  // JavaScript parses 30 February as 2 March, and the year 26 as 1926.
  const isDay = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  // 24:00 is the end of the day.
  const isTime = (hour < 24 && minute < 60 && second < 60) || (hour === 24 && minute === 0 && second === 0);
  // Milliseconds are truncated, as by JavaScript. 12 digits, because 1.009 * 1000 is 1008.9999999999999.
  const ms = Math.trunc(Number((second * 1_000).toPrecision(12)));
  return isDay && isTime ? new Date(Date.UTC(year, month - 1, day, hour, minute, 0, ms)) : undefined;
}

/**
 * Of 24 hours; `half` is the half of the day that a clock of 12 hours is in. NaN for 13 AM, and for 晚上12点 and 晚上1点,
 * which may be of the next day; 下午18:30 is 18:30. 中午 is around noon: 11:30 is before it.
 */
function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  if (half === '晚上' && (hour < 5 || hour === 12)) return Number.NaN;
  if (half === '中午' && hour > 2 && hour <= 12) return hour < 10 ? Number.NaN : hour;
  const isLate = ['下午', '中午', '晚上', 'pm'].includes(half);
  if (hour > 12) return isLate ? hour : Number.NaN;
  return (hour % 12) + (isLate ? 12 : 0);
}

/** From a number, or the beginning of an English name; NaN for anything else. */
function monthOf(text: string): number {
  if (/^\d/.test(text)) return Number(text);
  const name = text.toLowerCase().replace(/^sept$/, 'sep');
  const at = MONTHS.findIndex((month) => month === name || month.slice(0, 3) === name);
  return at === -1 ? Number.NaN : at + 1;
}

/** Day 0 of both date systems: cells without a date, such as the ratio 3:4, which Excel turns into the time 3:04. */
const DAYS_ZERO_MS: readonly number[] = [EXCEL_EPOCH_MS, EXCEL_EPOCH_MS + MAC_OFFSET_DAYS * DAY_MS];
/** The ratio 24:36 becomes 24 hours, which is 0:36 on day 1. */
const MAX_HOURS_MS = 60 * DAY_MS;

/** A date or time of a cell as a text: 2026-03-01, 2026-03-01 18:30, 3:04 or 24:36, with seconds if there are any. */
export function textOfMoment(moment: Date): string {
  const [date = '', clock = ''] = moment.toISOString().slice(0, 19).split('T');
  const time = clock.replace(/:00$/, '');
  if (time === '00:00' && moment.getTime() !== EXCEL_EPOCH_MS) return date;
  return textOfHours(moment) ?? `${date} ${time}`;
}

/** The hours since day 0, such as 24:36; undefined from 60 days on. */
export function textOfHours(moment: Date): string | undefined {
  const ms = moment.getTime();
  const dayZero = DAYS_ZERO_MS.find((day) => ms >= day && ms < day + MAX_HOURS_MS);
  if (dayZero === undefined) return undefined;
  const [, minutes = '', seconds = ''] = moment.toISOString().slice(11, 19).split(':');
  return `${Math.floor((ms - dayZero) / HOUR_MS)}:${minutes}${seconds === '00' ? '' : `:${seconds}`}`;
}

/** The time of a workbook's serial number of days, to the second. */
export function momentOfSerial(days: number, startsIn1904 = false): Date {
  const shifted = startsIn1904 ? days + MAC_OFFSET_DAYS : days;
  return new Date(EXCEL_EPOCH_MS + Math.round((shifted * DAY_MS) / 1000) * 1000);
}
