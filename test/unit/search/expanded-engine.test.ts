import { describe, expect, test } from 'vitest';
import { BadInputError, RefusedTextError, UnavailableError } from '../../../src/domain/errors.js';
import type { ChatModel, ChatRequest } from '../../../src/domain/ports/chat.js';
import type { SearchRequest } from '../../../src/domain/search.js';
import type { SearchHit, SearchResult } from '../../../src/domain/search-result.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { ExpandedEngine } from '../../../src/search/query/expanded-engine.js';
import { QueryRewriter, rewritesIn } from '../../../src/search/query/query-rewriter.js';
import { RECEIPT, searchHit } from '../../api/gateway.js';
import { cardOf, requestOf } from '../../support/generators.js';

const { signal } = new AbortController();

/** A chat model that says this, and remembers what it was asked. */
function chatOf(answer: string | Error): ChatModel & { readonly asked: ChatRequest[] } {
  const asked: ChatRequest[] = [];
  return {
    name: 'literal',
    asked,
    async *stream(request) {
      asked.push(request);
      if (answer instanceof Error) throw answer;
      yield answer;
      return 'STOP';
    },
  };
}

/** A search engine that finds these cards for these texts, and remembers what was searched for. */
function engineOf(found: Readonly<Record<string, Readonly<Record<string, number>>>>) {
  const searched: SearchRequest[] = [];
  return {
    searched,
    async search(_viewer: unknown, request: SearchRequest): Promise<SearchResult> {
      searched.push(request);
      const scores = Object.entries(found[request.subject.kind === 'text' ? request.subject.text : ''] ?? {});
      const hits = scores.map(([id, score]): SearchHit => searchHit({ card: cardOf({ id }), score }));
      return { hits, hasMore: false, receipt: { ...RECEIPT, nothingClose: hits.length === 0, degraded: [] } };
    },
    rescorer: () => Promise.reject(new Error('unexpected call of rescorer')),
    rescorers: () => Promise.reject(new Error('unexpected call of rescorers')),
  };
}

const asked = (given: Partial<SearchRequest> = {}): SearchRequest =>
  requestOf({ subject: { kind: 'text', text: 'fractions' }, expandWith: 'MULTI_QUERY', topK: 3, ...given });

