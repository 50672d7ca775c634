import { describe, expect, test } from 'vitest';
import { hashOf, type Passage } from '../../../src/domain/passages.js';
import { type ByPerspective, byPerspective } from '../../../src/domain/perspective.js';
import { changesOf } from '../../../src/indexing/changes.js';
import type { StoredPassages } from '../../../src/indexing/held.js';
import { cardOf } from '../../support/generators.js';
import { vectorOf } from '../../support/memory-ports.js';

const card = cardOf({ id: 'a', revision: 2 });
const places = (changes: readonly { perspective: string; passage: number }[]): readonly string[] =>
  changes.map(({ perspective, passage }) => `${perspective} ${passage}`);

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

describe('changesOf', () => {
  test('embeds everything for an empty index', () => {
    const changes = changesOf(card, passages({ question: ['q1', 'q2'], concept: ['c'] }), held({}));
    expect(places(changes.embed)).toEqual(['question 0', 'question 1', 'concept 0']);
    expect(changes.keep).toEqual([]);
    expect(changes.remove).toEqual([]);
  });

  test('embeds only the texts that changed, and keeps the vectors of the others', () => {
    const now = passages({ question: ['q1', 'new'], solution: ['s'], error: ['e'] });
    const changes = changesOf(card, now, held({ question: ['q1', 'q2'], solution: ['s'], error: ['e'] }));
    expect(changes.embed).toEqual([{ perspective: 'question', passage: 1, text: 'new', contentHash: hashOf('new') }]);
    expect(places(changes.keep)).toEqual(['question 0', 'solution 0', 'error 0']);
    for (const { contentHash, vector, perspective } of changes.keep) {
      const text = { question: 'q1', solution: 's', concept: '', error: 'e' }[perspective];
      expect(contentHash).toBe(hashOf(text));
      expect(vector).toEqual(vectorOf(text));
    }
    expect(changes.remove).toEqual([]);
  });

  test('embeds a text again that has moved, because its record has another id', () => {
    const changes = changesOf(card, passages({ solution: ['new', 's'] }), held({ solution: ['s'] }));
    expect(places(changes.embed)).toEqual(['solution 0', 'solution 1']);
  });

  test('removes records behind the last passage, last first, and those of perspectives without text', () => {
    const before = held({ question: ['q1', 'q2', 'q3'], concept: ['c'] });
    const changes = changesOf(card, passages({ question: ['q1'] }), before);
    expect(changes.remove).toEqual([
      { perspective: 'question', recordId: 'a#2' },
      { perspective: 'question', recordId: 'a#1' },
      { perspective: 'concept', recordId: 'a#0' },
    ]);
    expect(changes.embed).toEqual([]);
  });

  test('returns the current hashes of the passages for the ledger', () => {
    const changes = changesOf(card, passages({ question: ['q1', 'q2'] }), held({ question: ['other'] }));
    expect(changes.passages).toEqual({
      question: [hashOf('q1'), hashOf('q2')],
      solution: [],
      concept: [],
      error: [],
    });
  });
});
