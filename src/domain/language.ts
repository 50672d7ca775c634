/** The languages of headers, lists and papers. */
export const LANGUAGES = ['en', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];

/**
 * Chinese characters, for a bracket expression of JavaScript or PostgreSQL: both must take the same cards for Chinese.
 */
export const HAN = '\u3400-\u9fff\uf900-\ufaff';
const HAS_HAN = new RegExp(`[${HAN}]`);

/** The language of a card: Chinese if its question has a Chinese character. */
export function questionLanguage(questionText: string): Language {
  return HAS_HAN.test(questionText) ? 'zh' : 'en';
}
