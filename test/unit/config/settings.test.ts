import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Config, dataFolders, parseConfig } from '../../../src/config/settings.js';
import { StartupError } from '../../../src/domain/errors.js';

const defaults: Config = {
  port: 4000,
  host: '127.0.0.1',
  dataDir: resolve('data'),
  database: { kind: 'embedded' },
  chroma: { kind: 'embedded' },
  chromaAccess: { apiKey: null, tenant: null, database: null, cloud: false },
  searchProfile: 'default',
  learnWeights: true,
  fitSchedules: true,
  searchLog: 'off',
  searchLogDays: 90,
  mcpWrites: false,
  classMinStudents: 3,
  searchExactLimit: Number.POSITIVE_INFINITY,
  chromaAboveCards: 1_000,
  searchThreads: null,
  vectorCacheMb: 128,
  indexMemoryMb: 1024,
  embedding: {
    model: 'builtin',
    dims: null,
    pooling: null,
    maxTokens: null,
    dtype: null,
    queryPrefix: null,
    passagePrefix: null,
    perspectivePrefixes: false,
    baseUrl: null,
    apiKey: null,
  },
  chat: null,
  tutorLog: 'off',
  rerankerModel: null,
  models: { folder: resolve('data/models'), offline: false, hub: 'https://huggingface.co' },
  uploads: {
    maxBytes: 5 * 2 ** 20,
    maxTenantBytes: 1024 * 2 ** 20,
    types: ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'],
  },
  seedSample: null,
  logLevel: 'info',
  production: false,
  auth: null,
  allowedHosts: null,
  rateLimit: null,
  drainMs: 0,
  operationsFile: null,
  operationsStudio: false,
  federation: false,
  tracesEndpoint: null,
};

/** What is thrown for these settings. */
function problemOf(env: Readonly<Record<string, string>>): StartupError {
  try {
    parseConfig(env);
  } catch (error) {
    if (error instanceof StartupError) return error;
    throw error;
  }
  throw new Error('the settings were accepted');
}

