import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EmbeddingChoice, ModelFiles } from '../config/settings.js';
import { once } from '../domain/async.js';
import { asError, nullIf, StartupError } from '../domain/errors.js';
import { jsonIn } from '../domain/parse/json.js';
import type { Log } from '../domain/ports/log.js';
import { type CacheHits, type Embedder, type EmbedderSource, modelKey } from '../domain/ports/models.js';
import { type Backend, PROBE } from './backend.js';
import { BatchedEmbedder } from './batched-embedder.js';
import { EmbeddingCache } from './embedding-cache.js';
import { EndpointBackend } from './endpoint.js';
import { ensureFiles } from './files/ensure.js';
import { filesPresent } from './files/layout.js';
import type { Inference } from './inference/inference.js';
import { KNOWN_EMBEDDERS } from './known.js';
import { LocalBackend } from './local-backend.js';
import {
  type EmbedderSpec,
  type EndpointSpec,
  embedderSpec,
  identityOf,
  type LocalSpec,
  localModel,
  maxCharsOf,
  prefixOf,
} from './spec.js';

export interface EmbeddersParts {
  readonly choice: EmbeddingChoice;
  readonly files: ModelFiles;
  /** Folder of the vector caches of this and earlier models. */
  readonly folder: string;
  readonly builtin: Embedder;
  readonly inference: Inference;
  readonly announce: (line: string) => void;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** All embedding models in use: the configured one, and those of live indexes built with others. */
export class Embedders implements EmbedderSource {
  readonly #cache: EmbeddingCache;
  readonly #record: SpecRecord;
  readonly #open = new Map<string, BatchedEmbedder>();
  readonly #warned = new Set<string>();
  #current: Embedder | undefined;

  constructor(private readonly parts: EmbeddersParts) {
    this.#cache = new EmbeddingCache(parts.folder);
    this.#record = new SpecRecord(join(parts.folder, 'models.json'));
  }

