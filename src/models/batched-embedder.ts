import { createHash } from 'node:crypto';
import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import { abortable, once } from '../domain/async.js';
import { asError, RefusedTextError, UnavailableError } from '../domain/errors.js';
import type { Perspective } from '../domain/perspective.js';
import { type CacheHits, type Embedder, type ModelIdentity, modelKey, type TextKind } from '../domain/ports/models.js';
import type { Urgency } from '../domain/turns.js';
import { type Backend, type Embedded, PROBE, validated } from './backend.js';
import type { EmbeddingCache } from './embedding-cache.js';

/** Vectors kept in memory: some 30,000 of 512 dimensions. */
const MEMORY_BYTES = 64 * 1024 * 1024;

/** Overhead of a cache entry beside its floats. */
const ENTRY_BYTES = 200;

/** Texts that wait together for a turn; others form another batch. */
const BATCH_TEXTS = 64;

/** How long a text that crashed, hung or was refused is not tried again: each attempt may take the whole deadline. */
const REFUSED_MS = 600_000;
const REFUSED_TEXTS = 1_000;

export interface BatchedParts extends Pick<Embedder, 'model' | 'maxChars' | 'lowestCosine'> {
  readonly prefixOf: (kind: TextKind, perspective: Perspective) => string;
  readonly backend: Backend;
  readonly cache: EmbeddingCache;
}

type KeyedText = readonly [key: string, text: string];

interface Wanted {
  readonly text: string;
  readonly key: string;
  readonly signal: AbortSignal;
}

/**
 * The embedder in front of a {@link Backend}. Texts of concurrent callers are batched, queries go before passages, and
 * cached texts (in memory, or on disk for passages) are not sent.
 */
export class BatchedEmbedder implements Embedder {
  readonly model: ModelIdentity;
  readonly maxChars: number;
  readonly lowestCosine: number | null;
  readonly #modelKey: string;
  readonly #recent: LRUCache<string, Float32Array>;
  readonly #refused = new LRUCache<string, Error>({ max: REFUSED_TEXTS, ttl: REFUSED_MS });
  readonly #loaders: Readonly<Record<Urgency, DataLoader<Wanted, Float32Array>>>;
  readonly #closing = new AbortController();
  #hits = 0;
  #misses = 0;

  constructor(private readonly parts: BatchedParts) {
    this.model = parts.model;
    this.maxChars = parts.maxChars;
    this.lowestCosine = parts.lowestCosine;
    this.#modelKey = modelKey(parts.model);
    const entryBytes = parts.model.dims * Float32Array.BYTES_PER_ELEMENT + ENTRY_BYTES;
    // With `max`, the cache would allocate the places of all entries now.
    this.#recent = new LRUCache({ maxSize: MEMORY_BYTES, sizeCalculation: () => entryBytes });
    this.#loaders = { interactive: this.#loader('interactive'), bulk: this.#loader('bulk') };
  }

  get cacheHits(): CacheHits {
    return { hits: this.#hits, misses: this.#misses };
  }

  embeds(text: string): boolean {
    return /[\p{L}\p{N}\p{S}]/u.test(text);
  }

  /**
   * UnavailableError (`embedder`) if the model is unavailable; RefusedTextError or another error if it cannot embed one
   * of the texts; the signal's reason once it aborts.
   */
  async embed(
    texts: readonly string[],
    kind: TextKind,
    perspective: Perspective,
    signal: AbortSignal,
  ): Promise<readonly Float32Array[]> {
    signal.throwIfAborted();
    const prefix = this.parts.prefixOf(kind, perspective);
    const fresh = new Map<string, Float32Array>();
    const vectors = texts.map(async (text) => {
      const key = createHash('sha256').update(`${kind}\n${prefix}${text}`).digest('hex').slice(0, 32);
      const known = this.#known(key, kind);
      if (known !== undefined) return known;
      const vector = await this.#loaders[kind === 'query' ? 'interactive' : 'bulk'].load({
        text: prefix + text,
        key,
        signal,
      });
      this.#recent.set(key, vector);
      fresh.set(key, vector);
      return vector;
    });
    const all = await abortable(Promise.all(vectors), signal);
    if (kind === 'passage' && fresh.size > 0) await this.parts.cache.put(this.#modelKey, fresh);
    return all;
  }

  readonly close = once(async () => {
    this.#closing.abort(new UnavailableError('embedder', 'it is stopping'));
  });

