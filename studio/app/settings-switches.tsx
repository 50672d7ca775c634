import { type Language, useWording } from './i18n.js';
import type { Theme } from './preferences.js';

export interface Settings {
  readonly language: Language;
  readonly setLanguage: (language: Language) => void;
  readonly theme: Theme;
  readonly setTheme: (theme: Theme) => void;
}

const THEMES = ['system', 'light', 'dark'] as const;

/** Each language in its own name, so that whoever cannot read this page finds theirs. */
const LANGUAGES = [
  { value: 'zh-CN', name: '中文' },
  { value: 'en', name: 'English' },
] as const;

export function SettingsSwitches({ language, setLanguage, theme, setTheme }: Settings) {
  const { t } = useWording();
  return (
    <div class="switches">
      <fieldset class="segmented">
        <legend class="sr-only">{t('settings.language')}</legend>
        {LANGUAGES.map(({ value, name }) => (
          <button
            key={value}
            type="button"
            lang={value}
            aria-pressed={language === value}
            onClick={() => setLanguage(value)}
          >
            {name}
          </button>
        ))}
      </fieldset>
      <fieldset class="segmented">
        <legend class="sr-only">{t('settings.theme')}</legend>
        {THEMES.map((value) => (
          <button
            key={value}
            type="button"
            aria-pressed={theme === value}
            aria-label={t(`settings.theme.${value}`)}
            title={t(`settings.theme.${value}`)}
            onClick={() => setTheme(value)}
          >
            {{ system: '◐', light: '○', dark: '●' }[value]}
          </button>
        ))}
      </fieldset>
    </div>
  );
}
