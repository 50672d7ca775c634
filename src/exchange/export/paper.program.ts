/** Writes one paper to a file: formulas are typeset here, outside of the gateway's process. See {@link PaperCalls}. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
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
  return {
    /** Cards of the paper, in their order. */
    add: (some: readonly CardWithOccurrences[]): void => void cards.push(...some),
    /** Writes the paper of the added cards. BadInputError if it is too large. */
    write: async ({ format, path, withoutMistakes: hidden, ...order }: PaperOrder): Promise<void> => {
      const isWithout = hidden ?? new Set(cards.map(({ card }) => card.ownerId)).size > 1;
      const shown = isWithout ? cards.map(withoutMistakes) : cards;
      const pieces = (format === 'html' ? htmlPaper : markdownPaper)({ ...order, withoutMistakes: isWithout }, shown);
      await pipeline(Readable.from(limited(pieces)), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    },
  };
}
export type PaperCalls = ReturnType<typeof paperCalls>;
serve(paperCalls);

async function* limited(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += Buffer.byteLength(piece);
    if (bytes > MAX_BYTES) {
      throw new BadInputError('filter', `makes a paper of more than ${MAX_BYTES / 2 ** 20} MB: select fewer cards`);
    }
    yield piece;
  }
}
