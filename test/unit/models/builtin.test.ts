import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { BuiltinEmbedder } from '../../../src/models/builtin.js';
import { HashedFeatures } from '../../../src/models/hashed-features.js';
import { lexemes } from '../../../src/text/lexemes.js';
import { Tokenizer } from '../../../src/text/tokenizer.js';
import { WordWeights } from '../../../src/text/word-weights.js';
import { anyText } from '../../support/generators.js';
import { runs } from '../../support/runs.js';

const embedder = new BuiltinEmbedder(new Tokenizer(), new WordWeights());
const { signal } = new AbortController();

async function embed(...texts: string[]): Promise<readonly Float32Array[]> {
  return embedder.embed(texts, 'passage', 'question', signal);
}

function dot(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (a === undefined || b === undefined) throw new Error('a vector is missing');
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? Number.NaN), 0);
}

/** The bytes on every platform: little-endian, whatever the machine. */
function sha256(vector: Float32Array): string {
  const bytes = new DataView(new ArrayBuffer(vector.length * 4));
  vector.forEach((value, i) => {
    bytes.setFloat32(i * 4, value, true);
  });
  return createHash('sha256').update(bytes).digest('hex');
}

interface Golden {
  readonly model: unknown;
  readonly texts: readonly { readonly text: string; readonly sha256: string; readonly first: readonly number[] }[];
}

