import { z } from 'zod';
import { BadInputError } from '../errors.js';
import { LANGUAGES } from '../language.js';
import { DAY_MS } from '../local-day.js';
import {
  ATTEMPT_FIELDS,
  type AttemptKind,
  type AttemptToRecord,
  type PracticeSettings,
  SERVE_MODES,
  type SentAttempt,
  type ServeMode,
} from '../practice.js';
import { optional, parse, parserOf, withoutNulls } from './parse.js';
import {
  anyOf,
  between,
  cardId,
  eachOnce,
  filledListOf,
  instant,
  label,
  name,
  optionalText,
  shortName,
  whole,
} from './scalars.js';

export const MAX_ATTEMPTS = 500;

/** A clock that is a day ahead is one of another time zone; later attempts have not been made. */
const MAX_AHEAD_MS = DAY_MS;

const PARSERS: Readonly<Record<AttemptKind, z.ZodType>> = {
  name: name(200),
  owner: name(200),
  card: cardId,
  text: optionalText,
  flag: z.boolean(),
  hints: whole(0, 1_000),
  milliseconds: whole(0, DAY_MS),
  moment: instant,
};

const attemptShape = Object.entries(ATTEMPT_FIELDS).map(([field, { kind, ...declared }]) => {
  const parser = PARSERS[kind];
  return [field, 'absent' in declared ? optional(parser, declared.absent) : parser];
});

const attempt = z.strictObject(
  Object.fromEntries(attemptShape) as { [Field in keyof SentAttempt]: z.ZodType<SentAttempt[Field]> },
);

const attempts = filledListOf(attempt, MAX_ATTEMPTS);

/** Attempts to record; one without a time was made now. BadInputError. */
export function parseAttempts(value: unknown, field: string, now = new Date()): readonly AttemptToRecord[] {
  const latest = new Date(now.getTime() + MAX_AHEAD_MS);
  const inTime = attempts.superRefine((given, context) => {
    for (const [place, { at }] of given.entries()) {
      if (at === null || at <= latest) continue;
      context.addIssue({ code: 'custom', path: [place, 'at'], message: 'must be at most a day in the future' });
    }
  });
  return parse(inTime, value, field).map((one) => ({ ...one, isDated: one.at !== null, at: one.at ?? now }));
}

const timeZone = name(100).refine(isTimeZone, 'must be the IANA name of a time zone, such as Asia/Shanghai');

/** The IANA names of three letters. */
const SHORT_ZONES = new Set('CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET'.split(' '));

function isTimeZone(zone: string): boolean {
  // Newer versions of Node know offsets, which have no daylight saving time.
  if (/^[+-]/.test(zone)) return false;
  // Node knows abbreviations of Java's too: CST, which is China's time on phones there, is that of Chicago.
  if (zone.length === 3 && !SHORT_ZONES.has(zone.toUpperCase())) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

const settings = z.strictObject({
  desiredRetention: between(0.7, 0.97).nullish(),
  dailyLimit: whole(1, 500).nullish(),
  newPerDay: whole(0, 500).nullish(),
  timeZone: timeZone.nullish(),
});

/** Parses a change of the practice settings; null counts as absent. Throws BadInputError. */
export function parsePracticeSettings(value: unknown, field: string): Partial<PracticeSettings> {
  return withoutNulls(parse(settings, value, field));
}

/** The days of a forecast are in the years that a date of four digits can name. */
const moment = instant.refine((at) => at.getUTCFullYear() < 9999, 'must be before the year 9999').nullish();

/** A moment that a client may leave out: now. BadInputError. */
export function parseMoment(value: unknown, field: string): Date {
  return parse(moment, value, field) ?? new Date();
}

/** How many days a forecast looks ahead, or statistics look back. */
export const parseDays = parserOf(whole(1, 90));

export const MAX_RUNGS = 30;

/** Where a ladder begins, and how many rungs it may have. */
export const parseLadder = parserOf(
  z
    .strictObject({
      fromCardId: cardId.nullish(),
      topicTag: label.nullish(),
      errorType: label.nullish(),
      first: whole(1, MAX_RUNGS),
      language: optional(z.enum(LANGUAGES), 'en'),
    })
    .transform(({ fromCardId, topicTag, errorType, ...rest }, context) => {
      const given = [fromCardId, topicTag, errorType].filter((one) => one != null);
      if (given.length !== 1) {
        const message = 'give one of fromCardId, topicTag and errorType';
        context.addIssue({ code: 'custom', path: ['fromCardId'], message });
        return z.NEVER;
      }
      if (fromCardId != null) return { from: { kind: 'card', cardId: fromCardId } as const, ...rest };
      if (topicTag != null) return { from: { kind: 'topic', label: topicTag } as const, ...rest };
      return { from: { kind: 'error', label: errorType ?? '' } as const, ...rest };
    }),
);

const ownerId = optional(name(200), null);
const labels = optional(anyOf(label), null);

/** Whose mastery is asked for, and of what. */
export const parseMastery = parserOf(
  z
    .object({ owner: ownerId, topicTags: labels, errorTypes: labels })
    .transform(({ owner, ...rest }) => ({ ownerId: owner, ...rest })),
);

/** A student whom a client may leave out. */
export const parseOwner = parserOf(ownerId);

/** How due cards are served: a page of siblings is a search for each card. BadInputError. */
export function parseServe(value: unknown, first: number): ServeMode {
  const serve = parse(optional(z.enum(SERVE_MODES), 'CARD'), value, 'serve');
  if (serve === 'SIBLING' && first > MAX_SIBLINGS) {
    throw new BadInputError('first', `must be at most ${MAX_SIBLINGS} with serve: SIBLING`);
  }
  return serve;
}

const MAX_SIBLINGS = 20;

/** Students of one class. */
const MAX_OWNERS = 200;

const owners = filledListOf(name(200), MAX_OWNERS).transform(eachOnce);

const timeWindow = z.object({ from: optional(instant, null), to: optional(instant, null) });

/** A period; `to` is now by default. BadInputError. */
export function parseTime(args: { readonly from: unknown; readonly to: unknown }, now: Date) {
  const { from, to } = parse(timeWindow, args, '');
  const end = to ?? now;
  if (from !== null && from >= end) throw new BadInputError('from', 'must be before to');
  return { from, to: end };
}

/** Which attempts are listed. */
export const parseAttemptList = parserOf(
  z
    .object({ owner: ownerId, cardId: optional(cardId, null), ...timeWindow.shape })
    .refine(({ from, to }) => from === null || to === null || from < to, { path: ['from'], error: 'must be before to' })
    .transform(({ owner, ...rest }) => ({ ownerId: owner, ...rest })),
);

/** Which class is asked about. */
export const parseClass = parserOf(
  z
    .object({ group: optional(shortName, null), owners: optional(owners, null) })
    .refine(({ group, owners: named }) => (group === null) !== (named === null), {
      path: ['group'],
      error: 'give either group or owners',
    }),
);

export const parseStudentGroup = parserOf(z.strictObject({ name: shortName, owners }));
