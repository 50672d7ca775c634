import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BadInputError } from '../../../src/domain/errors.js';
import { caseIdOf, type GoldenCase } from '../../../src/domain/golden.js';
import {
  parseGoldenSet,
  parseHitJudgement,
  readGoldenLines,
  writeGoldenLines,
} from '../../../src/domain/parse/golden.js';
import { PERSPECTIVES } from '../../../src/domain/perspective.js';

function refused(run: () => unknown): string {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof BadInputError) return thrown.message;
    throw thrown;
  }
  throw new Error('it was not refused');
}

const line = (fields: object): string => JSON.stringify({ id: 'q1', operation: 'byError', text: 'x', ...fields });

describe('golden cases in JSON Lines', () => {
  test('have the form of the published sets', () => {
    const text = `${line({
      relevant: [
        { cardId: 'c1', grade: 2 },
        { cardId: 'c2', grade: 0, reason: 'another error' },
      ],
    })}\n`;
    expect(readGoldenLines(text)).toEqual({
      cases: [
        {
          id: 'q1',
          operation: 'byError',
          subject: { kind: 'text', text: 'x' },
          filter: {},
          perspective: null,
          judgements: [
            { cardId: 'c1', grade: 2, reason: null },
            { cardId: 'c2', grade: 0, reason: 'another error' },
          ],
          reason: null,
        },
      ],
      renamed: 0,
    });
  });

  test('with a repeated id keep their question under a new id', () => {
    const { cases, renamed } = readGoldenLines(
      [line({ text: 'a' }), line({ text: 'b' }), line({ text: 'c' })].join('\n'),
    );
    expect(cases.map(({ id, subject }) => [id, subject])).toEqual([
      ['q1', { kind: 'text', text: 'a' }],
      ['q1:2', { kind: 'text', text: 'b' }],
      ['q1:3', { kind: 'text', text: 'c' }],
    ]);
    expect(renamed).toBe(2);
  });

  test('with a repeated id of the maximum length get ids that are not longer, and none twice', () => {
    const stem = 'a'.repeat(98);
    const [long, other] = [`${stem}aa`, `${stem}:2`];
    const { cases, renamed } = readGoldenLines([other, long, long, long, other].map((id) => line({ id })).join('\n'));
    expect(cases.map(({ id }) => id)).toEqual([other, long, `${stem}:3`, `${stem}:4`, `${stem}:5`]);
    expect(renamed).toBe(3);
  });

  test.each([
    ['that are no JSON', '{"id":', 'line 2: is not JSON'],
    ['of an unknown search', line({ operation: 'byMagic' }), 'line 2.operation: must be one of similarQuestions'],
    ['with text and card', line({ cardId: 'c1' }), 'line 2.cardId: must not be given together with text'],
    ['without text or card', line({ text: undefined }), 'line 2.text: is required'],
    [
      'with half a grade',
      line({ relevant: [{ cardId: 'c', grade: 0.5 }] }),
      'line 2.relevant[0].grade: must be a whole',
    ],
    [
      'with a card twice',
      line({
        relevant: [
          { cardId: 'c', grade: 1 },
          { cardId: 'c', grade: 2 },
        ],
      }),
      'occurs twice',
    ],
    [
      'that want the card that they search from',
      JSON.stringify({ id: 'q', operation: 'byError', cardId: 'c', relevant: [{ cardId: 'c', grade: 1 }] }),
      'line 2.relevant[0].cardId: is the card that is searched from',
    ],
    ['with a field that there is not', line({ weight: 3 }), 'line 2.weight: there is no such field'],
    ['with an open filter', line({ filter: { tenant: 'x' } }), 'line 2.filter.tenant: there is no such field'],
  ])('refuse lines %s, by their number', (_what, bad, message) => {
    expect(refused(() => readGoldenLines(`\n${bad}\n`))).toContain(message);
  });

  test('are parsed as they were written', () => {
    const id = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
    const said = fc.option(fc.constantFrom('同一个错误', 'the same trap'));
    const subject = fc.oneof(
      fc.constantFrom('解方程 $x^2=9$', 'sign error').map((text) => ({ kind: 'text' as const, text })),
      id.map((cardId) => ({ kind: 'card' as const, cardId: `own-${cardId}` })),
    );
    const judgement = fc.record({ cardId: id, grade: fc.integer({ min: 0, max: 10 }), reason: said });
    const filter = fc.constantFrom(
      {},
      { grade: ['G6'], excludeCardIds: ['a', 'b'] },
      { difficultyMax: 3, occurredAfter: new Date('2026-01-02T03:04:05.678Z') },
    );
    const one: fc.Arbitrary<GoldenCase> = fc.record({
      id,
      operation: fc.constantFrom('similarQuestions' as const, 'hybridSearch' as const),
      subject,
      filter,
      perspective: fc.option(fc.constantFrom(...PERSPECTIVES)),
      judgements: fc.uniqueArray(judgement, { selector: ({ cardId }) => cardId, maxLength: 4 }),
      reason: said,
    });
    fc.assert(
      fc.property(fc.uniqueArray(one, { selector: (given) => given.id, maxLength: 5 }), (cases) => {
        expect(readGoldenLines(writeGoldenLines(cases))).toEqual({ cases, renamed: 0 });
      }),
    );
  });
});

describe('a golden set from a client', () => {
  test('is refused with the invalid case, and for duplicate ids', () => {
    const sound = { id: 'a', operation: 'byError', text: 'x' };
    expect(refused(() => parseGoldenSet({ name: 's', cases: [sound, { ...sound, id: '' }] }, 'input'))).toMatch(
      /^input\.cases\[1\]\.id: /,
    );
    expect(refused(() => parseGoldenSet({ name: 's', cases: [sound, sound] }, 'input'))).toBe(
      'input.cases[1].id: occurs twice',
    );
    expect(parseGoldenSet({ name: ' 六年级 ' }, 'input')).toEqual({ name: '六年级', cases: null });
    const cleared = parseGoldenSet({ name: 'a', description: null }, 'input');
    expect(cleared).toEqual({ name: 'a', description: null, cases: null });
  });

  test('without an id have that of the case that judging their hits creates', () => {
    const query = { operation: 'byError', text: ' x ' };
    const judged = parseHitJudgement({ query, cardId: 'c1', relevance: 'RELATED' });
    const { cases } = parseGoldenSet({ name: 's', cases: [query] }, 'input');
    expect(cases?.map(({ id }) => id)).toEqual([caseIdOf(judged.query)]);
  });

  test('may not judge a card as an answer to itself', () => {
    const judged = { query: { operation: 'byError', cardId: 'c1' }, cardId: 'c1', relevance: 'RELATED' };
    expect(refused(() => parseHitJudgement(judged))).toContain('cardId: is the card that is searched from');
    expect(parseHitJudgement({ ...judged, cardId: 'c2' })).toEqual({
      set: null,
      query: { operation: 'byError', subject: { kind: 'card', cardId: 'c1' }, filter: {} },
      cardId: 'c2',
      relevance: 'RELATED',
      reason: null,
    });
  });
});
