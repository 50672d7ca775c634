import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SyncChange } from '../../../src/domain/ports/sync.js';
import { MatchingChanges } from '../../../src/domain/watch.js';
import { cardOf } from '../../support/generators.js';

/** What becomes of a card: it is written so that it matches or does not, or it is deleted. */
const stepArb = fc.record({
  cardId: fc.constantFrom('a', 'b', 'c', 'd'),
  become: fc.constantFrom('matching' as const, 'other' as const, 'deleted' as const),
});

interface State {
  readonly matches: boolean;
  readonly revision: number;
}

/** The cards of a school, and what the sync feed returns of each change. */
class School {
  readonly cards = new Map<string, State>();

  change({ cardId, become }: { cardId: string; become: 'matching' | 'other' | 'deleted' }): SyncChange | null {
    const before = this.cards.get(cardId);
    if (become === 'deleted') {
      if (before === undefined) return null;
      this.cards.delete(cardId);
      return changeOf(cardId, 'REMOVED', before.revision);
    }
    const revision = (before?.revision ?? 0) + 1;
    this.cards.set(cardId, { matches: become === 'matching', revision });
    return changeOf(cardId, become === 'matching' ? 'SAVED' : 'UNMATCHED', revision);
  }

  get matching(): ReadonlySet<string> {
    return new Set([...this.cards].filter(([, { matches }]) => matches).map(([id]) => id));
  }
}

function changeOf(cardId: string, kind: SyncChange['kind'], revision: number): SyncChange {
  const card = kind === 'REMOVED' ? null : cardOf({ id: cardId, revision });
  return { cardId, kind, card, revision, changedAt: new Date(0), mergedInto: null };
}

describe('a subscriber with a filter', () => {
  test.each([1, 10_000])('has exactly the cards that match, whatever was before, remembering %i cards', (maxKnown) => {
    const steps = fc.array(stepArb, { maxLength: 30 });
    fc.assert(
      fc.property(steps, steps, (earlier, later) => {
        const school = new School();
        for (const step of earlier) school.change(step);
        const copy = new Set(school.matching);
        const matching = new MatchingChanges(maxKnown);
        for (const step of later) {
          const change = school.change(step);
          const told = change && matching.told(change);
          if (told?.kind === 'SAVED') copy.add(told.cardId);
          else if (told !== null) copy.delete(told.cardId);
          if (told !== null && told.kind !== 'SAVED') expect(told.card).toBeNull();
        }
        expect(copy).toEqual(school.matching);
      }),
    );
  });

  test('is told of no card that is new and does not match, nor twice that one does not match', () => {
    const matching = new MatchingChanges();
    const kinds = (changes: readonly SyncChange[]) => changes.map((change) => matching.told(change)?.kind ?? null);
    expect(
      kinds([
        changeOf('new', 'UNMATCHED', 1),
        changeOf('new', 'UNMATCHED', 2),
        changeOf('new', 'REMOVED', 2),
        changeOf('old', 'UNMATCHED', 7),
        changeOf('old', 'REMOVED', 7),
        changeOf('back', 'SAVED', 3),
        changeOf('back', 'REMOVED', 3),
      ]),
    ).toEqual([null, null, null, 'UNMATCHED', null, 'SAVED', 'REMOVED']);
  });
});
