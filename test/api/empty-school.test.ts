import { expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.js';
import { createCard, search } from '../support/notebook.js';

const { gateway, tokenOf } = await sharedGateway();

test.each(['similarQuestions', 'bySolution', 'byConcept', 'byError', 'hybridSearch'] as const)(
  '%s in a school without cards finds nothing and reports no failed part',
  async (operation) => {
    const amy = gateway.as(await tokenOf({ sub: 'amy', tenant: 'new-school' }));
    const { hits, receipt } = await search(amy, operation, { text: 'Add 1/2 and 1/3.' });
    expect({ hits, degraded: receipt.degraded }).toEqual({ hits: [], degraded: [] });
  },
);

test('searches find the first card of a school', async () => {
  const amy = gateway.as(await tokenOf({ sub: 'amy', tenant: 'newer-school' }));
  expect((await search(amy, 'hybridSearch', { text: 'Add 1/2 and 1/3.' })).hits).toEqual([]);
  await createCard(amy, { id: 'first', questionText: 'Add 1/2 and 1/3.' }, true);
  const { hits } = await search(amy, 'hybridSearch', { text: 'Add 1/2 and 1/3.' });
  expect(hits.map(({ card }) => card.id)).toEqual(['first']);
});
