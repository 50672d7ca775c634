/** Golden sets and measures of the benchmarks of quality. */
import { readJsonLines } from '../src/cli/read-file.js';
import { batches } from '../src/domain/async.js';
import { StartupError } from '../src/domain/errors.js';
import { EXIT } from '../src/domain/exit-codes.js';
import type { SearchOperation } from '../src/domain/search.js';
import { measure } from '../src/evaluation/metrics.js';
import { figure } from '../src/evaluation/profiles.js';
import { estimate } from '../src/evaluation/statistics.js';

export interface Case {
  readonly operation: SearchOperation;
  readonly text: string;
  readonly relevant: readonly { readonly cardId: string; readonly grade: number }[];
}

export interface Quality {
  readonly ndcg: number;
  readonly mrr: number;
}

/** StartupError for a case that searches from a card, or without a relevant card, which has no nDCG. */
export async function casesOf(file: string): Promise<readonly Case[]> {
  return (await readJsonLines(file)).map(({ value, where }) => {
    const one = value as Case;
    if (typeof one.text !== 'string') throw new StartupError(`${where} has no text to search for`, EXIT.input);
    if (one.relevant.length === 0) throw new StartupError(`${where} has no relevant card`, EXIT.input);
    return one;
  });
}

/** The files of collections: cards and golden cases in turn. StartupError for cards without cases. */
export function pairsOf(files: readonly string[]): readonly (readonly [cards: string, golden: string])[] {
  if (files.length % 2 === 1) throw new StartupError('give a CARDS.jsonl and a GOLDEN.jsonl in turn', EXIT.usage);
  return Array.from(batches(files, 2), ([cards = '', golden = '']) => [cards, golden] as const);
}

/** nDCG@10 with the grade as the gain, and the reciprocal rank of the first relevant card among those found. */
export function qualityOf(relevant: Case['relevant'], found: readonly string[]): Quality {
  const grades = new Map(relevant.map(({ cardId, grade }) => [cardId, grade]));
  const factsOf = () => ({ questionKey: '', topics: [] });
  const { ndcgAt10, mrr } = measure({ hits: found, grades, factsOf, k: found.length });
  return { ndcg: ndcgAt10, mrr };
}

/** `.355 [.301, .402]` */
export function withInterval(values: readonly number[]): string {
  const { value, low, high } = estimate(values);
  return `${figure(value)} [${figure(low)}, ${figure(high)}]`;
}
