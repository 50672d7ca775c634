import type { GoldenCase } from '../domain/golden.js';
import { slicesOf } from '../domain/grouped.js';
import { filterInput } from '../domain/parse/filter.js';
import { goldenObject, MAX_CASES, parseGoldenCase } from '../domain/parse/golden.js';
import { withoutNulls, withoutUndefined } from '../domain/parse/parse.js';
import { entriesOf, type GatewayClient, type Page } from './gateway-client.js';

/** Limit of the cases in one request, whose body may have 256 KiB. */
const MAX_CASES_BYTES = 180_000;

/**
 * Creates or replaces a golden set: as many cases as fit in one request, then the others one by one.
 */
export async function saveGoldenSet(
  client: GatewayClient,
  set: { readonly name: string; readonly cases: readonly GoldenCase[] },
  tell: (done: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const sizeOf = (input: object): number => Buffer.byteLength(JSON.stringify(input));
  const [fitting = []] = slicesOf(set.cases.slice(0, MAX_CASES).map(inputOf), sizeOf, MAX_CASES_BYTES);
  await client.ask('saveGoldenSet', { input: { ...set, cases: fitting } });
  for (const [place, one] of set.cases.entries()) {
    if (place < fitting.length) continue;
    signal.throwIfAborted();
    await addGoldenCase(client, set.name, one);
    tell(place + 1);
  }
}

/** Adds a case to a set, or replaces the one with its id. */
export async function addGoldenCase(client: GatewayClient, set: string, one: GoldenCase): Promise<void> {
  await client.ask('addGoldenCase', { set, case: inputOf(one) });
}

type CaseAnswer = Readonly<Record<string, unknown>> & {
  readonly filter: object;
  readonly perspective: string | null;
};

export async function* goldenCases(client: GatewayClient, name: string): AsyncGenerator<GoldenCase> {
  const nodes = entriesOf(async (after) => {
    const answer = await client.ask<{ goldenSet: { goldenCases: Page<CaseAnswer> } }>('goldenCases', { name, after });
    return answer.goldenSet.goldenCases;
  });
  for await (const node of nodes) {
    const perspective = node.perspective?.toLowerCase() ?? null;
    yield parseGoldenCase({ ...node, filter: withoutNulls(node.filter), perspective }, `${name}: ${String(node.id)}`);
  }
}

/** A case as API input, with perspectives and languages in upper case. */
function inputOf(one: GoldenCase): object {
  const { filter, ...written } = goldenObject(one);
  return withoutUndefined({
    ...written,
    filter: filter && filterInput(filter),
    perspective: one.perspective?.toUpperCase(),
  });
}
