import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Card } from '../../../src/domain/card.js';
import { PERSPECTIVES } from '../../../src/domain/perspective.js';
import type { CardStore } from '../../../src/domain/ports/cards.js';
import { type CardFilter, LABEL_PERSPECTIVES } from '../../../src/domain/search.js';
import { nextTurn } from '../../../src/domain/steps.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { ViewerIndexes } from '../../../src/search/viewer-indexes.js';
import { cardOf } from '../../support/generators.js';
import { LexicalIndexes } from '../../support/lexical-indexes.js';
import { among, literalWords } from '../../support/memory-ports.js';
import { runs } from '../../support/runs.js';

const NEVER = new AbortController().signal;
const EVERY = { terms: [], text: 'question' } as const;
const student = (ownerId: string): Viewer => ({ tenantId: 'north', ownerId, role: 'student' });

/** PostgreSQL and the tenants' indexes, which follow it at once. */
interface School extends Pick<CardStore, 'byIds'> {
  readonly tenants: LexicalIndexes;
  /** The ids that were read, a list a call. */
  readonly read: string[][];
  readonly cards: ReadonlyMap<string, Card>;
  set(card: Card): void;
  delete(id: string): void;
}

function school(): School {
  const cards = new Map<string, Card>();
  const tenants = new LexicalIndexes(literalWords);
  const read: string[][] = [];
  return {
    tenants,
    cards,
    read,
    set: (card) => {
      cards.set(card.id, card);
      // A card that was deleted and created again may have an older revision.
      tenants.remove('north', [card.id]);
      tenants.set('north', [card]);
    },
    delete: (id) => {
      cards.delete(id);
      tenants.remove('north', [id]);
    },
    byIds: async ({ tenantId, ownerId }, ids) => {
      read.push([...ids].sort());
      const own = [...cards].filter(([, card]) => card.tenantId === tenantId && card.ownerId === ownerId);
      return among(new Map(own), ids);
    },
  };
}

function indexesOf(cards: School, onAsked: (cached: boolean) => void = () => undefined): ViewerIndexes {
  return new ViewerIndexes({
    tenants: { load: async (tenantId) => cards.tenants.of(tenantId) },
    cards,
    analyse: literalWords,
    onAsked,
  });
}

const FILTERS: readonly CardFilter[] = [
  { subject: ['math'] },
  { sources: ['book'], hasSolution: true },
  { owners: ['amy'], topicTags: ['x'] },
  { metadata: [{ key: 'page', value: '1' }], difficultyMin: 2 },
];

/** Everything that an index says of a few words. */
function sayings(index: LexicalIndex): unknown {
  const words = ['a', 'b', 'c', 'd', 'a'];
  return [
    index.size,
    index.cards.ids().sort(),
    LABEL_PERSPECTIVES.map((perspective) => index.profiles[perspective].labels.toSorted()),
    FILTERS.map((filter) => index.cards.idsOf(index.matching(filter)).sort()),
    PERSPECTIVES.map((perspective) => index.texts.search(perspective, words, 50)),
    LABEL_PERSPECTIVES.map((perspective) => index.profiles[perspective].rank(words, 50)),
    LABEL_PERSPECTIVES.map((perspective) =>
      ['x', 'y'].map((label) => index.cardsWithLabel({ label, of: perspective }, EVERY, 50).sort()),
    ),
  ];
}

function anew(cards: Iterable<Card>): LexicalIndex {
  const index = new LexicalIndex(literalWords);
  for (const card of cards) index.set(card);
  return index;
}

const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 6 }).map((all) => all.join(' '));
const labels = fc.subarray(['x', 'y']);
const change = fc.record({
  id: fc.constantFrom('1', '2', '3', '4'),
  ownerId: fc.constantFrom('amy', 'ben'),
  questionText: words,
  studentSolutionText: fc.option(words),
  topicTags: labels,
  errorTypes: labels,
  subject: fc.constantFrom('math', 'physics'),
  source: fc.option(fc.constantFrom('book', 'exam')),
  difficulty: fc.integer({ min: 1, max: 3 }),
  metadata: fc.constantFrom([], [{ key: 'page', value: '1' }], [{ key: 'page', value: '2' }]),
  deleted: fc.boolean(),
  revision: fc.integer({ min: 1, max: 3 }),
});

/** So many cards of one student that do not change. */
function unchanged(count: number): Card[] {
  const words = ['a', 'b a', 'c', 'd d'];
  return Array.from({ length: count }, (_, place) => {
    const questionText = words[place % 4] as string;
    return cardOf({ tenantId: 'north', id: `more-${place}`, ownerId: 'amy', questionText, topicTags: ['x'] });
  });
}

