import { LRUCache } from 'lru-cache';
import { abortable } from '../../domain/async.js';
import type { VocabularyStore } from '../../domain/ports/labels.js';
import { inSteps } from '../../domain/steps.js';
import { Vocabulary, type VocabularyParts } from './vocabulary.js';

/** Changes of other gateways are seen after this, in ms. */
const MAX_AGE_MS = 1_000;

/** Labels that are kept, of all tenants together: about 1 KB each. */
const MAX_LABELS = 100_000;

export interface VocabulariesParts extends VocabularyParts {
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
    const vocabulary = await inSteps(Vocabulary.read(described, this.parts));
    this.#read.set(tenantId, { written, labels: described.length, vocabulary });
    return vocabulary;
  }
}
