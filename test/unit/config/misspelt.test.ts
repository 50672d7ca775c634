import { describe, expect, test } from 'vitest';
import { fields } from '../../../src/config/fields.js';
import { misspeltIn } from '../../../src/config/misspelt.js';

describe('misspelt settings', () => {
  test.each([
    ['DATBASE_URL', 'DATABASE_URL'],
    ['DATABASE_ULR', 'DATABASE_URL'],
    ['DATABASE_URLS', 'DATABASE_URL'],
    ['API_KEY', 'API_KEYS'],
    ['RATE-LIMIT', 'RATE_LIMIT'],
    ['chroma_url', 'CHROMA_URL'],
    ['ERRATA_API_KEYS', 'API_KEYS'],
  ])('%s is reported, and %s named', (name, meant) => {
    expect(misspeltIn({ [name]: 'x' })).toEqual([`${name} is not a setting, and has no effect: is ${meant} meant?`]);
    expect(misspeltIn({ [name]: 'x', [meant]: 'y' })).toEqual([]);
    expect(misspeltIn({ [name]: '' })).toEqual([]);
  });

  test('settings, and variables of other programs, are not reported', () => {
    const settings = Object.fromEntries(Object.keys(fields.shape).map((name) => [name, 'x']));
    for (const [name, value] of Object.entries(settings)) expect(misspeltIn({ [name]: value })).toEqual([]);
    const others = ['PATH', 'HOSTS', 'REPORT', 'HOSTNAME', 'LOGNAME', 'NODE_OPTIONS', 'PGDATABASE', 'ERRATA_TOKEN'];
    const more = ['DATABASE', 'ERRATA_CACHE_DIR', 'ERRATA_PORT', 'HF_TOKEN', 'HTTP_PROXY', 'npm_config_cache'];
    expect(misspeltIn(Object.fromEntries([...others, ...more].map((name) => [name, 'x'])))).toEqual([]);
  });
});
