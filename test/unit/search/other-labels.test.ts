import { beforeAll, describe, expect, test } from 'vitest';
import { sampleNotebook } from '../../../bench/card-files.js';
import { memoryEngine } from '../../../bench/memory-engine.js';
import { parseSearch } from '../../../src/domain/parse/search.js';
import type { SearchProfile } from '../../../src/domain/profile.js';
import type { SearchOperation, SearchRequest } from '../../../src/domain/search.js';
import type { SearchResult } from '../../../src/domain/search-result.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import type { Engine } from '../../../src/search/engine.js';
import { BUILTIN_SETTINGS, builtinProfiles, searchSettings, settingsOf } from '../../../src/search/profile.js';
import { cardOf } from '../../support/generators.js';
import { sampleEngine } from '../../support/sample-engine.js';

let engine: Engine;
beforeAll(async () => {
  engine = await sampleEngine();
});

function search(operation: SearchOperation, text: string, options: object = {}): Promise<SearchResult> {
  return hitsOf(parseSearch(operation, { text, topK: 10, options }, settingsOf(operation, BUILTIN_SETTINGS)));
}

function hitsOf(request: SearchRequest): Promise<SearchResult> {
  return engine.search(DEFAULT_VIEWER, request, new AbortController().signal);
}

/** The labels of each of the first three cards. */
function firstLabels({ hits }: SearchResult): readonly (readonly string[])[] {
  return hits.slice(0, 3).map(({ card }) => [...card.topicTags, ...card.errorTypes]);
}

/** Perspectives of the lanes that the first hit was scored in. */
function weighedIn({ hits }: SearchResult): ReadonlySet<string> {
  return new Set((hits[0]?.lanes ?? []).flatMap(({ weight, perspective }) => (weight > 0 ? [perspective] : [])));
}

describe('a text that is the name of labels of the other kind alone', () => {
  test.each([
    ['byError', '植树问题', ['植树问题']],
    ['byError', 'fencepost error', ['植树问题', 'counting intervals']],
    ['byError', 'fencepsot error', ['植树问题', 'counting intervals']],
    ['byConcept', '语法错误', ['语法错误']],
    ['byConcept', 'sign error', ['sign error']],
    ['byConcept', 'sgin error', ['sign error']],
  ] as const)('%s(%s) finds cards with %j first', async (operation, text, labels) => {
    const found = firstLabels(await search(operation, text));
    expect(found).toHaveLength(3);
    for (const carried of found) expect(labels.some((label) => carried.includes(label))).toBe(true);
  });

  test('changes nothing where a label of the own kind has the name, or the other kind is avoided', async () => {
    expect(weighedIn(await search('byError', 'sign error'))).toEqual(new Set(['error']));
    expect(weighedIn(await search('byConcept', '植树问题'))).toEqual(new Set(['concept']));
    expect(weighedIn(await search('byError', '植树问题', { avoid: { concept: 1 } }))).not.toContain('question');
    expect(firstLabels(await search('byError', '植树问题', { avoid: { concept: 1 } })).flat()).not.toContain(
      '植树问题',
    );
  });

  test('is not known by a synonym where the query may not be expanded', async () => {
    expect(weighedIn(await search('byError', 'fencepost error'))).toEqual(new Set(['concept', 'error']));
    const unexpanded = { expand: false, thresholdSteps: [0] };
    expect(weighedIn(await search('byError', 'fencepost error', unexpanded))).toEqual(new Set(['error']));
  });
});

