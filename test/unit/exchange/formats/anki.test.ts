import { expect, test } from 'vitest';
import type { Card } from '../../../../src/domain/card.js';
import { ANKI_HEADER, ankiLine } from '../../../../src/exchange/formats/write/anki.js';

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
  expect(back).toBe('none is kept<br><br>Mistake: \\(x = 3\\) · sign<br><br>Notes: page 5');
  expect(tags).toBe('math linear_equations a:b sign_error');
  expect(ANKI_HEADER.split('\n')).toContain('#guid column:1');
});
