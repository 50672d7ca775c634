import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/settings.js';
import { StartupError } from '../../../src/domain/errors.js';

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

  test.each(['CHROMA_CLOUD', 'OPERATIONS_STUDIO', 'EMBEDDING_PERSPECTIVE_PREFIXES'])(
    'accepts %s without the setting it belongs to if it is off',
    (name) => {
      for (const off of ['false', '0']) expect(parseConfig({ [name]: off })).toEqual(parseConfig({}));
      for (const on of ['true', '1']) expect(() => parseConfig({ [name]: on })).toThrow(name);
    },
  );

  test('names what may be wrong in the address of a server', () => {
    const { message } = problemOf({ DATABASE_URL: 'postgresql://127.0.0.1:99999/x' });
    expect(message).toContain('postgres:// or postgresql:// and has a valid host and port');
  });

  test.each(['DATA_DIR', 'MODELS_DIR', 'OPERATIONS_FILE'])(
    'accepts in %s no home directory that no shell has replaced',
    (name) => {
      const { message, exitCode } = problemOf({ [name]: '~/errata' });
      expect([message, exitCode]).toEqual([
        `the settings are not usable: ${name}: must not start with ~, which only a shell replaces: write the whole path`,
        78,
      ]);
      expect(() => parseConfig({ [name]: './~errata' })).not.toThrow();
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
    ['EMBEDDING_BASE_URL', 'http://127.0.0.1:1/v1', 'EMBEDDING_MODEL'],
    ['EMBEDDING_DIMS', '77', 'EMBEDDING_MODEL'],
    ['EMBEDDING_POOLING', 'cls', 'EMBEDDING_MODEL'],
    ['EMBEDDING_MAX_TOKENS', '512', 'EMBEDDING_MODEL'],
    ['EMBEDDING_DTYPE', 'q8', 'EMBEDDING_MODEL'],
    ['EMBEDDING_QUERY_PREFIX', 'query: ', 'EMBEDDING_MODEL'],
    ['EMBEDDING_PASSAGE_PREFIX', 'passage: ', 'EMBEDDING_MODEL'],
    ['TUTOR_LOG', 'texts', 'CHAT_BASE_URL'],
  ])('refuses %s without the setting that it belongs to', (name, value, needed) => {
    expect(problemOf({ [name]: value }).message).toContain(`${name}: has no effect without ${needed}`);
  });

  test('refuses settings of embedding models with the built-in one, but for the endpoint of an earlier one', () => {
    const endpoint = { EMBEDDING_BASE_URL: 'http://127.0.0.1:1/v1', EMBEDDING_API_KEY: 'sk-1' };
    const builtin = { EMBEDDING_MODEL: 'builtin', EMBEDDING_PERSPECTIVE_PREFIXES: 'false', ...endpoint };
    expect(parseConfig(builtin).embedding).toMatchObject({ model: 'builtin', baseUrl: endpoint.EMBEDDING_BASE_URL });
    for (const [name, value] of Object.entries({
      EMBEDDING_DIMS: '77',
      EMBEDDING_POOLING: 'cls',
      EMBEDDING_MAX_TOKENS: '512',
      EMBEDDING_DTYPE: 'q8',
      EMBEDDING_QUERY_PREFIX: 'query: ',
      EMBEDDING_PASSAGE_PREFIX: 'passage: ',
      EMBEDDING_PERSPECTIVE_PREFIXES: 'true',
    })) {
      const { message } = problemOf({ ...builtin, [name]: value });
      expect(message).toContain(`${name}: has no effect with EMBEDDING_MODEL=builtin`);
    }
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
    ['CHROMA_URL', 'https://proxy.example/chroma'],
    ['CHROMA_URL', 'https://user:word@chroma.example'],
    ['CHROMA_URL', 'http://chroma:8000/?x=1'],
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
    ['NODE_ENV', 'Production'],
    ['NODE_ENV', 'prod'],
    ['DRAIN_SECONDS', '-1'],
    ['DRAIN_SECONDS', '100'],
  ])('refuses %s=%s by name, as a configuration error', (name, value) => {
    const problem = problemOf({ [name]: value });
    expect(problem.exitCode).toBe(78);
    expect(problem.message).toMatch(new RegExp(`^the settings are not usable:(?: |[^]*\n {2})${name}: `));
  });

  test.each([
    ['API_KEYS', 'must be true or false'],
    ['SEARCH_LOG', 'must be one of off, hashes, texts'],
  ])('names the values that %s may have', (name, problem) => {
    expect(problemOf({ [name]: 'other' }).message).toBe(`the settings are not usable: ${name}: ${problem}`);
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

  test.each(['EMBEDDING_BASE_URL', 'CHAT_BASE_URL', 'HF_ENDPOINT', 'JWT_JWKS_URL'])(
    'refuses a password in %s, which an error of a request would repeat',
    (name) => {
      const { message } = problemOf({ [name]: 'https://user:hunter2@example.org/v1' });
      expect(message).toContain(`${name}: must not contain a user or a password`);
      expect(message).not.toContain('hunter2');
    },
  );

  test.each(['EMBEDDING_BASE_URL', 'CHAT_BASE_URL', 'HF_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'])(
    'refuses a query in %s, to which paths are appended',
    (name) => {
      const { message } = problemOf({ [name]: 'https://example.org/v1?version=2' });
      expect(message).toContain(`${name}: must not contain a query or a fragment`);
    },
  );

  test.each(['CHROMA_API_KEY', 'EMBEDDING_API_KEY', 'CHAT_API_KEY'])(
    'refuses a %s that no header can contain, without repeating it; a line break at its end is ignored',
    (name) => {
      for (const key of ['hunter2\nhunter3', '密钥hunter2', ' ']) {
        const { message } = problemOf({ [name]: key });
        expect(message).toContain(`${name}: must be one line of ASCII characters`);
        expect(message).not.toContain('hunter2');
      }
      const servers = {
        CHROMA_URL: 'http://c',
        EMBEDDING_MODEL: 'openai:m',
        EMBEDDING_BASE_URL: 'http://e',
        CHAT_BASE_URL: 'http://c',
        CHAT_MODEL: 'm',
      };
      const { chromaAccess, embedding, chat } = parseConfig({ ...servers, [name]: 'hunter2\n' });
      expect([chromaAccess.apiKey, embedding.apiKey, chat?.apiKey]).toContain('hunter2');
    },
  );
});
