import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseWantedApiKey } from '../../../src/domain/parse/api-key.js';
import { parseCardChange, parseNewCard } from '../../../src/domain/parse/card.js';
import { parseCardFilter } from '../../../src/domain/parse/filter.js';
import { parseLabelChange } from '../../../src/domain/parse/labels.js';
import { parseCardList } from '../../../src/domain/parse/page.js';
import { fieldPath } from '../../../src/domain/parse/parse.js';
import { parseProfile } from '../../../src/domain/parse/profile.js';
import { parseSearch } from '../../../src/domain/parse/search.js';
import { BUILTIN_SETTINGS } from '../../../src/search/profile.js';
import { outcome, refusedField } from '../../support/outcome.js';
import { runs } from '../../support/runs.js';

const DEFAULTS = { ...BUILTIN_SETTINGS, weights: { question: 1, solution: 0, concept: 0, error: 0 } };
const NOW = new Date('2026-05-01T00:00:00Z');

/** Any text that JSON can carry: with NUL, lone surrogates, marks and spaces. */
const anyText = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 40 });
const trickyText = fc
  .array(fc.constantFrom('\0', '\ud800', '\udc00', '\uFEFF', ' ', '\n', 'a', '题', '😀', 'é'), { maxLength: 8 })
  .map((parts) => parts.join(''));
const text = fc.oneof(anyText, trickyText);

const sound = { subject: 'math', difficulty: 2, questionText: '1 + 1 = ?' };

