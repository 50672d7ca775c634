import { expect, test } from 'vitest';
import {
  joinAttachments,
  joinLabels,
  splitAttachments,
  splitLabels,
} from '../../../../src/exchange/formats/values/lists.js';

test('the attachments of a cell are links between blanks or separators, and are read as they were written', () => {
  const [a, b] = ['https://a.example/1.png?x=1,2;3', 'http://b.example/2.png'];
  for (const between of [' ', '\n', ',', ', ', '，', '; ', '；', '、', ' | ']) {
    expect(splitAttachments(`${a}${between}${b}${between}`)).toEqual([{ url: a }, { url: b }]);
  }
  const urls = [a, 'https://a.example/,https://b.example/', 'https://a.example/;', b];
  const written = joinAttachments(urls.map((url) => ({ url, sha256: null })));
  expect(splitAttachments(written)).toEqual(urls.map((url) => ({ url })));
});

test.each(['<', '>', '<,>', '<a>b', '<b>,', '>|https://b.example', ',<https://b.example>'])(
  'an address of an attachment may hold %s',
  (part) => {
    const urls = [`https://a.example/${part}`, 'https://a.example/'];
    const written = joinAttachments(urls.map((url) => ({ url, sha256: null })));
    expect(splitAttachments(written)).toEqual(urls.map((url) => ({ url })));
  },
);

test('links in angle brackets are apart without blanks between them', () => {
  const urls = ['https://a.example/1,2', 'https://b.example/'].map((url) => ({ url }));
  for (const between of ['', ',', '、']) {
    expect(splitAttachments(urls.map(({ url }) => `<${url}>`).join(between))).toEqual(urls);
  }
  expect(splitAttachments('https://b.example/,<https://a.example/1,2>;')).toEqual(urls.toReversed());
});

test.each([
  '1、计算错误 2、审题不清',
  '1、计算错误；2、审题不清。',
  '1.计算错误。2.审题不清。',
  '1.计算错误2.审题不清',
  '1、计算错误2、审题不清',
  ' 1. 计算错误\n2. 审题不清',
  '①计算错误②审题不清',
  '① 计算错误、② 审题不清',
  '（1）计算错误（2）审题不清',
  '(1)计算错误\n(2)审题不清',
])('the labels of %j are the entries of the numbered list', (text) => {
  expect(splitLabels(text)).toEqual(['计算错误', '审题不清']);
});

test('a number that begins no numbered list is a part of its label, and is read as it was written', () => {
  const labels = ['2、x', '1.5 倍', '(1) 班', '1, 2', '加法 2. 减法', '第①步'].flatMap(splitLabels);
  expect(labels).toEqual(['2', 'x', '1.5 倍', '(1) 班', '1', '2', '加法 2. 减法', '第①步']);
  expect(splitLabels('1. 加法')).toEqual(['加法']);
  expect(splitLabels('1、必修1、第3.5节')).toEqual(['必修1', '第3.5节']);
  const written = ['1. 加法', '2. 减法', '(1) 甲', '(2) 乙', '①'];
  expect(splitLabels(joinLabels(written))).toEqual(written);
});

test('a Chinese full stop behind a label is no part of it, unless the label was stored with it', () => {
  expect(splitLabels('计算错误。')).toEqual(['计算错误']);
  expect(splitLabels('计算错误。；审题不清。。')).toEqual(['计算错误', '审题不清']);
  const stored = ['计算错误。', '。', '负数。零'];
  expect(splitLabels(joinLabels(stored))).toEqual(stored);
});
