import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { perspectiveTexts } from '../../../src/domain/card.js';
import { byPerspective, PERSPECTIVES } from '../../../src/domain/perspective.js';
import type { SearchOperation } from '../../../src/domain/search.js';
import { atOnce } from '../../../src/domain/steps.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import {
  cardQuerySteps,
  expandedBy,
  type Query,
  textQuerySteps,
  withoutExpansion,
} from '../../../src/search/query/query.js';
import { cardOf, cardsArb, requestOf, textArb } from '../../support/generators.js';
import { literalWords } from '../../support/memory-ports.js';

const index = new LexicalIndex(literalWords);
index.set(cardOf({ id: 'a', questionText: 'area of a circle', topicTags: ['circles'], errorTypes: ['forgot pi'] }));
index.set(cardOf({ id: 'b', questionText: 'speed of a train', topicTags: ['motion'] }));

const vectors = byPerspective(() => []);
const plain = { keywords: [], expand: false };
const wordsArb = fc.array(fc.constantFrom('circle', 'round', 'area', 'train', 'sign error'), { maxLength: 4 });

/** A source of synonyms that always says the same, and keeps what it was asked. */
function synonymsOf(...words: readonly string[]) {
  const asked: string[] = [];
  return {
    asked,
    of: (text: string): readonly string[] => {
      asked.push(text);
      return words;
    },
    said: (): readonly string[] => [],
  };
}

function queryOf(text: string, words: Parameters<typeof textQuerySteps>[3], synonyms = synonymsOf()): Query {
  return atOnce(textQuerySteps({ index, synonyms }, text, vectors, words));
}

test('queries are read in steps: long texts take a tenth of a second', () => {
  const card = cardOf({ id: 'a', questionText: 'area of a circle', goldSolutionBrief: 'pi r r' });
  const words = { keywords: [], expand: true };
  const parts = { index, synonyms: synonymsOf() };
  expect([...cardQuerySteps(parts, card, vectors, words)].length).toBeGreaterThanOrEqual(8);
  expect([...textQuerySteps(parts, 'area of a circle', vectors, words)].length).toBeGreaterThanOrEqual(4);
});

describe('the query of a text', () => {
  test('is about the labels that a synonym of its words names, the less the longer the text is', () => {
    const expanding = { keywords: [], expand: true };
    const scoreOf = (text: string, words: typeof expanding): number => {
      const { concept } = queryOf(text, words, synonymsOf('circles')).labels;
      const likely = concept.kind === 'inferred' ? concept.labels : [];
      return likely.find(({ label }) => label === 'circles')?.score ?? 0;
    };
    const alone = scoreOf('圆', expanding);
    expect(alone).toBeGreaterThan(0.2);
    expect(scoreOf('k l m n o p q r s t u v', expanding)).toBeCloseTo(alone / 2, 9);
    expect(scoreOf('圆', { ...expanding, expand: false })).toBe(0);
  });

  test('gives a label that only a synonym names a share of the name, as of the score', () => {
    const { concept } = queryOf('圆', { keywords: [], expand: true }, synonymsOf('circles')).labels;
    const circles = concept.kind === 'inferred' ? concept.labels.find(({ label }) => label === 'circles') : undefined;
    expect(circles?.named).toBeGreaterThan(0);
    expect(circles?.named).toBeLessThan(1);
  });

  test.each([
    ['hybridSearch', 'question'],
    ['byConcept', 'concept'],
    ['byError', 'error'],
    ['similarQuestions', null],
    ['bySolution', null],
  ] as const)('%s compares it with all texts of a card as one in the lane %s', (operation, combined) => {
    const asked = requestOf({ operation });
    const query = (text: string) =>
      atOnce(textQuerySteps({ index, synonyms: synonymsOf(), asked }, text, vectors, plain));
    const words = (count: number): string => Array.from({ length: count }, (_, at) => `w${at}`).join(' ');
    expect(query(words(16)).combined).toBe(combined);
    // A long text is no description of an error, but a question with its answer.
    expect(query(words(17)).combined).toBe(operation === 'byError' ? null : combined);
  });

  test('is not compared with all texts of a card where these would be avoided', () => {
    const combined = (operation: SearchOperation) => {
      const asked = requestOf({ operation, avoid: { question: 1, solution: 0, concept: 0, error: 0 } });
      return atOnce(textQuerySteps({ index, synonyms: synonymsOf(), asked }, 'circle', vectors, plain)).combined;
    };
    expect([combined('hybridSearch'), combined('byError')]).toEqual([null, 'error']);
  });

  test('asks every perspective with the words of the text', () => {
    const { terms, text, card, added } = queryOf('area of a circle', plain);
    expect(terms).toEqual(byPerspective(() => ['area', 'of', 'a', 'circle']));
    expect({ text, card, added }).toEqual({ text: 'area of a circle', card: null, added: [] });
  });

  test('counts each keyword as if the text said it twice', () => {
    fc.assert(
      fc.property(textArb, wordsArb, (text, keywords) => {
        const count = (words: readonly string[]): Map<string, number> => {
          const counts = new Map<string, number>();
          for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
          return counts;
        };
        const { terms } = queryOf(text, { keywords, expand: false });
        const said = [text, ...keywords, ...keywords].flatMap(literalWords);
        for (const perspective of PERSPECTIVES) expect(count(terms[perspective])).toEqual(count(said));
      }),
    );
  });

  test('infers its labels from its words and its keywords', () => {
    const labels = (query: Query) => ({ concept: namesOf(query, 'concept'), error: namesOf(query, 'error') });
    expect(labels(queryOf('circle', plain))).toEqual({ concept: ['circles'], error: ['forgot pi'] });
    expect(labels(queryOf('?', { keywords: ['train'], expand: false }))).toEqual({ concept: ['motion'], error: [] });
  });
});

