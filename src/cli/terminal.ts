import { pipeline } from 'node:stream/promises';

/**
 * What a terminal obeys or shows out of place: control characters (C0 but for tab and line feed, DEL, C1), and signs that turn the
 * direction of writing.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that it is about.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A text of several lines as a terminal may be given it: control characters as `\u001b`, which JSON reads back as they were. */
export function printable(text: string): string {
  return text.replace(CONTROL, escaped);
}

/** As {@link printable}, on one line: what came from data cannot pass for a line of ours. */
export function oneLine(text: string): string {
  return printable(text.replace(/[\t\n]/g, escaped));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Prints a text of one or more lines to standard output. */
export function print(text: string): void {
  process.stdout.write(`${printable(text)}\n`);
}

/** Writes a file to standard output: as it is, but for a terminal, which is given a {@link printable} text. */
export async function printFile(source: AsyncIterable<Uint8Array>): Promise<void> {
  await pipeline(process.stdout.isTTY ? printableText(source) : source, process.stdout, { end: false });
}

/** A file in UTF-8 as {@link printable}, piece by piece. */
export async function* printableText(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const piece of source) yield printable(decoder.decode(piece, { stream: true }));
  yield printable(decoder.decode());
}

/** Prints a text of one or more lines to standard error. */
export function printError(text: string): void {
  process.stderr.write(`${printable(text)}\n`);
}
