import { oneLine, printError } from './terminal.js';

/** A progress line on standard error that is overwritten; nothing without a terminal. */
export class ProgressLine {
  #shown = false;

  show(text: string): void {
    if (!process.stderr.isTTY) return;
    process.stderr.write(`\r\u001b[K${oneLine(text)}`);
    this.#shown = true;
  }

  /** Clears the line, or replaces it by `text`. */
  end(text?: string): void {
    if (this.#shown) process.stderr.write('\r\u001b[K');
    if (text !== undefined) printError(text);
    this.#shown = false;
  }
}
