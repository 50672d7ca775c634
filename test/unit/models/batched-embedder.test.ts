import { getEventListeners } from 'node:events';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { writeEmbedder } from '../../../bench/tiny-models.js';
import { UnavailableError } from '../../../src/domain/errors.js';
import { Turns, type Urgency } from '../../../src/domain/turns.js';
import type { Backend, Embedded } from '../../../src/models/backend.js';
import { BatchedEmbedder } from '../../../src/models/batched-embedder.js';
import { EmbeddingCache } from '../../../src/models/embedding-cache.js';
import { deferred } from '../../support/deferred.js';
import { folderOfFile } from '../../support/folder.js';
import { closing, dot, localModel, never, newInference, tinyEmbedder } from '../../support/models.js';

const { path: folder } = await folderOfFile('models');
const close = closing();
const DIMS = 4;

/** What every text gets from the models below: one direction of four, by its first character. */
function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(DIMS);
  vector[(text.codePointAt(0) ?? 0) % DIMS] = 1;
  return vector;
}

interface Run {
  readonly texts: readonly string[];
  readonly urgency: Urgency;
}

/** A model that writes down its runs and answers a run when `gate` lets it. */
function backendOf(answer: (text: string) => Embedded = vectorOf, limits = { texts: 3, chars: 1_000 }) {
  const runs: Run[] = [];
  const gate = { open: Promise.resolve() };
  const backend: Backend = {
    turns: new Turns(1),
    runLimits: () => limits,
    run: async (texts, urgency) => {
      runs.push({ texts, urgency });
      await gate.open;
      return texts.map((text) => answer(text));
    },
  };
  /** Holds all runs until the returned function is called. */
  const hold = (): (() => void) => {
    const { promise, resolve } = deferred();
    gate.open = promise;
    return resolve;
  };
  return { backend, runs, hold };
}

let cache: EmbeddingCache;
let place = 0;
beforeEach(() => {
  place += 1;
  cache = close(new EmbeddingCache(join(folder, `cache-${place}`)));
  cache.open();
});

function embedderOf(backend: Backend, prefixOf: () => string = () => ''): BatchedEmbedder {
  const model = { name: 'literal', dims: DIMS, dtype: 'f32', version: 1 };
  return close(new BatchedEmbedder({ model, maxChars: 100, lowestCosine: null, prefixOf, backend, cache }));
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('texts of concurrent callers', () => {
  test('share one run, each text once, and each caller gets its own vectors', async () => {
    const { backend, runs } = backendOf();
    const embedder = embedderOf(backend);
    const [a, b, c] = await Promise.all([
      embedder.embed(['x', 'y'], 'query', 'question', never),
      embedder.embed(['y'], 'query', 'solution', never),
      embedder.embed(['z', 'x'], 'query', 'concept', never),
    ]);
    expect(runs).toEqual([{ texts: ['x', 'y', 'z'], urgency: 'interactive' }]);
    expect([a, b, c]).toEqual([[vectorOf('x'), vectorOf('y')], [vectorOf('y')], [vectorOf('z'), vectorOf('x')]]);
  });

  test('are batched while the model is busy', async () => {
    const { backend, runs, hold } = backendOf();
    const embedder = embedderOf(backend);
    const release = hold();
    const first = embedder.embed(['a'], 'query', 'question', never);
    await turn();
    await turn();
    const second = embedder.embed(['b'], 'query', 'question', never);
    await turn();
    const third = embedder.embed(['c'], 'query', 'question', never);
    await turn();
    release();
    await Promise.all([first, second, third]);
    expect(runs.map(({ texts }) => texts)).toEqual([['a'], ['b', 'c']]);
  });

  test('queries run before the indexer, between two of its runs', async () => {
    const { backend, runs, hold } = backendOf();
    const embedder = embedderOf(backend);
    const release = hold();
    const bulk = embedder.embed(['a', 'b', 'c', 'd', 'e', 'f'], 'passage', 'question', never);
    await turn();
    await turn();
    const query = embedder.embed(['q'], 'query', 'question', never);
    await turn();
    release();
    await Promise.all([bulk, query]);
    expect(runs.map(({ texts }) => texts.join(''))).toEqual(['abc', 'q', 'def']);
  });

  test('a run has no more characters than the model processes in time, but at least one text', async () => {
    const { backend, runs } = backendOf(vectorOf, { texts: 10, chars: 5 });
    await embedderOf(backend).embed(['aaa', 'bb', 'c', 'dddddddd', 'e'], 'passage', 'question', never);
    expect(runs.map(({ texts }) => texts)).toEqual([['aaa', 'bb'], ['c'], ['dddddddd'], ['e']]);
  });

  test('any mixture of callers gets the right vectors', async () => {
    const call = fc.record({
      texts: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { maxLength: 6 }),
      kind: fc.constantFrom('query' as const, 'passage' as const),
      wait: fc.nat(2),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 8 }), async (calls) => {
        const { backend } = backendOf();
        const embedder = embedderOf(backend);
        const answers = await Promise.all(
          calls.map(async ({ texts, kind, wait }) => {
            for (let turns = 0; turns < wait; turns += 1) await turn();
            return embedder.embed(texts, kind, 'question', never);
          }),
        );
        expect(answers).toEqual(calls.map(({ texts }) => texts.map(vectorOf)));
      }),
      { numRuns: 60 },
    );
  });

  test('an aborted caller is rejected at once and costs no run, without affecting others', async () => {
    const { backend, runs, hold } = backendOf();
    const embedder = embedderOf(backend);
    const release = hold();
    const first = embedder.embed(['a'], 'query', 'question', never);
    await turn();
    await turn();
    const gone = new AbortController();
    const aborted = embedder.embed(['b'], 'query', 'question', gone.signal);
    const stays = embedder.embed(['c'], 'query', 'question', never);
    await turn();
    gone.abort(new Error('too late'));
    await expect(aborted).rejects.toThrow('too late');
    release();
    expect(await stays).toEqual([vectorOf('c')]);
    await first;
    expect(runs.map(({ texts }) => texts)).toEqual([['a'], ['c']]);
  });
});

