import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { BadInputError } from '../../../domain/errors.js';
import { TOO_LONG } from './json-rows.js';
import { lines } from './lines.js';

/** The encodings of text files that are understood: UTF-8, what Chinese programs call ANSI, and what Excel calls Unicode. */
export type Encoding = 'utf-8' | 'gb18030' | 'utf-16le' | 'utf-16be';

/** So many Chinese characters in a line of valid UTF-8 are no accident of another encoding. */
const CERTAIN_CHARACTERS = 3;

/**
 * The encoding of a file, judged from all of it. BadInputError (`file`), with the line, where it is in none of those that are
 * understood, or in two at once: half of such a file would be mojibake.
 */
export async function encodingOf(path: string): Promise<Encoding> {
  const utf8 = new TextDecoder('utf-8');
  const gb18030 = new TextDecoder('gb18030', { fatal: true });
  let certain: number | undefined;
  let other: number | undefined;
  let bad: number | undefined;
  for await (const { number, bytes } of lines(createReadStream(path))) {
    if (bytes === null) throw new BadInputError('file', `line ${number} ${TOO_LONG}`);
    if (number === 1 && bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
    if (number === 1 && bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
    if (isUtf8(bytes)) {
      if (certain === undefined && hanIn(utf8.decode(bytes)) >= CERTAIN_CHARACTERS) certain = number;
      continue;
    }
    other ??= number;
    try {
      gb18030.decode(bytes);
    } catch {
      bad ??= number;
    }
  }
  if (other === undefined) return 'utf-8';
  if (certain !== undefined) {
    throw new BadInputError('file', `is in two encodings: line ${certain} is UTF-8, and line ${other} is not`);
  }
  if (bad !== undefined) throw new BadInputError('file', `line ${bad} is neither UTF-8 nor GB18030`);
  return 'gb18030';
}

function hanIn(text: string): number {
  return text.match(/\p{Script=Han}/gu)?.length ?? 0;
}

/** The text of a file, piece by piece. BadInputError (`file`) where it is not what its encoding allows. */
export async function* decoded(path: string, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (bytes?: Buffer): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch {
      throw new BadInputError('file', `is not valid ${encoding.toUpperCase()}`);
    }
  };
  for await (const chunk of createReadStream(path)) yield decode(chunk as Buffer);
  yield decode();
}
