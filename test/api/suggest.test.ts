import { describe, expect, test } from 'vitest';
import { BadInputError } from '../../src/domain/errors.js';
import { serving } from './gateway.js';

const serve = serving();

describe('suggestTags', () => {
  test('asks for 5 suggestions by default, and returns them in order', async () => {
    const asked: unknown[] = [];
    const { post } = await serve({
      suggester: {
        suggest: async (_viewer, text, first) => {
          asked.push([text, first]);
          return [
            { tag: 'fractions', perspective: 'concept', score: 0.5, cards: 3 },
            { tag: 'adds denominators', perspective: 'error', score: 0.25, cards: 1 },
          ];
        },
      },
    });
    const { data } = await post('{ suggestTags(text: "1/2 + 1/3") { tag perspective score cards } }');
    expect(data.suggestTags).toEqual([
      { tag: 'fractions', perspective: 'CONCEPT', score: 0.5, cards: 3 },
      { tag: 'adds denominators', perspective: 'ERROR', score: 0.25, cards: 1 },
    ]);
    await post('{ suggestTags(text: "x", first: 50) { tag } }');
    expect(asked).toEqual([
      ['1/2 + 1/3', 5],
      ['x', 50],
    ]);
  });

  test('passes on errors', async () => {
    const suggest = (): never => {
      throw new BadInputError('text', 'has no word');
    };
    const { post } = await serve({ suggester: { suggest } });
    const { errors } = await post('{ suggestTags(text: "?") { tag } }');
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', field: 'text' } }]);
  });
});
