import { describe, expect, test } from 'vitest';
import { askedOf, searchAddress } from '../../../studio/search/address.js';
import { type Asked, NOTHING_ASKED } from '../../../studio/search/state.js';
import { QUALITY } from '../../../studio/ui/card-values.js';

const read = (address: string): Asked => askedOf(new URLSearchParams(address.split('?')[1] ?? ''));

describe('the address of a search', () => {
  test.each<readonly [string, Partial<Asked>]>([
    ['nothing', {}],
    ['a text with a formula', { text: '解不等式：$-2x>6$\n & 100% + #1' }],
    ['a card', { cardId: 'sample-zh-067' }],
    [
      'the kind of search, the number of results and filters',
      {
        text: 'force',
        operation: 'byError',
        topK: 50,
        filter: { subjects: ['physics'], topicTags: ['a, b'], difficultyMax: 2 },
      },
    ],
    [
      'filters alone, in the order in which they were chosen',
      { filter: { topicTags: ['b', 'a'], subjects: ['math'] } },
    ],
    ['grades of quality in any order', { filter: { qualityGrades: [...QUALITY].reverse() } }],
  ])('has %s', (_title, part) => {
    const asked = { ...NOTHING_ASKED, ...part };
    const address = searchAddress(asked);
    expect(read(address)).toEqual(asked);
    // Else the page would take its own address for a link that was followed.
    expect(searchAddress(read(address))).toBe(address);
  });

  test('is short before anything is searched for', () => {
    expect(searchAddress({ ...NOTHING_ASKED, text: ' \n' })).toBe('#/search');
  });

  test('that cannot be meant is left out', () => {
    expect(read('?operation=toString&topK=7&card=&difficultyMin=0')).toEqual(NOTHING_ASKED);
  });
});
