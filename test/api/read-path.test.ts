import { beforeAll, describe, expect, test } from 'vitest';
import { type Api, sharedGateway } from '../support/gateway.js';
import { createCard, idsOf, indexed, wholeSearch as search } from '../support/notebook.js';

/** Eight mistakes: four of them the same, that a factor before a bracket was multiplied into its first term alone. */
const NOTEBOOK = [
  {
    id: 'own',
    questionText: '解方程 $3(x-2)=12$',
    studentSolutionText: '$3x-2=12$，$3x=14$，$x=\\frac{14}{3}$',
    topicTags: ['一元一次方程'],
    errorTypes: ['去括号漏乘'],
  },
  {
    id: 'twin',
    questionText: '解方程 $3(x-4)=15$',
    studentSolutionText: '$3x-4=15$，$3x=19$，$x=\\frac{19}{3}$',
    topicTags: ['一元一次方程'],
    errorTypes: ['去括号漏乘'],
  },
  {
    id: 'ribbon',
    questionText: '一根彩带比另一根长 2 米，短的 4 根和长的 3 根一共 41 米，短的一根有多少米？',
    studentSolutionText: '设短的有 $x$ 米，$4x+3x+2=41$，$x=\\frac{39}{7}$',
    topicTags: ['列方程解应用题', '一元一次方程'],
    errorTypes: ['去括号漏乘'],
  },
  {
    id: 'train',
    questionText: '两地相距 360 千米，两车同时相向而行，快车每小时比慢车多行 20 千米，4 小时后相遇，求慢车的速度',
    studentSolutionText: '$4(2v+20)=360$，$8v+20=360$，$v=42.5$',
    topicTags: ['行程问题', '一元一次方程'],
    errorTypes: ['去括号漏乘'],
  },
  {
    id: 'sign',
    questionText: '解方程 $3(x-2)=18$',
    studentSolutionText: '$3x-6=18$，$3x=18-6$，$x=4$',
    topicTags: ['一元一次方程'],
    errorTypes: ['移项未变号'],
  },
  {
    id: 'division',
    questionText: '解方程 $3(x-2)=12x$',
    studentSolutionText: '$3x-6=12x$，$-6=9x$，$x=-1.5$',
    topicTags: ['一元一次方程'],
    errorTypes: ['系数化为一时除反了'],
  },
  {
    id: 'speed',
    questionText: '小明骑车 15 分钟行了 3 千米，求他的平均速度',
    studentSolutionText: '$3\\div 15=0.2$ 千米/时',
    topicTags: ['行程问题'],
    errorTypes: ['单位没有换算'],
  },
  {
    id: 'tense',
    questionText: 'He ___ (go) to school by bus every day.',
    studentSolutionText: 'go',
    topicTags: ['一般现在时'],
    errorTypes: ['第三人称单数漏加 s'],
  },
] as const;

