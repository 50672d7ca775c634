import type { RankingKind } from '../measure-case.js';
import type { Estimate } from '../statistics.js';
import { escaped } from './page.js';
import { decimal, interval, shortened, signed } from './report-wording.js';

export interface PlotRow {
  readonly label: string;
  /** Beside the label, such as the number of cases. */
  readonly note: string;
  readonly marks: readonly PlotMark[];
}

/** A value on a line, with its interval if it is an estimate. */
export interface PlotMark {
  readonly kind: RankingKind;
  readonly title: string;
  readonly value: number;
  readonly ends: Pick<Estimate, 'low' | 'high'> | null;
}

export function estimateMark(kind: RankingKind, name: string, estimate: Estimate): PlotMark {
  return { kind, title: `${name} ${interval(estimate)}`, value: estimate.value, ends: estimate };
}

/** In SVG units; the drawing scales with the page. */
const WIDTH = 860;
const LABELS = 250;
/** Length of a label that fits in the larger type of narrow screens. */
const LABEL_CHARS = 24;
const NUMBERS = 60;
const ROW = 24;
const AXIS = 26;

/** Values from 0 to 1 with their intervals, a line each, as SVG. */
export function intervalPlot(caption: string, rows: readonly PlotRow[]): string {
  const height = rows.length * ROW + AXIS;
  const x = (value: number): number => LABELS + Math.min(1, Math.max(0, value)) * (WIDTH - LABELS - NUMBERS);
  const grid = [0, 0.2, 0.4, 0.6, 0.8, 1].map((value) => {
    const at = x(value).toFixed(1);
    return `<line class="grid" x1="${at}" y1="0" x2="${at}" y2="${height - AXIS}"/><text class="axis" x="${at}" y="${height - 8}" text-anchor="middle">${value.toFixed(1)}</text>`;
  });
  const lines = rows.map(({ label, note, marks }, place) => {
    const y = place * ROW + ROW / 2;
    const shapes = [...marks].reverse().map((mark) => shapeOf(mark, x, y));
    const [first] = marks;
    const number = first === undefined ? '' : decimal(first.value);
    return `<text class="label" x="${LABELS - 12}" y="${y + 4}" text-anchor="end">${escaped(shortened(label, LABEL_CHARS))} <tspan class="axis">${escaped(note)}</tspan></text>${shapes.join('')}<text class="label" x="${WIDTH - 4}" y="${y + 4}" text-anchor="end">${number}</text>`;
  });
  return svg(caption, height, [...grid, ...lines]);
}

function shapeOf({ kind, title, value, ends }: PlotMark, x: (value: number) => number, y: number): string {
  const at = x(value).toFixed(1);
  const line =
    ends === null
      ? ''
      : `<line class="${kind}" x1="${x(ends.low).toFixed(1)}" y1="${y}" x2="${x(ends.high).toFixed(1)}" y2="${y}"/>`;
  const dot =
    kind === 'baseline'
      ? `<rect class="${kind}" x="${(Number(at) - 4).toFixed(1)}" y="${y - 4}" width="8" height="8"/>`
      : `<circle class="${kind}" cx="${at}" cy="${y}" r="${kind === 'search' ? 5.5 : 4}"/>`;
  return `<g><title>${escaped(title)}</title>${line}${dot}</g>`;
}

const CHANGES_HEIGHT = 150;

/** The change of each case, in ascending order, as bars above and below a line. */
export function changePlot(caption: string, changes: readonly number[]): string {
  const most = Math.max(0.1, ...changes.map(Math.abs));
  const middle = CHANGES_HEIGHT / 2;
  const step = (WIDTH - NUMBERS) / Math.max(1, changes.length);
  const bars = changes.map((change, place) => {
    const length = (Math.abs(change) / most) * (middle - 12);
    const top = change > 0 ? middle - length : middle;
    const sign = change > 0 ? 'gain' : 'loss';
    return `<rect class="${sign}" x="${(NUMBERS + place * step).toFixed(2)}" y="${top.toFixed(1)}" width="${Math.max(0.5, step * 0.9).toFixed(2)}" height="${length.toFixed(1)}"/>`;
  });
  const ticks = [most, 0, -most].map((value) => {
    const y = middle - (value / most) * (middle - 12);
    return `<text class="axis" x="${NUMBERS - 8}" y="${y + 4}" text-anchor="end">${signed(value)}</text><line class="grid" x1="${NUMBERS}" y1="${y}" x2="${WIDTH}" y2="${y}"/>`;
  });
  return svg(caption, CHANGES_HEIGHT, [...ticks, ...bars]);
}

/** Number of cases in each tenth of 0 .. 1, as columns. */
export function histogram(caption: string, values: readonly number[]): string {
  const BINS = 10;
  const counts = Array.from({ length: BINS }, () => 0);
  for (const value of values) {
    const bin = Math.min(BINS - 1, Math.floor(value * BINS));
    counts[bin] = (counts[bin] as number) + 1;
  }
  const most = Math.max(1, ...counts);
  const step = WIDTH / BINS;
  const columns = counts.map((count, bin) => {
    const length = (count / most) * (CHANGES_HEIGHT - AXIS - 18);
    const top = CHANGES_HEIGHT - AXIS - length;
    const left = bin * step;
    return `<rect class="search" x="${(left + 4).toFixed(1)}" y="${top.toFixed(1)}" width="${(step - 8).toFixed(1)}" height="${length.toFixed(1)}"/><text class="label" x="${(left + step / 2).toFixed(1)}" y="${(top - 5).toFixed(1)}" text-anchor="middle">${count}</text><text class="axis" x="${(left + step / 2).toFixed(1)}" y="${CHANGES_HEIGHT - 8}" text-anchor="middle">${(bin / BINS).toFixed(1)}–${((bin + 1) / BINS).toFixed(1)}</text>`;
  });
  return svg(caption, CHANGES_HEIGHT, columns);
}

function svg(caption: string, height: number, parts: readonly string[]): string {
  return `<figure><figcaption>${escaped(caption)}</figcaption><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(caption)}">${parts.join('')}</svg></figure>`;
}
