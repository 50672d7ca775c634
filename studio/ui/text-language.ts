import type { Language } from '../app/wording.js';
import { partsOf } from './math-parts.js';

/** Chinese if there is a Chinese character, else English for Latin words. Undefined for numbers and formulas alone. */
export function textLanguage(text: string): Language | undefined {
  if (/\p{Script=Han}/u.test(text)) return 'zh-CN';
  return partsOf(text).some((part) => part.kind === 'text' && /\p{Script=Latin}{2}/u.test(part.text))
    ? 'en'
    : undefined;
}
