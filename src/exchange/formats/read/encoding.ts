import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { BadInputError } from '../../../domain/errors.js';
import { MAX_LINES, MAX_ROW_BYTES } from '../source.js';
import { big5Evidence, type Encoding, isWindows1252, markedEncoding, withMarks } from './encodings.js';
import { lines } from './lines.js';

/**
 * Detects the encoding from the whole file: UTF-8 if all of it is valid UTF-8, otherwise Windows-1252, or Big5 or
 * GB18030 if every line can be that. BadInputError (`file`), with the line, if one cannot, or if one line is certainly
 * UTF-8 and another is not: part of such a file would be mojibake.
 */
export async function encodingOf(path: string): Promise<Encoding> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    const marked = markedEncoding(buffer.subarray(0, bytesRead));
    if (marked !== null) return marked;
  } finally {
    await file.close();
  }
  return (await isWholeUtf8(path)) ? 'utf-8' : encodingOfLines(path);
}

async function isWholeUtf8(path: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of createReadStream(path)) decoder.decode(chunk as Buffer, { stream: true });
    decoder.decode();
    return true;
  } catch (thrown) {
    if (thrown instanceof TypeError) return false;
    throw thrown;
  }
}

/** Of a file that is not all UTF-8. */
async function encodingOfLines(path: string): Promise<Encoding> {
  const [gb18030, big5] = [new FirstInvalid('gb18030'), new FirstInvalid('big5')];
  let evidence = 0;
  let isLatin = true;
  let certain: number | undefined;
  let other: number | undefined;
  for await (const { number, bytes } of lines(createReadStream(path), MAX_ROW_BYTES)) {
    if (number > MAX_LINES) throw new BadInputError('file', `has more than ${MAX_LINES} lines`);
    if (bytes === null) {
      throw new BadInputError('file', `line ${number} is longer than ${MAX_ROW_BYTES / 1024} kB`);
    }
    if (isUtf8(bytes)) {
      if (isCertainUtf8(bytes, number)) certain ??= number;
    } else {
      other ??= number;
      for (const one of [gb18030, big5]) one.check(bytes, number);
    }
    evidence += big5Evidence(bytes);
    isLatin &&= isWindows1252(bytes);
    if (certain !== undefined && other !== undefined) {
      throw new BadInputError('file', `mixes two encodings: line ${certain} is UTF-8, and line ${other} is not`);
    }
  }
  if (isLatin) return 'windows-1252';
  const { encoding, line } = evidence > 0 ? big5 : gb18030;
  if (line !== null) {
    const name = encoding === 'big5' ? 'Big5' : 'GB18030';
    throw new BadInputError('file', `line ${line} is neither UTF-8 nor ${name}`);
  }
  return encoding;
}

/**
 * What Node's decoder has for bytes that are no characters of Big5: of extensions, such as that of Hong Kong, and wrong
 * ones.
 */
const NOT_IN_BIG5 = /[\x80\ue000-\uf8ff]/;

/** The first line of a file that is invalid in an encoding. */
class FirstInvalid {
  line: number | null = null;
  readonly #decoder;

  constructor(readonly encoding: 'gb18030' | 'big5') {
    this.#decoder = new TextDecoder(encoding, { fatal: true });
  }

  check(bytes: Buffer, number: number): void {
    if (this.line !== null) return;
    try {
      const text = this.#decoder.decode(bytes);
      if (this.encoding === 'big5' && NOT_IN_BIG5.test(text)) this.line = number;
    } catch {
      this.line = number;
    }
  }
}

const [BYTE_ORDER_MARK, ASCII_END] = ['\ufeff', 0x80];

/**
 * True if a line of valid UTF-8 cannot be GB18030. As GB18030 its bytes would have to pair up as characters of GB 2312,
 * as nearly all Chinese text does, and it may contain no Chinese character in UTF-8: a coincidence needs two rare
 * characters in a row.
 */
function isCertainUtf8(bytes: Buffer, number: number): boolean {
  const text = bytes.toString('utf8');
  if (number === 1 && text.startsWith(BYTE_ORDER_MARK)) return true;
  if (/[\p{Script=Han}\u3000-\u30ff\uff00-\uffef]/u.test(text)) return true;
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at] as number;
    if (lead < ASCII_END) continue;
    at += 1;
    const isGb2312 = lead >= 0xa1 && lead <= 0xf7 && (bytes[at] ?? 0) >= 0xa1;
    if (!isGb2312) return true;
  }
  return false;
}

/** The text of a file, in chunks. BadInputError (`file`) if it is invalid in its encoding. */
export async function* decoded(path: string, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (bytes?: Buffer): string => {
    try {
      return withMarks(bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true }), encoding);
    } catch {
      throw new BadInputError('file', `is not valid ${encoding.toUpperCase()}`);
    }
  };
  for await (const chunk of createReadStream(path)) yield decode(chunk as Buffer);
  yield decode();
}
