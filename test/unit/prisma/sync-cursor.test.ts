import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeSyncCursor, encodeSyncCursor, sees, snapshotOf } from '../../../prisma/cards/sync-cursor.js';
import { student } from './fixture.js';

const owner = { viewer: student('tenant', 'amy'), server: '7' };

/** A snapshot with up to 60 running transactions, in PostgreSQL's notation. */
const snapshots = fc
  .record({
    next: fc.bigInt({ min: 1_000n, max: 2n ** 62n }),
    ages: fc.uniqueArray(fc.bigInt({ min: 1n, max: 900n }), { maxLength: 60 }),
  })
  .map(({ next, ages }) => {
    const running = ages.map((age) => next - age).sort((a, b) => (a < b ? -1 : 1));
    return { next, running, text: `${running[0] ?? next}:${next}:${running.join(',')}` };
  });

test('a cursor is read as it was written, and fits where cursors go', () => {
  fc.assert(
    fc.property(
      snapshots,
      fc.option(snapshots),
      fc.stringMatching(/^[A-Za-z0-9._:-]{0,100}$/),
      (since, until, cardId) => {
        const position = {
          since: snapshotOf(since.text),
          until: until && snapshotOf(until.text),
          last: { transaction: since.next, cardId },
        };
        const cursor = encodeSyncCursor(owner, position);
        expect(cursor).toMatch(/^[\w-]{1,1000}$/);
        expect(decodeSyncCursor(owner, cursor)).toEqual(position);
      },
    ),
  );
});

test('a truncated snapshot hides transactions, and never shows a running one, or one behind a transaction that it does not name', () => {
  fc.assert(
    fc.property(snapshots, ({ next, running, text }) => {
      const cut = snapshotOf(text);
      expect(cut.running.length).toBeLessThanOrEqual(32);
      for (let transaction = next - 905n; transaction < next + 2n; transaction++) {
        const before = transaction < next && !running.includes(transaction);
        expect(sees(cut, transaction)).toBe(before && transaction < cut.next);
      }
      if (running.length <= 32) expect(cut.next).toBe(next);
    }),
    { numRuns: 20 },
  );
});
