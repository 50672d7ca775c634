import { segments } from '../../src/exchange/formats/write/segments.js';
import type { Language } from '../app/wording.js';

/** Chinese if there is a Chinese character, else English for Latin words. Undefined for numbers and formulas alone. */
export function textLanguage(text: string): Language | undefined {
  if (/\p{Script=Han}/u.test(text)) return 'zh-CN';
  return segments(text).some((part) => part.kind === 'text' && /\p{Script=Latin}{2}/u.test(part.text))
    ? 'en'
    : undefined;
}