describe("a student's index", () => {
  test('equals one rebuilt from their own cards, after any changes', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 6 }),
      // Among many other cards changed ones are read, among few the index is copied.
      fc.constantFrom(0, 100),
      async (rounds, others) => {
        const cards = school();
        for (const card of unchanged(others)) cards.set(card);
        const notebooks = indexesOf(cards);
        let moment = 0;
        for (const changes of rounds) {
          for (const { deleted, ...given } of changes) {
            moment += 1;
            if (deleted) cards.delete(given.id);
            else cards.set(cardOf({ tenantId: 'north', ...given, updatedAt: new Date(moment) }));
          }
          for (const owner of ['amy', 'ben']) {
            const own = [...cards.cards.values()].filter(({ ownerId }) => ownerId === owner);
            expect(sayings(await notebooks.of(student(owner), NEVER))).toEqual(sayings(anew(own)));
          }
        }
      },
    );
    await fc.assert(property, { numRuns: runs(100) });
  });

  test('is copied without reading any card, and then reads those that have changed', async () => {
    const cards = school();
    const notebooks = indexesOf(cards);
    for (const card of unchanged(30)) cards.set(card);
    const index = await notebooks.of(student('amy'), NEVER);
    cards.set(cardOf({ tenantId: 'north', id: 'more-2', ownerId: 'amy', revision: 2 }));
    expect(await notebooks.of(student('amy'), NEVER)).toBe(index);
    expect(cards.read).toEqual([['more-2']]);
  });

  test('removes a card that a search has read and that was deleted again', async () => {
    const cards = school();
    const notebooks = indexesOf(cards);
    const index = await notebooks.of(student('amy'), NEVER);
    index.set(cardOf({ tenantId: 'north', id: '1', ownerId: 'amy', questionText: 'a' }));
    expect(sayings(await notebooks.of(student('amy'), NEVER))).toEqual(sayings(anew([])));
  });

  test('reports for each search whether it was cached', async () => {
    const kept: boolean[] = [];
    const notebooks = indexesOf(school(), (was) => kept.push(was));
    for (const owner of ['amy', 'amy', 'ben', 'amy']) await notebooks.of(student(owner), NEVER);
    expect(kept).toEqual([false, true, false, true]);
  });

  test('is copied at once if the index of the school changes in every pause', async () => {
    // So slow that there is a pause after each step.
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 10;
      return now;
    });
    onTestFinished(() => clock.mockRestore());
    const cards = school();
    for (const card of unchanged(200)) cards.set(card);
    const notebooks = indexesOf(cards);
    const copying = notebooks.of(student('amy'), NEVER);
    let isCopied = false;
    copying.finally(() => {
      isCopied = true;
    });
    let changes = 0;
    for (; !isCopied; changes += 1) {
      cards.set(cardOf({ tenantId: 'north', id: `more-${changes}`, ownerId: 'amy', revision: 2 }));
      await nextTurn();
    }
    expect(changes).toBeGreaterThan(10);
    expect((await copying).size).toBe(200);
    const own = [...cards.cards.values()];
    expect(sayings(await notebooks.of(student('amy'), NEVER))).toEqual(sayings(anew(own)));
  });

  test('is built once for concurrent searches', async () => {
    const cards = school();
    const notebooks = indexesOf(cards);
    cards.set(cardOf({ tenantId: 'north', id: '1', ownerId: 'amy' }));
    const found = await Promise.all([1, 2, 3].map(() => notebooks.of(student('amy'), NEVER)));
    expect(new Set(found).size).toBe(1);
  });

  test('is updated again after a failed read', async () => {
    const cards = school();
    for (const card of unchanged(30)) cards.set(card);
    let fails = true;
    const byIds: School['byIds'] = (...args) => (fails ? Promise.reject(new Error('away')) : cards.byIds(...args));
    const notebooks = indexesOf({ ...cards, byIds });
    await notebooks.of(student('amy'), NEVER);
    cards.set(cardOf({ tenantId: 'north', id: '1', ownerId: 'amy' }));
    await expect(notebooks.of(student('amy'), NEVER)).rejects.toThrow('away');
    fails = false;
    expect((await notebooks.of(student('amy'), NEVER)).size).toBe(31);
  });

  test('does not delay a search beyond its deadline', async () => {
    const cards = { ...school(), byIds: () => new Promise<never>(() => undefined) };
    for (const card of unchanged(30)) cards.set(card);
    const notebooks = indexesOf(cards);
    await notebooks.of(student('amy'), NEVER);
    cards.set(cardOf({ tenantId: 'north', id: '1', ownerId: 'amy' }));
    const deadline = new AbortController();
    const waiting = notebooks.of(student('amy'), deadline.signal);
    deadline.abort(new Error('too late'));
    await expect(waiting).rejects.toThrow('too late');
  });

  test('is evicted if it is the least recently used', async () => {
    const cards = school();
    const notebooks = indexesOf(cards);
    cards.set(cardOf({ tenantId: 'north', id: '1', ownerId: 'amy' }));
    const first = await notebooks.of(student('amy'), NEVER);
    for (let other = 0; other < 20; other++) await notebooks.of(student(`student-${other}`), NEVER);
    expect(await notebooks.of(student('amy'), NEVER)).toBe(first);
    for (let other = 0; other < 500; other++) await notebooks.of(student(`student-${other}`), NEVER);
    expect(await notebooks.of(student('amy'), NEVER)).not.toBe(first);
  });
});

describe('indexes of owners', () => {
  test('are evicted too while the index of the school cannot be loaded', async () => {
    const asked: boolean[] = [];
    const load = () => Promise.reject(new Error('away'));
    const parts = { tenants: { load }, cards: school(), analyse: literalWords };
    const notebooks = new ViewerIndexes({ ...parts, onAsked: (cached) => asked.push(cached) });
    const amy = () => notebooks.of(student('amy'), NEVER).catch(() => undefined);
    await amy();
    for (let other = 0; other < 500; other++) await notebooks.of(student(`${other}`), NEVER).catch(() => undefined);
    await amy();
    expect(asked.at(-1)).toBe(false);
  });
});

describe('the index of a viewer', () => {
  test('contains the cards of one owner, or all of the tenant if the viewer may see these', async () => {
    const cards = school();
    cards.set(cardOf({ tenantId: 'north', id: '1', ownerId: 'amy', topicTags: ['mine'] }));
    cards.set(cardOf({ tenantId: 'north', id: '2', ownerId: 'ben', topicTags: ['x'] }));
    const indexes = indexesOf(cards);
    expect((await indexes.of(student('amy'), NEVER)).cards.ids()).toEqual(['1']);
    expect((await indexes.of({ ...student('amy'), role: 'admin' }, NEVER)).cards.ids()).toEqual(['1', '2']);
  });
});
