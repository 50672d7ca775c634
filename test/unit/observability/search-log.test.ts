import { describe, expect, test } from 'vitest';
import { BadInputError, ClientGoneError, UnavailableError } from '../../../src/domain/errors.js';
import type { SearchEngine } from '../../../src/domain/ports/gateway.js';
import type { SearchRecord } from '../../../src/domain/ports/search-log.js';
import { ObservedEngine } from '../../../src/observability/observed-engine.js';
import { SearchLog, type SearchLogParts } from '../../../src/observability/search-log.js';
import { card, RECEIPT, searchHit } from '../../api/gateway.js';
import { requestOf } from '../../support/generators.js';

const viewer = { tenantId: 'school', ownerId: 'anna', role: 'teacher' } as const;
const everAfter = { after: null, before: null };
const { signal } = new AbortController();

const ONE_HIT: SearchEngine = {
  search: async () => ({ hits: [searchHit({ card: card({ id: 'a' }) })], hasMore: false, receipt: RECEIPT }),
};

/** A log of the searches of an engine, which stores its entries in an array. */
function logging(keep: SearchLogParts['keep'], given: Partial<SearchLogParts> = {}, engine: SearchEngine = ONE_HIT) {
  const written: (SearchRecord & { readonly tenantId: string })[] = [];
  const complaints: string[] = [];
  const log = new SearchLog({
    records: {
      append: async (tenantId, records) => {
        written.push(...records.map((record) => ({ tenantId, ...record })));
      },
      forget: async () => 0,
      metrics: () => Promise.reject(new Error('unexpected')),
      zeroResults: async () => [],
    },
    keep,
    key: 'installation',
    log: { error: (_facts, message) => complaints.push(message) },
    ...given,
  });
  return { log, search: new ObservedEngine(engine, [log.record]), written, complaints };
}

describe('the log of searches', () => {
  test('stores nothing unless enabled, and refuses queries then', async () => {
    const { log, search, written } = logging('off');
    await search.search(viewer, requestOf(), signal);
    await log.close();
    expect(written).toEqual([]);
    const before = new Date(0);
    await expect(log.metrics(viewer, { after: before, before })).rejects.toThrow(
      'after: cannot be used: SEARCH_LOG is off',
    );
    await expect(log.metrics(viewer, { after: null, before })).rejects.toThrow(
      'before: cannot be used: SEARCH_LOG is off',
    );
    await expect(log.zeroResults(viewer, everAfter, 5)).rejects.toThrow(
      'SEARCH_LOG: is off, so the texts of searches are not logged; set it to texts',
    );
  });

  test('stores hits, lanes and times, and texts only if enabled', async () => {
    for (const keep of ['hashes', 'texts'] as const) {
      const { log, search, written } = logging(keep);
      await search.search(viewer, requestOf({ subject: { kind: 'text', text: 'my secret' } }), signal);
      await log.close();
      expect(written).toMatchObject([
        {
          tenantId: 'school',
          operation: 'hybridSearch',
          queryText: keep === 'texts' ? 'my secret' : null,
          filterPlan: 'none',
          lanes: ['dense question'],
          hitIds: ['a'],
          error: null,
          tookMs: 3.5,
          stages: [{ stage: 'embed', tookMs: 0.5 }],
        },
      ]);
      expect(JSON.stringify(written).includes('my secret')).toBe(keep === 'texts');
    }
  });

  test('has equal hashes for equal queries of one school in one installation only', async () => {
    const hashOf = async (text: string, tenantId = 'school', key = 'installation'): Promise<string> => {
      const { log, search, written } = logging('hashes', { key });
      await search.search({ ...viewer, tenantId }, requestOf({ subject: { kind: 'text', text } }), signal);
      await log.close();
      return Buffer.from(written[0]?.queryHash ?? []).toString('hex');
    };
    const hash = await hashOf('x');
    expect(hash).toMatch(/^[0-9a-f]{32}$/);
    expect(await hashOf('x')).toBe(hash);
    for (const other of [await hashOf('y'), await hashOf('x', 'other'), await hashOf('x', 'school', 'other')])
      expect(other).not.toBe(hash);
  });

  test('stores failed searches, but no invalid or abandoned ones', async () => {
    const failing = (error: Error): SearchEngine => ({ search: () => Promise.reject(error) });
    const failed = logging('hashes', {}, failing(new UnavailableError('index', 'it is away')));
    await expect(failed.search.search(viewer, requestOf(), signal)).rejects.toThrow(UnavailableError);
    await failed.log.close();
    expect(failed.written).toMatchObject([{ error: 'UNAVAILABLE', filterPlan: null, hitIds: [] }]);
    for (const error of [new BadInputError('text', 'is empty'), new ClientGoneError()]) {
      const { log, search, written } = logging('hashes', {}, failing(error));
      await expect(search.search(viewer, requestOf(), signal)).rejects.toThrow(error);
      await log.close();
      expect(written).toEqual([]);
    }
  });

  test('that cannot be written fails no search, and is logged', async () => {
    const { log, search, complaints } = logging('hashes', {
      records: {
        append: () => Promise.reject(new Error('the disk is full')),
        forget: async () => 0,
        metrics: () => Promise.reject(new Error('unexpected')),
        zeroResults: async () => [],
      },
    });
    expect((await search.search(viewer, requestOf(), signal)).hits).toHaveLength(1);
    await log.close();
    expect(complaints).toEqual(['entries of the search log could not be stored']);
  });
});
