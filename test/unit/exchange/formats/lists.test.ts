import { expect, test } from 'vitest';
import { joinAttachments, splitAttachments } from '../../../../src/exchange/formats/values/lists.js';

test('the attachments of a cell are links between blanks or separators, and are read as they were written', () => {
  const [a, b] = ['https://a.example/1.png?x=1,2;3', 'http://b.example/2.png'];
  for (const between of [' ', '\n', ',', ', ', '，', '; ', '；', '、', ' | ']) {
    expect(splitAttachments(`${a}${between}${b}${between}`)).toEqual([{ url: a }, { url: b }]);
  }
  const urls = [a, 'https://a.example/,https://b.example/', 'https://a.example/;', b];
  const written = joinAttachments(urls.map((url) => ({ url, sha256: null })));
  expect(splitAttachments(written)).toEqual(urls.map((url) => ({ url })));
});