  #known(key: string, kind: TextKind): Float32Array | undefined {
    const known = this.#recent.get(key) ?? (kind === 'passage' ? this.#stored(key) : undefined);
    if (known === undefined) {
      this.#misses += 1;
      return undefined;
    }
    this.#hits += 1;
    this.#recent.set(key, known);
    return known;
  }

  /** Not one of a damaged file. */
  #stored(key: string): Float32Array | undefined {
    const stored = this.parts.cache.get(this.#modelKey, key, this.model.dims);
    return stored === undefined || validated(stored, this.model) instanceof Error ? undefined : stored;
  }

  /** A batch is filled until the model has a turn for it, so that a busier model gets larger runs. */
  #loader(urgency: Urgency): DataLoader<Wanted, Float32Array> {
    const { turns } = this.parts.backend;
    let turn: (() => void) | undefined;
    return new DataLoader<Wanted, Float32Array>(
      (wanted) => {
        const first = turn;
        turn = undefined;
        if (first === undefined) throw new Error('a batch was started without a turn');
        return this.#runAll(wanted, urgency, first);
      },
      {
        cache: false,
        maxBatchSize: BATCH_TEXTS,
        batchScheduleFn: (begin) => {
          // After this turn of the event loop, so that the texts of one request are in one batch.
          setImmediate(() => {
            void turns.take(urgency).then((giveBack) => {
              turn = giveBack;
              begin();
            });
          });
        },
      },
    );
  }

  /** Embeds each text once, in runs small enough for others to go in between; the first turn is already taken. */
  async #runAll(
    wanted: readonly Wanted[],
    urgency: Urgency,
    firstTurn: () => void,
  ): Promise<readonly (Float32Array | Error)[]> {
    const outcomes = new Map<string, Embedded>();
    const open = new Map<string, string>();
    for (const { key, text, signal } of wanted) if (!signal.aborted) open.set(key, text);
    let turn: (() => void) | undefined = firstTurn;
    while (open.size > 0) {
      turn ??= await this.parts.backend.turns.take(urgency);
      const run = this.#nextRun(open);
      try {
        await this.#run(run, urgency, outcomes);
      } finally {
        turn();
        turn = undefined;
      }
    }
    turn?.();
    return wanted.map(({ key, signal }) => outcomes.get(key) ?? asError(signal.reason));
  }

  /** Removes the texts of the next run, at least one. */
  #nextRun(open: Map<string, string>): readonly KeyedText[] {
    const limits = this.parts.backend.runLimits();
    const run: KeyedText[] = [];
    let chars = 0;
    for (const [key, text] of open) {
      chars += text.length;
      if (run.length > 0 && (run.length >= limits.texts || chars > limits.chars)) break;
      run.push([key, text]);
    }
    for (const [key] of run) open.delete(key);
    return run;
  }

  /**
   * Adds the results of one run; if it fails as a whole, each text is retried alone, so that one bad text does not fail
   * the others.
   */
  async #run(run: readonly KeyedText[], urgency: Urgency, outcomes: Map<string, Embedded>): Promise<void> {
    const allowed = run.filter(([key]) => {
      const reason = this.#refused.get(key);
      if (reason !== undefined) outcomes.set(key, reason);
      return reason === undefined;
    });
    const [first, ...others] = allowed;
    if (first === undefined) return;
    try {
      const texts = allowed.map(([, text]) => text);
      const embedded = await this.#embedded(texts, urgency);
      for (const [place, [key]] of allowed.entries()) outcomes.set(key, validated(embedded[place], this.model));
    } catch (thrown) {
      const cause = asError(thrown);
      const outage = cause instanceof UnavailableError ? cause : await this.#outage(urgency);
      if (outage !== null) for (const [key] of allowed) outcomes.set(key, outage);
      else if (others.length > 0) for (const one of allowed) await this.#run([one], urgency, outcomes);
      else {
        const [key, text] = first;
        const reason = new RefusedTextError(text, cause);
        this.#refused.set(key, reason);
        outcomes.set(key, reason);
      }
    }
  }

  /** Why the model embeds no text at all; null if it works. DashScope answers 400 to an account that has not paid. */
  async #outage(urgency: Urgency): Promise<UnavailableError | null> {
    try {
      await this.#embedded([this.parts.prefixOf('query', 'question') + PROBE], urgency);
      return null;
    } catch (cause) {
      if (cause instanceof UnavailableError) return cause;
      return new UnavailableError('embedder', asError(cause).message, { cause });
    }
  }

  #embedded(texts: readonly string[], urgency: Urgency): Promise<readonly Embedded[]> {
    const { signal } = this.#closing;
    return abortable(this.parts.backend.run(texts, urgency, signal), signal);
  }
}