describe('the built-in embedder', () => {
  test('gives the same bits on every platform: if this fails on purpose, the version of the model must grow', async () => {
    const file = join(packageRoot(), 'test/unit/models/builtin.golden.json');
    const golden = JSON.parse(readFileSync(file, 'utf8')) as Golden;
    const vectors = await embed(...golden.texts.map(({ text }) => text));
    const actual = vectors.map((vector, i) => ({
      text: golden.texts[i]?.text,
      sha256: sha256(vector),
      first: [...vector].filter((value) => value !== 0).slice(0, 3),
    }));
    expect({ model: embedder.model, texts: actual }).toEqual(golden);
  });

  test('embeds a text the same alone and in any batch', async () => {
    const texts = Array.from({ length: 150 }, (_, i) => `第${i}题：求 x^2+${i}x=0 的根 question ${i % 7}`);
    const together = await embed(...texts);
    const reversed = (await embed(...texts.toReversed())).toReversed();
    expect(reversed).toEqual(together);
    for (const [i, text] of texts.entries()) expect((await embed(text))[0]).toEqual(together[i]);
  });

  test('embeds texts with a word, number or sign, and refuses others', async () => {
    for (const text of ['面积', '的', 'x', 'the', '7', '=', '\\frac{1}{2}', 'Кто', '한국어']) {
      expect(embedder.embeds(text)).toBe(true);
      expect(dot(...((await embed(text, text)) as [Float32Array, Float32Array]))).toBeCloseTo(1, 6);
    }
    for (const text of ['', ' \n', '。，！', '(...)', '$$  $$', '\\left\\right', '____', '\ud800']) {
      expect(embedder.embeds(text)).toBe(false);
      await expect(embed(text)).rejects.toThrow('no vector');
    }
  });

  test('any text has a unit vector or is refused', async () => {
    await fc.assert(
      fc.asyncProperty(anyText({ maxLength: 200 }), async (text) => {
        if (!embedder.embeds(text)) return;
        const [first, second] = await embed(text, text);
        expect(first).toHaveLength(embedder.model.dims);
        expect(first).toEqual(second);
        expect(Math.abs(dot(first, first) - 1)).toBeLessThan(1e-6);
      }),
      { numRuns: runs(300) },
    );
  });

  test('a text has a vector exactly if it has lexemes, however it begins', () => {
    const plain = '解|有没有|〇|1|2x|10|1e5|Find |times |sqrt |http |br |nbsp |x=|AB$'.split('|');
    const marks = '<b>|</b>|<img alt="图" src="|&nbsp;|&#39;|http://a.b/c|![图](|\\text{|}|\\frac{'.split('|');
    const signs = '\\(|$|^|_|~|\\quad|。|,|(|【|"| |\n|\u200b|㈠|①|%|🙂'.split('|');
    const pieces = fc.array(fc.constantFrom(...plain, ...marks, ...signs), { maxLength: 5 });
    fc.assert(
      fc.property(pieces, (some) => {
        const text = some.join('');
        expect(embedder.embeds(text)).toBe(lexemes(text).length > 0);
      }),
      { numRuns: runs(3_000) },
    );
  });

  test('a formula in another notation is equal, and nearer than another formula', async () => {
    const small = fc.integer({ min: 2, max: 99 });
    await fc.assert(
      fc.asyncProperty(small, small, small, async (a, b, c) => {
        const [latex, plain, other] = await embed(
          `求 $\\dfrac{${a}}{${b}}\\times x^{2} \\leqslant \\sqrt{${c}}$ 的解集`,
          `求 ${a}/${b} × x² ≤ √${c} 的解集`,
          `若 ∠A=${a}°，则 ∠B 的补角是多少度，已知 ∠B=${b}°`,
        );
        expect(dot(latex, plain)).toBeCloseTo(1, 6);
        expect(dot(latex, plain)).toBeGreaterThan(dot(latex, other) + 0.3);
      }),
      { numRuns: runs(50) },
    );
  });

  test.each([
    [
      '一个长方形的长是8厘米，宽是5厘米，求面积。',
      '长方形长12厘米、宽7厘米，面积是多少？',
      '小明乘火车去北京，用了多长时间？',
    ],
    ['Solve 3x + 5 = 11 for x.', 'Solve the equation 7y + 2 = 30.', 'Round 3.14159 to two places.'],
    ['What fraction of the pizza is left?', 'Which fractions of a pizza were eaten?', 'Find the slope of the line.'],
  ])('"%s" is nearer to a similar question than to another one', async (text, like, other) => {
    const [vector, near, far] = await embed(text, like, other);
    expect(dot(vector, near)).toBeGreaterThan(dot(vector, far) + 0.15);
  });

  test('stops between texts once its signal aborts', async () => {
    const controller = new AbortController();
    const texts = Array.from({ length: 1000 }, (_, i) => `第${i}题`);
    const embedding = embedder.embed(texts, 'passage', 'question', controller.signal);
    controller.abort(new Error('too late'));
    await expect(embedding).rejects.toThrow('too late');
  });

  test('pauses between parts of a large batch, if it is told to', async () => {
    let pauses = 0;
    const texts = Array.from({ length: 3_000 }, (_, i) => `第${i}题`);
    await embedder.embed(texts, 'passage', 'question', signal, async () => {
      pauses += 1;
      return 0;
    });
    expect(pauses).toBeGreaterThan(100);
  });

  test('yields during a large batch', async () => {
    let turns = 0;
    setImmediate(() => turns++);
    const texts = Array.from({ length: 3_000 }, (_, i) => `第${i}题`);
    await embedder.embed(texts, 'passage', 'question', signal);
    expect(turns).toBeGreaterThan(0);
  });
});

describe('hashed features', () => {
  test('features that cancel out still give a vector', () => {
    const features = ['f0'];
    const place = (feature: string): number => {
      const alone = new HashedFeatures();
      alone.add(1, feature, 1);
      const vector = alone.vector(8);
      const at = vector.findIndex((value) => value !== 0);
      return (at + 1) * Math.sign(vector[at] ?? 0);
    };
    for (let i = 1; features.length < 2; i++) if (place(`f${i}`) === -place('f0')) features.push(`f${i}`);
    const both = new HashedFeatures();
    for (const feature of features) both.add(1, feature, 1);
    expect(dot(both.vector(8), both.vector(8))).toBeCloseTo(1, 6);
  });
});