describe('hybridSearch with the default weights', () => {
  test('finds the cards of every error type by its name first, and explains their scores', async () => {
    const notebook = await sampleNotebook();
    const names = [...new Set(notebook.flatMap(({ errorTypes }) => errorTypes))];
    expect(names.length).toBeGreaterThan(30);
    for (const name of names) {
      const { hits } = await search('hybridSearch', name);
      expect({ name, first: hits[0]?.card.errorTypes }).toMatchObject({ first: expect.arrayContaining([name]) });
      for (const { score, lanes } of hits)
        expect(lanes.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(score, 9);
    }
  });

  test.each([
    ['sgin error', 'sign error'],
    ['did not convert the units', 'unit error'],
    ['老师说我又少考虑了一种情况', 'incomplete cases'],
  ])('finds cards by %j, which names or mentions %s', async (text, label) => {
    expect(firstLabels(await search('hybridSearch', text))[0]).toContain(label);
  });

  test('weighs the errors of no text that names a topic, or neither', async () => {
    expect(weighedIn(await search('hybridSearch', '植树问题'))).not.toContain('error');
    for (const { questionText } of (await sampleNotebook()).slice(0, 40))
      expect(weighedIn(await search('hybridSearch', questionText))).not.toContain('error');
  });

  test('weighs no errors with weights of a client or a profile, in a negative query, or from a card', async () => {
    const [builtin, plainVectors] = builtinProfiles('builtin') as [SearchProfile, SearchProfile];
    const { weights } = BUILTIN_SETTINGS;
    const saved = { ...builtin, name: 'ours', settings: structuredClone(builtin.settings) };
    const by = (profile: SearchProfile, args: object): Promise<SearchResult> =>
      hitsOf(parseSearch('hybridSearch', { topK: 10, ...args }, searchSettings('hybridSearch', profile, args)));
    expect(weighedIn(await by(builtin, { text: 'sign error' }))).toContain('error');
    const steps = { thresholdSteps: [0] };
    expect(weighedIn(await by(builtin, { text: 'sign error', weights, options: steps }))).not.toContain('error');
    expect(weighedIn(await by(saved, { text: 'sign error', options: steps }))).not.toContain('error');
    expect(weighedIn(await by(plainVectors, { text: 'sign error' }))).not.toContain('error');
    const avoid = { error: 1 };
    const { hits } = await by(builtin, { text: 'sign error', options: { ...steps, avoid } });
    expect(
      hits.flatMap(({ lanes }) => lanes).filter((lane) => lane.perspective === 'error' && lane.weight > 0),
    ).toEqual([]);
    expect(weighedIn(await by(builtin, { cardId: 'sample-en-020' }))).not.toContain('error');
  });
});

describe('a text that contains a name of labels of the other kind', () => {
  test.each([
    ['byError', 'added the tops and the bottoms', ['adding fractions', '异分母分数加减法']],
    ['byError', '分子加分子分母加分母', ['adding fractions', '异分母分数加减法']],
  ] as const)('%s(%s) finds cards with %j', async (operation, text, labels) => {
    const found = firstLabels(await search(operation, text));
    expect(found.filter((carried) => labels.some((label) => carried.includes(label)))).not.toEqual([]);
  });

  test('is searched for as before if it may mean a label of the own kind, or may not be expanded', async () => {
    expect(weighedIn(await search('byError', '分子加分子分母加分母'))).toContain('concept');
    expect(weighedIn(await search('byError', '分子加分子分母加分母', { expand: false }))).not.toContain('concept');
    expect(weighedIn(await search('byError', 'free-body diagram drawn wrong'))).toEqual(new Set(['error']));
    expect(weighedIn(await search('byError', '移项的时候符号弄错，解方程'))).toEqual(new Set(['error']));
  });
});

describe('a notebook whose error types are sentences', () => {
  const [variables, negative] = [
    'when students struggle to recognize when to combine like terms',
    '括号前面是负号，去括号后里面各项没有变号',
  ];
  let sentences: Engine;
  beforeAll(async () => {
    const number = { topicTags: ['Number operations'], errorTypes: ['when students work from left to right'] };
    sentences = await memoryEngine([
      cardOf({ id: 'a', questionText: 'What is 4x+2x+x?', topicTags: ['Expressions'], errorTypes: [variables] }),
      cardOf({ id: 'b', questionText: '计算 a-(b-c)', topicTags: ['整式'], errorTypes: [negative] }),
      cardOf({ id: 'c', questionText: 'Sort the terms of the list: which one is like 7?', ...number }),
      cardOf({ id: 'd', questionText: 'Calculate 6-2*2.', ...number }),
      cardOf({ id: 'e', questionText: '去掉多余的量，符号各是什么', topicTags: ['单位'], errorTypes: [] }),
    ]);
  });
  const found = (operation: SearchOperation, text: string): Promise<SearchResult> =>
    sentences.search(
      DEFAULT_VIEWER,
      parseSearch(operation, { text, topK: 10 }, settingsOf(operation, BUILTIN_SETTINGS)),
      new AbortController().signal,
    );

  test.each([
    ['hybridSearch', 'like terms', variables],
    ['hybridSearch', 'did not combine the like terms', variables],
    ['byConcept', 'like terms', variables],
    ['hybridSearch', '去括号变号', negative],
  ] as const)('%s(%s) finds the card of the sentence that has these words first', async (operation, text, label) => {
    const result = await found(operation, text);
    expect(weighedIn(result)).toContain('error');
    expect(result.hits[0]?.card.errorTypes).toEqual([label]);
  });

  test.each([
    ['one word', 'terms'],
    ['words that a topic has too', 'number operations'],
    ['a formula with fewer words of the sentence than its other terms', '4x+2x+x-7 combine terms'],
    ['a text that is too long to be a name', `like terms ${'of a long text about many other things '.repeat(30)}`],
  ])('hybridSearch weighs no errors for %s', async (_, text) => {
    expect(weighedIn(await found('hybridSearch', text))).not.toContain('error');
  });
});

describe('a text that contains another name of a label', () => {
  test('has an answer, however little else it has in common with the cards', async () => {
    const { hits, receipt } = await search('byConcept', 'the empty set is a subset of every set');
    expect(receipt.nothingClose).toBe(false);
    expect(hits.some(({ card }) => card.topicTags.includes('空集'))).toBe(true);
  });

  test('has none if no card carries the label', async () => {
    expect((await search('byError', '三视图里虚线和实线用反了')).receipt.nothingClose).toBe(true);
  });
});

describe('a term of a topic', () => {
  test.each([
    ['byConcept', '镜子反射光线', 'law of reflection'],
    ['byConcept', '动量守恒', 'momentum and impulse'],
  ] as const)('%s(%s) finds a card about %s among the first three', async (operation, text, label) => {
    expect(firstLabels(await search(operation, text)).flat()).toContain(label);
  });
});
