import { type Query, useQuery } from '../api/use-query.js';
import type { FoundFields } from '../generated/operations.js';
import { type Asked, OPERATIONS, type Tuning, variablesOf } from './state.js';

/** Typing and dragging come in bursts; what a burst has asked before is aborted. */
const DEBOUNCE_MS = 80;

export function useSearch(asked: Asked, tuning: Tuning): Query<FoundFields> {
  const variables = variablesOf(asked, tuning);
  const { data, ...query } = useQuery(OPERATIONS[asked.operation], variables, { debounceMs: DEBOUNCE_MS });
  return { ...query, data: data?.result ?? null };
}