describe('the cache', () => {
  test('serves queries from memory, passages also from disk, and counts both', async () => {
    const { backend, runs } = backendOf();
    const embedder = embedderOf(backend);
    await embedder.embed(['a'], 'query', 'question', never);
    await embedder.embed(['a'], 'query', 'question', never);
    await embedder.embed(['p', 'q'], 'passage', 'question', never);
    expect(runs).toHaveLength(2);
    expect(embedder.cacheHits).toEqual({ hits: 1, misses: 3 });
    const restarted = embedderOf(backend);
    expect(await restarted.embed(['q', 'p', 'r'], 'passage', 'question', never)).toEqual(['q', 'p', 'r'].map(vectorOf));
    expect(runs.at(-1)?.texts).toEqual(['r']);
    expect(restarted.cacheHits).toEqual({ hits: 2, misses: 1 });
  });

  test('is not believed where its file was overwritten', async () => {
    const { backend, runs } = backendOf();
    vi.spyOn(cache, 'get').mockReturnValue(new Float32Array(DIMS));
    expect(await embedderOf(backend).embed(['x'], 'passage', 'question', never)).toEqual([vectorOf('x')]);
    expect(runs).toHaveLength(1);
  });

  test('distinguishes kinds and prefixes', async () => {
    const { backend, runs } = backendOf();
    const prefixes = { now: 'x' };
    const embedder = embedderOf(backend, () => prefixes.now);
    await embedder.embed(['a'], 'query', 'question', never);
    await embedder.embed(['a'], 'passage', 'question', never);
    prefixes.now = 'y';
    await embedder.embed(['a'], 'query', 'question', never);
    expect(runs.map(({ texts }) => texts)).toEqual([['xa'], ['xa'], ['ya']]);
  });

  // A key of 64 characters or more is stored in another way.
  test.each(['m:2', 'Xenova/multilingual-e5-small:384:q8:2'])(
    'is cleared for the retired model %s only',
    async (model) => {
      const vector = Float32Array.of(0.6, 0.8);
      const keys = Array.from({ length: 2_500 }, (_, place) => `${place}`.padStart(32, 'h'));
      await cache.put(model, new Map(keys.map((key) => [key, vector])));
      await cache.put(`${model}0`, new Map([['h', vector]]));
      await cache.forget(model);
      expect(keys.filter((key) => cache.get(model, key, 2) !== undefined)).toEqual([]);
      expect(cache.get(`${model}0`, 'h', 2)).toEqual(vector);
      expect(cache.get(`${model}0`, 'h', 3)).toBeUndefined();
    },
  );
});

