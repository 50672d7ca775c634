import { describe, expect, test } from 'vitest';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { LabelLookup } from '../../../src/search/query/label-lookup.js';
import { respelled } from '../../../src/search/query/spelling.js';
import { EnglishWords } from '../../../src/text/english-words.js';
import { cardOf } from '../../support/generators.js';
import { literalWords } from '../../support/memory-ports.js';
import { HOMOPHONES, vocabularyOf } from '../../support/vocabulary.js';

const words = [
  'quadratic',
  'equation',
  'equations',
  'photosynthesis',
  'friction',
  'fraction',
  'plane',
  'present',
  'sign',
  'from',
];
const known = new Set(['solve', 'fractions']);

function corrected(text: string): Promise<string> {
  return respelled(text, {
    isUnknown: (word) => !known.has(word) && !words.includes(word),
    isRight: (word) => word === 'faction',
    words: async () => words,
  });
}

describe('the spelling of a query', () => {
  test.each([
    ['a letter that is missing is put in', 'quadratc equaton', 'quadratic equation'],
    ['a letter too many is left out', 'quadraatic', 'quadratic'],
    ['another letter is put right', 'quadretic', 'quadratic'],
    ['two letters that changed places are put back', 'Qaudratic', 'quadratic'],
    ['a long word may have two slips', 'phtosyntesis', 'photosynthesis'],
    ['a short word may have two letters swapped', 'sgin error on a palne', 'sign error on a plane'],
    [
      'short words do not use up the look-ups of long ones',
      'abcd bcde cdef defg quadratc',
      'abcd bcde cdef defg quadratic',
    ],
    ['of several near words it is the first', 'froction', 'fraction'],
    ['the words around stay', '解 quadratc，x_equaton!', '解 quadratic，x_equaton!'],
  ])('%s', async (_, text, expected) => {
    expect(await corrected(text)).toBe(expected);
  });

  test.each([
    ['a word that a card has', 'solve fractions'],
    ['a right word that no card has', 'a faction'],
    ['a short word, which has too many neighbours', 'plate'],
    ['a short word to a small word', 'form'],
    ['a word of three letters', 'sgn'],
    ['a word of less than ten letters with two slips', 'quardatc'],
    ['a longer right word', 'president'],
    ['a command of LaTeX', '\\frictoin'],
  ])('%s is not changed', async (_, text) => {
    expect(await corrected(text)).toBe(text);
  });

  test('looks up at most four unknown words of a text', async () => {
    let lookedUp = 0;
    const noise = Array.from(
      { length: 1_000 },
      (_, place) => `noise${'abcdefghij'[place % 10]}${'klmnopqrst'[((place / 10) % 10) | 0]}`,
    );
    const counting = {
      [Symbol.iterator]: () => {
        lookedUp += 1;
        return words[Symbol.iterator]();
      },
    };
    await respelled(noise.join(' '), { isUnknown: () => true, isRight: () => false, words: async () => counting });
    expect(lookedUp).toBe(4);
  });
});

describe('the spelling of a query in a notebook', () => {
  const labels = [
    ['Adding fractions', 'Evolution', 'Protons', 'Energy conversion', 'Genetic reduction', 'Rotation', 'Dilution'],
    ['Reflection', 'Radius', 'Sign error', 'Hypotenuse', 'Quadratic equation', 'Triangle', 'Denominator', 'Planes'],
  ];
  const notebook = new LexicalIndex(literalWords);
  for (const [place, topicTags] of labels.entries()) notebook.set(cardOf({ id: `${place}`, topicTags }));
  const lookup = new LabelLookup(new EnglishWords(), HOMOPHONES);
  const { signal } = new AbortController();
  const read = (text: string): Promise<string> => lookup.respelled(notebook, vocabularyOf(), text, signal);

  test.each([
    ...['friction', 'revolution', 'photon', 'convection', 'traction', 'deduction', 'notation', 'dilation'],
    ...['inflection', 'generic', 'radium', 'radios', 'sing'],
  ])('keeps the English word %s', async (word) => {
    expect(await read(word)).toBe(word);
  });

  test.each([
    ['quadratc equaton', 'quadratic equation'],
    ['denominater', 'denominator'],
    ['trangle', 'triangle'],
    ['fracton', 'fraction'],
    ['hypotenus', 'hypotenuse'],
    ['sgin', 'sign'],
  ])('corrects %s to %s', async (text, expected) => {
    expect(await read(text)).toBe(expected);
  });
});
