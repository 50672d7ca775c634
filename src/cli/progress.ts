import { oneLine, printError } from './terminal.js';

/** Interval between two drawings of a bar, in ms: on a terminal, and of lines elsewhere. */
const REDRAW_MS = 100;
const QUIET_MS = 5_000;
const USUAL_COLUMNS = 80;
/** The bar, in characters. */
const WIDTH = 24;

/** A progress line on standard error that is overwritten; nothing without a terminal. */
export class ProgressLine {
  #shown = false;

  show(text: string): void {
    if (!process.stderr.isTTY) return;
    // A line that wraps would not be overwritten. Some terminals do not say how wide they are.
    const columns = process.stderr.columns || USUAL_COLUMNS;
    process.stderr.write(`\r\u001b[K${fitting(oneLine(text), columns - 1)}`);
    this.#shown = true;
  }

  /** Clears the line, or replaces it by `text`. */
  end(text?: string): void {
    if (this.#shown) process.stderr.write('\r\u001b[K');
    if (text !== undefined) printError(text);
    this.#shown = false;
  }
}

/** As much of a text as fits into so many columns. Letters from Hangul on count as two, as Chinese ones take. */
function fitting(text: string, columns: number): string {
  let used = 0;
  let end = 0;
  for (const letter of text) {
    used += letter < '\u1100' ? 1 : 2;
    if (used > columns) break;
    end += letter.length;
  }
  return text.slice(0, end);
}

/** How far work of a known size is, on standard error: a bar on a terminal, otherwise a line now and then. */
export class ProgressBar {
  readonly #line = new ProgressLine();
  readonly #began = performance.now();
  #drawnAt = Number.NEGATIVE_INFINITY;
  #value = 0;
  #ended = false;

  constructor(
    private readonly name: string,
    private readonly unit: string,
    private total: number,
    private readonly from = 0,
  ) {
    this.update(from);
  }

  update(value: number, total = this.total): void {
    this.#value = value;
    this.total = total;
    const now = performance.now();
    if (now - this.#drawnAt < (process.stderr.isTTY ? REDRAW_MS : QUIET_MS)) return;
    this.#drawnAt = now;
    if (process.stderr.isTTY) this.#line.show(this.#text());
    else printError(this.#text());
  }

  /** Leaves how far it came; no-op the second time. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#line.end(this.#text());
  }

  #text(): string {
    const [value, total] = [this.#value, this.total];
    const filled = Math.round((total === 0 ? 0 : Math.min(1, value / total)) * WIDTH);
    const rate = (value - this.from) / Math.max(0.001, (performance.now() - this.#began) / 1_000);
    const left = rate > 0 ? `, ${Math.max(0, Math.round((total - value) / rate))} s left` : '';
    const bar = '='.repeat(filled).padEnd(WIDTH);
    return oneLine(`${this.name} [${bar}] ${value}/${total} ${this.unit}, ${Math.round(rate)}/s${left}`);
  }
}