describe('failures', () => {
  test('an unavailable model fails the call, and nothing is cached', async () => {
    const { backend } = backendOf();
    let away = true;
    const run: Backend['run'] = async (...args) => {
      if (away) throw new UnavailableError('embedder', 'no answer');
      return backend.run(...args);
    };
    const embedder = embedderOf({ ...backend, run });
    await expect(embedder.embed(['a', 'b'], 'query', 'question', never)).rejects.toThrow(UnavailableError);
    away = false;
    expect(await embedder.embed(['a', 'b'], 'query', 'question', never)).toEqual([vectorOf('a'), vectorOf('b')]);
  });

  test('a text that crashes its run is isolated, fails alone, and is not retried soon', async () => {
    const { backend, runs } = backendOf();
    const run: Backend['run'] = async (texts, urgency, signal) => {
      const embedded = await backend.run(texts, urgency, signal);
      if (texts.includes('poison')) throw new Error('the process was lost');
      return embedded;
    };
    const embedder = embedderOf({ ...backend, run });
    const calls = ['a', 'poison', 'b'].map((text) => embedder.embed([text], 'passage', 'question', never));
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await expect(calls[1]).rejects.toThrow('cannot embed a text of 6 characters: the process was lost');
    const before = runs.length;
    await expect(embedder.embed(['poison'], 'passage', 'question', never)).rejects.toThrow('the process was lost');
    expect(runs).toHaveLength(before);
  });

  test.each([
    ['another length', () => Float32Array.of(1, 0, 0), /3 dimensions instead of 4/],
    ['no direction', () => new Float32Array(DIMS), /squared length 0 instead of 1/],
    ['no number', () => new Float32Array(DIMS).fill(Number.NaN), /squared length NaN/],
    ['a reason', () => new Error('nothing in it'), /nothing in it/],
  ])('a vector of %s is an error and is not kept', async (_name, answer, message) => {
    const embedder = embedderOf(backendOf(answer).backend);
    await expect(embedder.embed(['a'], 'passage', 'question', never)).rejects.toThrow(message);
    await expect(embedder.embed(['a'], 'passage', 'question', never)).rejects.toThrow(message);
  });

  test('after close it is unavailable, and waiting callers are rejected', async () => {
    const { backend, hold } = backendOf();
    const embedder = embedderOf(backend);
    const release = hold();
    const waiting = embedder.embed(['a'], 'query', 'question', never);
    await turn();
    await turn();
    await embedder.close();
    await expect(waiting).rejects.toThrow(UnavailableError);
    release();
  });
});

describe('over a real model', () => {
  beforeAll(() => writeEmbedder(folder, 'tiny/embedder', { dims: 16 }));

  test('similar texts are near, others are not, and a text without content is refused', async () => {
    const inference = close(newInference());
    const model = localModel(folder, 'tiny/embedder');
    const embedder = close(tinyEmbedder(inference, model, { cacheFolder: join(folder, 'real') }));
    const [a, b, c] = await embedder.embed(
      ['解一元二次方程', '一元二次方程', '圆柱的体积'],
      'passage',
      'question',
      never,
    );
    expect(dot(a, b)).toBeGreaterThan(dot(a, c) + 0.3);
    expect(embedder.embeds('。，！ …')).toBe(false);
    expect(embedder.embeds('= x')).toBe(true);
  });

  test('500 concurrent callers need far fewer runs', async () => {
    const inference = close(newInference());
    const model = localModel(folder, 'tiny/embedder');
    const embedder = close(tinyEmbedder(inference, model, { cacheFolder: join(folder, 'many') }));
    let jobs = 0;
    const run = inference.run.bind(inference);
    inference.run = (...args) => {
      jobs += 1;
      return run(...args);
    };
    // As requests have: each a signal of its own.
    const signals = Array.from({ length: 500 }, () => new AbortController().signal);
    const callers = signals.map((signal, i) => embedder.embed([`第${i}题`], 'query', 'question', signal));
    const vectors = await Promise.all(callers);
    expect(signals.filter((signal) => getEventListeners(signal, 'abort').length > 0)).toEqual([]);
    expect(vectors.every(([vector]) => Math.abs(dot(vector, vector) - 1) < 1e-5)).toBe(true);
    expect(jobs).toBeLessThan(100);
  });
});