describe('an expanded search', () => {
  test('fuses the query with its rewrites, and the receipt names them', async () => {
    const engine = engineOf({ fractions: { a: 0.9, b: 0.3 }, 分数: { b: 0.9, c: 0.6 }, halves: { b: 0.9 } });
    const expanded = new ExpandedEngine(engine, new QueryRewriter(chatOf('分数\nhalves')));
    const { hits, receipt } = await expanded.search(DEFAULT_VIEWER, asked(), signal);
    expect(receipt).toMatchObject({ rewrites: ['分数', 'halves'], nothingClose: false, degraded: [] });
    expect(receipt.stages[0]?.stage).toBe('rewrite');
    expect(hits.map(({ card, rank }) => [card.id, rank])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ]);
    expect(hits.map(({ score }) => Number(score.toFixed(3)))).toEqual([0.6, 0.5, 0.1]);
    expect(engine.searched.map(({ topK }) => topK)).toEqual([9, 9, 9]);
  });

  test('covers no labels, because its order is by mean scores, unless there is no rewrite', async () => {
    for (const [rewrites, covers] of [
      ['分数\nhalves', [false, false, false]],
      ['', [true]],
    ] as const) {
      const engine = engineOf({});
      const expanded = new ExpandedEngine(engine, new QueryRewriter(chatOf(rewrites)));
      await expanded.search(DEFAULT_VIEWER, asked({ coverLabels: true }), signal);
      expect(engine.searched.map(({ coverLabels }) => coverLabels)).toEqual(covers);
    }
  });

  test('prefers quality among hits with nearly equal mean scores, and does not diversify', async () => {
    const grades = { fair: 'FAIR', good: 'GOOD', best: 'EXCELLENT' } as const;
    const searched: SearchRequest[] = [];
    const engine = {
      async search(_viewer: unknown, request: SearchRequest): Promise<SearchResult> {
        searched.push(request);
        const hits = Object.entries(grades).map(([id, qualityGrade], place) =>
          searchHit({ card: cardOf({ id, qualityGrade }), score: 0.9 - place / 1_000 }),
        );
        return { hits, hasMore: false, receipt: RECEIPT };
      },
      rescorer: () => Promise.reject(new Error('unexpected call of rescorer')),
      rescorers: () => Promise.reject(new Error('unexpected call of rescorers')),
    };
    const expanded = new ExpandedEngine(engine, new QueryRewriter(chatOf('halves')));
    const request = asked({ preferQuality: true, diversity: 0.7, topK: 2 });
    const { hits } = await expanded.search(DEFAULT_VIEWER, request, signal);
    expect(hits.map(({ card }) => card.id)).toEqual(['best', 'good']);
    expect(searched.map(({ preferQuality, diversity }) => [preferQuality, diversity])).toEqual([
      [false, 0],
      [false, 0],
    ]);
  });

  test('finds what only a rewrite finds, and nothing if none does', async () => {
    const engine = engineOf({ halves: { c: 0.8 } });
    const search = (text: string) =>
      new ExpandedEngine(engine, new QueryRewriter(chatOf(text))).search(DEFAULT_VIEWER, asked(), signal);
    expect((await search('halves')).hits.map(({ card }) => card.id)).toEqual(['c']);
    expect((await search('quarters')).receipt.nothingClose).toBe(true);
  });

  test.each([
    ['the model fails', new QueryRewriter(chatOf(new Error('no model'))), 'no model; the query was not expanded'],
    [
      'there is none',
      new QueryRewriter(null),
      'no chat model is configured: set CHAT_BASE_URL and CHAT_MODEL; the query was not expanded',
    ],
  ])('is the plain search where %s, and says so', async (_name, rewriter, reason) => {
    const engine = engineOf({ fractions: { a: 0.9 } });
    const { hits, receipt } = await new ExpandedEngine(engine, rewriter).search(DEFAULT_VIEWER, asked(), signal);
    expect(hits.map(({ card, score }) => [card.id, score])).toEqual([['a', 0.9]]);
    expect(receipt).toMatchObject({ rewrites: [], degraded: [{ part: 'rewrite', reason }] });
  });

  test('names what any of its searches lacked, once, and a rewrite that could not be searched for', async () => {
    const engine = engineOf({ fractions: { a: 0.9 }, 分数: { b: 0.9 }, halves: { c: 0.9 } });
    const late = { part: 'solution DENSE', reason: 'no answer' };
    const some = {
      ...engine,
      async search(viewer: unknown, request: SearchRequest): Promise<SearchResult> {
        const { subject } = request;
        if (subject.kind === 'text' && subject.text === 'halves') throw new UnavailableError('embedder', 'no answer');
        const cause = new RefusedTextError('thirds', new Error('answered 400'));
        if (subject.kind === 'text' && subject.text === 'thirds')
          throw new BadInputError('text', 'is refused', { cause });
        const { receipt, ...found } = await engine.search(viewer, request);
        return { ...found, receipt: { ...receipt, degraded: [late] } };
      },
    };
    const expanded = new ExpandedEngine(some, new QueryRewriter(chatOf('分数\nhalves\nthirds')));
    const { hits, receipt } = await expanded.search(DEFAULT_VIEWER, asked(), signal);
    expect(hits.map(({ card }) => card.id)).toEqual(['a', 'b']);
    expect(receipt.degraded).toEqual([
      late,
      { part: 'rewrite', reason: expect.stringContaining('no answer') },
      { part: 'rewrite', reason: expect.stringContaining('is refused') },
    ]);
  });

  test('fails with an internal error of any of its searches', async () => {
    const engine = engineOf({});
    const broken = {
      ...engine,
      search: async (viewer: unknown, request: SearchRequest): Promise<SearchResult> => {
        if (request.subject.kind === 'text' && request.subject.text === 'halves') throw new Error('a bug');
        return engine.search(viewer, request);
      },
    };
    const expanded = new ExpandedEngine(broken, new QueryRewriter(chatOf('halves')));
    await expect(expanded.search(DEFAULT_VIEWER, asked(), signal)).rejects.toThrow('a bug');
  });

  test('is the plain search if the model is too slow', async () => {
    const never: ChatModel = {
      name: 'never',
      async *stream(_request, aborted) {
        await new Promise((_resolve, reject) => aborted.addEventListener('abort', () => reject(aborted.reason)));
        yield '';
        return 'STOP';
      },
    };
    const rewriter = new QueryRewriter(never, 20);
    const { receipt } = await new ExpandedEngine(engineOf({}), rewriter).search(DEFAULT_VIEWER, asked(), signal);
    expect(receipt.degraded[0]?.reason).toMatch(/did not answer within 20 ms/);
  });

  test('calls no model unless requested, and never for a card', async () => {
    const chat = chatOf('x');
    const expanded = new ExpandedEngine(engineOf({}), new QueryRewriter(chat));
    await expanded.search(DEFAULT_VIEWER, asked({ expandWith: null }), signal);
    await expanded.search(DEFAULT_VIEWER, asked({ subject: { kind: 'card', cardId: 'a' } }), signal);
    expect(chat.asked).toEqual([]);
  });
});

test('rewrites are cached for their viewer only, and the model gets only the query', async () => {
  const chat = chatOf('halves');
  const rewriter = new QueryRewriter(chat);
  const amy = { tenantId: 'north', ownerId: 'amy', role: 'student' } as const;
  for (const viewer of [amy, amy, { ...amy, ownerId: 'ben' }, { ...amy, tenantId: 'south' }]) {
    expect(await rewriter.rewrite(viewer, 'MULTI_QUERY', 'fractions', signal)).toEqual(['halves']);
  }
  expect(chat.asked).toHaveLength(3);
  expect(new Set(chat.asked.map((request) => JSON.stringify(request))).size).toBe(1);
  expect(chat.asked[0]?.messages.at(-1)).toEqual({ role: 'user', content: 'fractions' });
});

test.each([
  ['lines', '1. 分数加法\n- halves\n\n分数加法\nfractions\nfour\nfive', 'MULTI_QUERY', ['分数加法', 'halves', 'four']],
  ['lines that are too long', `${'x'.repeat(21)}\n${'题'.repeat(20)}`, 'MULTI_QUERY', ['题'.repeat(20)]],
  [
    'lines that begin with a number',
    '3.5 乘以 2\n-3x>6 解不等式\n2、3 的倍数',
    'MULTI_QUERY',
    ['3.5 乘以 2', '-3x>6 解不等式', '2、3 的倍数'],
  ],
  ['nothing', ' \n', 'MULTI_QUERY', []],
  ['a passage', ` ${'😀'.repeat(150)}\n`, 'HYDE', ['😀'.repeat(120)]],
  ['a passage with control characters', 'a\u0000b\nc', 'HYDE', ['a b c']],
  ['no passage', '', 'HYDE', []],
] as const)('of %s what can be searched for is taken', (_name, answer, kind, expected) => {
  expect(rewritesIn(answer, kind, 'fractions')).toEqual(expected);
});
