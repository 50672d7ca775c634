import { dirname } from 'node:path';
import { slicesOf } from '../../../domain/async.js';
import { tellingChars } from '../../../domain/occurrence.js';
import type { CardDraft, Folded, NotebookView, WantedCards } from '../../../domain/ports/notebooks.js';
import { MESSAGE_CHARS, type WorkerLimits } from '../../../runtime/workers/protocol.js';
import { WorkerProcess } from '../../../runtime/workers/worker-process.js';
import type { CheckedFile, FileToRead } from './file.js';
import type { ReaderCalls } from './reader.program.js';

/** The program, compiled, relative to dist/. */
const MODULE = 'src/exchange/import/reader/reader.program.js';

/**
 * What one file may take. 126 MB of JSON Lines took 23 s of a processor and 176 MB, a workbook with 46 million characters of text
 * 374 MB, and no file that is accepted is larger. A file that needs more fails; the imports of others wait no longer than this.
 */
export const READER_LIMITS: WorkerLimits = { cpuMs: 120_000, memoryMb: 768 };

/** A worker that reads one file: the errors of {@link WorkerProcess}. */
export class FileReader {
  readonly #worker: WorkerProcess<ReaderCalls>;
  readonly #opened: Promise<void>;

  private constructor(worker: WorkerProcess<ReaderCalls>, file: FileToRead) {
    this.#worker = worker;
    this.#opened = worker.call('open', file);
    // Whoever asks hears of it.
    this.#opened.catch(() => undefined);
  }

  /** Forks the process; the signal ends it. */
  static start(file: FileToRead, limits: WorkerLimits, signal: AbortSignal): FileReader {
    return new FileReader(new WorkerProcess({ module: MODULE, limits }, dirname(file.path), signal), file);
  }

  get pid(): number {
    return this.#worker.pid;
  }

  /** Reads the whole file and keeps nothing. BadInputError (`file`) where it cannot be used. */
  async check(): Promise<CheckedFile> {
    await this.#opened;
    return this.#worker.call('check', null);
  }

  /** The cards that the next chunk of rows may concern; null after the last. */
  async next(): Promise<WantedCards | null> {
    await this.#opened;
    return this.#worker.call('next', null);
  }

  /** Folds that chunk into the cards; again where it could not be stored. */
  async fold({ cards, ...ids }: NotebookView): Promise<Folded> {
    const sizeOf = ({ content, occurrences }: CardDraft): number => tellingChars(content, occurrences);
    for (const slice of slicesOf(cards, sizeOf, MESSAGE_CHARS)) await this.#worker.call('view', slice);
    const folded = await this.#worker.call('fold', ids);
    const drafts: CardDraft[] = [];
    for (;;) {
      const slice = await this.#worker.call('drafts', null);
      if (slice === null) return { ...folded, drafts };
      drafts.push(...slice);
    }
  }

  /** Ends the process, whatever it does. */
  close(): Promise<void> {
    return this.#worker.close();
  }
}
