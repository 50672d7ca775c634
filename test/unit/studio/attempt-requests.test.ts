import { expect, test } from 'vitest';
import { parseAttempts } from '../../../src/domain/parse/practice.js';
import { nextRequest } from '../../../studio/practice/attempt-requests.js';

test('however many attempts wait to be sent, a request has as many as the gateway takes', () => {
  const waiting = Array.from({ length: 1_200 }, (_, at) => ({ key: `k${at}`, cardId: 'one', correct: true }));
  const sent: unknown[] = [];
  while (sent.length < waiting.length) sent.push(...parseAttempts(nextRequest(waiting.slice(sent.length)), 'attempts'));
  expect(sent).toMatchObject(waiting);
});
