import { describe, expect, test } from 'vitest';
import { hashOf, type Passage } from '../../../src/domain/passages.js';
import { type ByPerspective, byPerspective, PERSPECTIVES } from '../../../src/domain/perspective.js';
import { type CardChanges, changesOf, type StoredPassages } from '../../../src/indexing/stored-passages.js';
import { cardOf } from '../../support/generators.js';
import { vectorOf } from '../../support/memory-ports.js';

const card = cardOf({ id: 'a', revision: 2 });

/** The passages that are embedded, or those that are not. */
function places({ passages }: CardChanges, isStored: boolean): readonly string[] {
  return PERSPECTIVES.flatMap((perspective) =>
    passages[perspective].flatMap(({ stored }, passage) =>
      (stored !== null) === isStored ? [`${perspective} ${passage}`] : [],
    ),
  );
}

function passages(texts: Partial<ByPerspective<readonly string[]>>): ByPerspective<readonly Passage[]> {
  return byPerspective((perspective) =>
    (texts[perspective] ?? []).map((text) => ({ text, contentHash: hashOf(text) })),
  );
}

function held(texts: Partial<ByPerspective<readonly string[]>>): StoredPassages {
  return byPerspective(
    (perspective) =>
      new Map(
        (texts[perspective] ?? []).map((text, place) => [
          place,
          { contentHash: hashOf(text), revision: 1, vector: vectorOf(text) },
        ]),
      ),
  );
}

const NONE = { question: [], solution: [], concept: [], error: [] };

describe('changesOf', () => {
  test('embeds everything for an empty index', () => {
    const changes = changesOf(card, passages({ question: ['q1', 'q2'], concept: ['c'] }), held({}));
    expect(places(changes, false)).toEqual(['question 0', 'question 1', 'concept 0']);
    expect(places(changes, true)).toEqual([]);
    expect(changes.surplus).toEqual(NONE);
  });

  test('embeds only the texts that changed, and keeps the vectors of the others', () => {
    const now = passages({ question: ['q1', 'new'], solution: ['s'], error: ['e'] });
    const changes = changesOf(card, now, held({ question: ['q1', 'q2'], solution: ['s'], error: ['e'] }));
    expect(places(changes, false)).toEqual(['question 1']);
    for (const perspective of PERSPECTIVES) {
      for (const { text, contentHash, stored } of changes.passages[perspective]) {
        expect(contentHash).toBe(hashOf(text));
        expect(stored?.vector).toEqual(text === 'new' ? undefined : vectorOf(text));
      }
    }
    expect(changes.surplus).toEqual(NONE);
  });

  test('embeds a text again that has moved, because its record has another id', () => {
    const changes = changesOf(card, passages({ solution: ['new', 's'] }), held({ solution: ['s'] }));
    expect(places(changes, false)).toEqual(['solution 0', 'solution 1']);
  });

  test('removes records behind the last passage, last first, and those of perspectives without text', () => {
    const before = held({ question: ['q1', 'q2', 'q3'], concept: ['c'] });
    const changes = changesOf(card, passages({ question: ['q1'] }), before);
    expect(changes.surplus).toEqual({ ...NONE, question: ['a#2', 'a#1'], concept: ['a#0'] });
    expect(places(changes, false)).toEqual([]);
  });
});
