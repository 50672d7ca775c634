import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { PostgresIndexLedger } from '../../../prisma/indexing/ledger.js';
import { IndexLostError } from '../../../src/domain/errors.js';
import type { VectorStore } from '../../../src/domain/ports/collections.js';
import type { Generation } from '../../../src/domain/ports/ledger.js';
import { Generations } from '../../../src/indexing/generations.js';
import { IndexService } from '../../../src/indexing/index-service.js';
import { deferred } from '../../support/deferred.js';
import { literalEmbedder, memoryCache, sourceOf } from '../../support/memory-ports.js';
import {
  admin,
  dirtyRows,
  endGrace,
  type Fixture,
  indexEverything,
  indexedCard,
  newCard,
  newTenant,
  openFixture,
} from '../prisma/fixture.js';

let fixture: Fixture;
let tenantId: string;
/** The collections of the tenant's generations in the one Chroma that both gateways use: their records, by number. */
let made: Map<number, string[]>;
/** The numbers of those that are damaged. */
let damaged: Set<number>;

beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

beforeEach(async () => {
  await fixture.database.execute(Prisma.sql`DELETE FROM index_dirty`);
  tenantId = newTenant();
  made = new Map();
  damaged = new Set();
  for (const id of ['a', 'b']) await fixture.cards.create(admin(tenantId), newCard({ id }));
});

/** Holds whoever passes it until it is opened; `reached` when somebody waits there. */
function gateOf(): { readonly reached: Promise<void>; readonly pass: () => Promise<void>; readonly open: () => void } {
  const [arrival, opening] = [deferred(), deferred()];
  const pass = (): Promise<void> => {
    arrival.resolve();
    return opening.promise;
  };
  return { reached: arrival.promise, pass, open: opening.resolve };
}

/** What one gateway does at some moments; the others go on meanwhile. */
interface Moments {
  /** After it has read which generations there are. */
  readonly afterReading?: () => Promise<void>;
  /** Before it makes the collections of a generation. */
  readonly beforeMaking?: () => Promise<void>;
  /** Before it has the answer of a probe. */
  readonly amidProbe?: () => Promise<void>;
}

/** The generations as one gateway keeps them: the database and Chroma are shared. */
function gateway({ afterReading, beforeMaking, amidProbe }: Moments = {}): Generations & { readonly said: string[] } {
  class Ledger extends PostgresIndexLedger {
    override async generations(): Promise<readonly Generation[]> {
      const all = await super.generations();
      await afterReading?.();
      return all.filter((one) => one.tenantId === tenantId);
    }
  }
  const collections: Pick<VectorStore, 'create' | 'drop' | 'probe' | 'isNearlyFull'> = {
    create: async ({ number }) => void made.set(number, made.get(number) ?? []),
    drop: async ({ number }) => {
      if (!made.has(number)) await beforeMaking?.();
      made.delete(number);
    },
    probe: async ({ number }) => {
      await amidProbe?.();
      if (!made.has(number)) throw new IndexLostError('a collection of the index is missing');
      if (damaged.has(number)) throw new IndexLostError('a collection of the index is damaged');
    },
    isNearlyFull: async () => false,
  };
  const said: string[] = [];
  const say = (_facts: object, message: string): void => void said.push(message);
  const generations = new Generations({
    ledger: new Ledger(fixture.database, fixture.dirty),
    vectorStore: collections,
    chromaAboveCards: 0,
    cache: memoryCache(),
    embedders: sourceOf(literalEmbedder),
    log: { info: say, warn: say },
  });
  return Object.assign(generations, { said });
}

const numbersOf = async (of: Generations): Promise<readonly number[]> =>
  (await of.writable(tenantId)).map(({ generation }) => generation.number);

/** Every generation of the tenant that a start or a pause would still find. */
const statesNow = async (): Promise<readonly (readonly [number, string])[]> =>
  (await fixture.ledger.generations())
    .filter((one) => one.tenantId === tenantId)
    .map(({ number, state }) => [number, state]);

/** Indexes what is dirty in the generation, and makes it live. */
async function complete(number: number): Promise<void> {
  await indexEverything(fixture, [number]);
  expect(await fixture.ledger.promote(tenantId, number)).toBe(true);
}

