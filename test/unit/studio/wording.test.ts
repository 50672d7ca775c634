import { describe, expect, test } from 'vitest';
import { wordingOf } from '../../../studio/app/wording.js';
import { EMPTY_DRAFT, textOf } from '../../../studio/cards/draft.js';

const [en, zh] = [wordingOf('en'), wordingOf('zh-CN')];

describe('the wording', () => {
  test('has a singular in English', () => {
    expect(en.t('filter.total', { count: '1' })).toBe('1 card');
    expect(en.t('filter.total', { count: 0 })).toBe('0 cards');
    expect(en.t('filter.total', { count: '1,001' })).toBe('1,001 cards');
    expect(zh.t('filter.total', { count: 1 })).toBe('1 张卡片');
    expect(en.t('repeated.about', { times: '1', right: '2', date: 'May 1' })).toMatch(/^Came back 1 time,/);
    expect(en.t('fingerprint.heatMap.about', { error: 'sign error', topic: 'sums', count: '1' })).toContain(
      '1 mistake.',
    );
  });

  test('says of the last time that an error came back how many right answers it came after', () => {
    const values = { times: '42', right: '1', date: '05-01' };
    expect(en.t('repeated.about', values)).toBe(
      'Came back 42 times, last on 05-01, 1 right answer after the time before',
    );
    expect(zh.t('repeated.about', values)).toBe('又出现 42 次；最近一次 05-01，与前一次之间答对 1 次');
  });

  test('does not say that a student has no reviews who had some earlier', () => {
    expect([en, zh].map(({ t }) => t('retention.none', { days: 30 }).split(/[.，]/)[0])).toEqual([
      'No reviews in the last 30 days',
      '最近 30 天没有复习',
    ]);
  });

  test('has a blank between two sentences in English only', () => {
    const welcomes = [en, zh].map(({ t, gap }) => t('welcome.about') + gap + t('welcome.total', { count: 2 }));
    expect(welcomes[0]).toMatch(/\. This/);
    expect(welcomes[1]).toMatch(/。这/);
  });

  test('leaves a placeholder without a value as it is', () => {
    expect(en.t('filter.total')).toBe('{count} cards');
  });

  test('writes shares as the language does', () => {
    expect([en, zh].map(({ percent }) => percent(0.955, 1))).toEqual(['95.5%', '95.5%']);
    expect(zh.t('worth.probability', { percent: zh.percent(0.47) })).toBe('下一题答对的概率是 47%。');
  });

  test('names values of a card that have a name', () => {
    const draft = { ...EMPTY_DRAFT, qualityGrade: 'EXCELLENT', topicTags: ['方程', '不等式'] } as const;
    expect(textOf('qualityGrade', draft, zh)).toBe('优');
    expect(textOf('subject', draft, zh)).toBe('数学');
    expect(textOf('subject', { ...draft, subject: '书法' }, zh)).toBe('书法');
    expect(textOf('topicTags', draft, zh)).toBe('方程、不等式');
    expect(textOf('difficulty', draft, zh)).toBe('3');
    expect(textOf('qualityGrade', EMPTY_DRAFT, zh)).toBe('');
  });
});
