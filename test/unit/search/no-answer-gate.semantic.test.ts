import { describe, expect, test } from 'vitest';
import { searchIn } from '../../support/engine-world.js';
import { literalEmbedder } from '../../support/memory-ports.js';
import { asking, worldOf } from './similar-questions.js';

/** Cards without a word of the text, most of them at a cosine of `others` to it and one at `best`. */
function searchFor(text: string, others: number, best: number, lowestCosine: number | null = null) {
  const cards = Array.from({ length: 200 }, (_, place) => [`card-${place}`, others] as const);
  const world = worldOf({ ...Object.fromEntries(cards), best });
  const embed = async (texts: readonly string[]): Promise<Float32Array[]> =>
    texts.map((one) => world.vectorOf?.(one === text ? 'q' : one) as Float32Array);
  const embedder = { ...literalEmbedder, maxChars: 100, lowestCosine, embed };
  return searchIn({ ...world, embedder }, asking({ subject: { kind: 'text', text }, thresholdSteps: null }));
}

/** So long that a cosine of .56 is more than two texts have in common by chance. */
const LONG = 'twelve words of which no card of this notebook has a single one';

describe('the no-answer gate of a semantic model', () => {
  test('closes for a text that shares no word, and whose best cosine is customary for unrelated texts', async () => {
    const { hits, receipt } = await searchFor('q', 0.3, 0.55);
    expect(hits).toEqual([]);
    expect(receipt).toMatchObject({ nothingClose: true, thresholdsTried: [] });
  });

  test('opens for one whose best cosine is that of related texts', async () => {
    expect((await searchFor('q', 0.3, 0.65)).receipt.nothingClose).toBe(false);
  });

  test("counts from the lowest cosine that the model's authors give", async () => {
    expect((await searchFor('q', 0.75, 0.78, 0.7)).receipt.nothingClose).toBe(true);
    expect((await searchFor('q', 0.75, 0.78)).receipt.nothingClose).toBe(false);
    expect((await searchFor('q', 0.75, 0.88, 0.7)).receipt.nothingClose).toBe(false);
    expect((await searchFor(LONG, 0.5, 0.56, 0.5)).receipt.nothingClose).toBe(true);
    expect((await searchFor(LONG, 0.5, 0.56)).receipt.nothingClose).toBe(false);
  });
});
