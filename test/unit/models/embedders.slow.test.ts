import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { writeEmbedder } from '../../../bench/tiny-models.js';
import { parseConfig } from '../../../src/config/settings.js';
import { StartupError } from '../../../src/domain/errors.js';
import { modelKey } from '../../../src/domain/ports/models.js';
import { BuiltinEmbedder } from '../../../src/models/builtin.js';
import { Embedders } from '../../../src/models/embedders.js';
import { Tokenizer } from '../../../src/text/tokenizer.js';
import { WordWeights } from '../../../src/text/word-weights.js';
import { folderOfFile } from '../../support/folder.js';
import { closing, never, newInference, testLog } from '../../support/models.js';

const { path: folder } = await folderOfFile('models');
const close = closing();
const builtin = new BuiltinEmbedder(new Tokenizer(), new WordWeights());

const FIRST = {
  EMBEDDING_MODEL: 'tiny/first',
  EMBEDDING_DIMS: '16',
  EMBEDDING_POOLING: 'mean',
  EMBEDDING_MAX_TOKENS: '512',
  EMBEDDING_QUERY_PREFIX: 'find ',
};
const SECOND = { ...FIRST, EMBEDDING_MODEL: 'tiny/second', EMBEDDING_DIMS: '24', EMBEDDING_QUERY_PREFIX: '' };

let kept: string;
beforeAll(async () => {
  await writeEmbedder(folder, 'tiny/first', { dims: 16 });
  await writeEmbedder(folder, 'tiny/second', { dims: 24, seed: 2 });
});
beforeEach(async () => {
  kept = await mkdtemp(join(folder, 'kept-'));
});

/** The models of a gateway that starts with these settings. */
async function opened(env: Readonly<Record<string, string>>, log = testLog()): Promise<Embedders> {
  const { embedding, models } = parseConfig({ MODELS_DIR: folder, MODELS_OFFLINE: 'true', ...env });
  const inference = close(newInference());
  const parts = { choice: embedding, files: models, folder: kept, builtin, inference, announce: () => undefined, log };
  const embedders = close(new Embedders(parts));
  await embedders.open(never);
  return embedders;
}

describe('the models of a gateway', () => {
  test('without a setting are the built-in one, and no process is started', async () => {
    const embedders = await opened({});
    expect(embedders.current).toBe(builtin);
    expect(embedders.of(modelKey(builtin.model))).toBe(builtin);
    expect(embedders.cacheHits).toEqual({ hits: 0, misses: 0 });
    expect(embedders.cacheHitRate).toBeNull();
  });

  test('after a change of the settings, the earlier model is still available with its settings, beside the new one', async () => {
    const before = await opened(FIRST);
    const key = modelKey(before.current.model);
    const [vector] = await before.current.embed(['解方程'], 'query', 'question', never);
    await before.close();
    const after = await opened(SECOND);
    expect(after.current.model.name).toBe('tiny/second');
    const earlier = after.of(key);
    expect(earlier?.model).toEqual(before.current.model);
    expect(await earlier?.embed(['解方程'], 'query', 'question', never)).toEqual([vector]);
    expect(after.of(key)).toBe(earlier);
    expect(after.of(modelKey(builtin.model))).toBe(builtin);
  });

  test.each(['', '{"first":', '[]', 'null'])(
    'a damaged record of earlier settings is treated as absent: %s',
    async (text) => {
      await writeFile(join(kept, 'models.json'), text);
      const embedders = await opened(FIRST);
      expect(embedders.of('first')).toBeNull();
      const record = JSON.parse(await readFile(join(kept, 'models.json'), 'utf8'));
      expect(Object.keys(record)).toEqual([modelKey(embedders.current.model)]);
    },
  );

  test('an earlier one is retired with its vectors when no index uses it; the current one never is', async () => {
    const before = await opened(FIRST);
    const key = modelKey(before.current.model);
    await before.current.embed(['解方程'], 'passage', 'question', never);
    await before.retire(key);
    expect(before.of(key)).toBe(before.current);
    await before.close();
    const log = testLog();
    const after = await opened(SECOND, log);
    expect(after.of(key)).not.toBeNull();
    await after.retire(key);
    expect(after.of(key)).toBeNull();
    after.of(key);
    expect(log.lines.filter(({ message }) => message.includes('dense lanes are left out'))).toHaveLength(1);
    await after.close();
    const again = await opened(FIRST);
    await again.current.embed(['解方程'], 'passage', 'question', never);
    // The probe and the passage: nothing was known any more.
    expect(again.cacheHits).toEqual({ hits: 0, misses: 2 });
  });

  test('an earlier one with missing files is unavailable, and this is logged once', async () => {
    const log = testLog();
    const embedders = await opened(SECOND, log);
    // A known model, as an earlier start without settings of its own would have named it.
    expect(embedders.of('Xenova/bge-small-zh-v1.5:512:fp32:1')).toBeNull();
    expect(embedders.of('nobody/knows:8:fp32:1')).toBeNull();
    expect(log.lines).toHaveLength(2);
  });

  test.each([
    ['files that are missing', { ...FIRST, EMBEDDING_MODEL: 'tiny/absent' }, 78, /models pull tiny\/absent/],
    ['a dtype that is missing', { ...FIRST, EMBEDDING_DTYPE: 'q8' }, 78, /models pull tiny\/first --dtype q8/],
    ['another length than was said', { ...FIRST, EMBEDDING_DIMS: '17' }, 69, /16 dimensions instead of 17/],
  ])('%s fail the start with one line', async (_name, env, exitCode, message) => {
    const failure = await opened(env).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StartupError);
    expect(failure).toMatchObject({ exitCode, message: expect.stringMatching(message) });
    expect(String(failure)).not.toContain('\n');
  });
});
