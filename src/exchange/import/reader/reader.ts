import { dirname } from 'node:path';
import { slicesOf } from '../../../domain/async.js';
import { tellingChars } from '../../../domain/occurrence.js';
import type { OwnedFile } from '../../../domain/ports/files.js';
import type { CardDraft, Folded, StoredCards, WantedCards } from '../../../domain/ports/imports.js';
import { MESSAGE_CHARS, type WorkerLimits } from '../../../runtime/workers/protocol.js';
import { WorkerProcess } from '../../../runtime/workers/worker-process.js';
import type { CheckedFile, FileToRead } from './file.js';
import type { ReaderCalls } from './reader.program.js';

/** The program, compiled, relative to dist/. */
const MODULE = 'src/exchange/import/reader/reader.program.js';

/**
 * Limits of reading one file. 126 MB of JSON Lines took 23 s of CPU time and 176 MB, a workbook with 46 million
 * characters of text 374 MB; larger files are not accepted. A file that needs more fails, so that other imports wait no
 * longer than this.
 */
export const READER_LIMITS: WorkerLimits = { cpuMs: 120_000, memoryMb: 768 };

/** A worker that reads one file. Rejects as {@link WorkerProcess} does. */
export class FileReader {
  readonly #opened: Promise<void>;

  private constructor(
    private readonly worker: WorkerProcess<ReaderCalls>,
    file: FileToRead,
  ) {
    this.#opened = worker.call('open', file);
    // The caller of the next method gets the error.
    this.#opened.catch(() => undefined);
  }

  /** Forks the process; the signal ends it. */
  static start(file: FileToRead, limits: WorkerLimits, signal: AbortSignal): FileReader {
    return new FileReader(new WorkerProcess({ module: MODULE, limits }, dirname(file.path), signal), file);
  }

  get pid(): number {
    return this.worker.pid;
  }

  /** Validates the whole file. BadInputError (`file`). */
  async check(): Promise<CheckedFile> {
    await this.#opened;
    return this.worker.call('check', null);
  }

  /** Keys of the cards that the next chunk of rows may affect; null after the last. */
  async next(): Promise<WantedCards | null> {
    await this.#opened;
    return this.worker.call('next', null);
  }

  /** Folds that chunk into the cards; may be repeated if storing failed. */
  async fold({ cards, ...ids }: StoredCards): Promise<Folded> {
    const sizeOf = ({ content, occurrences }: CardDraft): number => tellingChars(content, occurrences);
    for (const slice of slicesOf(cards, sizeOf, MESSAGE_CHARS)) await this.worker.call('view', slice);
    const folded = await this.worker.call('fold', ids);
    const drafts: CardDraft[] = [];
    for (;;) {
      const slice = await this.worker.call('drafts', null);
      if (slice === null) break;
      drafts.push(...slice);
    }
    const files: OwnedFile[] = [];
    for (;;) {
      const file = await this.worker.call('files', null);
      if (file === null) return { ...folded, drafts, files, rows: [] };
      files.push(file);
    }
  }

  /** Kills the process. */
  close(): Promise<void> {
    return this.worker.close();
  }
}
