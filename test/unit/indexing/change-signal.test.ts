import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UnavailableError } from '../../../src/domain/errors.js';
import { ChangeSignal } from '../../../src/indexing/change-signal.js';

/** PostgreSQL's side: one connection at a time, and what was notified over another one. */
class Server {
  readonly lines: string[] = [];
  connections = 0;
  notifications = 0;
  heard = 0;
  markDirty: () => void = () => undefined;
  tell: () => void = () => undefined;
  cut: () => void = () => undefined;
  /** Fails every new connection. */
  isAway = false;

  readonly signal = new ChangeSignal({
    changes: {
      listen: (onChange, signal) =>
        new Promise((resolve, reject) => {
          this.connections += 1;
          this.cut = () => reject(new UnavailableError('database', 'the connection was lost'));
          signal.addEventListener('abort', () => resolve());
          if (this.isAway) return this.cut();
          this.tell = onChange;
          onChange();
        }),
      notify: async () => {
        this.notifications += 1;
      },
    },
    outbox: {
      onDirty: (listener) => {
        this.markDirty = listener;
        return () => undefined;
      },
    },
    log: {
      info: (_facts, message) => void this.lines.push(message),
      warn: (_facts, message) => void this.lines.push(message),
    },
  });

  constructor() {
    this.signal.onChange(() => {
      this.heard += 1;
    });
  }
}

/** Lets everything happen that waits for no time to pass. */
const settle = (): Promise<void> => new Promise(setImmediate);

let server: Server;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  server = new Server();
});
afterEach(async () => {
  await server.signal.close();
  vi.useRealTimers();
});

test('the polling interval is long while notifications arrive, and a second otherwise, which is logged once', async () => {
  const { signal, lines } = server;
  expect(signal.pollMs).toBe(1_000);
  signal.start();
  await settle();
  expect([signal.pollMs, server.heard]).toEqual([30_000, 1]);
  server.isAway = true;
  server.cut();
  await settle();
  // Whoever waits for half a minute has to hear that a second is now right.
  expect([signal.pollMs, server.heard]).toEqual([1_000, 2]);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    vi.advanceTimersByTime(1_000);
    await settle();
  }
  expect(server.connections).toBe(4);
  // Nobody is woken by an attempt that fails.
  expect(server.heard).toBe(2);
  expect(lines).toEqual(['LISTEN connection lost; polling for changes every second']);
  server.isAway = false;
  vi.advanceTimersByTime(1_000);
  await settle();
  expect(signal.pollMs).toBe(30_000);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toBe('listening for changes again');
});

test('listeners are called for changes of other gateways, until they unsubscribe', async () => {
  const { signal } = server;
  signal.start();
  await settle();
  let others = 0;
  const forget = signal.onChange(() => {
    others += 1;
  });
  server.tell();
  forget();
  server.tell();
  expect([server.heard, others]).toEqual([3, 1]);
});

test('other gateways are notified of a change at once, of many within a second together, and otherwise never', async () => {
  const { signal } = server;
  signal.start();
  await settle();
  vi.advanceTimersByTime(3_600_000);
  await settle();
  expect(server.notifications).toBe(0);
  server.markDirty();
  await settle();
  expect(server.notifications).toBe(1);
  for (let change = 0; change < 5; change += 1) server.markDirty();
  await settle();
  expect(server.notifications).toBe(1);
  vi.advanceTimersByTime(1_000);
  await settle();
  expect(server.notifications).toBe(2);
  vi.advanceTimersByTime(3_600_000);
  await settle();
  expect(server.notifications).toBe(2);
});
