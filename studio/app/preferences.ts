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

/** A choice that is kept in the browser; `show` applies it to the page. */
function useKept<Value extends string>(
  key: string,
  allowed: readonly Value[],
  usual: Value,
  show: (value: Value) => void,
): readonly [Value, (value: Value) => void] {
  const [value, setValue] = useState<Value>(() => allowed.find((one) => one === stored(key)) ?? usual);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `show` does the same each time
  useEffect(() => show(value), [value]);
  return [
    value,
    (chosen) => {
      store(key, chosen);
      setValue(chosen);
    },
  ];
}

export function useLanguage(): readonly [Language, (language: Language) => void] {
  const usual = /^zh\b/i.test(navigator.language) ? 'zh-CN' : 'en';
  return useKept('language', ['en', 'zh-CN'], usual, (language) => {
    document.documentElement.lang = language;
  });
}

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  return useKept('theme', ['system', 'light', 'dark'], 'system', (theme) => {
    document.documentElement.dataset.theme = theme;
  });
}
