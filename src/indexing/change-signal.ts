import { delay, once } from '../domain/async.js';
import { asError } from '../domain/errors.js';
import type { ChangeEvents, IndexChanges } from '../domain/ports/changes.js';
import type { Outbox } from '../domain/ports/outbox.js';

/**
 * Poll interval while LISTEN works: a safety net for a connection that died unnoticed. At most the lease of a claim, so that the
 * cards of a killed gateway are claimed when their lease ends.
 */
const LISTENING_POLL_MS = 30_000;

/** Poll interval without LISTEN, and the wait before the next attempt to listen. */
const POLL_MS = 1_000;

/** Minimum interval between two NOTIFYs: PostgreSQL serialises the commits of transactions that notify. */
const NOTIFY_REST_MS = 1_000;

/** Dependencies of {@link ChangeSignal}. */
export interface ChangeSignalParts {
  readonly changes: Pick<IndexChanges, 'listen' | 'notify'>;
  readonly outbox: Pick<Outbox, 'onDirty'>;
  readonly log: { info(facts: object, message: string): void; warn(facts: object, message: string): void };
}

/** Notifies the other gateways on the database of changed cards, and listens for their notifications. */
export class ChangeSignal implements ChangeEvents {
  readonly #parts: ChangeSignalParts;
  readonly #stopping = new AbortController();
  readonly #listeners = new Set<() => void>();
  #isListening = false;
  #dirty = new AbortController();
  #loops: Promise<unknown> | undefined;

  constructor(parts: ChangeSignalParts) {
    this.#parts = parts;
  }

  get pollMs(): number {
    return this.#isListening ? LISTENING_POLL_MS : POLL_MS;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  start(): void {
    this.#loops ??= Promise.all([this.#listen(), this.#notify()]);
  }

  readonly close = once(async () => {
    this.#stopping.abort(new Error('the change signal is stopping'));
    await this.#loops;
  });

  async #listen(): Promise<void> {
    const { changes, log } = this.#parts;
    const { signal } = this.#stopping;
    let isOutage = false;
    while (!signal.aborted) {
      let reason: unknown = new Error('the server ended the connection');
      try {
        await changes.listen(() => {
          if (isOutage) log.info({}, 'listening for changes again');
          isOutage = false;
          this.#isListening = true;
          this.#tell();
        }, signal);
      } catch (thrown) {
        reason = thrown;
      }
      if (signal.aborted) return;
      if (!isOutage) log.warn({ err: asError(reason) }, 'LISTEN connection lost; polling for changes every second');
      isOutage = true;
      // Wakes those who wait for the longer interval; a failed attempt changes nothing.
      if (this.#isListening) {
        this.#isListening = false;
        this.#tell();
      }
      await delay(POLL_MS, signal);
    }
  }

  async #notify(): Promise<void> {
    const { changes, outbox } = this.#parts;
    const { signal } = this.#stopping;
    const forget = outbox.onDirty(() => this.#dirty.abort());
    while (!signal.aborted) {
      await delay(LISTENING_POLL_MS, AbortSignal.any([signal, this.#dirty.signal]));
      if (signal.aborted || !this.#dirty.signal.aborted) continue;
      this.#dirty = new AbortController();
      // Not repeated: the other gateways also poll.
      await changes.notify().catch(() => undefined);
      await delay(NOTIFY_REST_MS, signal);
    }
    forget();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
