import { questionOf } from '../../../domain/card.js';
import { escapeMarkup } from '../../../domain/clean-text.js';
import type { CardWithOccurrences } from './card-lines.js';
import { katexStyles, renderFormula } from './katex.js';
import { answerTo, metaOf, PAPER_TEXTS, type Paper } from './paper-texts.js';
import { plainWords, segments } from './segments.js';

/**
 * A4, no page break in a question, answers on a new page. Class names must differ from KaTeX's: a rule for `text` here
 * once made Chinese in formulas vertical.
 */
const STYLES = `@page { size: A4; margin: 18mm 16mm; }
* { box-sizing: border-box; }
body { font: 11pt/1.6 "Noto Serif CJK SC", "Source Han Serif SC", "Songti SC", SimSun, Georgia, "Times New Roman", serif; color: #111; max-width: 178mm; margin: 0 auto; padding: 1em; }
header { border-bottom: 1.5pt solid #111; margin-bottom: 1.2em; }
h1 { font-size: 18pt; margin: 0 0 .2em; }
header p { display: flex; justify-content: space-between; margin: 0 0 .6em; color: #444; font-size: 10pt; }
h2 { font-size: 13pt; margin: 1.4em 0 .6em; }
ol { padding-left: 2.2em; margin: 0; }
li { margin-bottom: 1.1em; break-inside: avoid; }
.questions li { padding-bottom: 5.5em; }
.answers { break-before: page; }
.meta { color: #666; font-size: 9pt; }
.card-text { white-space: pre-line; overflow-wrap: anywhere; }
dl { margin: 0; display: grid; grid-template-columns: max-content 1fr; gap: .15em .8em; }
dt { color: #666; font-size: 9.5pt; padding-top: .1em; }
dd { margin: 0; }
code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .9em; background: #f3f3f3; }
.katex-display { margin: .5em 0; }
.katex .cjk_fallback { font-size: .83em; }
@media print { body { padding: 0; max-width: none; } }`;

/** Content security policy: no scripts and no requests, whatever is in a card. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; font-src data:";

/**
 * A printable paper as one self-contained HTML page: questions first, then answers and mistake notes. Texts of cards
 * are text and formulas, never markup.
 */
export async function* htmlPaper(paper: Paper, cards: readonly CardWithOccurrences[]): AsyncGenerator<string> {
  const texts = PAPER_TEXTS[paper.language];
  const title = escapeMarkup(paper.title ?? texts.title);
  yield `<!DOCTYPE html>
<html lang="${paper.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${katexStyles()}</style>
<style>${STYLES}</style>
</head>
<body>
<header><h1>${title}</h1><p><span>${texts.count(cards.length)}</span><span>${texts.name}${texts.colon}______________</span></p></header>
<section class="questions">
<h2>${texts.questions}</h2>
<ol>
`;
  for (const { card } of cards) {
    const meta = metaOf(card, paper.language);
    yield `<li><div class="card-text">${written(questionOf(card))}</div><div class="meta">${escapeMarkup(meta)}</div></li>\n`;
  }
  yield `</ol>\n</section>\n<section class="answers">\n<h2>${texts.answers}</h2>\n<ol>\n`;
  for (const one of cards) yield `<li><dl>${answerOf(one, paper)}</dl></li>\n`;
  yield '</ol>\n</section>\n</body>\n</html>\n';
}

function answerOf({ card, occurrences }: CardWithOccurrences, { language }: Paper): string {
  const texts = PAPER_TEXTS[language];
  const mistakes = occurrences.map(({ occurredAt, wrongSolution, errorTypes }) => {
    const errors = errorTypes.length === 0 ? '' : texts.bracketed(escapeMarkup(texts.listed(errorTypes)));
    const date = occurredAt.toISOString().slice(0, 10);
    return entry(
      texts.mistake,
      `<span class="meta">${date}</span> ${wrongSolution === null ? '' : written(wrongSolution)}${errors}`,
    );
  });
  return [
    entry(texts.answer, answerTo(card, texts, written)),
    ...mistakes,
    ...(card.topicTags.length === 0 ? [] : [entry(texts.topics, escapeMarkup(texts.listed(card.topicTags)))]),
    ...(card.notes === null ? [] : [entry(texts.notes, written(card.notes))]),
  ].join('');
}

function entry(term: string, html: string): string {
  return `<dt>${term}</dt><dd class="card-text">${html}</dd>`;
}

/**
 * Height up to which formulas are not limited; taller ones may take one page of a text together, so that no card fills
 * a hundred.
 */
const TALL_EM = 5;
const MAX_TALL_EM = 60;

/** A text of a card as HTML; a formula that cannot be typeset, or exceeds the height limit, is shown as source. */
function written(text: string): string {
  let roomEm = MAX_TALL_EM;
  return segments(text)
    .map((segment) => {
      if (segment.kind === 'text') return escapeMarkup(plainWords(segment.text));
      const formula = renderFormula(segment.tex, segment.display);
      const takesEm = formula === null || formula.heightEm <= TALL_EM ? 0 : formula.heightEm;
      if (formula === null || takesEm > roomEm) return `<code>${escapeMarkup(segment.tex)}</code>`;
      roomEm -= takesEm;
      return formula.html;
    })
    .join('');
}
