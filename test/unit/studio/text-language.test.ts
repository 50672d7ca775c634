import { expect, test } from 'vitest';
import { textLanguage } from '../../../studio/ui/text-language.js';

test.each([
  ['解方程 $x^2 = 4$', 'zh-CN'],
  ['Solve $x^2 = 4$', 'en'],
  ['选择：She ___ (go) to school.', 'zh-CN'],
  ['$\\frac{1}{2}+x$', undefined],
  ['$$\\frac{1}{2}$$', undefined],
  ['\\(\\sin x\\)', undefined],
  ['\\[\\frac12\\]', undefined],
  ['12 + 7 = x', undefined],
  ['Решите уравнение', undefined],
])('%s is a text in %s', (text, language) => {
  expect(textLanguage(text)).toBe(language);
});
