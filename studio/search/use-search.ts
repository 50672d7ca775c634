import { type Query, useQuery } from '../api/use-query.js';
import type { FoundFields, HybridSearchResult, HybridSearchVariables, Operation } from '../generated/operations.js';
import { type Asked, OPERATIONS, type Tuning, variablesOf } from './state.js';

/** Typing and dragging come in bursts; what a burst has asked before is aborted. */
const DEBOUNCE_MS = 80;

export function useSearch(asked: Asked, tuning: Tuning): Query<FoundFields> {
  const { data, ...query } = useQuery<HybridSearchResult, HybridSearchVariables>(
    // The five take the same variables, but for the weights, which `variablesOf` gives to one of them.
    OPERATIONS[asked.operation] as Operation<HybridSearchResult, HybridSearchVariables>,
    variablesOf(asked, tuning),
    { debounceMs: DEBOUNCE_MS },
  );
  return { ...query, data: data?.result ?? null };
}
