import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  cursorKey,
  decodeSyncCursor,
  encodeSyncCursor,
  sees,
  snapshotOf,
  startOf,
} from '../../../prisma/cards/sync-cursor.js';
import { CursorExpiredError } from '../../../src/domain/errors.js';
import { student } from './fixture.js';

const owner = { viewer: student('tenant', 'amy'), key: cursorKey('secret') };

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

test('a cursor is read as it was written, differs from others of its position, and fits where cursors go', () => {
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
        expect(encodeSyncCursor(owner, position)).not.toBe(cursor);
      },
    ),
  );
});

test('a cursor shows no transaction number, nor how long they are', () => {
  const cursors = [1_000n, 1_001n, 10n ** 12n].map((next) =>
    encodeSyncCursor(owner, startOf({ next, running: next > 2_000n ? [next - 2n, next - 1n] : [] })),
  );
  const bytes = cursors.map((cursor) => [...Buffer.from(cursor, 'base64url').subarray(3)]);
  expect(new Set(bytes.map(({ length }) => length)).size).toBe(1);
  const same = bytes[0]?.filter((byte, at) => byte === bytes[1]?.[at]) ?? [];
  expect(same.length).toBeLessThan(10);
});

test('a cursor that was altered anywhere, or made with another key, has expired', () => {
  const cursor = encodeSyncCursor(owner, startOf({ next: 1_000n, running: [] }));
  expect(() => decodeSyncCursor({ ...owner, key: cursorKey('another') }, cursor)).toThrow(CursorExpiredError);
  const bytes = Buffer.from(cursor, 'base64url');
  for (let at = 3; at < bytes.length; at++) {
    const altered = Buffer.from(bytes);
    altered.writeUInt8(altered.readUInt8(at) ^ 1, at);
    expect(() => decodeSyncCursor(owner, altered.toString('base64url'))).toThrow(CursorExpiredError);
  }
  expect(() => decodeSyncCursor(owner, bytes.subarray(0, -1).toString('base64url'))).toThrow(CursorExpiredError);
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
