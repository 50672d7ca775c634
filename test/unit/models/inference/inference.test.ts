import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { writeEmbedder } from '../../../../bench/tiny-models.js';
import { UnavailableError } from '../../../../src/domain/errors.js';
import type { Inference } from '../../../../src/models/inference/inference.js';
import type { LocalModel } from '../../../../src/models/inference/protocol.js';
import { folderOfFile } from '../../../support/folder.js';
import { closing, dot, localModel, never, newInference } from '../../../support/models.js';

const { path: folder } = await folderOfFile('models');
const close = closing();

describe('the inference process', () => {
  beforeAll(async () => {
    await writeEmbedder(folder, 'tiny/plain', { dims: 16 });
  });

  const plain = localModel(folder, 'tiny/plain');
  const texts = (...all: string[]) => ({ model: plain, query: null, texts: all });

  test('is started by the first job, loads the model once and returns unit vectors', async () => {
    const inference = close(newInference());
    expect(inference.pid).toBeNull();
    const outcome = await inference.run(texts('解方程', '求圆的面积'), never);
    expect(outcome.problems).toEqual([null, null]);
    expect(outcome.width).toBe(16);
    const first = outcome.values.slice(0, 16);
    expect(dot(first, first)).toBeCloseTo(1, 5);
    const pid = inference.pid;
    await inference.run(texts('解方程'), never);
    expect(inference.pid).toBe(pid);
  });

  test('rejects at once when its signal aborts, and continues with the rest', async () => {
    const inference = close(newInference());
    await inference.run(texts('解方程'), never);
    const caller = new AbortController();
    const aborted = inference.run(texts('求面积'), caller.signal);
    caller.abort(new Error('too late'));
    await expect(aborted).rejects.toThrow('too late');
    expect((await inference.run(texts('求面积'), never)).problems).toEqual([null]);
  });

  test('a model with missing files is unavailable by name, and others are available', async () => {
    const inference = close(newInference());
    const missing = inference.run({ model: localModel(folder, 'tiny/absent'), query: null, texts: ['x'] }, never);
    await expect(missing).rejects.toThrow(UnavailableError);
    await expect(missing).rejects.toThrow(/tiny\/absent/);
    expect((await inference.run(texts('解方程'), never)).problems).toEqual([null]);
  });

  test('a model whose external weights are missing is unavailable by the name of the file', async () => {
    await writeEmbedder(folder, 'tiny/in-parts', { dims: 16 });
    const config = { model_type: 'bert', 'transformers.js_config': { use_external_data_format: { 'model.onnx': 1 } } };
    await writeFile(join(folder, 'tiny/in-parts/config.json'), JSON.stringify(config));
    const inference = close(newInference());
    const missing = inference.run({ model: localModel(folder, 'tiny/in-parts'), query: null, texts: ['x'] }, never);
    await expect(missing).rejects.toThrow(/model\.onnx_data/);
    expect((await inference.run(texts('解方程'), never)).problems).toEqual([null]);
  });
});

describe('vectors do not depend on what they were run with', () => {
  beforeAll(async () => {
    // Layers of matrices, so that batches really go through other code than single texts.
    await writeEmbedder(folder, 'tiny/deep', { dims: 64, layers: 2 });
    await writeEmbedder(folder, 'tiny/coarse', { dims: 64, quantised: true }, 'q8');
  });

  const all = [
    '解方程',
    '求面积',
    'solve',
    '函数的定义域',
    '圆柱的体积',
    '符号错误',
    '计算错误',
    'x + 1 = 2',
    '一元二次方程',
  ];

  let inference: Inference;
  beforeEach(() => {
    inference = close(newInference());
  });
  const vectorsOf = async (model: LocalModel, ...texts: string[]): Promise<readonly Float32Array[]> => {
    const { values, width } = await inference.run({ model, query: null, texts }, never);
    return texts.map((_, place) => new Float32Array(values.slice(place * width, (place + 1) * width)));
  };

  test('full precision: alone, together and in another order, up to the rounding of floats', async () => {
    const model = localModel(folder, 'tiny/deep');
    const together = await vectorsOf(model, ...all);
    const reversed = (await vectorsOf(model, ...[...all].reverse())).toReversed();
    for (const [place, text] of all.entries()) {
      const [alone] = await vectorsOf(model, text);
      for (const [i, value] of (together[place] ?? []).entries()) {
        expect(Math.abs(value - (alone?.[i] ?? Number.NaN))).toBeLessThan(1e-6);
        expect(Math.abs(value - (reversed[place]?.[i] ?? Number.NaN))).toBeLessThan(1e-6);
      }
    }
  });

  test('a model that quantises by the range of its whole batch: to the last bit', async () => {
    const model = localModel(folder, 'tiny/coarse', { dtype: 'q8' });
    const together = await vectorsOf(model, ...all);
    expect((await vectorsOf(model, ...[...all].reverse())).toReversed()).toEqual(together);
    for (const [place, text] of all.entries()) expect((await vectorsOf(model, text))[0]).toEqual(together[place]);
  });

  test('the guard is needed: run together, such a model gives other vectors', async () => {
    await writeEmbedder(folder, 'tiny/taken-for-full', { dims: 64, quantised: true });
    const model = localModel(folder, 'tiny/taken-for-full');
    const [alone] = await vectorsOf(model, '解方程');
    const [together] = await vectorsOf(model, '解方程', 'sx+', 'the', '错误题', '面积的');
    expect(Math.abs(1 - dot(alone, together))).toBeGreaterThan(1e-6);
  });
});
