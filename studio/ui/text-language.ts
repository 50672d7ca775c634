import type { Language } from '../app/wording.js';

/** As the gateway decides it: Chinese if there is a Chinese character. Undefined for numbers and formulas alone. */
export function textLanguage(text: string): Language | undefined {
  if (/\p{Script=Han}/u.test(text)) return 'zh-CN';
  return /\p{L}{2}/u.test(text.replace(/\$[^$]*\$/g, ' ')) ? 'en' : undefined;
}
