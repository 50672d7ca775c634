import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Bm25Index } from '../../../src/lexical/bm25.js';
import { TermDictionary } from '../../../src/lexical/term-dictionary.js';
import { LexicalScoring } from '../../../src/scoring/lexical-lane.js';
import { NaiveBm25 } from '../../support/naive-bm25.js';
import { runs } from '../../support/runs.js';

const word = fc.constantFrom(...'abcdefghij');
const tokens = fc.array(word, { maxLength: 12 });
const cardId = fc.integer({ min: 0, max: 19 }).map((n) => `card-${n}`);
const change = fc.record({ cardId, tokens: fc.oneof({ weight: 3, arbitrary: tokens }, fc.constant([])) });
const changes = fc.array(change, { maxLength: 80 });
const query = fc.array(fc.oneof(word, fc.constant('unknown')), { maxLength: 8 });

function bothAfter(
  list: readonly { readonly cardId: string; readonly tokens: readonly string[] }[],
  cards: TermDictionary = new TermDictionary(),
): {
  index: Bm25Index;
  naive: NaiveBm25;
} {
  const index = new Bm25Index({ cards });
  const naive = new NaiveBm25();
  for (const { cardId, tokens } of list) {
    if (tokens.length === 0) index.delete(cardId);
    else index.set(cardId, tokens);
    naive.set(cardId, tokens);
  }
  return { index, naive };
}

