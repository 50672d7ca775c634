import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Card } from '../../../src/domain/card.js';
import { PERSPECTIVES } from '../../../src/domain/perspective.js';
import type { OwnCards } from '../../../src/domain/ports/cards.js';
import { LABEL_PERSPECTIVES } from '../../../src/domain/search.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { LexicalIndexes } from '../../../src/lexical/indexes.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { ViewerIndexes } from '../../../src/search/viewer-indexes.js';
import { cardOf } from '../../support/generators.js';
import { among, literalWords } from '../../support/memory-ports.js';

/** What was kept is looked at in a test of its own. */
const onAsked = (): void => undefined;
const NEVER = new AbortController().signal;
const EVERY = { terms: [], text: 'question' } as const;
const tenants = new LexicalIndexes(literalWords);
const student = (ownerId: string): Viewer => ({ tenantId: 'north', ownerId, role: 'student' });

interface School extends OwnCards {
  readonly cards: Map<string, Card>;
  /** The ids that were read, a list a call. */
  readonly read: string[][];
}

const versionOf = ({ revision, updatedAt }: Card): string => `${revision}@${updatedAt.getTime()}`;

function school(): School {
  const cards = new Map<string, Card>();
  const read: string[][] = [];
  const of = ({ tenantId, ownerId }: Viewer): Map<string, Card> =>
    new Map([...cards].filter(([, card]) => card.tenantId === tenantId && card.ownerId === ownerId));
  return {
    cards,
    read,
    state: async (viewer) => JSON.stringify([...of(viewer)].map(([id, card]) => [id, versionOf(card)])),
    versions: async (viewer) => new Map([...of(viewer)].map(([id, card]) => [id, versionOf(card)])),
    byIds: async (viewer, ids) => {
      read.push([...ids].sort());
      return among(of(viewer), ids);
    },
  };
}

/** Everything that an index says of a few words. */
function sayings(index: LexicalIndex): unknown {
  const words = ['a', 'b', 'c', 'd', 'a'];
  return [
    index.size,
    PERSPECTIVES.map((perspective) => index.search(perspective, words, 50)),
    LABEL_PERSPECTIVES.map((perspective) => index.likelyLabels(perspective, words, 50)),
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
  deleted: fc.boolean(),
  revision: fc.integer({ min: 1, max: 3 }),
});

