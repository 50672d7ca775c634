import { Presets, SingleBar } from 'cli-progress';
import { oneLine, printError } from './terminal.js';

/** Interval of progress lines without a terminal. */
const QUIET_MS = 5_000;
/** The bar, in characters. */
const WIDTH = 24;
/** Steps from which the remaining time is estimated. */
const ETA_STEPS = 40;

/** A bar on a terminal; otherwise a line now and then. */
export function progressBar(name: string, unit: string): SingleBar {
  const began = performance.now();
  return new SingleBar(
    {
      stream: process.stderr,
      noTTYOutput: true,
      notTTYSchedule: QUIET_MS,
      hideCursor: true,
      etaBuffer: ETA_STEPS,
      format: (_options, { value, total, eta }) => {
        const filled = Math.round((total === 0 ? 0 : Math.min(1, value / total)) * WIDTH);
        const rate = Math.round(value / Math.max(0.001, (performance.now() - began) / 1000));
        const left = Number.isFinite(Number(eta)) ? `, ${Math.max(0, Math.round(Number(eta)))} s left` : '';
        return `${oneLine(name)} [${'='.repeat(filled).padEnd(WIDTH)}] ${value}/${total} ${unit}, ${rate}/s${left}`;
      },
    },
    Presets.legacy,
  );
}

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
