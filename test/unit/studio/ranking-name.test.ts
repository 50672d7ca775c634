import { describe, expect, test } from 'vitest';
import { LANES } from '../../../src/domain/search.js';
import { rankingNames } from '../../../src/evaluation/measure-case.js';
import { wordingOf } from '../../../studio/app/wording.js';
import type { RankingKind } from '../../../studio/generated/operations.js';
import { rankingName } from '../../../studio/quality/ranking-name.js';

const [en, zh] = [wordingOf('en'), wordingOf('zh-CN')];
const RANKINGS = rankingNames({ name: 'mine' } as Parameters<typeof rankingNames>[0]).map(({ name, kind }) => ({
  name,
  type: kind.toUpperCase() as RankingKind,
}));

describe('the rankings of an evaluation', () => {
  test('have a name in both languages', () => {
    const names = (wording: typeof zh) => RANKINGS.map((ranking) => rankingName(wording, ranking));
    expect(names(zh).slice(0, 3)).toEqual(['检索', '检索（mine）', '题目 · 向量']);
    expect(names(en).slice(0, 3)).toEqual(['search', 'search by mine', 'Question · vectors']);
    expect(names(zh).at(-1)).toBe('纯 BM25');
    expect(names(zh).filter((name) => !/\p{Script=Han}/u.test(name))).toEqual([]);
    expect(new Set(names(zh)).size).toBe(LANES.length + 3);
    expect(new Set(names(en)).size).toBe(LANES.length + 3);
  });

  test('keep a name that the page does not know', () => {
    expect(rankingName(zh, { type: 'LANE', name: 'sparse question' })).toBe('sparse question');
    expect(rankingName(zh, { type: 'BASELINE', name: 'random' })).toBe('random');
  });
});
