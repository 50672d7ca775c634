/** Golden sets and measures of the benchmarks of quality. */
import { readJsonLines } from '../src/cli/read-file.js';
import type { SearchOperation } from '../src/domain/search.js';
import { estimate, RESAMPLING } from '../src/evaluation/statistics.js';

export interface Case {
  readonly operation: SearchOperation;
  readonly text: string;
  readonly relevant: readonly { readonly cardId: string; readonly grade: number }[];
}

export interface Quality {
  readonly ndcg: number;
  readonly mrr: number;
}

const LIMIT = 10;

export async function casesOf(file: string): Promise<readonly Case[]> {
  return (await readJsonLines(file)).map(({ value }) => value as Case);
}

/** nDCG@10 with the grade as the gain, and the reciprocal rank of the first relevant card among those found. */
export function qualityOf(relevant: Case['relevant'], found: readonly string[]): Quality {
  const grades = new Map(relevant.map(({ cardId, grade }) => [cardId, grade]));
  const gained = found.map((id) => grades.get(id) ?? 0);
  const ideal = [...grades.values()].sort((a, b) => b - a);
  const first = gained.findIndex((grade) => grade > 0);
  return { ndcg: discounted(gained) / discounted(ideal), mrr: first < 0 ? 0 : 1 / (first + 1) };
}

/** Discounted cumulative gain of the first ten. */
export function discounted(grades: readonly number[]): number {
  return grades.slice(0, LIMIT).reduce((sum, grade, place) => sum + grade / Math.log2(place + 2), 0);
}

/** `.355` */
export function figure(value: number): string {
  return value.toFixed(3).replace(/^(-?)0/, '$1');
}

/** `.355 [.301, .402]` */
export function withInterval(values: readonly number[]): string {
  const { value, low, high } = estimate(values, RESAMPLING);
  return `${figure(value)} [${figure(low)}, ${figure(high)}]`;
}
