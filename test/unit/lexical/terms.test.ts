import { expect, test } from 'vitest';
import { atOnce } from '../../../src/domain/steps.js';
import { Bm25Index } from '../../../src/lexical/bm25.js';
import {
  analyserOf,
  contentTerms,
  formulaOf,
  functionTerm,
  shapeTerm,
  termsOfTexts,
  termWeight,
} from '../../../src/lexical/terms.js';
import { cardTermSteps } from '../../../src/lexical/text-lanes.js';
import { formulaShapes } from '../../../src/text/formula-shapes.js';
import { lexemes } from '../../../src/text/lexemes.js';
import { Tokenizer } from '../../../src/text/tokenizer.js';

const tokenizer = new Tokenizer();
const analyse = analyserOf(tokenizer);

test('of the terms of a text, tokens and then shapes, the first 20,000 are indexed', () => {
  for (const text of ['x+1=2', '<b>'.repeat(4_000), '<b>'.repeat(9_000)]) {
    const parts = lexemes(text);
    const all = [...tokenizer.tokensOfAll(parts), ...formulaShapes(parts).map(shapeTerm)];
    expect(termsOfTexts([text], analyse)).toEqual(all.slice(0, 20_000));
  }
});

test('each text of a card is analysed once', () => {
  const analysed: string[] = [];
  const terms = atOnce(
    cardTermSteps(
      {
        questionText: '1/2+1/3=?',
        choices: [],
        studentSolutionText: '2/5',
        goldSolutionBrief: '5/6',
        topicTags: ['分数加法'],
        errorTypes: [],
      },
      (text) => {
        analysed.push(text);
        return [text];
      },
    ),
  );
  expect(analysed).toEqual(['1/2+1/3=?', '2/5', '5/6', '分数加法']);
  expect(terms.attempt).toEqual(['1/2+1/3=?', '2/5']);
  expect(terms.texts.solution).toEqual(['2/5', '5/6']);
});

test('weighted terms rank a card with a common token before one with an equally rare common shape', () => {
  const index = new Bm25Index({ weightOf: termWeight });
  index.set('shape', ['x', shapeTerm('v + #')]);
  index.set('word', ['面积', shapeTerm('# = v')]);
  const found = index.queries.search(['面积', shapeTerm('v + #')], 5);
  expect(found.map(({ cardId }) => cardId)).toEqual(['word', 'shape']);
});

test('a shape differs from a token with the same spelling', () => {
  expect(shapeTerm('v')).not.toBe('v');
});

test('English function words are terms of their own kind, also those of a text that has no other word', () => {
  expect(analyse('which 和 that 的区别')).toEqual(['区别', ...['which', 'that'].map(functionTerm)]);
  expect(analyse('Who or whom?')).toEqual(['who', 'or', 'whom'].map(functionTerm));
  // A letter is a variable or an option.
  expect(analyse('I x a')).toEqual(expect.not.arrayContaining(['i', 'a'].map(functionTerm)));
});

test('a function word counts if a card has it, and at most a tenth of them do', () => {
  const index = new Bm25Index({ weightOf: termWeight });
  const others = Array.from({ length: 20 }, (_, at) => [`card ${at}`, functionTerm('the')] as const);
  for (const [id, term] of others) index.set(id, [id, term]);
  index.set('since', ['tense', functionTerm('since')]);
  const ranked = (...terms: string[]): readonly string[] => index.queries.search(terms, 9).map(({ cardId }) => cardId);
  expect(ranked(functionTerm('the'))).toEqual([]);
  expect(ranked(functionTerm('since'), functionTerm('the'))).toEqual(['since']);
  expect(ranked(functionTerm('since'), 'card 3')).toEqual(['card 3', 'since']);
});

test('the name of a label has no function words, unless it has no others', () => {
  expect(contentTerms(analyse('area of the circle'))).toEqual(analyse('area circle'));
  expect(contentTerms(analyse('who or whom'))).toHaveLength(3);
});

test.each([
  ['Solve x+1', ['x', '1'], ['v + #']],
  ['2H2+O2', ['2', 'h2', 'o2'], ['# v +', '# v + v', 'v + v']],
  ['sin30', ['sin', '30'], []],
  ['小明买苹果和梨一共付了 3+5 元', [], []],
  ['12', [], []],
  ['how many in 12', [], []],
  ['一共 12 个', [], []],
  ['浮力', [], []],
])('the formula of %s', (text, terms, shapes) => {
  expect(formulaOf(analyse(text))).toEqual([...terms, ...shapes.map(shapeTerm)]);
});
