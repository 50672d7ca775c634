import { Readable } from 'node:stream';
import { resumed } from '../../domain/async.js';
import type { TakeTurn } from '../../domain/background.js';
import { NotFoundError } from '../../domain/errors.js';
import { cardsByGivenIds, type MergeableCards } from '../../domain/given-ids.js';
import { distinctBy, slicesOf } from '../../domain/grouped.js';
import type { Language } from '../../domain/language.js';
import { contentChars } from '../../domain/occurrence.js';
import { MAX_EMBEDDED_BYTES } from '../../domain/parse/attachments.js';
import type { ExportFormat, ExportRequest } from '../../domain/parse/export.js';
import type { ImportStore } from '../../domain/ports/imports.js';
import type { Viewer } from '../../domain/viewer.js';
import { MESSAGE_CHARS } from '../../runtime/workers/protocol.js';
import type { AttachmentService } from '../attachments.js';
import { COLUMNS, SHEET_NAMES } from '../formats/columns.js';
import { templateSheets } from '../formats/template.js';
import { ANKI_HEADER, ankiLine } from '../formats/write/anki.js';
import { type CardWithOccurrences, cardLine } from '../formats/write/card-lines.js';
import { BYTE_ORDER_MARK, csvLine } from '../formats/write/csv.js';
import { withoutMistakes } from '../formats/write/paper-texts.js';
import { tableRows } from '../formats/write/table.js';
import { writeXlsx } from '../formats/write/xlsx.js';
import type { Papers } from './papers.js';

/** Cards in a statement: some 5 ms of the event loop. */
const PAGE = 200;

export interface ExporterParts {
  readonly cards: MergeableCards;
  readonly imports: Pick<ImportStore, 'cardsAfter' | 'occurrences'>;
  readonly papers: Pick<Papers, 'write'>;
  readonly files: Pick<AttachmentService, 'embedded'>;
  readonly takeTurn: TakeTurn;
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
    if (format === 'jsonl') return Readable.from(this.#written(slices, (some) => some.map(cardLine).join('')));
    if (format === 'anki') {
      const notes = this.#written(slices, (some) => some.map((one) => ankiLine(one, language)).join(''));
      return Readable.from(after(ANKI_HEADER, notes));
    }
    const tableOf = (some: readonly CardWithOccurrences[]) => some.flatMap((one) => tableRows(one, language));
    const columns = COLUMNS.map(({ header, width }) => ({ header: header[language], width }));
    if (format === 'xlsx') {
      return writeXlsx([{ name: SHEET_NAMES[language], columns, rows: this.#rows(slices, tableOf) }]);
    }
    const lines = this.#written(slices, (some) => tableOf(some).map(csvLine).join(''));
    return Readable.from(after(BYTE_ORDER_MARK + csvLine(columns.map(({ header }) => header)), lines));
  }

  async *#written(slices: Slices, write: (some: readonly CardWithOccurrences[]) => string): AsyncGenerator<string> {
    for await (const some of slices) yield await this.parts.takeTurn(() => write(some));
  }

  async *#rows(
    slices: Slices,
    tableOf: (some: readonly CardWithOccurrences[]) => readonly (readonly string[])[],
  ): AsyncGenerator<readonly string[]> {
    for await (const some of slices) yield* await this.parts.takeTurn(() => tableOf(some));
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
      yield* slicesOf(shown, charsOf, MESSAGE_CHARS);
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
      const distinct = distinctBy(named, ({ id }) => id);
      yield await takeTurn(() => this.#withOccurrences(viewer, distinct));
      return;
    }
    let after: string | null = null;
    for (;;) {
      const last: string | null = after;
      const page: readonly CardWithOccurrences[] = await takeTurn(async () => {
        return this.#withOccurrences(viewer, await imports.cardsAfter(viewer, filter, last, PAGE));
      });
      if (page.length > 0) yield page;
      if (page.length < PAGE) return;
      after = page[page.length - 1]?.card.id ?? null;
    }
  }

  async #withOccurrences(
    viewer: Viewer,
    cards: readonly CardWithOccurrences['card'][],
  ): Promise<readonly CardWithOccurrences[]> {
    if (cards.length === 0) return [];
    const times = await this.parts.imports.occurrences(
      viewer,
      cards.map(({ id }) => id),
    );
    return cards.map((card) => ({ card, occurrences: times.get(card.id) ?? [] }));
  }
}

async function* after(start: string, lines: AsyncIterable<string>): AsyncGenerator<string> {
  yield start;
  yield* lines;
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