describe('the read path on a notebook of eight cards', () => {
  let gateway: Api;

  beforeAll(async () => {
    const shared = await sharedGateway();
    gateway = shared.gateway.as(await shared.tokenOf({ sub: 'amy' }));
    for (const card of NOTEBOOK) await createCard(gateway, card);
    await indexed(gateway);
  });

  /** Half alike is enough, whatever steps the model has by itself. */
  const halfAlike = { thresholdSteps: [0.5] };
  const own = { cardId: 'own', topK: 10 };

  test('finds the same error in any question, the most similar first', async () => {
    const answer = await search(gateway, 'byError', { ...own, options: halfAlike });
    // twin makes it with the same numbers, ribbon with another product, train with another letter.
    expect(idsOf(answer)).toEqual(['twin', 'ribbon', 'train']);
  });

  test('a contrast search finds the same error in a different-looking question, and explains the subtracted part', async () => {
    const options = { ...halfAlike, avoid: { question: 0.5 } };
    const answer = await search(gateway, 'byError', { ...own, options });
    // The same error in words about ribbons and trains; in the very same equation it is the last that one would
    // practise. sign and division are nearly the same equation with other errors: no hits, with or without contrast.
    expect(idsOf(answer)).toEqual(['ribbon', 'train', 'twin']);
    expect(answer.hits.map(({ verdict }) => verdict)).toEqual(['SAME_TRAP', 'SAME_TRAP', 'SAME_QUESTION_NEW_SKIN']);
    const lost = answer.hits.map(({ lanes }) =>
      lanes.filter(({ weight }) => weight < 0).reduce((sum, { contribution }) => sum + contribution, 0),
    );
    const [ribbon, train, twin] = lost;
    expect(ribbon).toBeGreaterThan(-0.1);
    expect(train).toBeGreaterThan(-0.1);
    expect(twin).toBeLessThan(-0.3);
    for (const { score, lanes, threshold } of answer.hits) {
      expect(lanes.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(score, 9);
      // What is avoided takes nothing off what the step asked.
      expect(threshold).toBe(0.5);
    }
  });

  test('a contrast search drops a card that is more similar to what is avoided than to what is searched for', async () => {
    const options = { thresholdSteps: [0], avoid: { question: 1 } };
    const answer = await search(gateway, 'byError', { ...own, options });
    expect(idsOf(answer)).not.toContain('sign');
    expect(idsOf(answer)).not.toContain('division');
    expect(idsOf(await search(gateway, 'byError', { ...own, options: { thresholdSteps: [0] } }))).toContain('sign');
  });

  test('a contrast search has the same first two hits with every fusion', async () => {
    for (const fusion of ['WEIGHTED', 'RRF', 'RELATIVE']) {
      const options = { ...halfAlike, fusion, avoid: { question: 0.5 } };
      const answer = await search(gateway, 'byError', { ...own, options });
      expect(answer.receipt.fusion).toBe(fusion);
      expect(new Set(idsOf(answer).slice(0, 2))).toEqual(new Set(['ribbon', 'train']));
    }
  });

  test('accepts all options together, FUSED and LAYERED, and the receipt describes them', async () => {
    const options = {
      fusion: 'RRF',
      lexicalShare: 0.4,
      thresholdSteps: [0.9, 0.3],
      minResults: 3,
      diversity: 0.3,
      rerank: false,
      keywords: ['彩带'],
      expand: true,
      perLane: 20,
      preferQuality: true,
      avoid: { question: 0.1 },
    };
    for (const strategy of ['FUSED', 'LAYERED']) {
      const { hits, receipt } = await search(gateway, 'byError', {
        text: '括号漏乘',
        topK: 50,
        filter: { subject: ['math'], difficultyMax: 5 },
        options: { ...options, strategy },
      });
      expect(receipt).toMatchObject({
        strategy,
        fusion: 'RRF',
        filterPlan: 'exact',
        matchedByFilter: NOTEBOOK.length,
        thresholdsTried: [0.9, 0.3],
        degraded: [],
      });
      expect(receipt.inferredConcepts).toContain('去括号漏乘');
      expect(hits.length).toBeGreaterThan(0);
      const layers = ['SEMANTIC', 'STRUCTURE', 'KEYWORD', 'EXPANDED'];
      expect(receipt.layers.map(({ layer }) => layer)).toEqual(strategy === 'LAYERED' ? layers : []);
      for (const { layer, threshold } of hits) {
        expect(receipt.thresholdsTried).toContain(threshold);
        expect(layer === null).toBe(strategy === 'FUSED');
      }
    }
  });

  test.each([
    ['byConcept', '形程问题', '行程问题'],
    ['hybridSearch', 'xing cheng wen ti', '行程问题'],
    ['byError', '一项未变号', '移项未变号'],
  ] as const)('%s reads %s as %s, which sounds the same, and finds its cards', async (operation, text, name) => {
    const written = await search(gateway, operation, { text, topK: 2 });
    const right = await search(gateway, operation, { text: name, topK: 2 });
    expect(idsOf(right)).toContain(name === '行程问题' ? 'train' : 'sign');
    expect(idsOf(written)).toEqual(idsOf(right));
    expect(written.receipt.expandedQuery).toMatch(new RegExp(`^${name}( |$)`));
  });

  test('the receipt of a layered search has the added words, and each hit its layer', async () => {
    const text = '慢车的速度';
    // In a notebook of eight cards, labels that no evidence speaks for give a card up to .28.
    const options = { strategy: 'LAYERED', thresholdSteps: [0.5, 0.28] };
    const { hits, receipt } = await search(gateway, 'hybridSearch', { text, topK: 10, options });
    // train asks for the speed of the slow train. speed says nothing of one, but it is a problem of motion as train is.
    expect(hits.map(({ card, layer, threshold }) => [card.id, layer, threshold])).toEqual([
      ['train', 'KEYWORD', 0.28],
      ['speed', 'EXPANDED', 0.5],
    ]);
    expect(receipt.expandedQuery).toBe(`${text} velocity 行程问题`);
    expect(receipt.layers.map(({ layer, admitted }) => [layer, admitted])).toEqual([
      ['SEMANTIC', 0],
      ['KEYWORD', 1],
      ['EXPANDED', 1],
    ]);
  });

  test('returns an empty list with a receipt if nothing reaches the thresholds', async () => {
    const { hits, receipt } = await search(gateway, 'byError', { ...own, options: { thresholdSteps: [1, 0.99] } });
    expect(hits).toEqual([]);
    expect(receipt).toMatchObject({ thresholdsTried: [1, 0.99], degraded: [] });
    expect(receipt.candidates).toBeGreaterThan(0);
  });

  test('returns an empty list with a reason for an unrelated text, unless the client sets the thresholds', async () => {
    for (const strategy of ['FUSED', 'LAYERED']) {
      for (const operation of ['similarQuestions', 'byConcept', 'byError', 'hybridSearch'] as const) {
        const text = 'Which king signed the Magna Carta, and in which year?';
        const { hits, receipt } = await search(gateway, operation, { text, options: { strategy } });
        expect(hits).toEqual([]);
        expect(receipt).toMatchObject({ nothingClose: true, thresholdsTried: [], degraded: [] });
      }
    }
    const text = 'Which king signed the Magna Carta, and in which year?';
    const { hits, receipt } = await search(gateway, 'similarQuestions', { text, options: { thresholdSteps: [0] } });
    expect(hits.length).toBeGreaterThan(0);
    expect(receipt).toMatchObject({ nothingClose: false, thresholdsTried: [0] });
  });

  test('always answers a search by a card, however short, because its labels are known', async () => {
    const { receipt } = await search(gateway, 'byConcept', { cardId: 'tense' });
    expect(receipt.nothingClose).toBe(false);
  });
});
