import { describe, expect, test } from 'vitest';
import type { Generation } from '../../../src/domain/ports/ledger.js';
import { type ReadinessParts, readinessOf } from '../../../src/runtime/readiness.js';

const live: Generation = { tenantId: 'default', number: 1, modelKey: 'm', state: 'live' };
const never = new Promise<never>(() => undefined);

function readinessWith(over: Partial<Record<'database' | 'readOnly' | 'chroma' | 'claim', () => Promise<unknown>>>) {
  const { database = async () => live, readOnly = async () => false } = over;
  const { chroma = async () => undefined, claim = async () => undefined } = over;
  const parts = {
    ledger: { live: database },
    database: { isReadOnly: readOnly },
    chroma: { ping: chroma },
    claim: { check: claim },
    servers: { states: () => ({ chroma: 'running' }) },
  } as ReadinessParts;
  return readinessOf(parts)();
}

describe('a gateway is ready', () => {
  test('with a live index and Chroma', async () => {
    const detail = { 'embedded chroma': 'running', database: 'ok', chroma: 'ok' };
    expect(await readinessWith({})).toEqual({ ready: true, detail });
  });

  test.each([
    ['refuses connections', () => Promise.reject(new Error('ECONNREFUSED')), 'degraded: ECONNREFUSED'],
    ['hangs', () => never, 'degraded: no answer within 500 ms'],
  ])('while Chroma %s', async (_name, chroma, says) => {
    expect(await readinessWith({ chroma })).toMatchObject({ ready: true, detail: { chroma: says } });
  });

  test('while PostgreSQL is read-only, for searches', async () => {
    const detail = { database: 'degraded: the server is read-only' };
    expect(await readinessWith({ readOnly: async () => true })).toMatchObject({ ready: true, detail });
  });

  test('while another database uses its collections in Chroma', async () => {
    const claim = () => Promise.reject(new Error('a copy'));
    expect(await readinessWith({ claim })).toMatchObject({ ready: true, detail: { chroma: 'degraded: a copy' } });
  });
});

describe('a gateway is not ready', () => {
  test.each([
    ['before its index is live', async () => null, 'the index is being built'],
    ['without PostgreSQL', () => Promise.reject(new Error('ECONNREFUSED')), 'ECONNREFUSED'],
    ['while PostgreSQL hangs', () => never, 'no answer within 1000 ms'],
  ])('%s', async (_name, database, says) => {
    expect(await readinessWith({ database })).toMatchObject({ ready: false, detail: { database: says } });
  });
});
