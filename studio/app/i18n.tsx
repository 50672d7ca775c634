import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
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
  /** The message with its `{names}` replaced. */
  readonly t: (key: MessageKey, values?: Readonly<Record<string, string | number>>) => string;
  readonly number: (value: number, digits?: number) => string;
  readonly date: (iso: string) => string;
  readonly moment: (iso: string) => string;
}

export function wordingOf(language: Language): Wording {
  const messages = MESSAGES[language];
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
  const moment = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  return {
    language,
    fileLanguage: language === 'en' ? 'en' : 'zh',
    t: (key, values = {}) =>
      messages[key].replace(/\{([a-z]\w*)\}/gi, (whole, name: string) => String(values[name] ?? whole)),
    number: (value, digits = 0) =>
      value.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
    date: (iso) => day.format(new Date(iso)),
    moment: (iso) => moment.format(new Date(iso)),
  };
}

export const WordingContext = createContext<Wording>(wordingOf('en'));

export function useWording(): Wording {
  return useContext(WordingContext);
}

/** The message of a value that the API may learn of later: then the value itself. */
export function named({ t }: Wording, prefix: string, value: string): string {
  const key = `${prefix}.${value}`;
  return key in en ? t(key as MessageKey) : value;
}
