import { afterEach, expect, test } from 'vitest';
import { asError } from '../../src/domain/errors.js';
import { ask, type Gateway, startGateway } from '../support/gateway.js';
import { gatewayDatabase, type TestDatabase } from '../support/gateway-database.js';

const CHANGES = `query ($after: String) { changes(first: 5, after: $after) {
  nodes { cardId revision kind card { id revision } } pageInfo { hasNextPage endCursor }
} }`;

interface ChangesPage {
  readonly changes: {
    readonly nodes: readonly {
      readonly cardId: string;
      readonly revision: number;
      readonly kind: string;
      readonly card: { readonly id: string; readonly revision: number } | null;
    }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  };
}

/** A client that keeps a copy of the cards by `changes`. */
class Copy {
  readonly cards = new Map<string, number>();
  readonly #seen = new Set<string>();
  #cursor: string | null = null;

  /** Reads one page; false where the copy is up to date. Rejects, and changes nothing, if the gateway is gone. */
  async read(gateway: Gateway): Promise<boolean> {
    const { data, errors } = await gateway.gql<ChangesPage>(CHANGES, { after: this.#cursor });
    if (data === null) throw new Error(`changes answered ${JSON.stringify(errors)}`);
    const { nodes, pageInfo } = data.changes;
    for (const { cardId, revision, kind, card } of nodes) {
      const key = `${cardId} ${revision} ${kind}`;
      expect(this.#seen).not.toContain(key);
      this.#seen.add(key);
      if (card === null) this.cards.delete(cardId);
      else this.cards.set(cardId, card.revision);
    }
    this.#cursor = pageInfo.endCursor;
    return pageInfo.hasNextPage;
  }
}

const WRITES = [
  (id: string, n: number) =>
    `mutation { createCard(input: { id: "${id}", subject: "math", difficulty: 1, questionText: "${n}" }) { id } }`,
  (id: string, n: number) => `mutation { updateCard(id: "${id}", input: { notes: "${n}" }) { id } }`,
  (id: string) => `mutation { deleteCard(id: "${id}") }`,
] as const;

let database: TestDatabase | undefined;
let gateway: Gateway | undefined;
afterEach(async () => {
  await gateway?.close();
  await database?.drop();
});

test('a copy misses no change and is told none twice while the gateway is killed amid writes and started again', async () => {
  database = await gatewayDatabase();
  const copy = new Copy();
  let answered = 0;
  for (const round of [1, 2, 3]) {
    gateway = await startGateway({ database });
    const running: Gateway = gateway;
    const until = answered + 40;
    const write = async (worker: number): Promise<void> => {
      for (let n = worker; answered < until; n += 1) {
        const id = `card-${(n * 7 + worker) % 12}`;
        // Whether a write that the kill cut off was made, the list of the cards tells.
        const answer = await ask(running.url, WRITES[(n + round) % WRITES.length]?.(id, n) ?? '').catch(asError);
        if (answer instanceof Error) return;
        answered += 1;
        if (answered >= until && round < 3) running.kill('SIGKILL');
      }
    };
    const read = async (): Promise<void> => {
      while (answered < until) {
        if ((await copy.read(running).catch(asError)) instanceof Error) expect(answered).toBeGreaterThanOrEqual(until);
      }
    };
    await Promise.all([write(1), write(2), write(3), read()]);
    if (round < 3) {
      expect((await running.exited).signal).toBe('SIGKILL');
      await running.close();
    }
  }
  if (gateway === undefined) throw new Error('no gateway was started');
  while (await copy.read(gateway));
  const { data } = await gateway.gql<{ cards: { nodes: { id: string; revision: number }[] } }>(
    '{ cards(first: 100) { nodes { id revision } } }',
  );
  const cards = data?.cards.nodes ?? [];
  expect(cards.length).toBeGreaterThan(0);
  expect([...copy.cards].sort()).toEqual(cards.map(({ id, revision }) => [id, revision]).sort());
});
