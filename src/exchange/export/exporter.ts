import { Readable } from 'node:stream';
import { BadInputError, NotFoundError } from '../../domain/errors.js';
import type { ExportFormat, ExportRequest } from '../../domain/parse/export.js';
import type { CardStore } from '../../domain/ports/cards.js';
import type { ImportStore } from '../../domain/ports/notebooks.js';
import type { Viewer } from '../../domain/viewer.js';
import { SHEET_NAMES } from '../formats/columns.js';
import { type CardWithTimes, cardLine } from '../formats/write/card-lines.js';
import { BYTE_ORDER_MARK, csvLine } from '../formats/write/csv.js';
import { htmlPaper } from '../formats/write/html-paper.js';
import { markdownPaper } from '../formats/write/markdown-paper.js';
import { COLUMNS, tableRows } from '../formats/write/table.js';
import { writeXlsx } from '../formats/write/xlsx.js';

/** Cards a statement. */
const PAGE = 500;
/** Questions of one paper: 500 are some 150 pages. */
const MAX_PAPER_CARDS = 500;

/** What giving cards out reads from. */
export interface ExporterParts {
  readonly cards: Pick<CardStore, 'byIds'>;
  readonly notebook: Pick<ImportStore, 'cardsAfter' | 'occurrences'>;
}

/** Cards on their way out. */
export interface Export {
  readonly contentType: string;
  /** What the file is called where the client does not say. */
  readonly fileName: string;
  readonly body: Readable;
}

/** Gives cards out in every form. */
export class Exporter {
  constructor(private readonly parts: ExporterParts) {}

  /**
   * The cards of the request, page by page as they are read. NotFoundError for a card that is named and not there; BadInputError
   * for a paper of too many cards.
   */
  async export(viewer: Viewer, request: ExportRequest): Promise<Export> {
    const { contentType, isPaper } = FORMS[request.format];
    const pages = this.#pages(viewer, request);
    // The first page is read before anything is sent, so that what is wrong can still be said.
    const first = await pages.next();
    const all = (async function* () {
      if (first.done === true) return;
      yield first.value;
      yield* pages;
    })();
    const body = isPaper ? await paper(request, all) : table(request, all);
    return { contentType, fileName: `cards.${request.format}`, body };
  }

  async *#pages(viewer: Viewer, { cardIds, filter }: ExportRequest): AsyncGenerator<readonly CardWithTimes[]> {
    const { cards, notebook } = this.parts;
    if (cardIds !== null) {
      const found = await cards.byIds(viewer, cardIds);
      const named = cardIds.map((id) => {
        const card = found.get(id);
        if (card === undefined) throw new NotFoundError('card', id);
        return card;
      });
      yield await this.#withTimes(viewer, named);
      return;
    }
    let after: string | null = null;
    for (;;) {
      const page = await notebook.cardsAfter(viewer, filter, after, PAGE);
      if (page.length > 0) yield await this.#withTimes(viewer, page);
      if (page.length < PAGE) return;
      after = page[page.length - 1]?.id ?? null;
    }
  }

  async #withTimes(viewer: Viewer, cards: readonly CardWithTimes['card'][]): Promise<readonly CardWithTimes[]> {
    const times = await this.parts.notebook.occurrences(
      viewer,
      cards.map(({ id }) => id),
    );
    return cards.map((card) => ({ card, occurrences: times.get(card.id) ?? [] }));
  }
}

const FORMS: Readonly<Record<ExportFormat, { readonly contentType: string; readonly isPaper: boolean }>> = {
  jsonl: { contentType: 'application/x-ndjson; charset=utf-8', isPaper: false },
  csv: { contentType: 'text/csv; charset=utf-8', isPaper: false },
  xlsx: { contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', isPaper: false },
  md: { contentType: 'text/markdown; charset=utf-8', isPaper: true },
  html: { contentType: 'text/html; charset=utf-8', isPaper: true },
};

type Pages = AsyncGenerator<readonly CardWithTimes[]>;

function table({ format, language }: ExportRequest, pages: Pages): Readable {
  if (format === 'jsonl') return Readable.from(mapped(pages, (page) => page.map(cardLine).join('')));
  const columns = COLUMNS.map(({ header, width }) => ({ header: header[language], width }));
  if (format === 'xlsx') return writeXlsx([{ name: SHEET_NAMES[language], columns, rows: rowsOf(pages) }]);
  const lines = mapped(pages, (page) => page.flatMap(tableRows).map(csvLine).join(''));
  return Readable.from(
    (async function* () {
      yield BYTE_ORDER_MARK + csvLine(columns.map(({ header }) => header));
      yield* lines;
    })(),
  );
}

async function paper({ format, title, language }: ExportRequest, pages: Pages): Promise<Readable> {
  const cards: CardWithTimes[] = [];
  for await (const page of pages) {
    cards.push(...page);
    if (cards.length > MAX_PAPER_CARDS) {
      throw new BadInputError('filter', `lets more than ${MAX_PAPER_CARDS} cards through: a paper holds no more`);
    }
  }
  return Readable.from((format === 'html' ? htmlPaper : markdownPaper)({ title, language }, cards));
}

async function* mapped(pages: Pages, write: (page: readonly CardWithTimes[]) => string): AsyncGenerator<string> {
  for await (const page of pages) yield write(page);
}

async function* rowsOf(pages: Pages): AsyncGenerator<readonly string[]> {
  for await (const page of pages) yield* page.flatMap(tableRows);
}
