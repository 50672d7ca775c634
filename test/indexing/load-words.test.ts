import { expect, test } from '@jest/globals';
import type { Card } from '../../src/domain/card.js';
import { loadWords } from '../../src/indexing/load-words.js';
import { LexicalIndexes } from '../../src/lexical/indexes.js';
import type { Generation } from '../../src/ports.js';
import { cardOf } from '../support/generators.js';
import { literalWords } from '../support/memory-ports.js';

const generations: readonly Generation[] = [
  { tenantId: 'one', number: 1, modelKey: 'm', state: 'live' },
  { tenantId: 'one', number: 2, modelKey: 'm', state: 'building' },
  { tenantId: 'other', number: 1, modelKey: 'm', state: 'live' },
];

function cardsOf(tenantId: string, count: number): readonly Card[] {
  return Array.from({ length: count }, (_, place) => {
    return cardOf({ id: `c${String(place).padStart(5, '0')}`, tenantId, questionText: `${tenantId} ${place}` });
  });
}

const stored = new Map([
  ['one', cardsOf('one', 1_234)],
  ['other', cardsOf('other', 3)],
]);

const ledger = {
  generations: async () => generations,
  cardsAfter: async (tenantId: string, afterId: string | null, limit: number) => {
    const all = stored.get(tenantId) ?? [];
    return all.filter(({ id }) => afterId === null || id > afterId).slice(0, limit);
  },
};

test('every card of every tenant is loaded, page by page, once', async () => {
  const lexical = new LexicalIndexes(literalWords);
  const logged: object[] = [];
  const log = { info: (facts: object) => logged.push(facts) };
  await loadWords({ ledger, lexical, log, signal: new AbortController().signal });
  expect([lexical.of('one').size, lexical.of('other').size]).toEqual([1_234, 3]);
  expect(lexical.of('one').search('question', ['1233'], 5)).toMatchObject([{ cardId: 'c01233' }]);
  expect(lexical.of('other').search('question', ['one'], 5)).toEqual([]);
  expect(logged).toMatchObject([
    { tenantId: 'one', cards: 1_234 },
    { tenantId: 'other', cards: 3 },
  ]);
});

test('others have the thread while cards are loaded', async () => {
  const lexical = new LexicalIndexes(literalWords);
  let turns = 0;
  let loading = true;
  const count = (): void => {
    turns += 1;
    if (loading) setImmediate(count);
  };
  setImmediate(count);
  await loadWords({ ledger, lexical, log: { info: () => undefined }, signal: new AbortController().signal });
  loading = false;
  expect(turns).toBeGreaterThan(100);
});

test('a start that is given up ends the loading with its reason', async () => {
  const stopping = AbortSignal.abort(new Error('the start is given up'));
  const loading = loadWords({
    ledger,
    lexical: new LexicalIndexes(literalWords),
    log: { info: () => undefined },
    signal: stopping,
  });
  await expect(loading).rejects.toThrow('the start is given up');
});

test('a page that cannot be read fails the loading', async () => {
  const failing = {
    ...ledger,
    cardsAfter: async (tenantId: string, afterId: string | null, limit: number) => {
      if (afterId !== null) throw new Error('the connection is lost');
      return ledger.cardsAfter(tenantId, afterId, limit);
    },
  };
  const lexical = new LexicalIndexes(literalWords);
  const log = { info: () => undefined };
  const loading = loadWords({ ledger: failing, lexical, log, signal: new AbortController().signal });
  await expect(loading).rejects.toThrow('the connection is lost');
});
