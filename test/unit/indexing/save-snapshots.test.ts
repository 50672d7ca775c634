import { describe, expect, test } from 'vitest';
import type { LexicalSnapshot } from '../../../src/domain/ports/lexical.js';
import { SnapshotSaver } from '../../../src/indexing/save-snapshots.js';
import type { IndexSnapshot } from '../../../src/lexical/index-snapshot.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { cardOf } from '../../support/generators.js';
import { literalWords } from '../../support/memory-ports.js';
import { until } from '../../support/until.js';

function stageWith(cards: number) {
  const index = new LexicalIndex(literalWords);
  const add = (from: number, to: number): void => {
    for (let place = from; place < to; place++) index.set(cardOf({ id: `c${place}`, tenantId: 'one' }));
  };
  add(0, cards);
  const written: { tenantId: string; copy: LexicalSnapshot }[] = [];
  const warned: object[] = [];
  let failing = false;
  const keeper = new SnapshotSaver({
    open: () => new Map([['one', index]]),
    store: {
      write: async (tenantId, copy) => {
        if (failing) throw new Error('the disk is full');
        written.push({ tenantId, copy });
      },
    },
    log: { info: () => undefined, warn: (facts) => warned.push(facts) },
  });
  const idsIn = (copy: LexicalSnapshot | undefined): number => (copy as IndexSnapshot | undefined)?.cardIds.length ?? 0;
  return { index, add, keeper, written, warned, idsIn, fail: (now: boolean) => (failing = now) };
}

describe('snapshots are saved', () => {
  test('at once if many cards were read at the start, and on close if anything has changed since', async () => {
    const { add, keeper, written, idsIn } = stageWith(1_000);
    keeper.start();
    await until(() => written.length === 1, { deadlineMs: 30_000, what: 'a first copy' });
    add(1_000, 1_001);
    await keeper.close();
    expect(written.map(({ tenantId, copy }) => [tenantId, idsIn(copy)])).toEqual([
      ['one', 1_000],
      ['one', 1_001],
    ]);
  });

  test('only on close if few cards have changed, and not at all if none has', async () => {
    const { index, keeper, written, idsIn } = stageWith(999);
    keeper.start();
    await new Promise(setImmediate);
    expect(written).toEqual([]);
    await keeper.close();
    expect(written.map(({ copy }) => idsIn(copy))).toEqual([999]);

    const restored = new LexicalIndex(literalWords);
    for (const _ of restored.restore(index.snapshot(), () => true));
    const again = new SnapshotSaver({
      open: () => new Map([['one', restored]]),
      store: { write: () => Promise.reject(new Error('nothing has changed')) },
      log: { info: () => undefined, warn: (facts) => expect(facts).toBeNull() },
    });
    again.start();
    await again.close();
  });

  test('on close if cards of the restored one are gone: their words must not stay on the disk', async () => {
    const { index, written, idsIn } = stageWith(3);
    const restored = new LexicalIndex(literalWords);
    for (const _ of restored.restore(index.snapshot(), (cardId) => cardId !== 'c1'));
    const keeper = new SnapshotSaver({
      open: () => new Map([['one', restored]]),
      store: { write: async (tenantId, copy) => void written.push({ tenantId, copy }) },
      log: { info: () => undefined, warn: () => undefined },
    });
    keeper.start();
    await keeper.close();
    expect(written.map(({ copy }) => idsIn(copy))).toEqual([3]);
    expect(JSON.stringify(written)).not.toContain('c1');
  });

  test('not if the index never became complete: the earlier snapshot is better', async () => {
    const { keeper, written } = stageWith(2_000);
    await keeper.close();
    expect(written).toEqual([]);
  });

  test('a failed write is logged, and does not fail the close', async () => {
    const { keeper, written, warned, fail } = stageWith(2_000);
    fail(true);
    keeper.start();
    await until(() => warned.length === 1, { deadlineMs: 30_000, what: 'a warning' });
    fail(false);
    await keeper.close();
    expect([written.length, warned.length]).toEqual([1, 1]);
  });
});
