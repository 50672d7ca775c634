import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { NO_FOREGROUND } from '../../../src/domain/background.js';
import { byPerspective } from '../../../src/domain/perspective.js';
import { partsOfRecordId } from '../../../src/domain/ports/collections.js';
import type { AuditedCard, Generation } from '../../../src/domain/ports/ledger.js';
import { seededRandom } from '../../../src/evaluation/random.js';
import { type ConsistencyScanParts, scanConsistency } from '../../../src/indexing/consistency-scan.js';
import { memoryCache } from '../../support/memory-ports.js';

const generation: Generation = { tenantId: 't', number: 1, modelKey: 'm', state: 'live', inChroma: false };
const signal = new AbortController().signal;

/** A tenant whose cards are all as they should be, with a passage each; `onPage` is called before a page is read. */
function tenantOf(count: number, random: () => number, onPage: (made: readonly WeakRef<AuditedCard>[]) => void) {
  const made: WeakRef<AuditedCard>[] = [];
  const probed: string[] = [];
  const cardAt = (place: number): AuditedCard => ({
    ...{ cardId: String(place).padStart(6, '0'), revision: 1, waiting: false },
    indexed: { revision: 1, passages: byPerspective((one) => (one === 'question' ? ['hash'] : [])) },
  });
  const parts: ConsistencyScanParts = {
    audit: {
      totals: async () => ({ state: 's', records: byPerspective(() => 0) }),
      page: async (_tenantId, _generation, after, limit) => {
        onPage(made);
        const from = after === '' ? 0 : Number(after) + 1;
        const page = Array.from({ length: Math.min(limit, count - from) }, (_, place) => cardAt(from + place));
        made.push(...page.map((card) => new WeakRef(card)));
        return page;
      },
      cards: async () => new Map(),
    },
    vectorStore: {
      list: async () => [],
      nearest: async () => [],
      count: async () => 0,
      labels: async (_key, ids) =>
        new Map(ids.map((id) => [id, { tenantId: 't', revision: 1, contentHash: 'hash' }] as const)),
      read: async (_key, ids) => {
        probed.push(...ids.map((id) => partsOfRecordId(id)?.cardId ?? ''));
        return new Map();
      },
    },
    cache: memoryCache(),
    background: NO_FOREGROUND,
    random,
  };
  return { parts, probed };
}

describe('a scan', () => {
  test('probes every card of a tenant equally often', async () => {
    const random = seededRandom(7);
    const counts = new Map<string, number>();
    for (let scan = 0; scan < 400; scan++) {
      const { parts, probed } = tenantOf(400, random, () => undefined);
      await scanConsistency(parts, generation, signal);
      expect(new Set(probed).size).toBe(50);
      for (const id of probed) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    // 50 of 400 cards, 400 times: 50 times each, with a standard deviation of 6.6.
    expect(counts.size).toBe(400);
    for (const count of counts.values()) expect(Math.abs(count - 50)).toBeLessThan(33);
  });

  test('keeps of a large tenant no more cards than it probes, and those of a few pages', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    let kept = 0;
    const { parts, probed } = tenantOf(5_500, seededRandom(7), (made) => {
      if (made.length < 5_000) return;
      collect();
      kept = made.filter((card) => card.deref() !== undefined).length;
    });
    await scanConsistency(parts, generation, signal);
    expect(new Set(probed).size).toBe(55);
    expect(kept).toBeLessThan(2_000);
  });
});
