import { en } from '../messages/en/index.js';
import { zh } from '../messages/zh/index.js';

export type MessageKey = keyof typeof en;
export type Messages = Readonly<Record<MessageKey, string>>;
export type Language = 'en' | 'zh-CN';

const MESSAGES: Readonly<Record<Language, Messages>> = { en, 'zh-CN': zh };

export interface Wording {
  readonly language: Language;
  /** As exports and templates name it. */
  readonly fileLanguage: 'en' | 'zh';
  /** Between two sentences: there is no blank after a Chinese full stop. */
  readonly gap: ' ' | '';
  /** The message with its `{names}` replaced; `{name|card|cards}` is the first word for 1, else the second. */
  readonly t: (key: MessageKey, values?: Readonly<Record<string, string | number>>) => string;
  /** The message of a value; without one, the value itself. */
  readonly named: (prefix: string, value: string) => string;
  readonly number: (value: number, digits?: number) => string;
  /** Of a share from 0 to 1. */
  readonly percent: (share: number, digits?: number) => string;
  readonly date: (iso: string) => string;
  readonly moment: (iso: string) => string;
  /** Of the day, such as 08:00. */
  readonly time: (ms: number) => string;
}

const PLACE = /\{([a-z]\w*)(?:\|([^|}]*)\|([^|}]*))?\}/gi;

export function wordingOf(language: Language): Wording {
  const messages = MESSAGES[language];
  const number = (value: number, digits = 0, style: 'decimal' | 'percent' = 'decimal'): string =>
    value.toLocaleString(language, { style, minimumFractionDigits: digits, maximumFractionDigits: digits });
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
  const moment = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  const t: Wording['t'] = (key, values = {}) =>
    messages[key].replace(PLACE, (whole, name: string, one?: string, many?: string) => {
      const value = String(values[name] ?? whole);
      return (value === '1' ? one : many) ?? value;
    });
  return {
    language,
    fileLanguage: language === 'en' ? 'en' : 'zh',
    gap: language === 'en' ? ' ' : '',
    t,
    named: (prefix, value) => {
      const key = keyOf(prefix, value);
      return key === undefined ? value : t(key);
    },
    number: (value, digits) => number(value, digits),
    percent: (share, digits) => number(share, digits, 'percent'),
    date: (iso) => day.format(new Date(iso)),
    moment: (iso) => moment.format(new Date(iso)),
    time: (ms) => new Date(ms).toLocaleTimeString(language, { timeStyle: 'short' }),
  };
}

/** The key of a value's message; undefined for a value that the API may learn of later. */
export function keyOf(prefix: string, value: string): MessageKey | undefined {
  const key = `${prefix}.${value}`;
  return key in en ? (key as MessageKey) : undefined;
}

/** The values that have a message, in the order of the messages. */
export function namedValues(prefix: string): readonly string[] {
  return Object.keys(en).flatMap((key) => (key.startsWith(`${prefix}.`) ? key.slice(prefix.length + 1) : []));
}
