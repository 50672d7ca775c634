import { pipeline } from 'node:stream/promises';
import type { EmbeddedLog } from '../runtime/embedded/supervise.js';

/** Commands do not show the log of the servers and processes that they start. */
export const SILENT: EmbeddedLog = { debug: () => undefined, info: () => undefined, warn: () => undefined };

/**
 * Characters that control a terminal: C0 except tab and line feed, DEL, C1, and characters that change the writing
 * direction.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that it is about.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A multi-line text that is safe for a terminal: control characters are escaped as in JSON, `\u001b`. */
export function printable(text: string): string {
  return text.replace(CONTROL, escaped);
}

/** {@link printable} on one line, so that data cannot fake a line of output. */
export function oneLine(text: string): string {
  return printable(text.replace(/[\t\n]/g, escaped));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export function print(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}

/** Writes a file to standard output: unchanged, or as {@link printable} to a terminal. */
export async function printFile(source: AsyncIterable<Uint8Array>): Promise<void> {
  await pipeline(process.stdout.isTTY ? printableText(source) : source, process.stdout, { end: false });
}

/** A file in UTF-8 as {@link printable}, piece by piece; lines may end in CR LF, as in CSV files. */
export async function* printableText(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const shown = (text: string): string => text.split('\r\n').map(printable).join('\r\n');
  let rest = '';
  for await (const piece of source) {
    const text = rest + decoder.decode(piece, { stream: true });
    // The next piece may begin with its line feed.
    rest = text.endsWith('\r') ? '\r' : '';
    yield shown(text.slice(0, text.length - rest.length));
  }
  yield shown(rest + decoder.decode());
}

export function printError(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}
