import { oneLine, printError } from './terminal.js';

/** A line on standard error that is written over while something goes on; nothing where nobody watches. */
export class ProgressLine {
  #shown = false;

  show(text: string): void {
    if (!process.stderr.isTTY) return;
    process.stderr.write(`\r\u001b[K${oneLine(text)}`);
    this.#shown = true;
  }

  /** Takes the line away, or leaves `text` in its place. */
  end(text?: string): void {
    if (this.#shown) process.stderr.write('\r\u001b[K');
    if (text !== undefined) printError(text);
    this.#shown = false;
  }
}
