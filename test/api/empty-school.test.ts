import { describe, expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.js';
import { createCard, search } from '../support/notebook.js';
import { tokenOf } from '../support/tokens.js';

const { gateway, tokenOf: tokenOfSchool } = await sharedGateway();

const OPERATIONS = ['similarQuestions', 'bySolution', 'byConcept', 'byError', 'hybridSearch'] as const;

test.each(
  OPERATIONS.flatMap((operation) => (['student', 'teacher'] as const).map((role) => [operation, role] as const)),
)('%s of a %s in a school without cards finds nothing and reports no failed part', async (operation, role) => {
  const amy = gateway.as(await tokenOfSchool({ sub: 'amy', tenant: 'new-school', role }));
  const { hits, receipt } = await search(amy, operation, { text: 'Add 1/2 and 1/3.' });
  expect({ hits, degraded: receipt.degraded }).toEqual({ hits: [], degraded: [] });
});

test('indexStatus of a school without cards names the model that will index them', async () => {
  const amy = gateway.as(await tokenOfSchool({ sub: 'amy', tenant: 'newest-school' }));
  const answer = await amy.gql<{ indexStatus: { cards: number; model: string } }>('{ indexStatus { cards model } }');
  expect(answer).toMatchObject({ data: { indexStatus: { cards: 0, model: expect.stringMatching(/^builtin:/) } } });
});

test('searches find the first card of a school', async () => {
  const amy = gateway.as(await tokenOfSchool({ sub: 'amy', tenant: 'newer-school' }));
  expect((await search(amy, 'hybridSearch', { text: 'Add 1/2 and 1/3.' })).hits).toEqual([]);
  await createCard(amy, { id: 'first', questionText: 'Add 1/2 and 1/3.' }, true);
  const { hits } = await search(amy, 'hybridSearch', { text: 'Add 1/2 and 1/3.' });
  expect(hits.map(({ card }) => card.id)).toEqual(['first']);
});

describe('the receipt of a search by ranks', () => {
  test.each([
    ['default', 'CHROMA'],
    ['small-school', 'POSTGRES'],
  ])('names for the tenant %s the server %s, which has its vectors', async (tenant, retriever) => {
    const admin = gateway.as(await tokenOf({ sub: 'ada', role: 'admin', tenant }));
    await createCard(admin, { id: `of-${tenant}`, questionText: 'Add 1/2 and 1/3.' }, true);
    const { data } = await admin.gql<{ hybridSearch: { receipt: { retrievedBy: string[]; retrievers: string[] } } }>(
      '{ hybridSearch(text: "Add 1/2 and 1/3.", options: { fusion: RRF }) { receipt { retrievedBy retrievers } } }',
    );
    expect(data?.hybridSearch.receipt.retrievedBy[0]).toBe(retriever);
    expect(data?.hybridSearch.receipt.retrievers[0]).toBe(retriever.toLowerCase());
  });
});
