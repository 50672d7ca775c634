import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Config, dataFolders, parseConfig } from '../../../src/config/settings.js';

const defaults: Config = {
  port: 4000,
  host: '127.0.0.1',
  dataDir: resolve('data'),
  database: { kind: 'embedded' },
  chroma: { kind: 'embedded' },
  chromaAccess: { apiKey: null, tenant: null, database: null, cloud: false, collectionRecords: undefined },
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
  vectorCacheMb: 32,
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
      CHROMA_COLLECTION_RECORDS: '8000000',
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
      chromaAccess: {
        apiKey: 'ck-1',
        tenant: 'school',
        database: 'mistakes',
        cloud: true,
        collectionRecords: 8_000_000,
      },
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

  test.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ])('reads SEED_SAMPLE=%s', (value, seedSample) => {
    expect(parseConfig({ SEED_SAMPLE: value }).seedSample).toBe(seedSample);
  });
});

describe('dataFolders', () => {
  test('has a separate folder for each part below DATA_DIR', () => {
    const folders = Object.values(dataFolders('/var/lib/errata'));
    expect(new Set(folders).size).toBe(folders.length);
    for (const folder of folders) expect(folder.startsWith('/var/lib/errata/')).toBe(true);
  });
});