describe('the parser of cards', () => {
  test('completes a card: absent is null, absent lists are empty, the moment is now', () => {
    expect(parseNewCard(sound, 'input', NOW)).toStrictEqual({
      ...sound,
      id: null,
      grade: null,
      choices: [],
      studentSolutionText: null,
      goldSolutionBrief: null,
      topicTags: [],
      errorTypes: [],
      qualityGrade: null,
      source: null,
      notes: null,
      occurredAt: NOW,
      metadata: [],
      attachments: [],
    });
  });

  test('takes metadata as entries or as an object, and sorts them by key', () => {
    const entries = [
      { key: 'class', value: '7b' },
      { key: 'unit', value: '1' },
    ];
    for (const metadata of [entries.toReversed(), { unit: ' 1', class: '7b' }]) {
      expect(parseNewCard({ ...sound, metadata }, 'input').metadata).toEqual(entries);
    }
    expect(parseCardChange({ metadata: null }, 'input')).toEqual({ metadata: [] });
    const many = (count: number) => Array.from({ length: count }, (_, at) => ({ key: `k${at}`, value: 'v' }));
    expect(parseNewCard({ ...sound, metadata: many(32) }, 'input').metadata).toHaveLength(32);
    const refused = (metadata: unknown) => refusedField(() => parseNewCard({ ...sound, metadata }, 'input'));
    expect(refused(many(33))).toBe('input.metadata');
    expect(refused([...entries, entries[0]])).toBe('input.metadata');
    expect(refused({ unit: 1 })).toBe('input.metadata[0].value');
    expect(refused([{ key: '', value: 'v' }])).toBe('input.metadata[0].key');
  });

  test('takes 2 to 12 choices of one line, as a list or by letter, and drops their letters', () => {
    const parsed = (choices: unknown) => parseNewCard({ ...sound, choices }, 'input').choices;
    expect(parsed(['A. 12', ' B) 15 '])).toEqual(['12', '15']);
    expect(parsed(['A. 12', '15'])).toEqual(['A. 12', '15']);
    expect(parsed({ B: '15', A: '12' })).toEqual(['12', '15']);
    expect(parsed(null)).toEqual([]);
    expect(parseCardChange({ choices: null }, 'input')).toEqual({ choices: [] });
    const refused = (choices: unknown) => refusedField(() => parsed(choices));
    expect(parsed({ a: '12', ' b': '15' })).toEqual(['12', '15']);
    // Whoever answered C would have answered another choice.
    for (const keys of [
      { A: '1', C: '2' },
      { A: '1', a: '2' },
      { B: '1', C: '2' },
      { 1: '1', 2: '2' },
    ])
      expect(refused(keys)).toBe('input.choices');
    expect(refused(['12'])).toBe('input.choices');
    expect(refused(Array(13).fill('12'))).toBe('input.choices');
    expect(refused(['12', '1\n5'])).toBe('input.choices[1]');
    expect(refused(['12', '题'.repeat(501)])).toBe('input.choices[1]');
    expect(refused(['12', ''])).toBe('input.choices[1]');
  });

  test('counts the entries of a list before it parses them: 20,000 wrong ones would block all requests', () => {
    for (const field of ['choices', 'topicTags', 'metadata']) {
      const list = Array.from({ length: 20_000 }, () => '');
      expect(refusedField(() => parseNewCard({ ...sound, [field]: list }, 'input'))).toBe(`input.${field}`);
    }
  });

  test('parses a line of a JSON Lines file, and prefixes the fields of its errors as the caller asks', () => {
    const row = JSON.parse(
      '{"id":"tal-1","subject":"math","grade":"G5","difficulty":1,"questionText":"$x$","occurredAt":"2026-01-02T00:00:00+08:00"}',
    );
    expect(parseNewCard(row, 'line 7', NOW)).toMatchObject({
      id: 'tal-1',
      occurredAt: new Date('2026-01-01T16:00:00Z'),
    });
    expect(refusedField(() => parseNewCard({ ...row, difficulty: '1' }, 'line 7'))).toBe('line 7.difficulty');
    expect(refusedField(() => parseNewCard({ ...row, difficulty: 1.5 }, 'line 7'))).toBe('line 7.difficulty');
    expect(refusedField(() => parseNewCard({ ...row, topicTags: 'ratio' }, 'line 7'))).toBe('line 7.topicTags');
    expect(refusedField(() => parseNewCard({ ...row, occurredAt: '2026-02-30T00:00:00Z' }, 'line 7'))).toBe(
      'line 7.occurredAt',
    );
    expect(refusedField(() => parseNewCard({ ...row, occurredAt: '2026-02-03T00:00:00' }, 'line 7'))).toBe(
      'line 7.occurredAt',
    );
    expect(refusedField(() => parseNewCard({ ...row, level: 3 }, 'line 7'))).toBe('line 7.level');
    expect(refusedField(() => parseNewCard([row], 'line 7'))).toBe('line 7');
    expect(refusedField(() => parseNewCard(null, 'line 7'))).toBe('line 7');
  });

  test('refuses texts that a store would change, and removes only a leading byte order mark', () => {
    fc.assert(
      fc.property(text, (questionText) => {
        const result = outcome(() => parseNewCard({ ...sound, questionText }, 'input', NOW).questionText);
        const kept = questionText.replace(/^\uFEFF+/, '');
        const isSeen = (char: string): boolean => char.trim() !== '' && !/\p{Default_Ignorable_Code_Point}/u.test(char);
        const storable = !kept.includes('\0') && !/\p{Surrogate}/u.test(kept) && [...kept].some(isSeen);
        expect(result).toEqual(storable ? { value: kept } : { refused: 'input.questionText' });
      }),
      { numRuns: runs(1_000) },
    );
  });

  test.each(['', ' ', '\u3000\n\t', '\u200b', '\u200d\ufe0f', '\u3164'])(
    'refuses %j, of which nothing is seen',
    (blank) => {
      expect(refusedField(() => parseNewCard({ ...sound, questionText: blank }, 'input'))).toBe('input.questionText');
      expect(refusedField(() => parseNewCard({ ...sound, topicTags: [blank] }, 'input'))).toBe('input.topicTags[0]');
      expect(parseNewCard({ ...sound, questionText: `${blank}=` }, 'input').questionText).toBe(`${blank}=`);
    },
  );

  test('measures a text in bytes of UTF-8, up to 16384 of them', () => {
    fc.assert(
      fc.property(fc.constantFrom('a', 'é', '题', '😀'), fc.integer({ min: -2, max: 2 }), (character, over) => {
        const bytes = Buffer.byteLength(character);
        const notes = character.repeat(Math.floor(16_384 / bytes) + over);
        const expected = Buffer.byteLength(notes) <= 16_384 ? { value: notes } : { refused: 'input.notes' };
        expect(outcome(() => parseNewCard({ ...sound, notes }, 'input').notes)).toEqual(expected);
      }),
    );
  });

  test('keeps every tag once, trimmed, in the order of its first appearance', () => {
    const tag = fc.tuple(fc.constantFrom('', ' ', '\t'), fc.constantFrom('a', 'b', 'c c'), fc.constantFrom('', ' '));
    fc.assert(
      fc.property(fc.array(tag, { maxLength: 50 }), (parts) => {
        const topicTags = parts.map((part) => part.join(''));
        const expected = [...new Set(parts.map(([, name]) => name))];
        expect(parseNewCard({ ...sound, topicTags }, 'input').topicTags).toEqual(expected);
      }),
    );
  });

  test('measures a tag in code points, not in UTF-16 units', () => {
    const parse = (tag: string) => () => parseNewCard({ ...sound, errorTypes: [tag] }, 'input').errorTypes;
    expect(parse('😀'.repeat(400))()).toHaveLength(1);
    expect(refusedField(parse('😀'.repeat(401)))).toBe('input.errorTypes[0]');
  });

  test('is idempotent: parsing a parsed card returns the same card', () => {
    // Cards with a line break in a name, or with a blank one, are refused: most have neither.
    const character = fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom('a', '题', '😀') },
      { weight: 6, arbitrary: fc.constantFrom('\uFEFF', ' ') },
      { weight: 1, arbitrary: fc.constant('\n') },
    );
    const likely = fc.array(character, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
    const card = fc.record(
      {
        id: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/),
        subject: likely,
        grade: fc.option(likely),
        difficulty: fc.integer({ min: 1, max: 5 }),
        questionText: likely,
        notes: fc.option(likely),
        choices: fc.array(likely, { maxLength: 4 }),
        topicTags: fc.array(likely, { maxLength: 3 }),
        occurredAt: fc.date({ min: new Date('1900-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
      },
      { requiredKeys: ['subject', 'difficulty', 'questionText'] },
    );
    let accepted = 0;
    fc.assert(
      fc.property(card, (written) => {
        const result = outcome(() => parseNewCard(written, 'input', NOW));
        if ('refused' in result) return;
        accepted += 1;
        expect(parseNewCard(result.value, 'input', NOW)).toStrictEqual(result.value);
      }),
      { numRuns: runs(1_000) },
    );
    expect(accepted).toBeGreaterThan(runs(1_000) / 5);
  });

  test('takes the years 1900 to 9999', () => {
    const parse = (occurredAt: unknown) => outcome(() => parseNewCard({ ...sound, occurredAt }, 'input').occurredAt);
    fc.assert(
      fc.property(fc.date({ noInvalidDate: false }), (moment) => {
        const year = moment.getUTCFullYear();
        const expected = year >= 1900 && year <= 9999 ? { value: moment } : { refused: 'input.occurredAt' };
        expect(parse(moment)).toEqual(expected);
      }),
    );
    expect(parse(new Date('1900-01-01T00:00:00Z'))).toHaveProperty('value');
    expect(parse('1900-01-01T00:00:00+01:00')).toEqual({ refused: 'input.occurredAt' });
    expect(parse('9999-12-31T23:59:59.999Z')).toHaveProperty('value');
  });
});

describe('the parser of changes', () => {
  test('returns exactly the given keys; undefined counts as not given', () => {
    const change = parseCardChange({ grade: null, notes: undefined, topicTags: null, difficulty: 4 }, 'input');
    expect(change).toStrictEqual({ grade: null, topicTags: [], difficulty: 4 });
  });

  test.each(['subject', 'difficulty', 'questionText', 'occurredAt'])(
    'does not clear %s, which every card has',
    (field) => {
      expect(refusedField(() => parseCardChange({ [field]: null }, 'input'))).toBe(`input.${field}`);
    },
  );

  test('refuses a change without fields, and a change of the id', () => {
    expect(refusedField(() => parseCardChange({}, 'input'))).toBe('input');
    expect(refusedField(() => parseCardChange({ grade: undefined }, 'input'))).toBe('input');
    expect(refusedField(() => parseCardChange({ id: 'other' }, 'input'))).toBe('input.id');
  });
});

test('for any input, the parsers return a value or throw a BadInputError with a field below their prefix', () => {
  const keys = [
    'grade',
    'subject',
    'difficulty',
    'questionText',
    'topicTags',
    'occurredAt',
    'filter',
    'weights',
    'text',
    'topK',
    'id',
  ];
  const anything = fc.oneof(fc.anything(), fc.dictionary(fc.constantFrom(...keys), fc.anything()));
  fc.assert(
    fc.property(anything, (value) => {
      for (const parse of [parseNewCard, parseCardChange, parseCardFilter]) {
        const result = outcome(() => parse(value, 'input'));
        if ('refused' in result) expect(result.refused).toMatch(/^input/);
      }
      outcome(() => parseSearch('hybridSearch', value, DEFAULTS));
    }),
    { numRuns: runs(1_000) },
  );
});

test('the path of a field uses dots for keys and brackets for indexes', () => {
  expect(fieldPath('', ['topK'])).toBe('topK');
  expect(fieldPath('filter', ['grade', 1])).toBe('filter.grade[1]');
  expect(fieldPath('line 3', [])).toBe('line 3');
});

describe('null', () => {
  test.each(Object.keys(BUILTIN_SETTINGS))(
    'for the setting %s of a search profile means that it is not given',
    (setting) => {
      const profile = { name: 'p', settings: { [setting]: null } };
      expect(parseProfile(profile, 'input', BUILTIN_SETTINGS).settings).toEqual(BUILTIN_SETTINGS);
    },
  );

  test('for a setting of a key or the direction of a list means its default', () => {
    const key = { ownerId: 'amy', role: 'student' };
    const nulls = { ...key, scopes: null, name: null, days: null };
    const made = { ...key, scopes: ['read', 'write'], name: 'unnamed', days: 90 };
    expect(parseWantedApiKey(nulls, 'input')).toStrictEqual(made);
    expect(parseWantedApiKey({ ...key, scopes: ['write', 'read', 'write'] }, 'input')).toStrictEqual(made);
    const order = { field: 'DIFFICULTY', direction: null };
    expect(parseCardList({ orderBy: order })).toEqual({ order: { field: 'DIFFICULTY', direction: 'DESC' } });
  });

  test('for the aliases of a label means that they are not given; for its parent, that it has none', () => {
    expect(parseLabelChange({ parent: null, aliases: null }, 'input')).toEqual({ parent: null });
    expect(() => parseLabelChange({ aliases: null }, 'input')).toThrow('input: must set the parent or the aliases');
  });
});

test('the first of many unknown fields is reported', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`f${n}`, 0]));
  expect(refusedField(() => parseCardFilter(many, 'filter'))).toBe('filter.f0');
});
