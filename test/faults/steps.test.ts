import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UnavailableError } from '../../src/domain/errors.js';
import { Indexer } from '../../src/indexing/indexer.js';
import { until } from '../support/until.js';
import { type Fault, faultyParts } from './support/faulty-parts.js';
import { Steps } from './support/steps.js';
import { openWorld, type World } from './support/world.js';

describe('after any failure at any step of the indexer, the index equals a rebuilt one:', () => {
  let world: World;
  let steps: Steps;
  beforeAll(async () => {
    world = await openWorld();
    steps = new Steps(world);
    for (let round = 0; round < 3; round += 1) await steps.change();
    await world.settle();
  });
  afterAll(() => world.close());

  /** Tries the fault at the first call, the second, and so on, until a run has fewer calls. */
  async function everywhere(fault: () => Fault, step: number): Promise<readonly string[]> {
    let names: readonly string[] = [];
    let at = 1;
    for (; at === 1 || at <= names.length + step; at += step) {
      const calls = await steps.run(at, fault());
      if (calls.length >= at) names = calls;
      expect({ at, call: calls[at - 1], problems: await steps.problems() }).toEqual({
        at,
        call: calls[at - 1],
        problems: [],
      });
      if (calls.length < at) break;
    }
    return names;
  }

  test('a crash before any call', async () => {
    const calls = await everywhere(() => ({ kind: 'crash', when: 'before' }), 1);
    // The end of the work itself is reached, and every part is called on the way.
    expect(new Set(calls)).toEqual(
      new Set([
        ...['outbox.claim', 'generations.writable', 'ledger.cards', 'vectorStore.removeCards', 'cache.remove'],
        ...[
          'ledger.indexed',
          'vectorStore.labels',
          'embedder.embed',
          'vectorStore.upsert',
          'vectorStore.remove',
          'cache.put',
        ],
        ...['outbox.done', 'generations.settle'],
      ]),
    );
  });

  test('a crash after any call', async () => {
    await everywhere(() => ({ kind: 'crash', when: 'after' }), 2);
  });

  test('a call that fails because its server is unavailable, with or without effect', async () => {
    const error = (): Error => new UnavailableError('chroma', 'the vector server does not answer');
    await everywhere(() => ({ kind: 'fail', when: 'before', error }), 3);
    await everywhere(() => ({ kind: 'fail', when: 'after', error }), 4);
  });

  test('a call that fails for an unknown reason', async () => {
    await everywhere(() => ({ kind: 'fail', when: 'before', error: () => new Error('nobody knows why') }), 4);
  });

  test('an indexer that is suspended beyond its lease and resumes after another one has done its work', async () => {
    for (const name of ['ledger.cards', 'embedder.embed', 'vectorStore.upsert', 'outbox.done']) {
      await steps.change();
      let release: () => void = () => undefined;
      const stalled = new Promise<void>((resolve) => {
        release = resolve;
      });
      const zombie = faultyParts(world.parts, name, { kind: 'stall', until: stalled });
      const indexer = new Indexer(zombie.parts);
      indexer.start();
      try {
        await zombie.struck;
        await world.outbox.releaseOf('everyone');
        await steps.change();
        await world.settle();
        release();
        await until(() => zombie.calls.includes('outbox.done'), {
          deadlineMs: 30_000,
          what: 'the late indexer to end',
        });
      } finally {
        release();
        await indexer.close();
      }
      await world.settle();
      expect({ name, problems: await steps.problems() }).toEqual({ name, problems: [] });
    }
  });
});