describe('two gateways on one database', () => {
  test('that find no index at the same time create one, and each card is indexed once', async () => {
    const gate = gateOf();
    const slow = gateway({ beforeMaking: gate.pass });
    const first = numbersOf(slow);
    await gate.reached;
    const [number = Number.NaN] = await numbersOf(gateway());
    made.get(number)?.push('a record');
    gate.open();
    expect(await first).toEqual([number]);
    expect(await statesNow()).toEqual([[number, 'building']]);
    const marks = [...(await dirtyRows(fixture, tenantId)).values()].map(({ seq }) => seq);
    // Once by its creation, once by the one generation.
    expect(marks).toEqual([2n, 2n]);
    // What the slower one made is dropped, and nothing else.
    await endGrace(fixture);
    await slow.settle('all');
    expect([...made]).toEqual([[number, ['a record']]]);
  });

  test('drop collections of one that died while creating an index', async () => {
    const never = gateOf();
    void numbersOf(gateway({ beforeMaking: never.pass }));
    await never.reached;
    const number = 1;
    made.set(number, []);
    const other = gateway();
    await other.settle('all');
    expect([...made.keys()]).toEqual([number]);
    await endGrace(fixture);
    await other.settle('all');
    expect([...made.keys()]).toEqual([]);
    expect(await numbersOf(other)).toEqual([number + 1]);
  });

  test('create no second index if the other’s has become live', async () => {
    const gate = gateOf();
    const slow = numbersOf(gateway({ afterReading: gate.pass }));
    await gate.reached;
    const [number = Number.NaN] = await numbersOf(gateway());
    await complete(number);
    gate.open();
    expect(await slow).toEqual([number]);
    expect(await statesNow()).toEqual([[number, 'live']]);
    expect((await dirtyRows(fixture, tenantId)).size).toBe(0);
  });

  test('wait for a card that was claimed before the other’s index began until it is not pending any more', async () => {
    const generations = gateway();
    let ended: (() => void) | undefined;
    const listening = deferred();
    const service = new IndexService({
      ledger: fixture.ledger,
      vectorStore: { count: async () => 0 },
      generations,
      embedders: sourceOf(literalEmbedder),
      indexer: {
        hurry: listening.resolve,
        onBatch: (listener) => {
          ended = listener;
          return () => undefined;
        },
      },
      reconciliation: { last: () => null },
    });
    const claims = await fixture.outbox.claim(2, 60_000);
    const [number = Number.NaN] = await numbersOf(generations);
    const outcomes = [{ generation: number, indexed: indexedCard(1) }];
    await fixture.outbox.done(claims.map((claim) => ({ claim, outcomes })));
    expect(await fixture.ledger.promote(tenantId, number)).toBe(true);

    const stateOf = async () => (await fixture.ledger.states(admin(tenantId), ['a'])).get('a')?.state;
    const waited = service.waitFor(admin(tenantId), 'a', 1, 60_000).then(stateOf);
    await Promise.race([listening.promise, waited]);
    await indexEverything(fixture, [number]);
    ended?.();
    expect(await waited).toBe('INDEXED');
  });

  test('do not treat an index as lost while the other one creates its collections', async () => {
    const gate = gateOf();
    const maker = numbersOf(gateway({ beforeMaking: gate.pass }));
    await gate.reached;
    const other = gateway();
    await other.verify();
    expect(other.said).toEqual([]);
    gate.open();
    const begun = await maker;
    expect(await statesNow()).toEqual(begun.map((number) => [number, 'building']));
    await other.verify();
    expect(other.said).toEqual([]);
  });

  test('that find the same loss replace the index once, however late the second one comes', async () => {
    const [number = Number.NaN] = await numbersOf(gateway());
    await complete(number);
    const gate = gateOf();
    const slow = gateway({ amidProbe: gate.pass });
    made.clear();
    const verified = slow.verify();
    await gate.reached;
    const quick = gateway();
    await quick.verify();
    const [replacement = Number.NaN] = await numbersOf(quick);
    expect(replacement).toBeGreaterThan(number);
    await complete(replacement);
    gate.open();
    await verified;
    expect(slow.said).toEqual([]);
    expect(await statesNow()).toEqual([[replacement, 'live']]);
    expect((await dirtyRows(fixture, tenantId)).size).toBe(0);
  });

  test('do not drop the collections of an index that became live while it was probed', async () => {
    const [number = Number.NaN] = await numbersOf(gateway());
    const gate = gateOf();
    const slow = gateway({ amidProbe: gate.pass });
    const verified = slow.verify();
    await gate.reached;
    await complete(number);
    damaged.add(number);
    gate.open();
    await verified;
    expect(await fixture.ledger.live(tenantId)).toMatchObject({ number });
    expect(made.has(number)).toBe(true);
    expect(slow.said).toEqual(['rebuilding the index from PostgreSQL', 'building an index generation']);
    expect((await statesNow()).map(([, state]) => state)).toEqual(['live', 'building']);
  });
});
