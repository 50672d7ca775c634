import { expect, test } from 'vitest';
import { NO_FOREGROUND } from '../../../src/domain/background.js';
import { byPerspective, type Perspective } from '../../../src/domain/perspective.js';
import { partsOfRecordId, type RecordLabel, recordId } from '../../../src/domain/ports/collections.js';
import type { AuditedCard, Generation } from '../../../src/domain/ports/ledger.js';
import { cardOfRecord, differencesOf } from '../../../src/indexing/differences.js';

const generation: Generation = { tenantId: 'north', number: 1, modelKey: 'm', state: 'live' };
const card: AuditedCard = {
  cardId: 'a',
  revision: 2,
  indexed: { revision: 2, passages: byPerspective(() => ['hash']) },
  waiting: false,
};
const right: RecordLabel = { contentHash: 'hash', revision: 2, tenantId: 'north' };
const old: RecordLabel = { ...right, revision: 1 };

/**
 * What is found where the collections hold these of the card's records, and the right ones in all other perspectives.
 */
async function found(held: Partial<Record<Perspective, RecordLabel | null>>, audited = card): Promise<unknown> {
  const parts = {
    audit: { cards: async () => new Map([[audited.cardId, audited]]) },
    vectorStore: {
      list: async () => [],
      labels: async ({ perspective }: { perspective: Perspective }, ids: readonly string[]) => {
        const label = held[perspective] === undefined ? right : held[perspective];
        return new Map(label === null ? [] : ids.map((id) => [id, label]));
      },
    },
    background: NO_FOREGROUND,
  };
  return (await differencesOf(parts, generation, [audited])).get('a');
}

test('a record id is split at its last #; ids of foreign clients are no cards', () => {
  expect(partsOfRecordId(recordId('a#b', 12))).toEqual({ cardId: 'a#b', passage: 12 });
  for (const id of ['', '#', '#1', 'a', 'a#', 'a#b', 'a#-1']) {
    expect([partsOfRecordId(id), cardOfRecord(id)]).toEqual([null, '']);
  }
});

test('a card is in sync, stale or missing a record; missing takes precedence', async () => {
  expect(await found({})).toBeUndefined();
  expect(await found({ solution: old })).toBe('stale');
  expect(await found({ concept: null })).toBe('missing');
  expect(await found({ question: old, error: null })).toBe('missing');
  expect(await found({ question: null, error: old })).toBe('missing');
  expect(await found({ question: { ...right, contentHash: 'other' } })).toBe('stale');
  expect(await found({ question: { ...right, tenantId: 'south' } })).toBe('stale');
});

test('differences of the ledger take precedence over stale records', async () => {
  expect(await found({ question: old }, { ...card, revision: null })).toBe('orphan');
  expect(await found({}, { ...card, indexed: null })).toBe('missing');
  expect(await found({}, { ...card, revision: 3 })).toBe('stale');
  expect(await found({ question: null }, { ...card, revision: 3 })).toBe('missing');
  expect(await found({ question: null }, { ...card, waiting: true })).toBeUndefined();
});
