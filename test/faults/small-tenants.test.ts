import { afterEach, describe, expect, test } from 'vitest';
import { Prisma } from '../../prisma/generated/client.js';
import { NO_FOREGROUND } from '../../src/domain/background.js';
import { IndexLostError, UnavailableError } from '../../src/domain/errors.js';
import { PERSPECTIVES } from '../../src/domain/perspective.js';
import { Indexer } from '../../src/indexing/indexer.js';
import { reconcile } from '../../src/indexing/reconcile.js';
import { until } from '../support/until.js';
import { type Fault, faultyParts } from './support/faulty-parts.js';
import { verdictOf } from './support/oracle.js';
import { Steps } from './support/steps.js';
import { openWorld, ownTexts, type World } from './support/world.js';

const signal = new AbortController().signal;

/** Cards up to which a tenant has no collections in Chroma. */
const LIMIT = 4;

describe('a tenant whose vectors are in PostgreSQL', () => {
  let world: World;
  afterEach(() => world.close());

  const placeOf = async (): Promise<string> => {
    const live = await world.ledger.live(world.viewer.tenantId);
    if (live === null) return 'none';
    expect(await world.ledger.isInChroma(live.tenantId, live.number)).toBe(live.inChroma);
    return live.inChroma ? 'Chroma' : 'PostgreSQL';
  };
  const create = (ids: readonly number[]): Promise<unknown> =>
    Promise.all(ids.map((id) => world.create(`card-${id}`, ownTexts(id))));
  const verdict = (live: readonly number[], deleted: readonly number[] = []): Promise<readonly string[]> =>
    verdictOf(world, {
      live: new Set(live.map((id) => `card-${id}`)),
      deleted: new Set(deleted.map((id) => `card-${id}`)),
    });

  test('has an index equal to a rebuilt one, whatever happens at any step of the indexer', async () => {
    world = await openWorld(undefined, 1_000);
    const steps = new Steps(world);
    const error = (): Error => new UnavailableError('database', 'no answer');
    const faults: readonly Fault[] = [
      { kind: 'crash', when: 'before' },
      { kind: 'crash', when: 'after' },
      { kind: 'fail', when: 'before', error },
      { kind: 'fail', when: 'after', error },
    ];
    for (let round = 0; round < 3; round++) await steps.change();
    await world.settle();
    for (const [first, fault] of faults.entries()) {
      for (let at = first + 1; ; at += faults.length) {
        const calls = await steps.run(at, fault);
        expect({ fault, at, problems: await steps.problems() }).toEqual({ fault, at, problems: [] });
        if (calls.length < at) break;
      }
    }
    expect(await placeOf()).toBe('PostgreSQL');
    const live = await world.ledger.live(world.viewer.tenantId);
    const key = { tenantId: world.viewer.tenantId, generation: live?.number ?? 0, perspective: 'question' } as const;
    await expect(world.inChroma.count(key)).rejects.toThrow(IndexLostError);
  });

  test('is repaired by reconciliation as one in Chroma is, and left alone where nothing is wrong', async () => {
    world = await openWorld(undefined, 1_000);
    const ids = [0, 1, 2, 3, 4, 5];
    await create(ids);
    await world.settle();
    const live = await world.ledger.live(world.viewer.tenantId);
    if (live === null) throw new Error('there is no live index');
    const parts = { ...world, random: Math.random, background: NO_FOREGROUND };
    const pass = async () => (await reconcile(parts, live, signal)).found;
    expect(await pass()).toMatchObject({ cards: 6, missing: 0, stale: 0, orphans: 0, unreachable: 0 });
    const change = (sql: Prisma.Sql): Promise<number> => world.database.execute(sql);
    await change(Prisma.sql`DELETE FROM index_vector WHERE card_id = 'card-0' AND perspective = 'question'`);
    await change(Prisma.sql`UPDATE index_vector SET revision = 17 WHERE card_id = 'card-1' AND perspective = 'error'`);
    await change(Prisma.sql`
      UPDATE index_vector v SET vector = other.vector FROM index_vector other
      WHERE v.card_id = 'card-2' AND other.card_id = 'card-3' AND v.perspective = 'question' AND other.perspective = 'question'`);
    await change(Prisma.sql`
      INSERT INTO index_vector SELECT tenant_id, generation, perspective, 'never', 0, 1, content_hash, vector
      FROM index_vector WHERE card_id = 'card-4' AND perspective = 'concept'`);
    expect(await verdict(ids)).not.toEqual([]);
    expect(await pass()).toMatchObject({ missing: 1, stale: 2, orphans: 1, repaired: 4 });
    await world.settle();
    expect(await verdict(ids)).toEqual([]);
    expect(await pass()).toMatchObject({ missing: 0, stale: 0, orphans: 0, repaired: 0 });
  });

  test('gets its collections when it outgrows the limit, is found all the while, and leaves nothing behind', async () => {
    world = await openWorld(undefined, LIMIT);
    await create([0, 1, 2, 3]);
    await world.settle();
    expect([await placeOf(), await verdict([0, 1, 2, 3])]).toEqual(['PostgreSQL', []]);
    await world.remove('card-3');
    await create([4, 5]);
    // The live index answers until the one in Chroma is complete.
    const indexer = new Indexer(world.parts);
    indexer.start();
    const places = new Set<string>();
    try {
      await until(
        async () => {
          places.add(await placeOf());
          return places.has('Chroma');
        },
        { deadlineMs: 60_000, what: 'the index to be in Chroma' },
      );
    } finally {
      await indexer.close();
    }
    await world.settle();
    expect(places).not.toContain('none');
    expect(await verdict([0, 1, 2, 4, 5], [3])).toEqual([]);
    // A moment that searches have to end in which have begun before.
    await world.database.execute(
      Prisma.sql`UPDATE index_generation SET switched_at = switched_at - interval '1 minute'`,
    );
    await world.settle();
    expect(await world.database.query(Prisma.sql`SELECT FROM index_vector`)).toEqual([]);
    // A tenant that has become small again moves back when its index is built anew, and not before.
    await world.remove('card-0');
    await world.remove('card-1');
    await world.settle();
    expect(await placeOf()).toBe('Chroma');
    const before = await world.ledger.live(world.viewer.tenantId);
    await world.generations.begin(world.viewer.tenantId);
    await world.settle();
    expect([await placeOf(), await verdict([2, 4, 5], [0, 1, 3])]).toEqual(['PostgreSQL', []]);
    await world.database.execute(
      Prisma.sql`UPDATE index_generation SET switched_at = switched_at - interval '1 minute'`,
    );
    await world.settle();
    const key = { tenantId: world.viewer.tenantId, generation: before?.number ?? 0 };
    for (const perspective of PERSPECTIVES) {
      await expect(world.inChroma.count({ ...key, perspective })).rejects.toThrow(IndexLostError);
    }
  });

  test('is complete in Chroma, wherever the indexer that moves it is killed', async () => {
    world = await openWorld(undefined, LIMIT);
    const deleted: number[] = [];
    let next = 0;
    let at = 1;
    for (; ; at += 3) {
      const ids = Array.from({ length: LIMIT + 2 }, () => next++);
      await create(ids.slice(0, LIMIT));
      await world.generations.begin(world.viewer.tenantId);
      await world.settle();
      expect(await placeOf()).toBe('PostgreSQL');
      await create(ids.slice(LIMIT));
      const faulty = faultyParts(world.parts, at, { kind: 'crash', when: at % 2 === 0 ? 'after' : 'before' });
      const indexer = new Indexer(faulty.parts);
      indexer.start();
      const moved = until(async () => (await placeOf()) === 'Chroma', { deadlineMs: 60_000, what: 'the move' });
      await Promise.race([faulty.struck, moved]);
      await Promise.race([faulty.struck, indexer.close()]);
      await world.outbox.releaseOf('everyone');
      await world.settle();
      await moved;
      expect({ at, problems: await verdict(ids, deleted) }).toEqual({ at, problems: [] });
      for (const id of ids) await world.remove(`card-${id}`);
      await world.settle();
      deleted.splice(0, deleted.length, ...ids);
      if (faulty.calls.length < at) break;
    }
    expect(at).toBeGreaterThan(10);
  });
});
