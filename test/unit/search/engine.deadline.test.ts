import { describe, expect, test } from 'vitest';
import { abortable } from '../../../src/domain/async.js';
import type { VectorStore } from '../../../src/domain/ports/collections.js';
import type { Embedder } from '../../../src/domain/ports/models.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { ThisThread } from '../../../src/scoring/score-pass.js';
import { Engine, type EngineParts } from '../../../src/search/engine.js';
import { createRetrievers } from '../../../src/search/retrieve.js';
import { partsOf } from '../../support/engine-world.js';
import { cardOf, requestOf } from '../../support/generators.js';
import { literalWords } from '../../support/memory-ports.js';
import { until } from '../../support/until.js';

const admin: Viewer = { tenantId: 'default', ownerId: 'ada', role: 'admin' };
const cards = ['a', 'b', 'c'].map((id) => cardOf({ id, topicTags: ['x'], questionText: `area of ${id}` }));
/** One card is not in the index yet, and the words of another are of an older revision: both are read on the way. */
const world = { cards, pending: [cardOf({ id: 'n', questionText: 'area' })] };

/** Searches that between them ask every part for everything that a search may ask. */
const REQUESTS = [
  requestOf({ subject: { kind: 'text', text: 'area' }, lexicalShare: 0.5 }),
  requestOf({ subject: { kind: 'text', text: 'area' }, filter: { subject: ['math'] } }),
  requestOf({ subject: { kind: 'card', cardId: 'n' } }),
  requestOf({ subject: { kind: 'card', cardId: 'a' }, strategy: 'LAYERED', operation: 'byConcept' }),
];

type PartName = 'cards' | 'filters' | 'ledger' | 'embedder' | 'vectorStore' | 'stored';

/** The part, one of whose methods never answers, and ends when the signal that it is given aborts. */
function hung(parts: EngineParts, part: PartName, method: string, onAsked: () => void): Partial<EngineParts> {
  const never = {
    [method]: (...args: readonly unknown[]) => {
      onAsked();
      return abortable(new Promise(() => undefined), args.find((one) => one instanceof AbortSignal) as AbortSignal);
    },
  };
  if (part === 'vectorStore') {
    const others = {
      vectors: { columns: () => null },
      scorer: new ThisThread(),
      alone: true,
      exactLimit: Number.POSITIVE_INFINITY,
      onLane: () => undefined,
      log: parts.log,
    };
    return {
      retrievers: createRetrievers({ ...others, vectorStore: never as unknown as Pick<VectorStore, 'nearest'> }),
    };
  }
  if (part !== 'embedder') return { [part]: { ...parts[part], ...never } };
  const { embedders } = parts;
  return {
    embedders: {
      current: embedders.current,
      of: (key) => {
        const embedder: Embedder | null = embedders.of(key);
        return embedder === null ? null : { ...embedder, ...never };
      },
    },
  };
}

describe('a search whose deadline has come', () => {
  test.each<[PartName, string]>([
    ['cards', 'byIds'],
    ['filters', 'matching'],
    ['ledger', 'live'],
    ['ledger', 'cards'],
    ['ledger', 'indexed'],
    ['embedder', 'embed'],
    ['vectorStore', 'nearest'],
    ['stored', 'of'],
  ])('hands its signal on to %s.%s, and ends with it', async (part, method) => {
    const parts = await partsOf(world);
    // Older words than those that are indexed are read anew, which asks the ledger for cards.
    const index = new LexicalIndex(literalWords);
    let ended = 0;
    for (const request of REQUESTS) {
      const deadline = new AbortController();
      let waits = false;
      const hanging = {
        ...parts,
        indexes: { of: async () => index },
        ...hung(parts, part, method, () => {
          waits = true;
        }),
      };
      const searching = new Engine(hanging).search(admin, request, deadline.signal);
      const outcome = searching.then(
        () => 'answered',
        (thrown: unknown) => thrown,
      );
      let done = false;
      void outcome.then(() => {
        done = true;
      });
      await until(() => waits || done, { deadlineMs: 30_000, what: `${part}.${method} to be asked` });
      if (!waits) continue;
      const over = new Error('too late');
      deadline.abort(over);
      expect(await outcome).toBe(over);
      ended += 1;
    }
    expect(ended).toBeGreaterThan(0);
  });
});
