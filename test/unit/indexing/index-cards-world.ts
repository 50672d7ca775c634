import { expect } from 'vitest';
import { NO_FOREGROUND } from '../../../src/domain/background.js';
import type { Card, CardContent } from '../../../src/domain/card.js';
import { hashOf, passagesOf } from '../../../src/domain/passages.js';
import { PERSPECTIVES } from '../../../src/domain/perspective.js';
import { recordId } from '../../../src/domain/ports/collections.js';
import type { Generation, IndexedCard } from '../../../src/domain/ports/ledger.js';
import type { Embedder } from '../../../src/domain/ports/models.js';
import { type DirtyCard, PRIORITY } from '../../../src/domain/ports/outbox.js';
import { LABEL_PERSPECTIVES } from '../../../src/domain/search.js';
import type { WritableGeneration } from '../../../src/indexing/generations.js';
import { type IndexCardsParts, prepareCards, writeCards } from '../../../src/indexing/index-cards.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { cardOf } from '../../support/generators.js';
import { LexicalIndexes } from '../../support/lexical-indexes.js';
import {
  among,
  collectionName,
  literalEmbedder,
  literalModel,
  literalWords,
  type MemoryRecord,
  memoryCache,
  memoryIndex,
  vectorOf,
} from '../../support/memory-ports.js';

export const generations: readonly Generation[] = [
  { tenantId: 'default', number: 1, modelKey: literalModel, state: 'live' },
  { tenantId: 'default', number: 2, modelKey: literalModel, state: 'building' },
];

/** A gateway that is not stopped. */
export const NEVER = new AbortController().signal;

/** For a batch that no other follows. */
export const NOTHING_WAITS = (): void => undefined;

class Crash extends Error {}

export function claimOf(cardId: string, ledgerIsRight = true): DirtyCard {
  return { tenantId: 'default', cardId, seq: 1n, token: 't', priority: PRIORITY.change, attempts: 1, ledgerIsRight };
}

/** PostgreSQL, Chroma and the cache in memory, and an index manager that can be killed at any step. */
export class World {
  readonly cards = new Map<string, Card>();
  /** Whether the ledger is right about the card. */
  readonly dirty = new Map<string, boolean>();
  readonly ledgers = new Map(generations.map(({ number }) => [number, new Map<string, IndexedCard>()]));
  readonly cache = memoryCache();
  readonly lexical = new LexicalIndexes(literalWords);
  readonly index = memoryIndex(() => this.#step());
  readonly embedded: string[] = [];
  /** Steps until the crash. */
  #left = Number.POSITIVE_INFINITY;

  /** As PostgreSQL would: a change makes the card dirty; an id that comes back goes on counting revisions. */
  write(id: string, content: Partial<CardContent>): void {
    this.cards.set(id, cardOf({ ...content, id, revision: (this.#revisions.get(id) ?? 0) + 1 }));
    this.#revisions.set(id, (this.#revisions.get(id) ?? 0) + 1);
    this.#change(id);
  }
  readonly #revisions = new Map<string, number>();

  delete(id: string): void {
    if (this.cards.delete(id)) this.#change(id);
  }

  #change(id: string): void {
    this.dirty.set(id, this.dirty.get(id) ?? true);
  }

  /** As reconciliation does. */
  doubt(id: string): void {
    this.dirty.set(id, false);
  }

  /**
   * One batch of all dirty cards, which dies after `steps` steps: whatever was not acknowledged stays dirty. False if
   * it had fewer steps.
   */
  async work(steps = Number.POSITIVE_INFINITY): Promise<boolean> {
    this.#left = steps;
    const claims = [...this.dirty].map(([cardId, ledgerIsRight]) => claimOf(cardId, ledgerIsRight));
    for (const cardId of this.dirty.keys()) this.doubt(cardId);
    try {
      const parts = this.#parts();
      const done = await writeCards(
        parts,
        await prepareCards(parts, 'default', claims, this.#writable(), NEVER),
        NOTHING_WAITS,
      );
      this.#step();
      for (const { claim, outcomes } of done) {
        this.dirty.delete(claim.cardId);
        for (const { generation, indexed } of outcomes) {
          if (indexed === null) this.ledgers.get(generation)?.delete(claim.cardId);
          else this.ledgers.get(generation)?.set(claim.cardId, indexed);
        }
      }
      return false;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      return true;
    } finally {
      this.#left = Number.POSITIVE_INFINITY;
    }
  }

  /** Both generations, of the same model. */
  #writable(): readonly WritableGeneration[] {
    const embedder: Embedder = {
      ...literalEmbedder,
      embed: async (texts, ...rest) => {
        this.#step();
        this.embedded.push(...texts);
        return literalEmbedder.embed(texts, ...rest);
      },
    };
    return generations.map((generation) => ({ generation, embedder }));
  }

  #parts(): IndexCardsParts {
    return {
      background: NO_FOREGROUND,
      ledger: {
        cards: async (_tenantId, ids) => among(this.cards, ids),
        indexed: async (_tenantId, generation, ids) => among(this.ledgers.get(generation) ?? new Map(), ids),
      },
      vectorStore: this.index,
      cache: {
        get: this.cache.get,
        put: async (...args) => {
          this.#step();
          await this.cache.put(...args);
          this.#step();
        },
        remove: async (...args) => {
          this.#step();
          await this.cache.remove(...args);
          this.#step();
        },
      },
      lexical: this.lexical,
      onEmbedded: () => undefined,
    };
  }

  #step(): void {
    this.#left -= 1;
    if (this.#left < 0) throw new Crash();
  }

  /** Everything that the index holds, by collection and record id. */
  records(): ReadonlyMap<string, ReadonlyMap<string, MemoryRecord>> {
    return new Map([...this.index.collections].filter(([, records]) => records.size > 0));
  }

  /** Everything that it should hold: a record for each passage of each card as it is now, and nothing else. */
  expectedRecords(): ReadonlyMap<string, ReadonlyMap<string, MemoryRecord>> {
    const expected = new Map<string, Map<string, MemoryRecord>>();
    for (const { number: generation } of generations) {
      for (const perspective of PERSPECTIVES) {
        const records = new Map<string, MemoryRecord>();
        for (const card of this.cards.values()) {
          passagesOf(card, literalEmbedder)[perspective].forEach(({ text }, passage) => {
            const written = {
              cardId: card.id,
              revision: card.revision,
              contentHash: hashOf(text),
              vector: vectorOf(text),
            };
            records.set(recordId(card.id, passage), written);
          });
        }
        if (records.size > 0) expected.set(collectionName({ tenantId: 'default', generation, perspective }), records);
      }
    }
    return expected;
  }
}

/** The index answers every search as one built anew from the cards does. */
export function expectSameWords(index: LexicalIndex, cards: ReadonlyMap<string, Card>): void {
  const fresh = new LexicalIndex(literalWords);
  for (const card of cards.values()) fresh.set(card);
  const words = ['解方程', '勾股定理', 'area', 'circle', 'sign', '计算错误'];
  for (const perspective of PERSPECTIVES) {
    expect(index.texts.search(perspective, words, 100)).toEqual(fresh.texts.search(perspective, words, 100));
  }
  for (const perspective of LABEL_PERSPECTIVES) {
    expect(index.profiles[perspective].rank(words, 100)).toEqual(fresh.profiles[perspective].rank(words, 100));
  }
}
