import { describe, expect, test } from 'vitest';
import { type EmbeddingChoice, parseConfig } from '../../../src/config/settings.js';
import { StartupError } from '../../../src/domain/errors.js';
import { modelKey } from '../../../src/domain/ports/models.js';
import { KNOWN_EMBEDDERS, KNOWN_RERANKERS } from '../../../src/models/known.js';
import { embedderSpec, identityOf, maxCharsOf, prefixOf } from '../../../src/models/spec.js';

function choiceOf(env: Readonly<Record<string, string>>): EmbeddingChoice {
  return parseConfig({ EMBEDDING_BASE_URL: 'http://127.0.0.1:1/v1', ...env }).embedding;
}

/** The model that settings mean, which is not the built-in one. */
function specOf(env: Readonly<Record<string, string>>) {
  const spec = embedderSpec(choiceOf(env));
  if (spec.kind === 'builtin') throw new Error('the built-in model');
  return spec;
}

const keyOf = (env: Readonly<Record<string, string>>): string => modelKey(identityOf(specOf(env)));

const UNKNOWN = {
  EMBEDDING_MODEL: 'someone/model',
  EMBEDDING_DIMS: '8',
  EMBEDDING_POOLING: 'mean',
  EMBEDDING_MAX_TOKENS: '64',
};

describe('the configured model', () => {
  test.each([...KNOWN_EMBEDDERS.keys()])('%s needs no other setting', (name) => {
    const spec = specOf({ EMBEDDING_MODEL: name });
    expect(spec).toMatchObject({ kind: 'local', name, repository: expect.stringMatching(/^[\w-]+\/[\w.-]+$/) });
    expect(maxCharsOf(spec)).toBeGreaterThan(200);
  });

  test('every known model has its size and licence', () => {
    for (const known of [...KNOWN_EMBEDDERS.values(), ...KNOWN_RERANKERS.values()]) {
      expect(known.megabytes[known.dtype]).toBeGreaterThan(0);
      expect(known.licence).not.toBe('');
    }
  });

  test('an unknown one needs its own settings, and all missing ones are named', () => {
    expect(() => embedderSpec(choiceOf({ EMBEDDING_MODEL: 'someone/model', EMBEDDING_POOLING: 'cls' }))).toThrow(
      /someone\/model is not one of the known models \(BAAI\/bge-m3.*EMBEDDING_DIMS, EMBEDDING_MAX_TOKENS$/,
    );
    expect(specOf(UNKNOWN)).toMatchObject({ repository: 'someone/model', dims: 8, pooling: 'mean', dtype: 'fp32' });
    const hidden = () => embedderSpec(choiceOf({ EMBEDDING_MODEL: 'openai:toString' }));
    expect(hidden).toThrow(StartupError);
    expect(hidden).toThrow('EMBEDDING_DIMS');
  });

  test('settings override the table of known models', () => {
    const env = { EMBEDDING_MODEL: 'Xenova/bge-small-zh-v1.5', EMBEDDING_DTYPE: 'q8', EMBEDDING_QUERY_PREFIX: '找：' };
    expect(specOf(env)).toMatchObject({ dtype: 'q8', queryPrefix: '找：', dims: 512 });
  });

  test('an endpoint gets dimensions only if it supports others', () => {
    const asks = (env: Readonly<Record<string, string>>): unknown => {
      const spec = specOf(env);
      return spec.kind === 'endpoint' && spec.asksForDims;
    };
    expect(asks({ EMBEDDING_MODEL: 'openai:text-embedding-3-small' })).toBe(false);
    expect(asks({ EMBEDDING_MODEL: 'openai:text-embedding-3-small', EMBEDDING_DIMS: '512' })).toBe(true);
    expect(asks({ EMBEDDING_MODEL: 'openai:bge-m3', EMBEDDING_DIMS: '1024' })).toBe(false);
  });
});

describe('the identity of a model', () => {
  test('changes with every setting that changes a vector', () => {
    const settings: readonly Readonly<Record<string, string>>[] = [
      UNKNOWN,
      { ...UNKNOWN, EMBEDDING_MODEL: 'someone/model2' },
      { ...UNKNOWN, EMBEDDING_DIMS: '16' },
      { ...UNKNOWN, EMBEDDING_POOLING: 'cls' },
      { ...UNKNOWN, EMBEDDING_DTYPE: 'q8' },
      { ...UNKNOWN, EMBEDDING_QUERY_PREFIX: 'q' },
      { ...UNKNOWN, EMBEDDING_PASSAGE_PREFIX: 'q' },
      { ...UNKNOWN, EMBEDDING_PERSPECTIVE_PREFIXES: 'true' },
      { EMBEDDING_MODEL: 'openai:someone/model', EMBEDDING_DIMS: '8' },
      { EMBEDDING_MODEL: 'openai:someone/model', EMBEDDING_DIMS: '8', EMBEDDING_QUERY_PREFIX: 'q' },
    ];
    const keys = settings.map(keyOf);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('does not change with other settings', () => {
    const same = { ...UNKNOWN, EMBEDDING_MAX_TOKENS: '32', EMBEDDING_API_KEY: 'sk', EMBEDDING_BASE_URL: 'http://x/v1' };
    expect(keyOf(same)).toBe(keyOf(UNKNOWN));
  });
});

describe('the prefix of a text', () => {
  test("is the model's prefix by kind, then the perspective's if configured", () => {
    const e5 = specOf({ EMBEDDING_MODEL: 'Xenova/multilingual-e5-small', EMBEDDING_PERSPECTIVE_PREFIXES: 'true' });
    expect(prefixOf(e5, 'query', 'error')).toBe('query: 错因：');
    expect(prefixOf(e5, 'passage', 'concept')).toBe('passage: 知识点：');
    const plain = specOf({ EMBEDDING_MODEL: 'Xenova/multilingual-e5-small' });
    expect(prefixOf(plain, 'query', 'error')).toBe('query: ');
  });

  test('is subtracted from the longest text that the model reads', () => {
    const bare = maxCharsOf(specOf(UNKNOWN));
    expect(bare).toBe(62);
    expect(maxCharsOf(specOf({ ...UNKNOWN, EMBEDDING_PASSAGE_PREFIX: 'passage: ' }))).toBe(bare - 9);
    expect(maxCharsOf(specOf({ ...UNKNOWN, EMBEDDING_PERSPECTIVE_PREFIXES: 'true' }))).toBe(bare - 4);
  });
});
