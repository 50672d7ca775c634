import { createHash } from 'node:crypto';
import { BadInputError } from '../../src/domain/errors.js';
import { MAX_HITS, type SearchRequest } from '../../src/domain/search.js';
import { type SearchHit, type SearchResult } from '../../src/domain/search-result.js';
import { type Viewer, visibleOwner } from '../../src/domain/viewer.js';
import type { PagePosition } from '../connection.js';

/**
 * Bytes of the digest of a search, and of a hit: of 400 ids, two have the same six bytes once in three billion
 * searches.
 */
const SEARCH_BYTES = 12;
const HIT_BYTES = 6;

export interface AskedPage {
  readonly viewer: Viewer;
  /**
   * The arguments of the search without `topK` and `after`: what a profile adds to them may change between two pages.
   */
  readonly asked: object;
  readonly request: SearchRequest;
  readonly after: string | null;
}

export interface SearchPage extends SearchResult {
  readonly pageInfo: PagePosition;
}

/**
 * The pages of one search of one viewer. A cursor holds digests of all hits up to it: no page repeats one, whatever has
 * changed.
 */
export class SearchPages {
  readonly #request: SearchRequest;
  readonly #search: Buffer;
  readonly #seen: readonly string[];

  /** BadInputError (`after`) for the cursor of another list. */
  constructor({ viewer, asked, request, after }: AskedPage) {
    const list = [viewer.tenantId, visibleOwner(viewer) ?? null, request.operation, sorted(asked)];
    this.#request = request;
    this.#search = digest(list).subarray(0, SEARCH_BYTES);
    this.#seen = after === null ? [] : seenIn(after, this.#search);
  }

  /** The search that has the page among its hits: deeper than the page by the hits before it. */
  get request(): SearchRequest {
    return { ...this.#request, topK: Math.min(MAX_HITS, this.#seen.length + this.#request.topK) };
  }

  /** The hits of the deeper search that are on the page. */
  pageOf({ hits, hasMore, receipt }: SearchResult): SearchPage {
    const seen = new Set(this.#seen);
    const unseen = seen.size === 0 ? hits : hits.filter(({ card }) => !seen.has(keyOf(card.id)));
    const page = unseen.slice(0, Math.min(this.#request.topK, MAX_HITS - seen.size));
    const isDeepest = seen.size + page.length >= MAX_HITS;
    const cursorAfter = (count: number): string | null =>
      page.length === 0 ? null : this.#cursorAfter(page.slice(0, count));
    return {
      hits: page.map((hit, place) => ({ ...hit, rank: seen.size + place + 1 })),
      hasMore,
      receipt: { ...receipt, requestedTopK: this.#request.topK },
      pageInfo: {
        hasNextPage: page.length > 0 && !isDeepest && (hasMore || unseen.length > page.length),
        hasPreviousPage: seen.size > 0,
        // Made when they are asked for: a digest of each hit takes 5 µs.
        get startCursor() {
          return cursorAfter(1);
        },
        get endCursor() {
          return cursorAfter(page.length);
        },
      },
    };
  }

  #cursorAfter(hits: readonly SearchHit[]): string {
    const keys = [...this.#seen, ...hits.map(({ card }) => keyOf(card.id))].join('');
    return Buffer.concat([this.#search, Buffer.from(keys, 'base64url')]).toString('base64url');
  }
}

/** How many hits a cursor has before it, by its length alone: 0 for what is no cursor. */
export function hitsBefore(cursor: unknown): number {
  if (typeof cursor !== 'string') return 0;
  const bytes = Math.floor((cursor.length * 3) / 4) - SEARCH_BYTES;
  return Math.max(0, Math.min(MAX_HITS, Math.floor(bytes / HIT_BYTES)));
}

function seenIn(cursor: string, search: Buffer): readonly string[] {
  const bytes = Buffer.from(cursor, 'base64url');
  const count = (bytes.length - SEARCH_BYTES) / HIT_BYTES;
  const isOurs = bytes.toString('base64url') === cursor && bytes.subarray(0, SEARCH_BYTES).equals(search);
  if (!isOurs || !Number.isInteger(count) || count < 1 || count > MAX_HITS) {
    throw new BadInputError('after', 'is not a cursor of this list');
  }
  return Array.from({ length: count }, (_, place) => {
    const start = SEARCH_BYTES + place * HIT_BYTES;
    return bytes.subarray(start, start + HIT_BYTES).toString('base64url');
  });
}

/** The same for values that differ in the order of keys, or in null for what is not given, alone. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const given = Object.entries(value).filter(([, one]) => one != null);
  return given.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, sorted(one)]);
}

/** Six bytes in base64: eight characters without padding. */
function keyOf(cardId: string): string {
  return digest(cardId).subarray(0, HIT_BYTES).toString('base64url');
}

function digest(value: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(value)).digest();
}
