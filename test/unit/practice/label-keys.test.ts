import { expect, test } from 'vitest';
import type { DescribedLabel } from '../../../src/domain/ports/labels.js';
import { atOnce } from '../../../src/domain/steps.js';
import { labelKeySteps } from '../../../src/practice/label-keys.js';

const labelKeysOf = (...given: Parameters<typeof labelKeySteps>) => atOnce(labelKeySteps(...given));

const label = (name: string, parent: string | null, aliases: readonly string[] = []): DescribedLabel => ({
  kind: 'topicTags',
  name,
  parent,
  aliases,
});

test('a label stands for itself, by any of its names, and for all labels below it', () => {
  const described = [
    label('cubic', 'Equations'),
    label('roots of a cubic', 'Cubic', ['cubic roots']),
    label('equations', 'algebra', ['方程']),
    label('algebra', null),
    { ...label('sign error', 'equations'), kind: 'errorTypes' as const },
  ];
  const below = ['equations', 'cubic', 'roots of a cubic'];
  for (const asked of ['Equations', '方程']) {
    expect([...labelKeysOf(described, 'topicTags', [asked])].filter((key) => key !== '方程').sort()).toEqual(
      [...below].sort(),
    );
  }
  expect(labelKeysOf(described, 'topicTags', ['geometry'])).toEqual(new Set(['geometry']));
  expect(labelKeysOf(described, 'topicTags', []).size).toBe(0);
});

test('an alias does not stand for labels that are only below another one', () => {
  const described = [label('b', 'a'), label('c', null, ['b'])];
  expect(labelKeysOf(described, 'topicTags', ['a'])).toEqual(new Set(['a', 'b']));
});

test('each label that a school describes is a step', () => {
  const described = Array.from({ length: 30 }, (_, n) => label(`topic ${n}`, null, [`subject ${n}`]));
  expect([...labelKeySteps(described, 'topicTags', ['subject 7'])]).toHaveLength(30);
  expect(labelKeysOf(described, 'topicTags', ['subject 7'])).toEqual(new Set(['subject 7', 'topic 7']));
});
