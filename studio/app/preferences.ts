import { useEffect, useState } from 'preact/hooks';
import type { Language } from './i18n.js';

export type Theme = 'system' | 'light' | 'dark';

/** A text that is kept in the browser; null if there is none or that is not allowed. */
export function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function store(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // A private window may refuse.
  }
}

function oneOf<Value extends string>(value: string | null, allowed: readonly Value[]): Value | null {
  return allowed.find((one) => one === value) ?? null;
}

export function useLanguage(): readonly [Language, (language: Language) => void] {
  const [language, setLanguage] = useState<Language>(
    () => oneOf(stored('language'), ['en', 'zh-CN']) ?? (/^zh\b/i.test(navigator.language) ? 'zh-CN' : 'en'),
  );
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return [
    language,
    (chosen) => {
      store('language', chosen);
      setLanguage(chosen);
    },
  ];
}

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(() => oneOf(stored('theme'), ['light', 'dark']) ?? 'system');
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  return [
    theme,
    (chosen) => {
      store('theme', chosen);
      setTheme(chosen);
    },
  ];
}
