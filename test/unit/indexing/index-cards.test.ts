import { describe, expect, test } from 'vitest';
import { NO_FOREGROUND } from '../../../src/domain/background.js';
import { UnavailableError } from '../../../src/domain/errors.js';
import { recordId } from '../../../src/domain/ports/collections.js';
import type { Generation } from '../../../src/domain/ports/ledger.js';
import type { Embedder } from '../../../src/domain/ports/models.js';
import { nextTurn } from '../../../src/domain/steps.js';
import type { WritableGeneration } from '../../../src/indexing/generations.js';
import { type IndexCardsParts, prepareCards, writeCards } from '../../../src/indexing/index-cards.js';
import { cardOf } from '../../support/generators.js';
import { LexicalIndexes } from '../../support/lexical-indexes.js';
import { literalEmbedder, literalWords, memoryCache, memoryIndex, vectorOf } from '../../support/memory-ports.js';

import { claimOf, generations, NEVER, NOTHING_WAITS, World } from './index-cards-world.js';

describe('preparing and writing cards', () => {
  test('yields while it tokenises long cards', async () => {
    const ids = ['a', 'b', 'c'];
    const cards = new Map(ids.map((id) => [id, cardOf({ id })]));
    let turn = 0;
    // Not a timer: a first yield from the poll phase comes before the next timers.
    const next = (): NodeJS.Immediate =>
      setImmediate(() => {
        turn += 1;
        others = next();
      });
    let others = next();
    const turns = new Set<number>();
    const hold = function* (): Generator<void> {
      yield;
      const began = performance.now();
      while (performance.now() - began < 10);
      turns.add(turn);
    };
    const index = memoryIndex();
    const parts: IndexCardsParts = {
      ledger: { cards: async () => cards, indexed: async () => new Map() },
      vectorStore: index,
      cache: memoryCache(),
      lexical: { setSteps: hold, remove: () => undefined },
      onEmbedded: () => undefined,
      background: NO_FOREGROUND,
    };
    const claims = ids.map((cardId) => claimOf(cardId));
    const embedder: Embedder = { ...literalEmbedder, embed: async (texts) => texts.map(vectorOf) };
    const writable = generations.slice(0, 1).map((generation) => ({ generation, embedder }));
    await writeCards(parts, await prepareCards(parts, 'default', claims, writable, NEVER), NOTHING_WAITS);
    clearImmediate(others);
    expect(turns.size).toBe(3);
  });

  test.each([
    ['many cards at once', 20, false, 4],
    ['many cards one after the other while clients are searching', 20, true, 1],
    ['a few cards at once although clients are searching', 1, true, 4],
  ])('writes to the four collections: %s', async (_, count, isContended, most) => {
    const ids = Array.from({ length: count }, (_, place) => `card-${place}`);
    const index = memoryIndex();
    let underWay = 0;
    let together = 0;
    const parts: IndexCardsParts = {
      ledger: { cards: async () => new Map(ids.map((id) => [id, cardOf({ id })])), indexed: async () => new Map() },
      vectorStore: {
        ...index,
        upsert: async (...given) => {
          underWay += 1;
          together = Math.max(together, underWay);
          for (let turn = 0; turn < 10; turn += 1) await nextTurn();
          await index.upsert(...given);
          underWay -= 1;
        },
      },
      cache: memoryCache(),
      lexical: new LexicalIndexes(literalWords),
      onEmbedded: () => undefined,
      background: { ...NO_FOREGROUND, isContended: () => isContended },
    };
    const claims = ids.map((cardId) => claimOf(cardId));
    const writable = generations.slice(0, 1).map((generation) => ({ generation, embedder: literalEmbedder }));
    await writeCards(parts, await prepareCards(parts, 'default', claims, writable, NEVER), NOTHING_WAITS);
    expect(together).toBe(most);
    expect(underWay).toBe(0);
  });

  test('leaves out a live generation whose model is unavailable while another one is being built, and no other', async () => {
    const index = memoryIndex();
    const parts: IndexCardsParts = {
      ledger: { cards: async () => new Map([['a', cardOf({ id: 'a' })]]), indexed: async () => new Map() },
      vectorStore: index,
      cache: memoryCache(),
      lexical: new LexicalIndexes(literalWords),
      onEmbedded: () => undefined,
      background: NO_FOREGROUND,
    };
    const away: Embedder = {
      ...literalEmbedder,
      embed: () => Promise.reject(new UnavailableError('embedder', 'the earlier provider has closed')),
    };
    const [live, building] = generations as [Generation, Generation];
    const prepared = (...writable: readonly WritableGeneration[]) =>
      prepareCards(parts, 'default', [claimOf('a')], writable, NEVER);
    const missing = { generation: live, embedder: away };
    const { generations: kept } = await prepared({ generation: building, embedder: literalEmbedder }, missing);
    expect(kept.map(({ generation }) => generation.number)).toEqual([building.number]);
    await expect(prepared(missing)).rejects.toThrow(UnavailableError);
    await expect(prepared(missing, { generation: building, embedder: away })).rejects.toThrow(UnavailableError);
  });

  test('reads the records of one card alone where the ledger is right and the vectors are cached', async () => {
    const world = new World();
    world.write('a', { questionText: 'one sentence. another sentence.', topicTags: ['t'] });
    await world.work();
    const read: string[] = [];
    const { labels } = world.index;
    world.index.labels = async (key, ids) => {
      read.push(...ids.map((id) => `${key.perspective} ${id}`));
      return labels(key, ids);
    };
    world.index.read = async () => {
      throw new Error('every vector is cached');
    };
    world.write('b', { questionText: 'a new card' });
    world.write('a', { questionText: 'one sentence.', topicTags: ['t', 'another'] });
    await world.work();
    expect(world.records()).toEqual(world.expectedRecords());
    expect(new Set(read)).toEqual(new Set([0, 1].map((passage) => `question ${recordId('b', passage)}`)));
    world.doubt('a');
    await world.work();
    expect(read).toContain(`concept ${recordId('a', 0)}`);
  });

  test('writes lost records again', async () => {
    const world = new World();
    world.write('a', { questionText: '解方程' });
    await world.work();
    for (const records of world.index.collections.values()) records.clear();
    world.doubt('a');
    await world.work();
    expect(world.records()).toEqual(world.expectedRecords());
  });

  test('has no record for a text that cannot be embedded', async () => {
    const world = new World();
    world.write('a', { questionText: '?!', topicTags: ['方程'] });
    await world.work();
    expect([...world.records().keys()]).toEqual(['default/1/concept', 'default/2/concept']);
  });
});
