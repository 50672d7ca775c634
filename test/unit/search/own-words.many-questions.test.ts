import { beforeAll, describe, expect, test } from 'vitest';
import { sampleNotebook } from '../../../bench/card-files.js';
import { memoryEngine } from '../../../bench/memory-engine.js';
import { goldenCases, ownWords, type Shares } from '../../../bench/own-words.js';

let shares: Shares;
beforeAll(async () => {
  shares = await ownWords(await memoryEngine(await sampleNotebook()));
});

function shareOf(kind: string): number {
  const { cases, ids } = shares[kind] ?? { cases: 0, ids: [] };
  return ids.length / cases;
}

// What is reached; `npm run bench -- own-words --cases` names the cases that fail. Raise these with the search.
describe("students' own words about the sample notebook", () => {
  test.each([
    ['train: answered', 0.86],
    ['test: answered', 0.82],
    ['cross-language: found', 0.9],
    ['reworded: found', 0.06],
  ])('%s: at least %d', (kind, least) => {
    expect(shareOf(kind)).toBeGreaterThanOrEqual(least);
  });

  test.each([
    ['train: filler', 0.2],
    ['test: filler', 0.08],
  ])('%s: at most %d', (kind, most) => {
    expect(shareOf(kind)).toBeLessThanOrEqual(most);
  });
});

describe('the golden sets of own words', () => {
  test('name cards of the sample alone', async () => {
    const ids = new Set((await sampleNotebook()).map(({ id }) => id));
    const cases = [...(await goldenCases('descriptions.jsonl')), ...(await goldenCases('paraphrases.jsonl'))];
    for (const { id, judgements } of cases)
      for (const { cardId } of judgements)
        expect({ id, cardId, known: ids.has(cardId) }).toMatchObject({ known: true });
  });

  test('are divided by the number of a case: odd ones are for development, even ones for the test', async () => {
    for (const { id } of await goldenCases('descriptions.jsonl')) {
      expect(id).toMatch(/^(?:train-\d\d[13579]|test-\d\d[02468])$/);
    }
  });

  test('a third of the descriptions has no answer, in both halves alike', () => {
    expect(Object.entries(shares).map(([kind, { cases }]) => [kind, cases])).toEqual([
      ['train: answered', 50],
      ['test: answered', 50],
      ['train: filler', 25],
      ['test: filler', 25],
      ['cross-language: found', 30],
      ['reworded: found', 30],
    ]);
  });
});