describe('the BM25 index', () => {
  test('ranks and scores like a naive BM25, after any changes, with and without a filter', () => {
    const filter = fc.option(
      fc.uniqueArray(cardId).map((ids) => new Set(ids)),
      { nil: undefined },
    );
    fc.assert(
      fc.property(changes, query, fc.integer({ min: 0, max: 25 }), filter, (list, asked, limit, matching) => {
        const cards = new TermDictionary();
        const { index, naive } = bothAfter(list, cards);
        const expected = naive.search(asked, limit, matching);
        const found = index.queries.search(asked, limit, matching && cards.numbersOf(matching));
        expect(found.map(({ score }) => score)).toEqual(expected.map(({ score }) => expect.closeTo(score, 12)));
        // Where two scores are equal but for rounding, either may come first.
        const all = new Map(naive.search(asked, 100).map((hit) => [hit.cardId, hit.score]));
        for (const hit of found) {
          expect(all.get(hit.cardId)).toBeCloseTo(hit.score, 12);
          expect(matching?.has(hit.cardId) ?? true).toBe(true);
        }
        expect(new Set(found.map((hit) => hit.cardId)).size).toBe(found.length);
      }),
      { numRuns: runs(500) },
    );
  });

  test('knows the documents that have each of some terms, after any changes', () => {
    fc.assert(
      fc.property(changes, query, (list, asked) => {
        const cards = new TermDictionary();
        const { index } = bothAfter(list, cards);
        const texts = new Map<string, readonly string[]>(list.map((one) => [one.cardId, one.tokens]));
        const expected = [...texts].filter(([, has]) => asked.length > 0 && asked.every((term) => has.includes(term)));
        const found = Array.from(index.docsWith(asked), (doc) => cards.names[doc]);
        expect(found.sort()).toEqual(expected.map(([id]) => id).sort());
      }),
      { numRuns: runs(500) },
    );
  });

  test('after adding, updating and deleting in any order equals a rebuilt one, bit by bit', () => {
    fc.assert(
      fc.property(changes, query, (list, asked) => {
        const { index, naive } = bothAfter(list);
        const fresh = new Bm25Index();
        for (const [id, tokens] of naive.cards) fresh.set(id, tokens);
        expect(index.size).toBe(fresh.size);
        expect(index.queries.search(asked, 100)).toEqual(fresh.queries.search(asked, 100));
      }),
      { numRuns: runs(500) },
    );
  });

  test('a filter leaves the best of the matching cards, whether few or most match', () => {
    const cards = new TermDictionary();
    const index = new Bm25Index({ cards });
    for (let i = 0; i < 1000; i++)
      index.set(`card-${i}`, ['x', ...Array.from({ length: i % 37 }, () => 'y'), `w${i % 50}`]);
    const ranked = index.queries.search(['x', 'w7'], 1000);
    for (const every of [1, 2, 40, 999]) {
      const matching = new Set(Array.from({ length: 1000 }, (_, i) => `card-${i}`).filter((_, i) => i % every === 0));
      const expected = ranked.filter((hit) => matching.has(hit.cardId)).slice(0, 5);
      expect(index.queries.search(['x', 'w7'], 5, cards.numbersOf(matching))).toEqual(expected);
    }
  });

  test('scores given cards as a search does, 0 without a common term, NaN without a text', () => {
    fc.assert(
      fc.property(changes, query, query, fc.array(cardId), (list, asked, next, ids) => {
        const cards = new TermDictionary();
        const { index, naive } = bothAfter(list, cards);
        // Nothing may be left over from the query before.
        for (const terms of [asked, next]) {
          // Before the search, which remembers its scores, and after it.
          const scores = [...index.queries.scores(terms, cards.numbersByPlace(ids))];
          const searched = new Map(index.queries.search(terms, 100).map((hit) => [hit.cardId, hit.score]));
          const expected = ids.map((id) => (naive.cards.has(id) ? (searched.get(id) ?? 0) : Number.NaN));
          expect(scores).toEqual(expected);
          expect([...index.queries.scores(terms, cards.numbersByPlace(ids))]).toEqual(expected);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test('scores all cards at once as one by one: the better of the query alone and expanded', () => {
    fc.assert(
      fc.property(changes, query, query, fc.constantFrom(0.2, 1), (list, tokens, added, weight) => {
        const cards = new TermDictionary();
        const { index } = bothAfter(list, cards);
        const scoring = new LexicalScoring();
        const expanded = added.length === 0 ? [] : [...tokens, ...added];
        const places = Int32Array.from(cards.names, (_, doc) => (doc === 1 ? -1 : cards.names.length - 1 - doc));
        // Again: nothing may be left over from the first time; and after a change, which makes other cards longer or
        // rarer.
        for (let time = 0; time < 3; time++) {
          const some = cards.names.find((name) => name !== '');
          if (time === 2 && some !== undefined) index.set(some, [...tokens, 'other', 'words']);
          const sums = new Float64Array(cards.names.length).fill(7);
          const scan = index.queries.scan({ terms: tokens, expanded, weight });
          scoring.add({ kind: 'LEXICAL', weight, scans: [scan] }, places, sums);
          cards.names.forEach((id, doc) => {
            const place = cards.names.length - 1 - doc;
            const [own = 0, whole = 0] = [tokens, expanded].map(
              (words) => index.queries.scores(words, cards.numbersByPlace([id]))[0] || 0,
            );
            expect(sums[place]).toBeCloseTo(7 + (doc === 1 ? 0 : weight * Math.max(own, whole)), 6);
          });
        }
      }),
      { numRuns: runs(300) },
    );
  });

  test('scores all of ten thousand cards at once as one by one, and leaves out none where one block of them ends', () => {
    const cards = new TermDictionary();
    const index = new Bm25Index({ cards });
    // Lists of all lengths: a word in every card, in every third, and in one.
    for (let i = 0; i < 10_000; i++) index.set(`card-${i}`, ['x', ...(i % 3 === 0 ? ['y', 'y'] : []), `w${i}`]);
    const numbers = Int32Array.from(cards.names.keys());
    for (const tokens of [['x', 'y'], ['y', 'w4095', 'w4096', 'w8191', 'w9999'], ['unknown']]) {
      const sums = new Float64Array(cards.names.length);
      const scan = index.queries.scan({ terms: tokens, expanded: [], weight: 1 });
      new LexicalScoring().add({ kind: 'LEXICAL', weight: 1, scans: [scan] }, numbers, sums);
      const scores = index.queries.scores(tokens, cards.numbersByPlace(cards.names));
      expect(sums.findIndex((sum, doc) => Math.abs(sum - (scores[doc] as number)) > 1e-12)).toBe(-1);
    }
  });

  test('cards with equal scores are ordered by id', () => {
    const index = new Bm25Index();
    for (const id of ['b', 'c', 'a']) index.set(id, ['面积']);
    expect(index.queries.search(['面积'], 2).map((hit) => hit.cardId)).toEqual(['a', 'b']);
  });

  test('a deleted card is removed, with terms that only it had', () => {
    const cards = new TermDictionary();
    const index = new Bm25Index({ cards });
    index.set('a', ['面积', '周长']);
    const docs = cards.numbersByPlace(['a']);
    index.delete('a');
    index.delete('a');
    expect(index.size).toBe(0);
    expect(index.queries.search(['面积'], 10)).toEqual([]);
    expect([...index.queries.scores(['面积'], docs)]).toEqual([Number.NaN]);
    expect([...cards.numbersByPlace(['a'])]).toEqual([-1]);
    expect([...index.queries.scores(['面积'], Int32Array.of(-1))]).toEqual([Number.NaN]);
  });

  test('a card without tokens is not indexed', () => {
    const index = new Bm25Index();
    index.set('a', ['面积']);
    index.set('a', []);
    expect(index.size).toBe(0);
  });

  test('a card that is too long is refused, and its former version stays', () => {
    const index = new Bm25Index();
    index.set('a', ['面积']);
    expect(() => index.set('a', new Array<string>(65_536).fill('x'))).toThrow(RangeError);
    expect(index.queries.search(['面积'], 10)).toHaveLength(1);
  });

  test('memory of thousands of deleted cards is reused, and they do not affect scores', () => {
    const index = new Bm25Index();
    const say = (i: number): string[] => Array.from({ length: 20 }, (_, j) => `w${(i * 7 + j * j) % 300}`);
    for (let i = 0; i < 3000; i++) index.set(`card-${i}`, say(i));
    const bytes = index.bytes;
    for (let round = 1; round <= 5; round++) {
      for (let i = 0; i < 3000; i++) index.set(`card-${i}`, say(i + round));
    }
    expect(index.bytes).toBeLessThan(bytes * 1.5);
    const fresh = new Bm25Index();
    for (let i = 0; i < 3000; i++) fresh.set(`card-${i}`, say(i + 5));
    for (let i = 0; i < 20; i++) expect(index.queries.search(say(i), 3000)).toEqual(fresh.queries.search(say(i), 3000));
  });
});
