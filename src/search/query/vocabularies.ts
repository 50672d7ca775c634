import { LRUCache } from 'lru-cache';
import { abortable } from '../../domain/async.js';
import { labelKey } from '../../domain/labels.js';
import type { VocabularyStore } from '../../domain/ports/labels.js';
import { Vocabulary, type VocabularyParts } from './vocabulary.js';

/** Changes of other gateways are seen after this, in ms. */
const MAX_AGE_MS = 1_000;

/** Labels that are kept, of all tenants together: about 1 KB each. */
const MAX_LABELS = 100_000;

/**
 * Characters of the names and keys that are kept, some 100,000 labels: folding a name takes 3 µs, and every filter by
 * labels compares all names of an index. A maximum by number would reserve 3 MB at the start.
 */
const MAX_KEY_CHARACTERS = 4_000_000;

export interface VocabulariesParts extends Omit<VocabularyParts, 'keyOf'> {
  readonly labels: VocabularyStore;
}

interface Known {
  /** `changes` of the store when it was read. */
  readonly changes: number;
  readonly vocabulary: Promise<Vocabulary>;
}

/** What was read last: 2,000 labels take 50 ms to index, and hardly ever change. */
interface Read {
  /** The labels, as JSON. */
  readonly written: string;
  readonly labels: number;
  readonly vocabulary: Vocabulary;
}

/** The vocabulary of each tenant, read at most once a second, and indexed anew if it has changed. */
export class Vocabularies {
  readonly #known = new LRUCache<string, Known>({ ttl: MAX_AGE_MS, ttlAutopurge: true });
  readonly #read = new LRUCache<string, Read>({ maxSize: MAX_LABELS, sizeCalculation: ({ labels }) => labels + 1 });
  readonly #keys = new LRUCache<string, string>({
    maxSize: MAX_KEY_CHARACTERS,
    sizeCalculation: (key, name) => key.length + name.length + 1,
  });

  constructor(private readonly parts: VocabulariesParts) {}

  /** UnavailableError. */
  of(tenantId: string, signal: AbortSignal): Promise<Vocabulary> {
    const { changes } = this.parts.labels;
    const known = this.#known.get(tenantId);
    if (known?.changes === changes) return abortable(known.vocabulary, signal);
    const vocabulary = this.#current(tenantId);
    this.#known.set(tenantId, { changes, vocabulary });
    vocabulary.catch(() => this.#known.delete(tenantId));
    return abortable(vocabulary, signal);
  }

  async #current(tenantId: string): Promise<Vocabulary> {
    const described = await this.parts.labels.described(tenantId);
    const written = JSON.stringify(described);
    const last = this.#read.get(tenantId);
    if (last?.written === written) return last.vocabulary;
    const vocabulary = new Vocabulary(described, { ...this.parts, keyOf: (name) => this.#keyOf(name) });
    this.#read.set(tenantId, { written, labels: described.length, vocabulary });
    return vocabulary;
  }

  #keyOf(name: string): string {
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const key = labelKey(name);
    this.#keys.set(name, key);
    return key;
  }
}