  get current(): Embedder {
    if (this.#current === undefined) throw new Error('the embedding model is not open yet');
    return this.#current;
  }

  get cacheHits(): CacheHits {
    const all = [...this.#open.values()].map(({ cacheHits }) => cacheHits);
    const sum = (of: (one: CacheHits) => number): number => all.reduce((total, one) => total + of(one), 0);
    return { hits: sum(({ hits }) => hits), misses: sum(({ misses }) => misses) };
  }

  /** Hit rate of the embedding cache, 0 .. 1; null before the first text, and for the built-in model. */
  get cacheHitRate(): number | null {
    const { hits, misses } = this.cacheHits;
    return hits + misses === 0 ? null : hits / (hits + misses);
  }

  /**
   * Opens and tests the configured model. StartupError if the settings are incomplete (78), its files are missing and
   * may not be downloaded (78), or it does not work (69).
   */
  async open(signal: AbortSignal): Promise<void> {
    const { choice, files, builtin, announce } = this.parts;
    const spec = embedderSpec(choice);
    this.#cache.open();
    await this.#record.read();
    if (spec.kind === 'builtin') {
      this.#current = builtin;
      return;
    }
    if (spec.kind === 'local') await ensureFiles(spec, choice.dtype, files, announce, signal);
    const embedder = this.#make(spec);
    await embedder.embed([PROBE], 'query', 'question', signal).catch((thrown: unknown) => {
      signal.throwIfAborted();
      const { message } = asError(thrown);
      throw new StartupError(`EMBEDDING_MODEL ${spec.name} cannot be used: ${message}`, 69, { cause: thrown });
    });
    await this.#record.add(modelKey(embedder.model), spec);
    this.#current = embedder;
  }

  of(key: string): Embedder | null {
    if (key === modelKey(this.current.model)) return this.current;
    if (key === modelKey(this.parts.builtin.model)) return this.parts.builtin;
    const open = this.#open.get(key);
    if (open !== undefined) return open;
    const spec = this.#record.of(key) ?? knownSpec(key);
    if (spec?.kind === 'builtin' || key.startsWith(`${this.parts.builtin.model.name}:`))
      return this.#warnOnce(key, 'it belongs to another version of the gateway');
    if (spec === undefined) return this.#warnOnce(key, 'its settings are not known any more');
    if (spec.kind === 'local' && !filesPresent(this.parts.files.folder, spec)) {
      return this.#warnOnce(key, `its files are not in ${this.parts.files.folder}`);
    }
    if (spec.kind === 'endpoint' && this.parts.choice.baseUrl === null) {
      return this.#warnOnce(key, 'EMBEDDING_BASE_URL is not set any more');
    }
    this.parts.log.info({ model: key }, 'the live index was built with an earlier model; both models are in use');
    return this.#make(spec);
  }

  async retire(key: string): Promise<void> {
    if (key === modelKey(this.current.model)) return;
    const spec = this.#record.of(key) ?? knownSpec(key);
    // Not closed: a running search of another tenant may still use it.
    this.#open.delete(key);
    const { files, inference } = this.parts;
    if (spec?.kind === 'local') inference.unload(localModel(spec, files.folder));
    await this.#cache.forget(key);
    await this.#record.remove(key);
  }

  readonly close = once(async () => {
    for (const embedder of this.#open.values()) await embedder.close();
    await this.#cache.close();
  });

  #make(spec: LocalSpec | EndpointSpec): BatchedEmbedder {
    const model = identityOf(spec);
    const embedder = new BatchedEmbedder({
      model,
      maxChars: maxCharsOf(spec),
      lowestCosine: KNOWN_EMBEDDERS.get(spec.name)?.lowestCosine ?? null,
      prefixOf: (kind, perspective) => prefixOf(spec, kind, perspective),
      backend: this.#backend(spec),
      cache: this.#cache,
    });
    this.#open.set(modelKey(model), embedder);
    return embedder;
  }

  #backend(spec: LocalSpec | EndpointSpec): Backend {
    const { choice, files, inference } = this.parts;
    if (spec.kind === 'local') return new LocalBackend(inference, localModel(spec, files.folder));
    if (choice.baseUrl === null) throw new Error(`${spec.name} has no endpoint`);
    return new EndpointBackend(spec, { baseUrl: choice.baseUrl, apiKey: choice.apiKey });
  }

  #warnOnce(key: string, reason: string): null {
    if (!this.#warned.has(key)) {
      this.#warned.add(key);
      this.parts.log.warn(
        { model: key, reason },
        'the model of the live index is unavailable; dense lanes are left out',
      );
    }
    return null;
  }
}

/** The default settings of the known model with this key. */
function knownSpec(key: string): EmbedderSpec | undefined {
  const name = [...KNOWN_EMBEDDERS.keys()].find((known) => key.startsWith(`${known}:`));
  if (name === undefined) return undefined;
  const plain = { model: name, dims: null, pooling: null, maxTokens: null, queryPrefix: null, passagePrefix: null };
  const dtype = key.split(':').at(-2) as LocalSpec['dtype'];
  const spec = embedderSpec({ ...plain, dtype, perspectivePrefixes: false, baseUrl: null, apiKey: null });
  return spec.kind === 'local' && modelKey(identityOf(spec)) === key ? spec : undefined;
}

/**
 * The settings of every model that was in use, by model key, in a file: while the live index is of an earlier model,
 * its queries must be embedded as before, although the environment now configures another one.
 */
class SpecRecord {
  #specs: Readonly<Record<string, EmbedderSpec>> = {};

  constructor(private readonly file: string) {}

  /** A file that is not JSON, as after a power failure, counts as absent. */
  async read(): Promise<void> {
    const text = await readFile(this.file, 'utf8').catch(nullIf('ENOENT'));
    const written = jsonIn(text ?? '{}');
    this.#specs = written instanceof Object ? (written as Record<string, EmbedderSpec>) : {};
  }

  of(modelKey: string): EmbedderSpec | undefined {
    return Object.hasOwn(this.#specs, modelKey) ? this.#specs[modelKey] : undefined;
  }

  async add(modelKey: string, spec: EmbedderSpec): Promise<void> {
    await this.#write({ ...this.#specs, [modelKey]: spec });
  }

  async remove(modelKey: string): Promise<void> {
    if (this.of(modelKey) === undefined) return;
    await this.#write(Object.fromEntries(Object.entries(this.#specs).filter(([key]) => key !== modelKey)));
  }

  /** Atomic. */
  async #write(specs: Readonly<Record<string, EmbedderSpec>>): Promise<void> {
    this.#specs = specs;
    await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
    await writeFile(`${this.file}.tmp`, `${JSON.stringify(specs, null, 2)}\n`);
    await rename(`${this.file}.tmp`, this.file);
  }
}
