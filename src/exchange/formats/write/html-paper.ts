import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import 'katex/contrib/mhchem';
import katex from 'katex';
import { escapeMarkup } from '../../../domain/clean-text.js';
import { blocksOf, htmlTable } from './blocks.js';
import type { CardWithOccurrences } from './card-lines.js';
import { answerEntries, answersOf, metaOf, PAPER_TEXTS, type Paper, questionTexts } from './paper-texts.js';
import { plainWords, segments } from './segments.js';

/**
 * A4, no page break in a question, answers on a new page. A fraction is up to .3em higher than its line: without the
 * padding, its top is printed on the page before. Class names must differ from KaTeX's: a rule for `text` here
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
li { padding-top: .4em; margin-bottom: .7em; break-inside: avoid; }
.questions li { padding-bottom: 5.5em; }
.answers { break-before: page; }
.meta { color: #666; font-size: 9pt; }
.card-text { white-space: pre-line; overflow-wrap: anywhere; }
dl { margin: 0; display: grid; grid-template-columns: max-content 1fr; gap: .15em .8em; }
dt { color: #666; font-size: 9.5pt; padding-top: .1em; }
dd { margin: 0; min-width: 0; }
table { margin: .4em 0; }
tr { break-inside: avoid; }
th, td { border: .5pt solid #666; padding: .3em .6em; text-align: left; vertical-align: top; overflow-wrap: break-word; }
table:has(th:nth-child(13)) { font-size: 8pt; }
table:has(th:nth-child(13)) :is(th, td) { padding: .3em .2em; overflow-wrap: anywhere; }
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
    yield `<li><div class="card-text">${questionTexts(card).map(written).join('\n')}</div><div class="meta">${escapeMarkup(meta)}</div></li>\n`;
  }
  yield `</ol>\n</section>\n<section class="answers">\n<h2>${answersOf(paper)}</h2>\n<ol>\n`;
  for (const one of cards) yield `<li><dl>${answerOf(one, paper)}</dl></li>\n`;
  yield '</ol>\n</section>\n</body>\n</html>\n';
}

function answerOf(one: CardWithOccurrences, { language }: Paper): string {
  const entries = answerEntries(one, language, { written, words: escapeMarkup }).map(({ term, day, text }) => {
    const when = day === undefined ? '' : `<span class="meta">${day}</span> `;
    return `<dt>${term}</dt><dd class="card-text">${when}${text}</dd>`;
  });
  return entries.join('');
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
  const line = (words: string, isCell = false): string =>
    segments(words)
      .map((segment) => {
        if (segment.kind === 'text') return escapeMarkup(plainWords(segment.text));
        const formula = renderFormula(segment.tex, segment.display && !isCell);
        const takesEm = formula === null || formula.heightEm <= TALL_EM ? 0 : formula.heightEm;
        if (formula === null || takesEm > roomEm) return `<code>${escapeMarkup(segment.tex)}</code>`;
        roomEm -= takesEm;
        return formula.html;
      })
      .join('');
  return blocksOf(text)
    .map((block) => (block.kind === 'text' ? line(block.text) : htmlTable(block.rows, (cell) => line(cell, true))))
    .join('');
}

/**
 * Limits of one formula: macro expansions, and each length that it names, in em; a page of a paper is some 45 em wide.
 */
const MAX_EXPANSIONS = 1_000;
const MAX_LENGTH_EM = 20;

/** A formula as HTML, styled by {@link katexStyles}, and its height in em. */
interface RenderedFormula {
  readonly html: string;
  readonly heightEm: number;
}

/** Null if the formula cannot be typeset. The HTML has no scripts or requests. */
function renderFormula(tex: string, display: boolean): RenderedFormula | null {
  const { warn } = console;
  // KaTeX logs every character that its fonts lack; there is no option to disable it, and the call is synchronous.
  console.warn = () => undefined;
  try {
    const html = katex.renderToString(tex, {
      displayMode: display,
      output: 'html',
      throwOnError: true,
      strict: 'ignore',
      trust: false,
      maxExpand: MAX_EXPANSIONS,
      maxSize: MAX_LENGTH_EM,
    });
    return { html, heightEm: heightOf(html) };
  } catch (thrown) {
    // KaTeX is recursive: a formula nested some thousand levels deep overflows the stack. mhchem throws lists of texts.
    if (thrown instanceof katex.ParseError || thrown instanceof RangeError || Array.isArray(thrown)) return null;
    throw thrown;
  } finally {
    console.warn = warn;
  }
}

/**
 * KaTeX puts a strut as high as its part of the line before each part, and a span with the class newline between lines.
 */
function heightOf(html: string): number {
  const most = (line: string, pattern: RegExp): number =>
    Math.max(0, ...[...line.matchAll(pattern)].map(([, em]) => Number(em)));
  return html
    .split('<span class="mspace newline"')
    .map(
      (line) => most(line, /^ style="margin-top:([\d.]+)em/g) + most(line, /class="strut" style="height:([\d.]+)em/g),
    )
    .reduce((sum, height) => sum + height, 0);
}

/** The style sheet of formulas with embedded fonts, some 400 kB. */
function katexStyles(): string {
  const folder = dirname(createRequire(import.meta.url).resolve('katex/dist/katex.min.css'));
  const css = readFileSync(join(folder, 'katex.min.css'), 'utf8');
  return css.replace(/src:url\((fonts\/[\w-]+\.woff2)\)[^}]*?(?=[;}])/g, (_, font: string) => {
    const bytes = readFileSync(join(folder, font)).toString('base64');
    return `src:url(data:font/woff2;base64,${bytes}) format("woff2")`;
  });
}
