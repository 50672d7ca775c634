import { escapeMarkup } from '../../../domain/clean-text.js';
import type { Language } from '../../../domain/language.js';
import { blocksOf, htmlTable } from './blocks.js';
import type { CardWithOccurrences } from './card-lines.js';
import { answerTo, PAPER_TEXTS, questionTexts } from './paper-texts.js';
import { inertWords, segments } from './segments.js';

/**
 * What Anki's text import reads before the notes: tabs between fields, HTML within, the first field names the note, so
 * that a second import changes notes and does not double them (docs.ankiweb.net, "Text Files").
 */
export const ANKI_HEADER = '#separator:tab\n#html:true\n#notetype:Basic\n#guid column:1\n#tags column:4\n';

/**
 * The card as a line, in pieces, because it may have hundreds of wrong answers: id, question, answer with what was got
 * wrong, labels as tags. Formulas are `\( \)`, which Anki typesets.
 */
export function* ankiPieces({ card, occurrences }: CardWithOccurrences, language: Language): Generator<string> {
  const texts = PAPER_TEXTS[language];
  yield `${card.id}\t${questionTexts(card).map(written).join('<br>')}\t${answerTo(card, texts, written)}`;
  for (const { wrongSolution, errorTypes } of occurrences) {
    const parts = [...(wrongSolution === null ? [] : [written(wrongSolution)]), ...errorTypes.map(written)];
    if (parts.length > 0) yield `${BETWEEN}${texts.mistake}${texts.colon}${parts.join(' · ')}`;
  }
  if (card.notes !== null) yield `${BETWEEN}${texts.notes}${texts.colon}${written(card.notes)}`;
  yield `\t${[texts.subject(card.subject), ...card.topicTags, ...card.errorTypes].map(tagOf).join(' ')}\n`;
}

/** Between two parts of the answer. */
const BETWEEN = '<br><br>';

/**
 * Begins what Anki itself reads in a field, whatever surrounds it: a file that it plays, speech, and LaTeX that it runs
 * on the reader's machine and that can read its files.
 */
const ANKI_TAG = /\[(?=sound:|anki:|latex\]|\$\$?\])/gi;

function written(text: string): string {
  return blocksOf(text)
    .map((block) => (block.kind === 'text' ? line(block.text) : htmlTable(block.rows, line)))
    .join('');
}

function line(text: string): string {
  return segments(text)
    .map((segment) => {
      if (segment.kind === 'text') return escaped(inertWords(segment.text).replace(ANKI_TAG, '$&\u200b'));
      // Anki takes double braces for a field of its templates.
      const tex = escaped(segment.tex.replace(/\{(?=\{)|\}(?=\})/g, '$& ').replace(ANKI_TAG, '$& '));
      return segment.display ? `\\[${tex}\\]` : `\\(${tex}\\)`;
    })
    .join('');
}

/** On one line, without a tab, and without what would be markup. */
function escaped(text: string): string {
  return escapeMarkup(text)
    .replace(/\t/g, ' ')
    .replace(/\r\n|\r|\n/g, '<br>');
}

/** Tags are separated by blanks, and `::` would make a tree of them. */
function tagOf(label: string): string {
  return inertWords(label)
    .replace(/\s+/g, '_')
    .replaceAll('::', ':')
    .replace(/["<>&]/g, '');
}
