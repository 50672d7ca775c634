import { expect, test } from 'vitest';
import { plainWords, segments } from '../../../../src/exchange/formats/write/segments.js';

test.each([
  ["``a'' and ``(b)'' and ``it's 2''", "“a” and “(b)” and “it's 2”"],
  ["'' begins after a formula, and ends before one ``", '” begins after a formula, and ends before one “'],
  ["the word''", 'the word”'],
])('quotation marks of LaTeX are those of print: %s', (text, printed) => {
  expect(plainWords(text)).toBe(printed);
});

test.each(["f''(x) = 0", "y''+y'=0", "(uv)''", "f'''(x)", "30°15'20''", '```code```'])(
  'other marks are kept: %s',
  (text) => {
    expect(plainWords(text)).toBe(text);
  },
);

test.each(['（1）~（3）题', '85%~90%', '0℃~100℃', '-5~-3℃', '△ABC~△DEF', '3~5 人', '~ 代表约', 'Fig.~3'])(
  'one ~ alone stays: %s',
  (text) => {
    expect(plainWords(text)).toBe(text);
  },
);

test('blanks of LaTeX are blanks, and those to fill in are lines', () => {
  const texts = ['得\\uline{~~~~}元', '( ~~ )', '（~ ~ ~）', 'a\\textasciitilde b', 'a~~b'];
  expect(texts.map(plainWords)).toEqual(['得______元', '(    )', '（     ）', 'a b', 'a  b']);
});

test.each([
  '$\\href{javascript:alert(1)}{x}$',
  '$$\\style{background:url(//evil.example)}{x}$$',
  '\\(\\url{a:b}\\)',
  '$\\mmlToken{mtext}[href=javascript:alert(1)]{x}$',
  '$\\bbox[background:url(//evil.example)]{x}$',
  '$\\data{a=b}{x}$',
  '$a{$',
  '$a}{$',
  '$\\{}$',
  '$$a\\$$',
])('a formula that would link, load or style, or is not whole, is text: %s', (text) => {
  expect(segments(`a ${text} b $x$`)).toEqual([
    { kind: 'text', text: `a ${text} b ` },
    { kind: 'math', tex: 'x', source: '$x$', display: false },
  ]);
});

test.each(['\\left\\{x\\right.', '\\begin{cases}a\\\\{b}\\end{cases}', '\\dataset \\styles'])(
  'a whole formula stays one: %s',
  (tex) => {
    expect(segments(`$${tex}$`)).toEqual([{ kind: 'math', tex, source: `$${tex}$`, display: false }]);
  },
);

test.each([
  ['$\\begin{cases}x=1\\\\\ny=2\\end{cases}$', '\\begin{cases}x=1\\\\\ny=2\\end{cases}'],
  ['\\(a\n+b\\)', 'a\n+b'],
  ['\\[a\\\\[2pt]\n\nb\\]', 'a\\\\[2pt]\n\nb'],
])('a formula may have line breaks: %j', (text, tex) => {
  expect(segments(`a ${text} b`)).toMatchObject([{ text: 'a ' }, { tex, source: text }, { text: ' b' }]);
});

test.each(['A. $x\n\nB. 3$', 'A. $5\nB. $6, C. $7', '\\$5, \\$6', 'a $$ $$ b', '\\(\n\nx\\)'])(
  'no formula is divided by a blank line, opened by a dollar sign of LaTeX or blank: %j',
  (text) => {
    expect(segments(text)).toEqual([{ kind: 'text', text }]);
  },
);