describe("a student's notebook", () => {
  test('says after any changes what one made anew from the own cards alone would say', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 6 }),
      async (rounds) => {
        const cards = school();
        const notebooks = new ViewerIndexes({ tenants, cards, analyse: literalWords, onAsked });
        let moment = 0;
        for (const changes of rounds) {
          for (const { deleted, ...given } of changes) {
            moment += 1;
            if (deleted) cards.cards.delete(given.id);
            else cards.cards.set(given.id, cardOf({ tenantId: 'north', ...given, updatedAt: new Date(moment) }));
          }
          for (const owner of ['amy', 'ben']) {
            const own = [...cards.cards.values()].filter(({ ownerId }) => ownerId === owner);
            expect(sayings(await notebooks.of(student(owner), NEVER))).toEqual(sayings(anew(own)));
          }
        }
      },
    );
    await fc.assert(property, { numRuns: 100 });
  });

  test('reads a card once, and again when it has changed', async () => {
    const cards = school();
    const notebooks = new ViewerIndexes({ tenants, cards, analyse: literalWords, onAsked });
    for (const id of ['1', '2']) cards.cards.set(id, cardOf({ tenantId: 'north', id, ownerId: 'amy' }));
    await notebooks.of(student('amy'), NEVER);
    await notebooks.of(student('amy'), NEVER);
    cards.cards.set('2', cardOf({ tenantId: 'north', id: '2', ownerId: 'amy', revision: 2 }));
    await notebooks.of(student('amy'), NEVER);
    expect(cards.read).toEqual([['1', '2'], ['2']]);
  });

  test('loses a card that a search has read since and that is gone again', async () => {
    const cards = school();
    const notebooks = new ViewerIndexes({ tenants, cards, analyse: literalWords, onAsked });
    const index = await notebooks.of(student('amy'), NEVER);
    index.set(cardOf({ tenantId: 'north', id: '1', ownerId: 'amy', questionText: 'a' }));
    expect(sayings(await notebooks.of(student('amy'), NEVER))).toEqual(sayings(anew([])));
  });

  test('says of each search whether it was kept', async () => {
    const kept: boolean[] = [];
    const notebooks = new ViewerIndexes({
      tenants,
      cards: school(),
      analyse: literalWords,
      onAsked: (was) => kept.push(was),
    });
    for (const owner of ['amy', 'amy', 'ben', 'amy']) await notebooks.of(student(owner), NEVER);
    expect(kept).toEqual([false, true, false, true]);
  });

  test('is made once for searches that come at once', async () => {
    const cards = school();
    const notebooks = new ViewerIndexes({ tenants, cards, analyse: literalWords, onAsked });
    cards.cards.set('1', cardOf({ tenantId: 'north', id: '1', ownerId: 'amy' }));
    const found = await Promise.all([1, 2, 3].map(() => notebooks.of(student('amy'), NEVER)));
    expect(new Set(found).size).toBe(1);
    expect(cards.read).toEqual([['1']]);
  });

  test('is followed again after a read that failed', async () => {
    const cards = school();
    cards.cards.set('1', cardOf({ tenantId: 'north', id: '1', ownerId: 'amy' }));
    let fails = true;
    const notebooks = new ViewerIndexes({
      tenants,
      cards: { ...cards, byIds: (...args) => (fails ? Promise.reject(new Error('away')) : cards.byIds(...args)) },
      analyse: literalWords,
      onAsked,
    });
    await expect(notebooks.of(student('amy'), NEVER)).rejects.toThrow('away');
    fails = false;
    expect((await notebooks.of(student('amy'), NEVER)).size).toBe(1);
  });

  test('does not keep a search beyond its deadline', async () => {
    const cards = { ...school(), versions: () => new Promise<never>(() => undefined) };
    const notebooks = new ViewerIndexes({ tenants, cards, analyse: literalWords, onAsked });
    const deadline = new AbortController();
    const waiting = notebooks.of(student('amy'), deadline.signal);
    deadline.abort(new Error('too late'));
    await expect(waiting).rejects.toThrow('too late');
  });

  test('gives way to others when it was not asked for a long time', async () => {
    const cards = school();
    const notebooks = new ViewerIndexes({ tenants, cards, analyse: literalWords, onAsked });
    cards.cards.set('1', cardOf({ tenantId: 'north', id: '1', ownerId: 'amy' }));
    const first = await notebooks.of(student('amy'), NEVER);
    for (let other = 0; other < 20; other++) await notebooks.of(student(`student-${other}`), NEVER);
    expect(await notebooks.of(student('amy'), NEVER)).toBe(first);
    for (let other = 0; other < 500; other++) await notebooks.of(student(`student-${other}`), NEVER);
    expect(await notebooks.of(student('amy'), NEVER)).not.toBe(first);
    expect(cards.read).toEqual([['1'], ['1']]);
  });
});

describe('the index of a viewer', () => {
  test("who may see one owner's cards alone has these, and of one who may see all, all of the tenant's", async () => {
    const cards = school();
    cards.cards.set('1', cardOf({ tenantId: 'north', id: '1', ownerId: 'amy', topicTags: ['mine'] }));
    const tenant = cardOf({ tenantId: 'north', id: '2', ownerId: 'ben', topicTags: ['x'] });
    const tenants = new LexicalIndexes(literalWords);
    tenants.set('north', [tenant]);
    const indexes = new ViewerIndexes({ tenants, cards, analyse: literalWords, onAsked });
    expect((await indexes.of(student('amy'), NEVER)).cardIds()).toEqual(['1']);
    expect((await indexes.of({ ...student('amy'), role: 'admin' }, NEVER)).cardIds()).toEqual(['2']);
  });
});
