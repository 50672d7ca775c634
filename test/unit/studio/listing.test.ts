import { describe, expect, test } from 'vitest';
import { addressOf, type Listing, listingOf } from '../../../studio/cards/listing.js';

const read = (address: string): Listing => listingOf(new URLSearchParams(address.split('?')[1] ?? ''));

describe('the address of the list of cards', () => {
  test.each<readonly [string, Listing]>([
    ['all cards', { filter: {}, sort: 'newest' }],
    ['an order', { filter: {}, sort: 'frequent' }],
    [
      'every filter',
      {
        filter: {
          subjects: ['math', '物理'],
          grades: ['G8'],
          topicTags: ['a, b & c?', '#'],
          errorTypes: ['100% + x=1'],
          qualityGrades: ['EXCELLENT', 'FAIR'],
          difficultyMin: 2,
          difficultyMax: 4,
        },
        sort: 'easy',
      },
    ],
  ])('has %s', (_title, listing) => {
    expect(read(addressOf(listing))).toEqual(listing);
  });

  test('is short without filters', () => {
    expect(addressOf({ filter: {}, sort: 'newest' })).toBe('#/cards');
  });

  test('that cannot be meant is left out', () => {
    expect(read('?sort=x&difficultyMin=9&qualityGrades=BAD&owner=amy')).toEqual({ filter: {}, sort: 'newest' });
  });
});