describe('the query of a card', () => {
  test('asks each perspective with the words of the card there, and none where it has none', () => {
    fc.assert(
      fc.property(cardsArb(1), wordsArb, ([card], keywords) => {
        if (card === undefined) throw new Error('no card');
        const { terms } = atOnce(
          cardQuerySteps({ index, synonyms: synonymsOf() }, card, vectors, { keywords, expand: false }),
        );
        const texts = perspectiveTexts(card);
        for (const perspective of PERSPECTIVES) {
          const own = texts[perspective].flatMap(literalWords);
          const said = [...keywords, ...keywords].flatMap(literalWords);
          expect(terms[perspective]).toEqual(own.length === 0 ? [] : [...own, ...said]);
        }
      }),
    );
  });

  test('knows the labels that the card has, and infers those that it lacks from its question and solutions', () => {
    const card = cardOf({ id: 'q', questionText: 'a train', goldSolutionBrief: 'circle', topicTags: ['trains'] });
    const query = atOnce(cardQuerySteps({ index, synonyms: synonymsOf() }, card, vectors, plain));
    expect(query.labels.concept).toEqual({ kind: 'known', labels: ['trains'], unshared: ['trains'] });
    expect(namesOf(query, 'error')).toEqual(['forgot pi']);
  });

  test('names the card and its question, for those who compare more of it', () => {
    const card = cardOf({ id: 'q', questionText: 'a train' });
    const query = atOnce(
      cardQuerySteps({ index, synonyms: synonymsOf() }, card, vectors, { keywords: ['speed'], expand: false }),
    );
    expect(query.card).toBe(card);
    expect(query.text).toBe('a train speed');
  });
});

describe('expansion', () => {
  test('adds the synonyms of the text and its keywords beside its own words, and says which', () => {
    const synonyms = synonymsOf('round', 'disc');
    const { terms, expanded, added } = queryOf('circle', { keywords: ['area'], expand: true }, synonyms);
    expect(synonyms.asked[0]).toBe('circle area');
    expect(added).toEqual(['round', 'disc']);
    expect(terms).toEqual(byPerspective(() => ['circle', 'area', 'area']));
    expect(expanded).toEqual(byPerspective(() => ['circle', 'area', 'area', 'round', 'disc']));
  });

  test('asks for no synonym where the query may not be expanded', () => {
    const synonyms = synonymsOf('round');
    const { expanded, added } = queryOf('circle', plain, synonyms);
    expect({ asked: synonyms.asked, expanded, added }).toEqual({
      asked: [],
      expanded: byPerspective(() => []),
      added: [],
    });
  });

  test('gives a card no words in a perspective in which it says nothing', () => {
    const card = cardOf({ id: 'q', questionText: 'circle' });
    const parts = { index, synonyms: synonymsOf('round') };
    const { expanded } = atOnce(cardQuerySteps(parts, card, vectors, { keywords: [], expand: true }));
    expect(expanded).toEqual({ question: ['circle', 'round'], solution: [], concept: [], error: [] });
  });

  test('adds every word once, never one that the query has, and keeps what was added before', () => {
    fc.assert(
      fc.property(textArb, wordsArb, wordsArb, (text, first, second) => {
        const query = queryOf(text, { keywords: [], expand: true }, synonymsOf(...first));
        const again = expandedBy(index, query, second);
        const expected = [...new Set([...first, ...second])].filter((word) => !text.includes(word));
        expect(again.added).toEqual(expected);
        const own = literalWords(text);
        const more = expected.flatMap(literalWords);
        for (const perspective of PERSPECTIVES) {
          expect(again.terms[perspective]).toEqual(own);
          expect(again.expanded[perspective]).toEqual(more.length === 0 ? [] : [...own, ...more]);
        }
      }),
    );
  });

  test('can be taken back', () => {
    const expanded = queryOf('circle', { keywords: ['area'], expand: true }, synonymsOf('round'));
    const bare = queryOf('circle', { keywords: ['area'], expand: true });
    expect(withoutExpansion(expanded)).toEqual(bare);
  });
});

/** The names of the labels that were inferred; none that the query knew. */
function namesOf({ labels }: Query, perspective: 'concept' | 'error'): readonly string[] {
  const found = labels[perspective];
  return found.kind === 'inferred' ? found.labels.map(({ label }) => label) : [];
}
