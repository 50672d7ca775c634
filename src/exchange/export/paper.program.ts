/** Writes papers to files: formulas are typeset here, outside of the gateway's process. See {@link PaperCalls}. */
import { type FileHandle, open } from 'node:fs/promises';
import { BadInputError } from '../../domain/errors.js';
import { serve } from '../../runtime/workers/serve.js';
import type { CardWithOccurrences } from '../formats/write/card-lines.js';
import { htmlPaper } from '../formats/write/html-paper.js';
import { markdownPaper } from '../formats/write/markdown-paper.js';
import { type Paper, withoutMistakes } from '../formats/write/paper-texts.js';

/** An inline formula is some kB of HTML: 500 cards full of formulas stay below this. */
const MAX_BYTES = 64 * 1024 * 1024;

export interface PaperOrder extends Omit<Paper, 'withoutMistakes'> {
  readonly format: 'html' | 'md';
  /** Null: if the cards are of several students. */
  readonly withoutMistakes: boolean | null;
  readonly path: string;
}

function paperCalls() {
  const cards: CardWithOccurrences[] = [];
  let pieces: AsyncIterator<string>;
  let file: FileHandle;
  let bytes = 0;
  return {
    /** Cards of the paper, in their order. */
    add: (some: readonly CardWithOccurrences[]): void => void cards.push(...some),
    /** Begins the paper of the added cards. */
    begin: async ({ format, path, withoutMistakes: hidden, ...order }: PaperOrder): Promise<void> => {
      const isWithout = hidden ?? new Set(cards.map(({ card }) => card.ownerId)).size > 1;
      const shown = isWithout ? cards.map(withoutMistakes) : cards;
      pieces = (format === 'html' ? htmlPaper : markdownPaper)({ ...order, withoutMistakes: isWithout }, shown);
      file = await open(path, 'wx', 0o600);
    },
    /** Writes the next part, which takes so many ms; false after the last. BadInputError if the paper is too large. */
    write: async (ms: number): Promise<boolean> => {
      const part: string[] = [];
      const endMs = performance.now() + ms;
      let next = await pieces.next();
      for (; next.done !== true; next = await pieces.next()) {
        part.push(next.value);
        if (performance.now() > endMs) break;
      }
      const text = Buffer.from(part.join(''));
      bytes += text.length;
      if (bytes > MAX_BYTES) {
        throw new BadInputError('filter', `makes a paper of more than ${MAX_BYTES / 2 ** 20} MB: select fewer cards`);
      }
      await file.appendFile(text);
      if (next.done === true) await file.close();
      return next.done !== true;
    },
  };
}
export type PaperCalls = ReturnType<typeof paperCalls>;
serve(paperCalls);
