import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UnavailableError } from '../../../src/domain/errors.js';
import { type Embedder, type ModelIdentity, modelKey } from '../../../src/domain/ports/models.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { Engine } from '../../../src/search/engine.js';
import { live, partsOf } from '../../support/engine-world.js';
import { cardOf, requestOf } from '../../support/generators.js';
import { literalEmbedder, sourceOf } from '../../support/memory-ports.js';

const signal = new AbortController().signal;

/** Models that differ in as little as one part of their identity. */
const identityArb = fc.record<ModelIdentity>({
  name: fc.constantFrom('tiny/first', 'tiny/second', 'openai:third'),
  dims: fc.constantFrom(16, 17),
  dtype: fc.constantFrom('fp32', 'q8'),
  version: fc.integer({ min: 1, max: 2 }),
});

/** An embedder that remembers that it was asked. */
function embedderOf(model: ModelIdentity, asked: string[]): Embedder {
  return {
    ...literalEmbedder,
    model,
    embed: (...args) => {
      asked.push(modelKey(model));
      return literalEmbedder.embed(...args);
    },
  };
}

describe('vectors of two models, number formats or lengths', () => {
  test('never meet: whatever models there are, a query is embedded by that of the index, or by none', async () => {
    const cards = [cardOf({ id: 'a', questionText: 'one' }), cardOf({ id: 'b', questionText: 'two' })];
    const models = fc.uniqueArray(identityArb, { minLength: 1, maxLength: 6, selector: modelKey });
    // A card that is stored and not indexed yet is embedded for its own search, as a text is.
    const subjects = fc.constantFrom(
      { kind: 'text', text: 'one' } as const,
      { kind: 'card', cardId: 'new' } as const,
      { kind: 'card', cardId: 'a' } as const,
    );
    // With 0, only vectors are compared.
    const shares = fc.constantFrom(0, 0.5, 1);
    await fc.assert(
      fc.asyncProperty(models, identityArb, subjects, shares, async ([current, ...others], ofIndex, subject, share) => {
        const asked: string[] = [];
        const known = [current as ModelIdentity, ...others].map((model) => embedderOf(model, asked));
        const [first = literalEmbedder, ...rest] = known;
        const world = {
          cards,
          pending: [cardOf({ id: 'new', questionText: 'one two' })],
          generation: { ...live, modelKey: modelKey(ofIndex) },
        };
        const engine = new Engine({ ...(await partsOf(world)), embedders: sourceOf(first, ...rest) });
        const searching = engine.search(DEFAULT_VIEWER, requestOf({ subject, lexicalShare: share }), signal);
        if (known.some(({ model }) => modelKey(model) === modelKey(ofIndex))) {
          const { receipt } = await searching;
          expect(receipt).toMatchObject({ embeddingModel: modelKey(ofIndex), degraded: [] });
        } else if (share > 0) {
          expect((await searching).receipt.degraded).toMatchObject([{ part: 'index' }]);
        } else await expect(searching).rejects.toThrow(UnavailableError);
        expect(asked.filter((key) => key !== modelKey(ofIndex))).toEqual([]);
      }),
    );
  });
});
