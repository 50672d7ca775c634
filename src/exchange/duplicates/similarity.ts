import type { CanonicalQuestion } from '../../domain/duplicates.js';

/**
 * From this nearness on two questions are taken for the same one, typed twice. What makes another question of it are the firm
 * parts; this says how freely the rest may be typed. `npm run bench -- duplicates` shows what other values would do: lower, and of the
 * real questions that would be put together ever fewer have the same solution.
 */
export const DOUBLE = 0.85;

/**
 * How alike two questions are: 0 where their firm parts differ, else the share of their loose parts that both have (Jaccard,
 * each part as often as it stands there), 0 .. 1.
 */
export function nearness(a: CanonicalQuestion, b: CanonicalQuestion): number {
  if (a.firm.length !== b.firm.length || a.firm.some((part, place) => part !== b.firm[place])) return 0;
  const counts = new Map<string, number>();
  for (const part of a.loose) counts.set(part, (counts.get(part) ?? 0) + 1);
  let shared = 0;
  for (const part of b.loose) {
    const left = counts.get(part) ?? 0;
    if (left === 0) continue;
    counts.set(part, left - 1);
    shared += 1;
  }
  const all = a.loose.length + b.loose.length - shared;
  return all === 0 ? 1 : shared / all;
}
