import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { UnavailableError } from '../../../src/domain/errors.js';
import { byPerspective } from '../../../src/domain/perspective.js';
import { type VectorStore } from '../../../src/domain/ports/collections.js';
import type { Generation } from '../../../src/domain/ports/ledger.js';
import { PRIORITY } from '../../../src/domain/ports/outbox.js';
import { cardsOf, live, MemoryOutbox, startingIndexers, worldOf } from './indexer-world.js';

describe('an indexer', () => {
  const start = startingIndexers();

  describe('with a stopped clock, so that it never polls', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    test('is woken by a change while it waits', async () => {
      const cards = cardsOf(1);
      const { outbox, indexer } = worldOf({ cards });
      start(indexer);
      while (vi.getTimerCount() === 0) await new Promise(setImmediate);
      outbox.add(cards);
      while (outbox.finished.length < 1) await new Promise(setImmediate);
    });

    test('pauses after a batch until it is told to hurry; being told during the batch changes nothing', async () => {
      const cards = cardsOf(2);
      const { outbox, indexer } = worldOf({ cards });
      outbox.onDone = () => indexer.hurry();
      outbox.add(cards.slice(0, 1));
      start(indexer);
      expect(await asleep(outbox)).toBe(1);
      outbox.add(cards.slice(1));
      for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
      expect([outbox.claims, outbox.finished]).toEqual([1, ['c0']]);
      indexer.hurry();
      while (outbox.finished.length < 2) await new Promise(setImmediate);
    });

    /** Waits until the indexer waits; how many claims it has made by then. */
    const asleep = async (outbox: MemoryOutbox): Promise<number> => {
      while (vi.getTimerCount() === 0) await new Promise(setImmediate);
      return outbox.claims;
    };
    const told = { pollMs: 3_600_000, onChange: () => () => undefined };

    test('claims nothing until the next card is due, and then at once', async () => {
      const cards = cardsOf(1);
      const { outbox, indexer } = worldOf({ cards, events: told });
      outbox.nextMs = 90_000;
      start(indexer);
      expect(await asleep(outbox)).toBe(1);
      vi.advanceTimersByTime(89_999);
      expect(await asleep(outbox)).toBe(1);
      // As a retry, or the claim of a gateway that was killed: nobody tells of it.
      outbox.due.push({
        tenantId: 'default',
        cardId: 'c0',
        seq: 1n,
        token: 't',
        priority: PRIORITY.change,
        attempts: 2,
        ledgerIsRight: false,
      });
      vi.advanceTimersByTime(1);
      while (outbox.finished.length < 1) await new Promise(setImmediate);
    });

    test('claims nothing during an outage of Chroma until the next attempt is due', async () => {
      const cards = cardsOf(1, { tenantId: 'large' });
      const upsert: VectorStore['upsert'] = async () => {
        throw new UnavailableError('chroma', 'the vector server does not answer');
      };
      const generations = [{ ...live, tenantId: 'large' }];
      const { outbox, indexer } = worldOf({ cards, generations, writer: { upsert }, events: told });
      outbox.add(cards);
      start(indexer);
      for (let failures = 1; failures <= 9; failures++) {
        while (outbox.released.length < failures) await new Promise(setImmediate);
        const claims = await asleep(outbox);
        // The rest after the batch; then the cards of other tenants are claimed.
        vi.advanceTimersByTime(400);
        while (outbox.claims === claims) await new Promise(setImmediate);
        await asleep(outbox);
        if (failures < 9) indexer.resume();
      }
      // The tenth attempt is due after 15 s or more.
      const { claims } = outbox;
      vi.advanceTimersByTime(5_000);
      for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
      expect(outbox.claims).toBe(claims);
    });

    test('claims changes of other gateways when notified, and by polling', async () => {
      const cards = cardsOf(2);
      const listeners: (() => void)[] = [];
      const onChange = (listener: () => void): (() => void) => {
        listeners.push(listener);
        return () => undefined;
      };
      const { outbox, indexer } = worldOf({ cards, events: { pollMs: 30_000, onChange } });
      start(indexer);
      for (const [place, look] of [
        () => listeners.forEach((listener) => void listener()),
        () => vi.advanceTimersByTime(30_000),
      ].entries()) {
        await asleep(outbox);
        outbox.due.push({
          tenantId: 'default',
          cardId: `c${place}`,
          seq: 1n,
          token: 't',
          priority: PRIORITY.change,
          attempts: 1,
          ledgerIsRight: true,
        });
        look();
        while (outbox.finished.length <= place) await new Promise(setImmediate);
      }
    });

    test('checks a building generation every second', async () => {
      const building: Generation = { ...live, number: 2, state: 'building' };
      const cards = cardsOf(1);
      const { outbox, generations, indexer } = worldOf({ cards, events: told, generations: [live, building] });
      start(indexer);
      expect(await asleep(outbox)).toBe(1);
      // Another gateway indexes the last card that the generation lacks.
      outbox.onDone([
        {
          claim: {
            tenantId: 'default',
            cardId: 'c0',
            seq: 1n,
            token: 't',
            priority: PRIORITY.change,
            attempts: 1,
            ledgerIsRight: true,
          },
          outcomes: [
            { generation: 2, indexed: { revision: 1, indexedAt: new Date(0), passages: byPerspective(() => []) } },
          ],
        },
      ]);
      vi.advanceTimersByTime(1_000);
      while (generations.get(2)?.state !== 'live') await new Promise(setImmediate);
    });

    test('rests after a batch with room for more cards: changes meanwhile are one batch', async () => {
      const cards = cardsOf(3);
      const { outbox, indexer } = worldOf({ cards, events: told });
      outbox.add(cards.slice(0, 1));
      start(indexer);
      while (outbox.finished.length < 1) await new Promise(setImmediate);
      expect(await asleep(outbox)).toBe(1);
      for (const card of cards.slice(1)) outbox.add([card]);
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      expect(outbox.claims).toBe(1);
      vi.advanceTimersByTime(400);
      while (outbox.finished.length < 3) await new Promise(setImmediate);
      expect(outbox.claims).toBe(2);
    });

    test('does not rest after a full batch', async () => {
      const cards = cardsOf(450);
      const { outbox, indexer } = worldOf({ cards, events: told });
      outbox.add(cards);
      start(indexer);
      while (outbox.finished.length < 450) await new Promise(setImmediate);
    });

    test('notices a change during a batch', async () => {
      const cards = cardsOf(1);
      const { outbox, indexer } = worldOf({ cards });
      const { claim } = outbox;
      outbox.claim = async (limit) => {
        const none = await claim.call(outbox, limit);
        outbox.claim = claim;
        outbox.add(cards);
        return none;
      };
      start(indexer);
      while (outbox.finished.length < 1) await new Promise(setImmediate);
    });
  });
});
