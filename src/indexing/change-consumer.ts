import { delay, once } from '../domain/async.js';
import { asError } from '../domain/errors.js';
import type { ChangedCard, ChangesPosition, IndexChanges } from '../domain/ports/changes.js';
import type { CardVersion, IndexLedger } from '../domain/ports/ledger.js';
import type { LexicalSnapshots, LexicalWriter } from '../domain/ports/lexical.js';
import type { VectorCache, VectorSource } from '../domain/ports/vectors.js';
import type { ChangeEvents } from './change-signal.js';
import { readWords } from './load-snapshots.js';

/** Between two looks, however many notifications arrive: many cards are then read at once. */
const REST_MS = 100;

/** After a look that failed, because its notification is not repeated. */
const RETRY_MS = 1_000;

/** Cards whose vectors are asked for at once: some 400 records. */
const PAGE = 100;

/** What happened before is forgotten, as often; a gateway that has not looked for half as long compares everything. */
const REMEMBERED_MS = 3_600_000;

/** What following reads and fills. */
export interface ChangeConsumerParts {
  readonly changes: Pick<IndexChanges, 'position' | 'since' | 'forget'>;
  readonly events: ChangeEvents;
  readonly ledger: Pick<IndexLedger, 'cards' | 'generations' | 'versions'>;
  readonly lexical: LexicalWriter & Pick<LexicalSnapshots, 'lacking' | 'surplus'>;
  readonly stored: VectorSource;
  readonly cache: Pick<VectorCache, 'remove'>;
  readonly log: { warn(facts: object, message: string): void };
}

/**
 * Makes this gateway's words and vectors follow what the others on its database have indexed: soon after a notification, and
 * from time to time. It looks at this gateway's own changes as well, and finds nothing to do.
 *
 * No change can be lost. Each look begins at the position that the one before it ended with, and a position lies before
 * whatever was not visible then (see {@link IndexChanges}); it is kept only when everything that was seen has been applied, so
 * that a look that fails is begun again. A card is always read as it is now, so that order and repetition do no harm: whatever
 * an older read has set or removed here, the change that made it old has yet to be looked at. Vectors that Chroma cannot give
 * just now are read when a search asks for them.
 */
export class ChangeConsumer {
  readonly #parts: ChangeConsumerParts;
  readonly #stopping = new AbortController();
  #wake = new AbortController();
  #loop: Promise<void> | undefined;
  #position: ChangesPosition | undefined;
  /** What the last look has applied, which the next one may name again. */
  #applied: ReadonlySet<string> = new Set();
  #forgotAtMs = 0;

  constructor(parts: ChangeConsumerParts) {
    this.#parts = parts;
  }

  /** From here on changes are followed: to be called before the words are loaded. */
  async begin(): Promise<void> {
    this.#position = await this.#parts.changes.position();
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Waits for the look that is under way. */
  readonly close = once(async () => {
    this.#stopping.abort(new Error('following is ending'));
    this.#wake.abort();
    await this.#loop;
  });

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const forget = this.#parts.events.onChange(() => this.#wake.abort());
    while (!signal.aborted) {
      this.#wake = new AbortController();
      let failed = false;
      try {
        await this.#catchUp();
      } catch (thrown) {
        if (signal.aborted) break;
        this.#parts.log.warn({ err: asError(thrown) }, 'what other gateways have indexed could not be read');
        failed = true;
      }
      await delay(REST_MS, signal);
      const pollMs = failed ? RETRY_MS : this.#parts.events.pollMs;
      await delay(pollMs - REST_MS, AbortSignal.any([signal, this.#wake.signal]));
    }
    forget();
  }

  async #catchUp(): Promise<void> {
    const { changes } = this.#parts;
    const from = this.#position ?? (await changes.position());
    const seen = await changes.since(from);
    // Numbers that begin anew are those of another server: a copy has taken the place of the one that was asked before.
    const { transaction, atMs } = seen.position;
    const again = transaction < from.transaction;
    if (again || atMs - from.atMs > REMEMBERED_MS / 2) await this.#compareAll();
    const fresh = seen.cards.filter((card) => again || !this.#applied.has(keyOf(card)));
    for (const tenantId of new Set(fresh.map((card) => card.tenantId))) {
      await this.#apply(
        tenantId,
        fresh.filter((card) => card.tenantId === tenantId),
      );
    }
    this.#position = seen.position;
    this.#applied = new Set(seen.cards.map(keyOf));
    if (atMs - this.#forgotAtMs < REMEMBERED_MS) return;
    await changes.forget(REMEMBERED_MS);
    this.#forgotAtMs = atMs;
  }

  async #apply(tenantId: string, cards: readonly ChangedCard[]): Promise<void> {
    const { lexical, cache } = this.#parts;
    const versions = new Map(
      cards.flatMap(({ cardId, version }): [string, CardVersion][] => (version === null ? [] : [[cardId, version]])),
    );
    lexical.remove(
      tenantId,
      cards.filter(({ version }) => version === null).map(({ cardId }) => cardId),
    );
    await readWords({ ...this.#parts, signal: this.#stopping.signal }, tenantId, lexical.lacking(tenantId, versions));
    const generation = cards.find((card) => card.generation !== null)?.generation ?? null;
    if (generation === null) return;
    const indexed = cards.filter(({ indexedRevision }) => indexedRevision !== null);
    await cache.remove(
      tenantId,
      generation,
      cards.filter(({ indexedRevision }) => indexedRevision === null).map(({ cardId }) => cardId),
    );
    for (let at = 0; at < indexed.length; at += PAGE) {
      const page = indexed
        .slice(at, at + PAGE)
        .map((card): [string, number] => [card.cardId, card.indexedRevision ?? 0]);
      await this.#parts.stored.of(tenantId, generation, new Map(page), this.#stopping.signal);
    }
  }

  /** As at a start; what changes meanwhile is behind the position, and looked at afterwards. */
  async #compareAll(): Promise<void> {
    const { ledger, lexical } = this.#parts;
    for (const tenantId of new Set((await ledger.generations()).map((one) => one.tenantId))) {
      const versions = await ledger.versions(tenantId);
      lexical.remove(tenantId, lexical.surplus(tenantId, versions));
      const lacking = lexical.lacking(tenantId, versions);
      await readWords({ ...this.#parts, signal: this.#stopping.signal }, tenantId, lacking);
    }
  }
}

function keyOf({ tenantId, cardId, transaction }: ChangedCard): string {
  return JSON.stringify([tenantId, cardId, String(transaction)]);
}
