/** The languages of headers, lists and papers. */
export const LANGUAGES = ['en', 'zh'] as const;
/** One of {@link LANGUAGES}. */
export type Language = (typeof LANGUAGES)[number];
