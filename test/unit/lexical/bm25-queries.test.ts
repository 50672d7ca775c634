import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Bm25Index } from '../../../src/lexical/bm25.js';
import { Bm25Queries } from '../../../src/lexical/bm25-queries.js';
import { TermDictionary } from '../../../src/lexical/term-dictionary.js';
import { LexicalScoring } from '../../../src/scoring/lexical-lane.js';
import { NaiveFields } from '../../support/naive-bm25.js';
import { runs } from '../../support/runs.js';

const FIELDS = 3;
const words = fc.array(fc.constantFrom(...'abcdefgh'), { maxLength: 6 });
/** By card: the words of each field. */
const cardsArb = fc.array(fc.array(words, { minLength: FIELDS, maxLength: FIELDS }), { maxLength: 12 });
const queryArb = fc.array(fc.constantFrom(...'abcdefgh', 'unknown'), { maxLength: 6 });

/** A word that more cards have is as one that none has. */
const mostDocsArb = fc.constantFrom(2, 5, Number.POSITIVE_INFINITY);

type Cards = readonly (readonly (readonly string[])[])[];

function combined(texts: Cards, mostDocs = Number.POSITIVE_INFINITY) {
  const cards = new TermDictionary();
  const parts = { weightOf: () => 1, cards, terms: new TermDictionary() };
  const fields = Array.from({ length: FIELDS }, () => new Bm25Index(parts));
  const ids = texts.map((_, card) => `card-${String(card).padStart(2, '0')}`);
  const set = (card: number, of: Cards[number]): void => {
    for (const [field, index] of fields.entries()) index.set(ids[card] as string, of[field] ?? []);
  };
  texts.forEach((of, card) => {
    set(card, of);
  });
  return { queries: new Bm25Queries(fields, { ...parts, mostDocs: () => mostDocs }), cards, ids, set };
}

describe('a query on several fields', () => {
  test('scores them as one text, and ranks by these scores', () => {
    fc.assert(
      fc.property(cardsArb, queryArb, fc.integer({ min: 0, max: 12 }), mostDocsArb, (texts, query, limit, mostDocs) => {
        const { queries, cards, ids } = combined(texts, mostDocs);
        const naive = new NaiveFields({ mostDocs });
        for (const [card, id] of ids.entries()) naive.set(id, texts[card] as Cards[number]);
        const expected = naive.scores(query);
        const scores = queries.scores(query, cards.numbersByPlace(ids));
        expect([...scores]).toEqual(
          ids.map((id) => (expected.has(id) ? expect.closeTo(expected.get(id) as number, 12) : Number.NaN)),
        );
        // Of several with 1, the highest that a score can be, any may come first.
        const ranked = [...scores].filter((score) => score > 0).sort((a, b) => b - a);
        const found = queries.search(query, limit);
        expect(found.map(({ score }) => score)).toEqual(ranked.slice(0, limit));
        for (const { cardId, score } of found) expect(scores[ids.indexOf(cardId)]).toBe(score);
      }),
      { numRuns: runs(500) },
    );
  });

  test('scores all cards once for the best of them, the best of some and the scores of others', () => {
    const weighed: string[] = [];
    const parts = { cards: new TermDictionary(), terms: new TermDictionary() };
    const index = new Bm25Index(parts);
    const weightOf = (term: string): number => weighed.push(term);
    const queries = new Bm25Queries([index], { ...parts, weightOf });
    for (const id of ['one', 'two', 'three']) index.set(id, ['a', 'b']);
    const all = parts.cards.numbersByPlace(['one', 'two', 'three']);
    const ask = (terms: readonly string[]): void => {
      queries.search(terms, 5);
      queries.search(terms, 5, all.subarray(1));
      queries.scores(terms, all);
    };
    ask(['a', 'b']);
    ask(['a', 'b']);
    expect(weighed).toEqual(['a', 'b']);
    ask(['a']);
    index.set('four', ['a']);
    ask(['a']);
    expect(weighed).toEqual(['a', 'b', 'a', 'a']);
  });

  test('gives the same scores in a scoring pass, after changes too', () => {
    fc.assert(
      fc.property(cardsArb, queryArb, queryArb, fc.constantFrom(0.2, 1), (texts, terms, added, weight) => {
        const { queries, cards, ids, set } = combined(texts);
        const scoring = new LexicalScoring();
        const expanded = added.length === 0 ? [] : [...terms, ...added];
        for (const change of [null, [['a', 'new'], [], ['b']]]) {
          if (change !== null && texts.length > 0) set(0, change);
          const sums = new Float64Array(cards.names.length);
          const scan = queries.scan({ terms, expanded, weight });
          scoring.add({ kind: 'LEXICAL', weight, scans: [scan] }, Int32Array.from(cards.names.keys()), sums);
          for (const id of ids) {
            const [doc = -1] = cards.numbersByPlace([id]);
            if (doc < 0) continue;
            const [own = 0, both = 0] = [terms, expanded].map((of) => queries.scores(of, Int32Array.of(doc))[0] || 0);
            expect(sums[doc]).toBeCloseTo(weight * Math.max(own, both), 9);
          }
        }
      }),
      { numRuns: runs(300) },
    );
  });

  test('gives the right scores after a pass during which postings changed', () => {
    const { queries, cards } = combined(
      Array.from({ length: 20 }, (_, card) => [['x'], card % 2 === 0 ? ['x'] : [], []]),
    );
    const scoring = new LexicalScoring();
    const scoresBy = (scan: ReturnType<typeof queries.scan>): Float64Array => {
      const sums = new Float64Array(cards.names.length);
      scoring.add({ kind: 'LEXICAL', weight: 1, scans: [scan] }, Int32Array.from(sums.keys()), sums);
      return sums;
    };
    const scan = queries.scan({ terms: ['x'], expanded: [], weight: 1 });
    const before = scoresBy(scan);
    const changing = scan.fields.map(({ keys, counts }) => {
      let reads = 0;
      return {
        counts,
        get keys() {
          reads += 1;
          // Its documents are others when they are read for the second time.
          return reads < 3 ? keys : keys.map((doc) => Math.floor(doc / 2));
        },
      };
    });
    expect(scoresBy({ ...scan, fields: changing })).not.toEqual(before);
    expect(scoresBy(scan)).toEqual(before);
  });

  test('scores few of many documents as all of them, across the blocks of a scoring pass', () => {
    const texts = Array.from({ length: 9_000 }, (_, card) => [
      ['x', ...(card % 3 === 0 ? ['y', 'y'] : [])],
      card % 2 === 0 ? ['y'] : [],
      [`w${card}`],
    ]);
    const { queries, cards } = combined(texts);
    for (const terms of [
      ['x', 'y'],
      ['y', 'w4095', 'w4096', 'w8191'],
    ]) {
      const sums = new Float64Array(cards.names.length);
      const scan = queries.scan({ terms, expanded: [], weight: 1 });
      new LexicalScoring().add({ kind: 'LEXICAL', weight: 1, scans: [scan] }, Int32Array.from(sums.keys()), sums);
      const all = queries.scores(terms, Int32Array.from(sums.keys()));
      expect(sums.findIndex((sum, doc) => Math.abs(sum - (all[doc] as number)) > 1e-12)).toBe(-1);
      for (const doc of [0, 1, 4_095, 4_096, 8_999]) {
        expect(queries.scores(terms, Int32Array.of(doc))[0]).toBe(all[doc]);
      }
    }
  });
});
