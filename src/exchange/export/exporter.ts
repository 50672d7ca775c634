import { Readable } from 'node:stream';
import { resumed } from '../../domain/async.js';
import type { GiveWay, TakeTurn } from '../../domain/background.js';
import type { Card } from '../../domain/card.js';
import { NotFoundError } from '../../domain/errors.js';
import { cardsByGivenIds, type MergeableCards } from '../../domain/given-ids.js';
import { distinctBy, slicesOf } from '../../domain/grouped.js';
import type { Language } from '../../domain/language.js';
import { contentChars } from '../../domain/occurrence.js';
import { MAX_EMBEDDED_BYTES } from '../../domain/parse/attachments.js';
import type { ExportFormat, ExportRequest } from '../../domain/parse/export.js';
import type { ImportStore } from '../../domain/ports/imports.js';
import { inTurns } from '../../domain/steps.js';
import type { Viewer } from '../../domain/viewer.js';
import type { AttachmentService } from '../attachments.js';
import { COLUMNS, SHEET_NAMES } from '../formats/columns.js';
import { templateSheets } from '../formats/template.js';
import { ANKI_HEADER, ankiPieces } from '../formats/write/anki.js';
import { type CardWithOccurrences, cardLine } from '../formats/write/card-lines.js';
import { BYTE_ORDER_MARK, csvLine } from '../formats/write/csv.js';
import { withoutMistakes } from '../formats/write/paper-texts.js';
import { tableRows } from '../formats/write/table.js';
import { writeXlsx } from '../formats/write/xlsx.js';
import type { Papers } from './papers.js';

/** Cards in a statement: some 5 ms of the event loop. */
const PAGE = 200;
/** Occurrences in a statement, or those of one card: each may have a wrong solution of 16 kB. */
const PAGE_OCCURRENCES = 500;
/** Texts that are written at once, in UTF-16 units: encoding them for the response takes some 5 ms. */
const SLICE_CHARS = 250_000;

export interface ExporterParts {
  readonly cards: MergeableCards;
  readonly imports: Pick<ImportStore, 'cardsAfter' | 'occurrences'>;
  readonly papers: Pick<Papers, 'write'>;
  readonly files: Pick<AttachmentService, 'embedded'>;
  readonly takeTurn: TakeTurn;
  /** While cards are written: a page full of formulas takes Anki's format half a second. */
  readonly background: Pick<GiveWay, 'pause'>;
}

export interface Export {
  readonly contentType: string;
  readonly fileName: string;
  readonly body: Readable;
  /** No card was found. */
  readonly isEmpty: boolean;
}

export class Exporter {
  constructor(private readonly parts: ExporterParts) {}

  /** A workbook to fill in and to import. */
  template(language: Language): Readable {
    return writeXlsx(templateSheets(language));
  }

  /**
   * Exports the requested cards: tables are streamed while cards are read, papers after they are written. NotFoundError
   * for an unknown card id; BadInputError for a paper that is too large; the signal's reason once that aborts.
   */
  async export(viewer: Viewer, request: ExportRequest, signal: AbortSignal): Promise<Export> {
    const { format, title, language } = request;
    const slices = this.#slices(viewer, request);
    const contentType = CONTENT_TYPES[format];
    const fileName = format === 'anki' ? 'cards.anki.txt' : `cards.${format}`;
    // Read the first cards before anything is sent, so that an error can still be reported.
    const first = await slices.next();
    const isEmpty = first.done === true;
    const all = resumed(first, slices);
    if (format === 'html' || format === 'md') {
      const order = { format, title, language, withoutMistakes: request.withoutMistakes };
      const body = await this.parts.papers.write(viewer.tenantId, order, all, signal);
      return { contentType, fileName, body, isEmpty };
    }
    const cards = request.embedFiles ? this.#withFiles(viewer, all) : all;
    return { contentType, fileName, body: this.#table(format, language, cards), isEmpty };
  }

  #table(format: TableFormat, language: ExportRequest['language'], slices: Slices): Readable {
    if (format === 'jsonl') return Readable.from(joined(this.#written(slices, cardLine)));
    if (format === 'anki') {
      const notes = this.#written(slices, (one) => ankiPieces(one, language));
      return Readable.from(joined(notes, ANKI_HEADER));
    }
    const columns = COLUMNS.map(({ header, width }) => ({ header: header[language], width }));
    if (format === 'xlsx') {
      const rows = this.#written(slices, (one) => tableRows(one, language));
      return writeXlsx([{ name: SHEET_NAMES[language], columns, rows: oneByOne(rows) }]);
    }
    const lines = this.#written(slices, function* (one) {
      for (const row of tableRows(one, language)) yield csvLine(row);
    });
    return Readable.from(joined(lines, BYTE_ORDER_MARK + csvLine(columns.map(({ header }) => header))));
  }

