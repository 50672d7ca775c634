import { afterAll, beforeAll, expect } from 'vitest';
import type { SearchHit } from '../../src/domain/search-result.js';
import { card, RECEIPT, send, startApi, type TestApi } from './gateway.js';

export interface Outcome {
  readonly status: number;
  readonly codes: readonly string[];
}

export const TOO_COMPLEX: Outcome = { status: 400, codes: ['TOO_COMPLEX'] };
export const INVALID: Outcome = { status: 400, codes: ['GRAPHQL_VALIDATION_FAILED'] };
export const UNPARSED: Outcome = { status: 400, codes: ['GRAPHQL_PARSE_FAILED'] };

export const times = (count: number, text: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ');

export interface Target {
  /** In production mode; there once the tests of the file begin. */
  readonly api: TestApi;
  /** Posts a document as graphql-cop does, and checks what holds of every refusal. */
  attack(query: string, more?: object): Promise<Outcome>;
}

/** Starts an API for the tests of a file, and closes it after them. */
export function attackTarget(): Target {
  let api: TestApi;
  let calls = 0;
  beforeAll(async () => {
    const hits: SearchHit[] = [];
    api = await startApi(
      {
        store: {
          byIds: async (_viewer, ids) => {
            calls += 1;
            return new Map(ids.map((id) => [id, card({ id })]));
          },
          delete: async () => {
            calls += 1;
            return true;
          },
          page: async () => {
            calls += 1;
            return { edges: [], hasNextPage: false, totalCount: 0 };
          },
        },
        engine: {
          search: async () => {
            calls += 1;
            return { hits, hasMore: false, receipt: RECEIPT };
          },
        },
      },
      { production: true, pages: true },
    );
  });
  afterAll(() => api.close());
  return {
    get api() {
      return api;
    },
    async attack(query, more = { operationName: 'cop' }) {
      const before = calls;
      const reply = await send(api.url, { body: JSON.stringify({ query, ...more }) });
      const text = await reply.text();
      const { data, errors = [] } = JSON.parse(text) as { data?: unknown; errors?: { extensions: { code: string } }[] };
      expect(data ?? null).toBeNull();
      expect(calls).toBe(before);
      expect(errors.length).toBeLessThanOrEqual(6);
      expect(text).not.toMatch(/did you mean|stacktrace|exception|tracing/i);
      return { status: reply.status, codes: [...new Set(errors.map(({ extensions }) => extensions.code))] };
    },
  };
}
