import { useEffect, useState } from 'preact/hooks';
import type { Language } from './i18n.js';

export type Theme = 'system' | 'light' | 'dark';

/** Kept in the browser; where that is not allowed, for as long as the page is open. */
function stored<Value extends string>(key: string, allowed: readonly Value[]): Value | null {
  try {
    const value = localStorage.getItem(key);
    return allowed.find((one) => one === value) ?? null;
  } catch {
    return null;
  }
}

function store(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // A private window may refuse.
  }
}

export function useLanguage(): readonly [Language, (language: Language) => void] {
  const [language, setLanguage] = useState<Language>(
    () => stored('language', ['en', 'zh-CN']) ?? (/^zh\b/i.test(navigator.language) ? 'zh-CN' : 'en'),
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
  const [theme, setTheme] = useState<Theme>(() => stored('theme', ['light', 'dark']) ?? 'system');
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
