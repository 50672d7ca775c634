import { describe, expect, test } from 'vitest';
import { fields } from '../../../src/config/fields.js';
import { misspeltIn } from '../../../src/config/misspelt.js';

describe('misspelt settings', () => {
  test.each([
    ['DATBASE_URL', 'DATABASE_URL', 'postgres://db/errata'],
    ['DATABASE_ULR', 'DATABASE_URL', 'postgres://db/errata'],
    ['DATABASE_URLS', 'DATABASE_URL', 'postgres://db/errata'],
    ['API_KEY', 'API_KEYS', 'true'],
    ['RATE-LIMIT', 'RATE_LIMIT', '5'],
    ['chroma_url', 'CHROMA_URL', 'http://chroma:8000'],
    ['ERRATA_API_KEYS', 'API_KEYS', 'x'],
  ])('%s is reported, and %s named', (name, meant, value) => {
    expect(misspeltIn({ [name]: value })).toEqual([`${name} is not a setting, and has no effect: is ${meant} meant?`]);
    expect(misspeltIn({ [name]: value, [meant]: 'y' })).toEqual([]);
    expect(misspeltIn({ [name]: '' })).toEqual([]);
  });

  test('settings, and variables of other programs, are not reported', () => {
    const settings = Object.fromEntries(Object.keys(fields.shape).map((name) => [name, 'x']));
    for (const [name, value] of Object.entries(settings)) expect(misspeltIn({ [name]: value })).toEqual([]);
    const others = ['PATH', 'HOSTS', 'REPORT', 'HOSTNAME', 'LOGNAME', 'NODE_OPTIONS', 'PGDATABASE', 'ERRATA_TOKEN'];
    const more = ['DATABASE', 'ERRATA_CACHE_DIR', 'ERRATA_PORT', 'HF_TOKEN', 'HTTP_PROXY', 'npm_config_cache'];
    expect(misspeltIn(Object.fromEntries([...others, ...more].map((name) => [name, 'x'])))).toEqual([]);
    const elsewhere = { API_KEY: 'sk-0123456789abcdef', DATABASE_URI: 'mysql://db/shop', RATE_LIMITS: '5/minute' };
    expect(misspeltIn(elsewhere)).toEqual([]);
  });
});
