import { blocksOf } from './blocks.js';
import type { CardWithOccurrences } from './card-lines.js';
import { answerEntries, answersOf, metaOf, PAPER_TEXTS, type Paper, questionTexts } from './paper-texts.js';
import { inertWords, segments } from './segments.js';

/**
 * A paper in Markdown: questions first, then answers and mistake notes; formulas between dollars, all other markup of
 * cards as text.
 */
export async function* markdownPaper(paper: Paper, cards: readonly CardWithOccurrences[]): AsyncGenerator<string> {
  const texts = PAPER_TEXTS[paper.language];
  const title = (paper.title ?? texts.title).replace(/\s+/g, ' ');
  yield `# ${written(title)}\n\n${texts.count(cards.length)}\n\n## ${texts.questions}\n\n`;
  for (const [place, { card }] of cards.entries()) {
    yield item(place + 1, [
      questionTexts(card).map(written).join('  \n'),
      `*${written(metaOf(card, paper.language))}*`,
    ]);
  }
  yield `---\n\n## ${answersOf(paper)}\n\n`;
  for (const [place, one] of cards.entries()) yield item(place + 1, answerOf(one, paper));
}

function answerOf(one: CardWithOccurrences, { language }: Paper): readonly string[] {
  const { colon } = PAPER_TEXTS[language];
  return answerEntries(one, language, { written }).map(({ term, day, text }) => {
    if (day === undefined) return `**${term}**${colon}${text}`;
    return `**${term}** ${day}${text === '' ? '' : colon + text.replace(/^ /, '')}`;
  });
}

/** An entry of a numbered list; what follows its first line is indented, so that it belongs to it. */
function item(number: number, paragraphs: readonly string[]): string {
  const mark = `${number}. `;
  const lines = paragraphs.join('\n\n').split('\n');
  const indented = lines.map((line, place) => (place === 0 || line === '' ? line : ' '.repeat(mark.length) + line));
  return `${mark}${indented.join('\n')}\n\n`;
}

/**
 * Characters that begin markup in Markdown, also of GitHub (~), or HTML; at the beginning of a line also lists,
 * quotations, headings and the lines below headings.
 */
const MARKUP = /[\\`*_{}[\]<>!|&~]/g;
const LINE_MARKUP = /^(\s*)(#|>|[-+](?=\s)|[-=]+(?=[ \t]*$)|\d{1,9}(?=[.)]))/gm;

/** A text of a card: line breaks, formulas and tables are kept, everything else is escaped. */
function written(text: string): string {
  return blocksOf(text)
    .map((block) => (block.kind === 'text' ? line(block.text) : table(block.rows)))
    .join('');
}

/** A paragraph of its own. */
function table([names = [], ...rows]: readonly (readonly string[])[]): string {
  const written = [names.map(cell), names.map(() => '---'), ...rows.map((row) => row.map(cell))];
  return `\n\n${written.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n\n`;
}

const cell = (text: string): string => line(text, true);

function line(text: string, isCell = false): string {
  return segments(text)
    .map((segment) => {
      if (segment.kind === 'math') {
        // A bar would divide the cell, and one behind a backslash is a norm.
        const whole = isCell ? segment.tex.replaceAll('\\|', '\\Vert ').replaceAll('|', '\\vert ') : segment.tex;
        // A renderer without formulas would read a less-than sign as HTML, and a line may begin like one of a list.
        const tex = whole.replaceAll('<', '\\lt ').replaceAll('>', '\\gt ').replace(/\s+/g, ' ').trim();
        return segment.display && !isCell ? `$$${tex}$$` : `$${tex}$`;
      }
      return inertWords(segment.text)
        .replace(MARKUP, '\\$&')
        .replace(
          LINE_MARKUP,
          (_, blanks: string, sign: string) => `${blanks}${/\d/.test(sign) ? `${sign}\\` : `\\${sign}`}`,
        )
        .replaceAll('$', '\\$')
        .replace(/\n/g, '  \n');
    })
    .join('');
}
