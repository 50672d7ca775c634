import { delay, Listeners, once } from '../domain/async.js';
import { BackgroundLoop } from '../domain/background-loop.js';
import type { ChangeEvents, IndexChanges } from '../domain/ports/changes.js';
import type { Log } from '../domain/ports/log.js';
import type { Outbox } from '../domain/ports/outbox.js';

/**
 * Poll interval while LISTEN works: a safety net for a connection that died unnoticed. At most the lease of a claim, so
 * that the cards of a killed gateway are claimed when their lease ends.
 */
const LISTENING_POLL_MS = 30_000;

/** Poll interval without LISTEN, and the wait before the next attempt to listen. */
const POLL_MS = 1_000;

/** Minimum interval between two NOTIFYs: PostgreSQL serialises the commits of transactions that notify. */
const NOTIFY_REST_MS = 1_000;

export interface ChangeSignalParts {
  readonly changes: Pick<IndexChanges, 'listen' | 'notify'>;
  readonly outbox: Pick<Outbox, 'onDirty'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** Notifies the other gateways on the database of changed cards, and listens for their notifications. */
export class ChangeSignal implements ChangeEvents {
  readonly #changed = new Listeners();
  readonly onChange = this.#changed.add;
  readonly #listen = new BackgroundLoop({
    pass: async (_, signal) => {
      await this.parts.changes.listen(() => this.#heard(), signal);
      throw new Error('the server ended the connection');
    },
    onFailure: (error) => this.#lost(error),
  });
  readonly #notify = new BackgroundLoop({
    pass: async (woken, signal) => {
      if (!woken) return LISTENING_POLL_MS;
      await this.parts.changes.notify();
      await delay(NOTIFY_REST_MS, signal);
      return LISTENING_POLL_MS;
    },
    // Not repeated: the other gateways also poll.
    onFailure: () => NOTIFY_REST_MS,
  });
  #isListening = false;
  #isOutage = false;
  #unsubscribe: (() => void) | undefined;

  constructor(private readonly parts: ChangeSignalParts) {}

  get pollMs(): number {
    return this.#isListening ? LISTENING_POLL_MS : POLL_MS;
  }

  start(): void {
    this.#unsubscribe ??= this.parts.outbox.onDirty(this.#notify.wake);
    this.#listen.start();
    this.#notify.start(LISTENING_POLL_MS);
  }

  readonly close = once(async () => {
    this.#unsubscribe?.();
    await Promise.all([this.#listen.close(), this.#notify.close()]);
  });

  #heard(): void {
    if (this.#isOutage) this.parts.log.info({}, 'listening for changes again');
    this.#isOutage = false;
    this.#isListening = true;
    this.#changed.notify();
  }

  /** Returns the wait before the next attempt. */
  #lost(err: Error): number {
    if (!this.#isOutage) this.parts.log.warn({ err }, 'LISTEN connection lost; polling for changes every second');
    this.#isOutage = true;
    // Wakes listeners that wait for the longer interval.
    if (this.#isListening) {
      this.#isListening = false;
      this.#changed.notify();
    }
    return POLL_MS;
  }
}
