import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema } from 'graphql';
import { createClient } from 'graphql-sse';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { delay } from '../../../src/domain/async.js';
import { createCard } from '../../support/notebook.js';
import { until } from '../../support/until.js';
import { LEAK, OUTSIDERS, type Person, school } from './school.js';

/** Every event stream, by who may open it; what a subscription tells comes from the same stores as a query. */
describe('subscriptions', () => {
  const STREAMS: Readonly<Record<string, { readonly query: string; readonly refused: readonly Person[] }>> = {
    importProgress: {
      query: `subscription { importProgress(id: "FILE") { name problems { row reason } rowProblems { nodes { row reason } } } }`,
      refused: OUTSIDERS,
    },
    evaluationProgress: {
      query: `subscription { evaluationProgress(id: "EVALUATION") { set reportJson report { cases } caseReports { nodes { text } } } }`,
      refused: ['amy', ...OUTSIDERS],
    },
    indexStatus: {
      query: 'subscription { indexStatus { cards next { model } collections { records } } }',
      refused: [],
    },
    cardChanged: { query: 'subscription { cardChanged { cardId card { id questionText } } }', refused: [] },
    // It searches with the viewer as every search does: tutor.test.ts.
    tutor: { query: 'subscription { tutor(input: { text: "17 + 4" }) { __typename } }', refused: [] },
  };

  const opened = (person: Person, name: keyof typeof STREAMS): AsyncIterable<{ data?: unknown; errors?: unknown }> => {
    const client = createClient({
      url: `${school.gateway.url}/stream`,
      headers: { authorization: `Bearer ${school.tokens[person]}` },
      retryAttempts: 0,
    });
    const query =
      STREAMS[name]?.query.replace('FILE', school.ids.file).replace('EVALUATION', school.ids.evaluation) ?? '';
    return client.iterate({ query });
  };
  const first = async (person: Person, name: string): Promise<string> => {
    for await (const result of opened(person, name)) return JSON.stringify(result);
    return '';
  };

  test('include every subscription of the schema', () => {
    const schema = buildSchema(readFileSync(join(packageRoot(), 'schema.graphql'), 'utf8'));
    expect(Object.keys(schema.getSubscriptionType()?.getFields() ?? {}).sort()).toEqual(Object.keys(STREAMS).sort());
  });

  test.each(['importProgress', 'evaluationProgress'])('%s is refused to everybody but its owner', async (name) => {
    for (const person of STREAMS[name]?.refused ?? []) {
      const told = await first(person, name);
      expect(told).toMatch(/"code":"(NOT_FOUND|FORBIDDEN)"/);
      expect(told).not.toMatch(LEAK);
    }
    expect(await first('tess', name)).toMatch(LEAK);
  });

  test('indexStatus is that of the query, for each viewer', async () => {
    const { query = '' } = STREAMS.indexStatus ?? {};
    for (const person of ['ben', 'tess', 'stranger'] as const) {
      const { data } = await school.as[person].gql(query.replace('subscription', ''));
      expect(JSON.parse(await first(person, 'indexStatus'))).toEqual({ data });
    }
  });

  test('cardChanged notifies each viewer of visible cards only, deletions included', async () => {
    const told: Record<string, string[]> = {};
    const streams = (['amy', 'ben', 'tess', 'strangeAdmin'] as const).map(async (person) => {
      const changes: string[] = [];
      told[person] = changes;
      for await (const { data } of opened(person, 'cardChanged')) {
        changes.push((data as { cardChanged: { cardId: string } }).cardChanged.cardId);
        // The last change that each of them sees is of a card with this name.
        if (changes.at(-1)?.startsWith('last')) break;
      }
    });
    // A stream is open when it has told of a card. A teacher is told of amy's.
    const opening = async (): Promise<boolean> => {
      const silent = Object.keys(told).filter((person) => told[person]?.length === 0);
      for (const person of ['strangeAdmin', 'ben', 'amy'] as const) {
        const isLacking = silent.includes(person) || (person === 'amy' && silent.includes('tess'));
        if (isLacking) await createCard(school.as[person], { questionText: 'zquestionz opening' });
      }
      await delay(300);
      return silent.length === 0;
    };
    await until(opening, { deadlineMs: 30_000, what: 'all streams to be open' });
    await createCard(school.as.amy, { id: 'amys-new', questionText: 'zquestionz new' });
    await school.as.amy.must('mutation { deleteCard(id: "amys-new") }');
    await createCard(school.as.ben, { id: 'bens-new', questionText: '2 + 2' });
    await createCard(school.as.amy, { id: 'last-of-amy', questionText: 'zquestionz last' });
    await createCard(school.as.ben, { id: 'last-of-ben', questionText: '2 + 3' });
    await createCard(school.as.strangeAdmin, { id: 'last-of-south', questionText: '2 + 4' });
    await Promise.all(streams);
    const named = (person: string): readonly string[] => [...new Set(told[person])].filter((id) => /new|last/.test(id));
    expect(named('amy')).toEqual(['amys-new', 'last-of-amy']);
    expect(named('ben')).toEqual(['bens-new', 'last-of-ben']);
    expect(named('strangeAdmin')).toEqual(['last-of-south']);
    expect(named('tess')).toEqual(['amys-new', 'bens-new', 'last-of-amy']);
  });
});
