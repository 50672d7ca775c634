import { expect, test } from 'vitest';
import type { Card } from '../../../../src/domain/card.js';
import { ANKI_HEADER, ankiPieces } from '../../../../src/exchange/formats/write/anki.js';
import { markdownPaper } from '../../../../src/exchange/formats/write/markdown-paper.js';
import { cardWith } from './card-with.js';

const ankiLine = (...given: Parameters<typeof ankiPieces>): string => [...ankiPieces(...given)].join('');

const card = {
  id: 'c1',
  subject: 'math',
  questionText: 'If $a < b$,\nwhat is $$\\frac{1}{{2}}$$?\t<script>alert("x")</script>',
  choices: ['$1$', '2'],
  goldSolutionBrief: null,
  topicTags: ['linear equations', 'a::b'],
  errorTypes: ['sign "error"'],
  notes: 'page 5',
} as unknown as Card;
const occurrence = {
  number: 1,
  occurredAt: new Date(0),
  wrongSolution: '$x = 3$',
  errorTypes: ['sign'],
  mergedId: null,
  merged: null,
};

test("a card is one line of four fields for Anki, with formulas and without the card's own markup", () => {
  const line = ankiLine({ card, occurrences: [occurrence] }, 'en');
  const [id, front, back, tags, ...rest] = line.trimEnd().split('\t');
  expect(rest).toEqual([]);
  expect(line.match(/\n/g)).toHaveLength(1);
  expect(id).toBe('c1');
  expect(front).toBe(
    'If \\(a &lt; b\\),<br>what is \\(\\frac{1}{ {2} }\\)? &lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;<br>A. \\(1\\)<br>B. 2',
  );
  expect(back).toBe('not recorded<br><br>Mistake: \\(x = 3\\) · sign<br><br>Notes: page 5');
  expect(tags).toBe('math linear_equations a:b sign_error');
  expect(ankiLine({ card, occurrences: [] }, 'zh')).toMatch(/\t数学 linear_equations a:b sign_error\n$/);
  expect(ANKI_HEADER.split('\n')).toContain('#guid column:1');
});

test('a formula between double dollars is displayed if the rest of its lines is blank', () => {
  const displayed = (questionText: string): boolean => {
    const line = ankiLine({ card: { ...card, questionText, choices: [] } as unknown as Card, occurrences: [] }, 'en');
    return (line.split('\t')[1] ?? '').includes('\\[');
  };
  expect(['$$a$$', 'x\n $$a$$ \ny', '\n\n$$a$$'].map(displayed)).toEqual([true, true, true]);
  expect(['x $$a$$', '$$a$$ y', 'x\n$b$ $$a$$\ny'].map(displayed)).toEqual([false, false, false]);
});

test('a text full of line breaks and formulas is written at once: each formula reads its own line alone', () => {
  const questionText = `${'\n'.repeat(8_000)}x${'$a$'.repeat(2_500)}`;
  const line = ankiLine({ card: { ...card, questionText } as unknown as Card, occurrences: [] }, 'en');
  expect(line.split('\\(a\\)')).toHaveLength(2_501);
});

test.each([
  ['a sound', '[sound:http://evil.example/x.mp3]', '[\u200bsound:http://evil.example/x.mp3]'],
  ['speech', '[anki:tts lang=en_US]x[/anki:tts]', '[\u200banki:tts lang=en_US]x[/anki:tts]'],
  ['LaTeX', '[latex]\\input{x}[/latex] [LaTeX]x', '[\u200blatex]\\input{x}[/latex] [\u200bLaTeX]x'],
  ['LaTeX by dollars', '[$]{[/$] [$$]{[/$$]', '[\u200b$]{[/$] [\u200b$$]{[/$$]'],
  ['LaTeX within a formula', '$[latex]x[/latex]$ \\([$]x\\)', '\\([ latex]x[/latex]\\) \\([ $]x\\)'],
  ['nothing of them', 'in [0, 1], see [2] and [$5, $6]', 'in [0, 1], see [2] and [$5, $6]'],
])('what Anki would read as one of its own tags stays text: %s', (_, questionText, front) => {
  const one = cardWith({ questionText, studentSolutionText: questionText, notes: questionText });
  const line = ankiLine(one, 'en');
  expect(line.split('\t')[1]).toBe(front);
  expect(line.split(front)).toHaveLength(4);
});

const HREF = '\\href{javascript:alert(1)}{x}';

test.each([
  ['between other delimiters', `\\(\\style{a:b}{x}\\) \\[\\url{a:b}\\] $$${HREF}$$`],
  ['by another command', '$\\mmlToken{mtext}[href=javascript:alert(1)]{x}$ $\\bbox[a:b]{x}$'],
  ['divided by braces', `$a{$${HREF}$}$`],
  ['within a formula that does not end', `$$a\\$$ ${HREF} $a\\($`],
])('sets no formula that would link or style what a card or a label says: %s', async (_, evil) => {
  const text = `${evil} $y$`;
  const said = { questionText: text, studentSolutionText: text, goldSolutionBrief: text, notes: text, choices: [] };
  const one = cardWith({ ...said, topicTags: [text], errorTypes: [text], source: text });
  const line = ankiLine(one, 'en');
  let paper = '';
  for await (const piece of markdownPaper({ title: text, language: 'en' }, [one])) paper += piece;
  for (const written of [line, paper]) expect(written).not.toMatch(/\\(?:href|style|url|mmlToken|bbox)/);
  const [, front, back, tags] = line.split('\t');
  expect(front?.match(/\\\(y\\\)/g)).toHaveLength(1);
  expect(tags).not.toMatch(/\\[([]/);
  // The wrong solution, the error type, the solution and the notes.
  expect(back?.match(/\\\(y\\\)/g)).toHaveLength(4);
  expect(paper.match(/\$y\$/g)).toHaveLength(8);
});
