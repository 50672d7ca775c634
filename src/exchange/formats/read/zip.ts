import { open as openFile, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import yauzl from 'yauzl';
import { BadInputError } from '../../../domain/errors.js';

/** The largest workbook: what 100,000 rows of text are packed to. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** Unpacked, all its parts together. */
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;
/** Maximum compression ratio. A sheet of text is compressed by 5 to 20; a higher ratio than this is a zip bomb. */
const MAX_RATIO = 100;
/** Smaller parts are not checked for their ratio. */
const SMALL_BYTES = 4 * 1024 * 1024;
/** Sheets, styles, pictures. */
const MAX_ENTRIES = 1_000;

const ZIP = 0x504b;
const OLD_OFFICE = 0xd0cf;

/** Parts that a workbook of plain values does not have, and why they are refused. */
const REFUSED_PARTS: readonly (readonly [RegExp, string])[] = [
  [/vbaProject|^xl\/macrosheets\//i, 'contains macros: save it as .xlsx without macros'],
  [/^xl\/externalLinks\//i, 'has links to other files: save it with values in their place'],
  [/\.(?:zip|xlsx|xlsm|xlsb|docx|docm|pptx|jar|rar|7z|gz)$|^xl\/embeddings\//i, 'holds other files: remove them'],
];

/** The parts of a workbook; each can be read repeatedly. */
export interface WorkbookParts {
  readonly names: ReadonlySet<string>;
  /** The unpacked bytes of a part. BadInputError (`file`) if their number differs from the archive's directory. */
  read(name: string): AsyncGenerator<Buffer>;
  close(): void;
}

/**
 * Opens a workbook after checking the sizes in its directory; nothing is unpacked. BadInputError (`file`) if it is no
 * workbook, or has parts other than plain values.
 */
export async function openWorkbook(path: string): Promise<WorkbookParts> {
  await checkBeginning(path);
  const zip = await refusingBadZip(() => yauzl.openPromise(path, { autoClose: false, strictFileNames: true }));
  try {
    const entries = await listEntries(zip);
    const { size } = await stat(path);
    let unpacked = 0;
    for (const { uncompressedSize } of entries.values()) unpacked += uncompressedSize;
    if (unpacked > MAX_UNPACKED_BYTES) {
      throw refused(`unpacks to ${megabytes(unpacked)} MB: at most ${megabytes(MAX_UNPACKED_BYTES)} are read`);
    }
    if (unpacked > SMALL_BYTES && unpacked > MAX_RATIO * size) {
      throw refused(`unpacks to more than ${MAX_RATIO} times its size, more than any workbook does`);
    }
    return {
      names: new Set(entries.keys()),
      read: (name) => readEntry(zip, entries.get(name), name),
      close: () => zip.close(),
    };
  } catch (thrown) {
    zip.close();
    throw thrown;
  }
}

async function checkBeginning(path: string): Promise<void> {
  const file = await openFile(path);
  try {
    const { size } = await file.stat();
    if (size > MAX_FILE_BYTES) throw refused(`is larger than ${megabytes(MAX_FILE_BYTES)} MB: split the file`);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    const magic = bytesRead === 2 ? buffer.readUInt16BE(0) : 0;
    if (magic === OLD_OFFICE)
      throw refused('is a workbook of Excel 97, or protected by a password: save it as .xlsx, without one');
    if (magic !== ZIP) throw refused('is not an .xlsx workbook');
  } finally {
    await file.close();
  }
}

async function listEntries(zip: yauzl.ZipFile): Promise<ReadonlyMap<string, yauzl.Entry>> {
  if (zip.entryCount > MAX_ENTRIES) throw refused(`has ${zip.entryCount} parts: at most ${MAX_ENTRIES} are read`);
  const entries = new Map<string, yauzl.Entry>();
  await refusingBadZip(async () => {
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileName;
      if (entries.has(name)) throw refused(`has two parts with the name ${name}`);
      if (entry.isEncrypted()) throw refused('is protected by a password');
      for (const [pattern, reason] of REFUSED_PARTS) if (pattern.test(name)) throw refused(reason);
      entries.set(name, entry);
    }
  });
  return entries;
}

async function* readEntry(zip: yauzl.ZipFile, entry: yauzl.Entry | undefined, name: string): AsyncGenerator<Buffer> {
  if (entry === undefined) throw refused(`is not an .xlsx workbook: it has no part ${name}`);
  const stream: Readable = await refusingBadZip(() => zip.openReadStreamPromise(entry, {}));
  const bytes = stream[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>;
  try {
    for (;;) {
      const next = await refusingBadZip(() => bytes.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    stream.destroy();
  }
}

/** Every error of reading a zip file is the file's fault: wrong sizes, names outside the archive, corrupt data. */
async function refusingBadZip<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    if (thrown instanceof BadInputError) throw thrown;
    throw refused(`is damaged or malicious: ${(thrown as Error).message}`);
  }
}

function refused(reason: string): BadInputError {
  return new BadInputError('file', reason);
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