  /** What `write` makes of the cards, slice by slice. */
  async *#written<T>(slices: Slices, write: (one: CardWithOccurrences) => Iterable<T>): AsyncGenerator<readonly T[]> {
    const piecesOf = function* (cards: readonly CardWithOccurrences[]): Generator<T> {
      for (const one of cards) yield* write(one);
    };
    for await (const cards of slices) {
      const pieces: T[] = [];
      await inTurns(piecesOf(cards), (piece) => pieces.push(piece), this.parts.background.pause);
      yield pieces;
    }
  }

  /** One card at a time: its files may have some 13 MB in base64. */
  async *#withFiles(viewer: Viewer, slices: AsyncIterable<readonly CardWithOccurrences[]>): Slices {
    for await (const slice of slices) {
      for (const one of slice) {
        yield [{ ...one, files: await this.parts.files.embedded(viewer, one.card.attachments, MAX_EMBEDDED_BYTES) }];
      }
    }
  }

  async *#slices(viewer: Viewer, request: ExportRequest): Slices {
    for await (const page of this.#pages(viewer, request)) {
      const shown = page.map((one) => (showsMistakes(one.card, request) ? one : withoutMistakes(one)));
      // A table has the whole card in the row of each occurrence.
      const isOfRows = request.format === 'csv' || request.format === 'xlsx';
      yield* slicesOf(isOfRows ? shown.flatMap(eachOccurrence) : shown, charsOf, SLICE_CHARS);
    }
  }

  async *#pages(viewer: Viewer, { cardIds, filter }: ExportRequest): Slices {
    const { cards, imports, takeTurn } = this.parts;
    if (cardIds !== null) {
      const found = await takeTurn(() => cardsByGivenIds(cards, viewer, cardIds));
      const named = cardIds.map((id) => {
        const card = found.get(id);
        if (card === undefined) throw new NotFoundError('card', id);
        return card;
      });
      yield* this.#withOccurrences(
        viewer,
        distinctBy(named, ({ id }) => id),
      );
      return;
    }
    let after: string | null = null;
    for (;;) {
      const last: string | null = after;
      const page: readonly Card[] = await takeTurn(() => imports.cardsAfter(viewer, filter, last, PAGE));
      yield* this.#withOccurrences(viewer, page);
      if (page.length < PAGE) return;
      after = page[page.length - 1]?.id ?? null;
    }
  }

  async *#withOccurrences(viewer: Viewer, cards: readonly Card[]): Slices {
    const { imports, takeTurn } = this.parts;
    for (const some of slicesOf(cards, ({ occurrences }) => occurrences, PAGE_OCCURRENCES)) {
      const ids = some.map(({ id }) => id);
      const times = await takeTurn(() => imports.occurrences(viewer, ids));
      yield some.map((card) => ({ card, occurrences: times.get(card.id) ?? [] }));
    }
  }
}

async function* joined(parts: AsyncIterable<readonly string[]>, start = ''): AsyncGenerator<string> {
  if (start !== '') yield start;
  for await (const pieces of parts)
    for (const some of slicesOf(pieces, ({ length }) => length, SLICE_CHARS)) yield some.join('');
}

async function* oneByOne<T>(parts: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const items of parts) yield* items;
}

function eachOccurrence(one: CardWithOccurrences): readonly CardWithOccurrences[] {
  return one.occurrences.map((occurrence) => ({ ...one, occurrences: [occurrence] }));
}

type TableFormat = Exclude<ExportFormat, 'html' | 'md'>;

const CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = {
  jsonl: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  md: 'text/markdown; charset=utf-8',
  html: 'text/html; charset=utf-8',
  anki: 'text/plain; charset=utf-8',
};

type Slices = AsyncGenerator<readonly CardWithOccurrences[]>;

function showsMistakes(
  { ownerId }: CardWithOccurrences['card'],
  { withoutMistakes: none, mistakesOf }: ExportRequest,
): boolean {
  return none !== true && (mistakesOf === null || mistakesOf === ownerId);
}

const charsOf = ({ card, occurrences }: CardWithOccurrences): number => contentChars({ content: card, occurrences });