describe('parseConfig', () => {
  test('needs no settings, and treats an empty one as unset', () => {
    expect(parseConfig({})).toEqual(defaults);
    expect(parseConfig({ PORT: '', DATABASE_URL: '', SEED_SAMPLE: '', UNRELATED: 'x', HOST: undefined })).toEqual(
      defaults,
    );
  });

  test('reads every setting', () => {
    const config = parseConfig({
      PORT: '0',
      HOST: '0.0.0.0',
      DATA_DIR: '/var/lib/errata',
      DATABASE_URL: 'postgresql://user:secret@db:5432/errata',
      CHROMA_URL: 'https://chroma.example',
      CHROMA_API_KEY: 'ck-1',
      CHROMA_TENANT: 'school',
      CHROMA_DATABASE: 'mistakes',
      CHROMA_CLOUD: 'true',
      SEARCH_PROFILE: 'mine',
      SEARCH_LOG: 'hashes',
      SEARCH_LOG_DAYS: '7',
      MCP_WRITES: 'true',
      LEARN_WEIGHTS: 'false',
      FIT_SCHEDULES: 'false',
      CLASS_MIN_STUDENTS: '5',
      SEARCH_EXACT_LIMIT: '0',
      CHROMA_ABOVE_CARDS: '0',
      SEARCH_THREADS: '3',
      VECTOR_CACHE_MB: '512',
      INDEX_MEMORY_MB: '2048',
      EMBEDDING_MODEL: 'openai:text-embedding-v3',
      EMBEDDING_DIMS: '512',
      EMBEDDING_POOLING: 'cls',
      EMBEDDING_MAX_TOKENS: '2048',
      EMBEDDING_DTYPE: 'q8',
      EMBEDDING_QUERY_PREFIX: 'query: ',
      EMBEDDING_PASSAGE_PREFIX: 'passage: ',
      EMBEDDING_PERSPECTIVE_PREFIXES: 'true',
      EMBEDDING_BASE_URL: 'https://models.example/v1/',
      EMBEDDING_API_KEY: 'sk-1',
      CHAT_BASE_URL: 'https://models.example/v1/',
      CHAT_API_KEY: 'sk-2',
      CHAT_MODEL: 'qwen-plus',
      TUTOR_LOG: 'texts',
      RERANKER_MODEL: 'BAAI/bge-reranker-base',
      MODELS_DIR: '/models',
      MODELS_OFFLINE: '1',
      HF_ENDPOINT: 'https://hub.example/',
      SEED_SAMPLE: 'false',
      LOG_LEVEL: 'debug',
      NODE_ENV: 'production',
      API_KEYS: 'true',
      JWT_SECRET: 'x'.repeat(32),
      JWT_ISSUER: 'https://school.example',
      JWT_AUDIENCE: 'errata',
      JWT_ALGORITHMS: 'HS256, HS512',
      JWT_MAX_AGE_HOURS: '8',
      JWT_TENANT_CLAIM: 'school',
      JWT_ROLE_CLAIM: 'group',
      ALLOWED_HOSTS: 'Errata.example, 10.0.0.7',
      RATE_LIMIT: '7',
      DRAIN_SECONDS: '5',
      OPERATIONS_FILE: '/etc/errata/operations.json',
      ATTACHMENT_MAX_MB: '10',
      ATTACHMENTS_TENANT_MB: '0',
      ATTACHMENT_TYPES: 'image/png, application/pdf',
      OPERATIONS_STUDIO: 'true',
      FEDERATION: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    });
    expect(config).toEqual({
      port: 0,
      host: '0.0.0.0',
      searchProfile: 'mine',
      searchLog: 'hashes',
      searchLogDays: 7,
      learnWeights: false,
      fitSchedules: false,
      mcpWrites: true,
      classMinStudents: 5,
      searchExactLimit: 0,
      chromaAboveCards: 0,
      searchThreads: 3,
      dataDir: '/var/lib/errata',
      database: { kind: 'external', url: 'postgresql://user:secret@db:5432/errata' },
      chroma: { kind: 'external', url: 'https://chroma.example' },
      chromaAccess: { apiKey: 'ck-1', tenant: 'school', database: 'mistakes', cloud: true },
      vectorCacheMb: 512,
      indexMemoryMb: 2048,
      embedding: {
        model: 'openai:text-embedding-v3',
        dims: 512,
        pooling: 'cls',
        maxTokens: 2048,
        dtype: 'q8',
        queryPrefix: 'query: ',
        passagePrefix: 'passage: ',
        perspectivePrefixes: true,
        baseUrl: 'https://models.example/v1',
        apiKey: 'sk-1',
      },
      chat: { model: 'qwen-plus', baseUrl: 'https://models.example/v1', apiKey: 'sk-2' },
      tutorLog: 'texts',
      rerankerModel: 'BAAI/bge-reranker-base',
      models: { folder: '/models', offline: true, hub: 'https://hub.example' },
      uploads: { maxBytes: 10 * 2 ** 20, maxTenantBytes: 0, types: ['image/png', 'application/pdf'] },
      seedSample: false,
      logLevel: 'debug',
      production: true,
      auth: {
        apiKeys: true,
        tokens: {
          key: { kind: 'secret', secret: 'x'.repeat(32) },
          issuer: 'https://school.example',
          audience: 'errata',
          algorithms: ['HS256', 'HS512'],
          maxAgeHours: 8,
          tenantClaim: 'school',
          roleClaim: 'group',
        },
      },
      allowedHosts: ['errata.example', '10.0.0.7'],
      rateLimit: 7,
      drainMs: 5_000,
      operationsFile: '/etc/errata/operations.json',
      operationsStudio: true,
      federation: true,
      tracesEndpoint: 'http://collector:4318',
    });
  });

  test('sets a default rate limit with authentication', () => {
    expect(parseConfig({ API_KEYS: 'true' }).rateLimit).toBe(100);
    expect(parseConfig({ API_KEYS: 'true', RATE_LIMIT: '0' }).rateLimit).toBeNull();
    expect(parseConfig({ RATE_LIMIT: '5' }).rateLimit).toBe(5);
  });

  test('accepts tokens by published keys with asymmetric algorithms only', () => {
    const url = 'https://school.example/keys';
    const env = { JWT_JWKS_URL: url, JWT_ISSUER: 'https://school.example', JWT_AUDIENCE: 'errata' };
    expect(parseConfig(env).auth).toEqual({
      apiKeys: false,
      tokens: expect.objectContaining({ key: { kind: 'jwks', url }, algorithms: ['RS256', 'ES256', 'EdDSA'] }),
    });
    expect(problemOf({ ...env, JWT_ALGORITHMS: 'HS256' }).message).toContain('JWT_ALGORITHMS: ');
    expect(problemOf({ ...env, JWT_ALGORITHMS: 'RS256,none' }).message).toContain('JWT_ALGORITHMS: ');
    expect(problemOf({ ...env, JWT_SECRET: 'x'.repeat(32) }).message).toContain('JWT_SECRET: ');
  });

  test.each(['CHROMA_API_KEY', 'CHROMA_TENANT', 'CHROMA_DATABASE', 'CHROMA_CLOUD'])(
    'accepts %s only for an external Chroma',
    (name) => {
      expect(() => parseConfig({ [name]: 'true' })).toThrow(`CHROMA_URL: must name the server that ${name} is for`);
    },
  );

  test.each(['JWT_ISSUER', 'JWT_AUDIENCE'])('requires %s with tokens, and refuses it otherwise', (name) => {
    const env = { JWT_SECRET: 'x'.repeat(32), JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' };
    expect(problemOf({ ...env, [name]: '' }).message).toContain(`${name}: is required`);
    expect(problemOf({ [name]: 'x' }).message).toContain(`${name}: has no effect`);
  });

  test.each([
    ['JWT_ALGORITHMS', 'RS256', 'JWT_SECRET or JWT_JWKS_URL'],
    ['JWT_MAX_AGE_HOURS', '1', 'JWT_SECRET or JWT_JWKS_URL'],
    ['JWT_TENANT_CLAIM', 'school', 'JWT_SECRET or JWT_JWKS_URL'],
    ['JWT_ROLE_CLAIM', 'kind', 'JWT_SECRET or JWT_JWKS_URL'],
    ['EMBEDDING_API_KEY', 'sk-1', 'EMBEDDING_BASE_URL'],
    ['TUTOR_LOG', 'texts', 'CHAT_BASE_URL'],
  ])('refuses %s without the setting that it belongs to', (name, value, needed) => {
    expect(problemOf({ [name]: value }).message).toContain(`${name}: has no effect without ${needed}`);
  });

  test.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ])('reads SEED_SAMPLE=%s', (value, seedSample) => {
    expect(parseConfig({ SEED_SAMPLE: value }).seedSample).toBe(seedSample);
  });

  test.each([
    ['PORT', 'http'],
    ['PORT', '-1'],
    ['PORT', '40.5'],
    ['PORT', '65536'],
    ['PORT', '123456'],
    ['DATABASE_URL', 'mysql://db/errata'],
    ['DATABASE_URL', 'db:5432'],
    ['CHROMA_URL', 'localhost:8000'],
    ['CHROMA_URL', 'chroma'],
    ['EMBEDDING_MAX_TOKENS', '15'],
    ['SEARCH_EXACT_LIMIT', '-1'],
    ['CHROMA_ABOVE_CARDS', '5001'],
    ['SEARCH_EXACT_LIMIT', 'all'],
    ['SEARCH_EXACT_LIMIT', '123456789'],
    ['SEARCH_THREADS', '-1'],
    ['VECTOR_CACHE_MB', '0'],
    ['INDEX_MEMORY_MB', '0'],
    ['VECTOR_CACHE_MB', '1.5'],
    ['EMBEDDING_MODEL', 'bge-m3'],
    ['EMBEDDING_MODEL', '../models/mine'],
    ['EMBEDDING_MODEL', 'BAAI/bge m3'],
    ['EMBEDDING_DIMS', '0'],
    ['EMBEDDING_POOLING', 'max'],
    ['EMBEDDING_DTYPE', 'float'],
    ['EMBEDDING_BASE_URL', 'localhost:11434/v1'],
    ['RERANKER_MODEL', 'reranker'],
    ['MODELS_OFFLINE', 'sometimes'],
    ['HF_ENDPOINT', 'hf-mirror.com'],
    ['SEED_SAMPLE', 'yes'],
    ['LOG_LEVEL', 'loud'],
    ['API_KEYS', 'on'],
    ['JWT_SECRET', 'x'.repeat(31)],
    ['JWT_JWKS_URL', 'http://school.example/keys'],
    ['JWT_JWKS_URL', 'school.example'],
    ['JWT_MAX_AGE_HOURS', '0'],
    ['JWT_MAX_AGE_HOURS', '1.5'],
    ['ALLOWED_HOSTS', 'a,,b'],
    ['ALLOWED_HOSTS', 'errata.example.org:443'],
    ['ALLOWED_HOSTS', 'errata.example.org:80'],
    ['ALLOWED_HOSTS', 'localhost,https://errata.example.org'],
    ['ALLOWED_HOSTS', '*.example.org'],
    ['ALLOWED_HOSTS', '::1'],
    ['ALLOWED_HOSTS', 'user@errata.example.org'],
    ['ALLOWED_HOSTS', 'errata.example.org/'],
    ['RATE_LIMIT', '-1'],
    ['RATE_LIMIT', 'many'],
    ['DRAIN_SECONDS', '-1'],
    ['DRAIN_SECONDS', '100'],
  ])('refuses %s=%s by name, as a configuration error', (name, value) => {
    const problem = problemOf({ [name]: value });
    expect(problem.exitCode).toBe(78);
    expect(problem.message).toMatch(new RegExp(`^the settings are not usable:(?: |[^]*\n {2})${name}: `));
  });

  test('lists every problem at once, one line each, including combinations of settings', () => {
    const { message } = problemOf({
      PORT: 'x',
      LOG_LEVEL: 'loud',
      HOST: '0.0.0.0',
      JWT_ALGORITHMS: 'none',
      JWT_ISSUER: 'school',
      EMBEDDING_MODEL: 'openai:some',
      CHROMA_TENANT: 'school',
    });
    const [first, ...lines] = message.split('\n');
    expect(first).toBe('the settings are not usable:');
    const names = ['PORT', 'LOG_LEVEL', 'JWT_ALGORITHMS', 'JWT_ISSUER', 'HOST', 'EMBEDDING_BASE_URL', 'CHROMA_URL'];
    expect(lines.map((line) => line.trim().split(':')[0]).sort()).toEqual(names.sort());
  });

  test('reports other problems of token settings beside a wrong secret', () => {
    const { message } = problemOf({ JWT_SECRET: 'short', JWT_ISSUER: 'school', JWT_ALGORITHMS: 'RS256' });
    for (const name of ['JWT_SECRET', 'JWT_AUDIENCE', 'JWT_ALGORITHMS']) expect(message).toContain(`\n  ${name}: `);
    expect(message).not.toContain('HOST');
  });

  test.each([{}, { API_KEYS: 'true' }, { JWT_SECRET: 'x'.repeat(32), JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' }])(
    'lets the gateway listen where others can come with authentication alone: %j',
    (auth) => {
      for (const HOST of ['0.0.0.0', '::', 'example.org']) {
        const parse = () => parseConfig({ HOST, ...auth });
        if (Object.keys(auth).length > 0) expect(parse).not.toThrow();
        else expect(parse).toThrow(`HOST: others can reach ${HOST}, and there is no authentication: set API_KEYS=true`);
      }
    },
  );

  test('names the form of host names, and says international ones as browsers send them', () => {
    const form = 'such as errata.example.org or [::1]';
    expect(problemOf({ ALLOWED_HOSTS: 'localhost, 错题.example' }).message).toContain(
      `${form}: write 错题.example as xn--5b5aw2e.example`,
    );
    expect(problemOf({ ALLOWED_HOSTS: '127.1' }).message).toContain(`${form}: write 127.1 as 127.0.0.1`);
    expect(problemOf({ ALLOWED_HOSTS: 'https://school' }).message).toMatch(/or \[::1\]$/);
    expect(parseConfig({ ALLOWED_HOSTS: '[::1],xn--5B5AW2E.example,a_b' }).allowedHosts).toEqual([
      '[::1]',
      'xn--5b5aw2e.example',
      'a_b',
    ]);
  });

  test('requires the URL of a selected endpoint', () => {
    const problem = problemOf({ EMBEDDING_MODEL: 'openai:text-embedding-3-small' });
    expect(problem.exitCode).toBe(78);
    expect(problem.message).toContain('EMBEDDING_BASE_URL');
  });

  test('does not repeat a value, which may hold a password', () => {
    expect(problemOf({ DATABASE_URL: 'mysql://user:hunter2@db/errata' }).message).not.toContain('hunter2');
    expect(problemOf({ JWT_SECRET: 'hunter2' }).message).not.toContain('hunter2');
    const { message } = problemOf({ EMBEDDING_BASE_URL: 'user:hunter2@models', EMBEDDING_API_KEY: 'hunter3' });
    expect(message).not.toMatch(/hunter/);
  });
});

describe('dataFolders', () => {
  test('has a separate folder for each part below DATA_DIR', () => {
    const folders = Object.values(dataFolders('/var/lib/errata'));
    expect(new Set(folders).size).toBe(folders.length);
    for (const folder of folders) expect(folder.startsWith('/var/lib/errata/')).toBe(true);
  });
});
