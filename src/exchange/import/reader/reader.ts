import { dirname } from 'node:path';
import { slicesOf } from '../../../domain/grouped.js';
import { contentChars } from '../../../domain/occurrence.js';
import type { OwnedFile } from '../../../domain/ports/files.js';
import type { CardDraft, Folded, StoredCards } from '../../../domain/ports/imports.js';
import { MESSAGE_CHARS, type WorkerLimits } from '../../../runtime/workers/protocol.js';
import { WorkerProcess } from '../../../runtime/workers/worker-process.js';
import type { FileToRead } from './chunks.js';
import type { ReaderCalls } from './reader.program.js';

/** The program, compiled, relative to dist/. */
const MODULE = 'src/exchange/import/reader/reader.program.js';

/**
 * Limits of reading one file. 126 MB of JSON Lines took 23 s of CPU time and 176 MB, a workbook with 46 million
 * characters of text 374 MB; larger files are not accepted. A file that needs more fails, so that other imports wait no
 * longer than this.
 */
export const READER_LIMITS: WorkerLimits = { cpuMs: 120_000, memoryMb: 768 };

export type FileReader = WorkerProcess<ReaderCalls>;

/** Forks a process that reads one file; the signal ends it. Rejects as {@link WorkerProcess} does. */
export async function openReader(file: FileToRead, limits: WorkerLimits, signal: AbortSignal): Promise<FileReader> {
  const reader: FileReader = new WorkerProcess({ module: MODULE, limits }, dirname(file.path), signal);
  try {
    await reader.call('open', file);
    return reader;
  } catch (thrown) {
    await reader.close();
    throw thrown;
  }
}

/** Folds the reader's current chunk into cards; may be repeated if storing failed. */
export async function foldChunk(reader: FileReader, { cards, ...ids }: StoredCards): Promise<Folded> {
  for (const slice of slicesOf(cards, contentChars, MESSAGE_CHARS)) await reader.call('view', slice);
  const folded = await reader.call('fold', ids);
  const drafts: CardDraft[] = [];
  const files: OwnedFile[] = [];
  for (;;) {
    const part = await reader.call('part', null);
    if (part === null) return { ...folded, drafts, files, rows: [] };
    drafts.push(...part.drafts);
    files.push(...part.files);
  }
}
