import { describe, expect, test } from 'vitest';
import { BadInputError, ForbiddenError, UnavailableError } from '../../../src/domain/errors.js';
import type { SearchRecord } from '../../../src/domain/ports/evaluation.js';
import { LoggedSearch, type LoggedSearchParts } from '../../../src/observability/search-log.js';
import { card, RECEIPT, searchHit } from '../../api/gateway.js';
import { requestOf } from '../../support/generators.js';

const viewer = { tenantId: 'school', ownerId: 'anna', role: 'teacher' } as const;
const everAfter = { after: null, before: null };
const { signal } = new AbortController();

/** A log of searches that keeps what it is given in an array. */
function logging(keep: LoggedSearchParts['keep'], given: Partial<LoggedSearchParts> = {}) {
  const written: (SearchRecord & { readonly tenantId: string })[] = [];
  const complaints: string[] = [];
  const search = new LoggedSearch({
    engine: { search: async () => ({ hits: [searchHit({ card: card({ id: 'a' }) })], receipt: RECEIPT }) },
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
    refuseStudents: () => undefined,
    log: { error: (_facts, message) => complaints.push(message) },
    ...given,
  });
  return { search, written, complaints };
}

describe('the log of searches', () => {
  test('keeps nothing unless it was asked to, and says so when it is asked', async () => {
    const { search, written } = logging('off');
    await search.search(viewer, requestOf(), signal);
    await search.close();
    expect(written).toEqual([]);
    await expect(search.metrics(viewer, everAfter)).rejects.toThrow(BadInputError);
    await expect(search.zeroResults(viewer, everAfter, 5)).rejects.toThrow(BadInputError);
  });

  test('keeps what was found, by which lanes and how fast, and no text unless texts are allowed', async () => {
    for (const keep of ['hashes', 'texts'] as const) {
      const { search, written } = logging(keep);
      await search.search(viewer, requestOf({ subject: { kind: 'text', text: 'my secret' } }), signal);
      await search.close();
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

  test('tells equal queries by their hash, and neither those of another school nor of another installation', async () => {
    const hashOf = async (text: string, tenantId = 'school', key = 'installation'): Promise<string> => {
      const { search, written } = logging('hashes', { key });
      await search.search({ ...viewer, tenantId }, requestOf({ subject: { kind: 'text', text } }), signal);
      await search.close();
      return Buffer.from(written[0]?.queryHash ?? []).toString('hex');
    };
    const hash = await hashOf('x');
    expect(hash).toMatch(/^[0-9a-f]{32}$/);
    expect(await hashOf('x')).toBe(hash);
    for (const other of [await hashOf('y'), await hashOf('x', 'other'), await hashOf('x', 'school', 'other')])
      expect(other).not.toBe(hash);
  });

  test('counts a search that failed, and none that asked for what cannot be', async () => {
    const failing = (error: Error) => ({ engine: { search: () => Promise.reject(error) } });
    const failed = logging('hashes', failing(new UnavailableError('index', 'it is away')));
    await expect(failed.search.search(viewer, requestOf(), signal)).rejects.toThrow(UnavailableError);
    await failed.search.close();
    expect(failed.written).toMatchObject([{ error: 'UNAVAILABLE', filterPlan: null, hitIds: [] }]);
    const refused = logging('hashes', failing(new BadInputError('text', 'is empty')));
    await expect(refused.search.search(viewer, requestOf(), signal)).rejects.toThrow(BadInputError);
    await refused.search.close();
    expect(refused.written).toEqual([]);
  });

  test('that cannot be written fails no search, and says so', async () => {
    const { search, complaints } = logging('hashes', {
      records: {
        append: () => Promise.reject(new Error('the disk is full')),
        forget: async () => 0,
        metrics: () => Promise.reject(new Error('unexpected')),
        zeroResults: async () => [],
      },
    });
    expect((await search.search(viewer, requestOf(), signal)).hits).toHaveLength(1);
    await search.close();
    expect(complaints).toEqual(['entries of the search log could not be stored']);
  });

  test('shows the words of others to no student', async () => {
    const { search } = logging('texts', {
      refuseStudents: () => {
        throw new ForbiddenError('no');
      },
    });
    await expect(search.zeroResults({ ...viewer, role: 'student' }, everAfter, 5)).rejects.toThrow(ForbiddenError);
  });
});
