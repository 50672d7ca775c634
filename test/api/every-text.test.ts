import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/config/package-root.js';
import { textPlacesOf } from '../support/text-places.js';
import { startApi, type TestApi } from './gateway.js';

// No port has a method: a text that got past the parser would be INTERNAL.
let gateway: TestApi;
beforeAll(async () => {
  gateway = await startApi({});
});
afterAll(() => gateway.close());

const schema = buildSchema(readFileSync(join(packageRoot(), 'schema.graphql'), 'utf8'));

/** The outcomes of bulk mutations name the errors of their items. */
const BULK = /^(create|update|delete)Cards /;

/** Rows are told of one by one and refuse nothing: `test/live/import.test.ts` has what becomes of theirs. */
const OF_ROWS = 'importCards rows';
const places = textPlacesOf(schema).filter(({ name }) => !name.startsWith(OF_ROWS));

/** Neither store takes them: PostgreSQL refuses the first and changes the second, Chroma refuses the second. */
const BAD: Readonly<Record<string, string>> = {
  'a NUL': 'a\0b',
  'half a surrogate pair': 'a\ud800b',
  'nothing but a byte order mark': '\uFEFF',
};

/** `npm run test:all` tries each at each place. */
const TRIED = Object.entries(BAD).slice(0, process.env.EVERY_RUN === 'true' ? undefined : 1);

describe.each(TRIED)('%s is refused by name of the field', (_what, text) => {
  test.each(places.map((place) => [place.name, place] as const))('in %s', async (name, { query, path, variables }) => {
    if (BULK.test(name)) {
      const { data } = await gateway.post(query.replace('__typename', 'error { code field }'), variables(text));
      expect(Object.values(data)).toEqual([[{ error: { code: 'BAD_USER_INPUT', field: path } }]]);
      return;
    }
    const { data, errors } = await gateway.post(query, variables(text));
    expect(Object.values(data ?? {}).filter((answer) => answer !== null)).toEqual([]);
    expect(errors.map(({ extensions }) => extensions)).toEqual([{ code: 'BAD_USER_INPUT', field: path }]);
  });
});
