import { expect, test } from 'vitest';
import { turnCounter } from '../support/turns.js';
import { card, serving } from './gateway.js';

const start = serving();

test('the events of an import are sent in turns: other requests are answered meanwhile', async () => {
  const EVENTS = 20;
  const counter = turnCounter();
  const turnsOf = new Set<number>();
  const slow = {
    get questionText(): string {
      turnsOf.add(counter.turns);
      for (const began = performance.now(); performance.now() - began < 3; );
      return 'slow';
    },
  };
  const edges = Array.from({ length: EVENTS }, (_, place) => {
    const cardId = `card-${place}`;
    const changed = {
      cardId,
      kind: 'SAVED',
      card: Object.defineProperties(card({ id: cardId }), Object.getOwnPropertyDescriptors(slow)),
      revision: 1,
      changedAt: new Date(0),
    } as const;
    return { cursor: cardId, node: { ...changed, mergedInto: null } };
  });
  const { url } = await start({
    feed: {
      changes: async (_viewer, { first }) => {
        if (first === 0) return { edges: [], hasNextPage: false, endCursor: 'a' };
        counter.start();
        return { edges, hasNextPage: false, endCursor: 'b' };
      },
    },
  });
  const response = await fetch(`${url}/graphql/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'subscription { cardChanged { cardId card { questionText } } }' }),
  });
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes(`card-${EVENTS - 1}"`)) break;
  }
  counter.stop();
  expect(text.match(/event: next/g)).toHaveLength(EVENTS);
  expect(turnsOf.size).toBeGreaterThan(EVENTS / 4);
});
