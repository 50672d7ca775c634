interface FacetValue {
  readonly value: string;
  readonly count: number;
}

/** Longer lists are looked through by typing. */
export const SHOWN = 8;

/**
 * The values of a list of filters to show: the first ones that match what is typed, and all chosen ones. All are in the
 * order of the list, so that none moves when one is chosen; chosen ones that no card has come last. `kept`: those that
 * were chosen before, which stay when they are not any more.
 */
export function shownValues(
  list: readonly FacetValue[],
  chosen: readonly string[],
  kept: ReadonlySet<string>,
  matches: (value: string) => boolean,
): readonly FacetValue[] {
  const matching = list.filter(({ value }) => matches(value));
  const shownToo = matching.filter(({ value }, place) => place < SHOWN || kept.has(value));
  const shown = list.filter((one) => chosen.includes(one.value) || shownToo.includes(one));
  const gone = chosen.filter((value) => !list.some((one) => one.value === value));
  return [...shown, ...gone.map((value) => ({ value, count: 0 }))];
}
