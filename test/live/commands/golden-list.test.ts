import { afterAll, beforeAll, expect, test } from 'vitest';
import { errata } from '../../support/errata.js';
import { type HttpServer, startHttpServer } from '../../support/http-server.js';

/** A gateway with one golden set more than it lists at once. */
let gateway: HttpServer;
beforeAll(async () => {
  const sets = Array.from({ length: 101 }, (_, place) => {
    const counts = { caseCount: 2, judgedCaseCount: 1, judgementCount: 3 };
    return { cursor: String(place), name: `set ${place}`, description: null, ...counts };
  });
  gateway = await startHttpServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const from = Number(JSON.parse(body).variables.after ?? -1) + 1;
    response.end(JSON.stringify({ data: { goldenSets: sets.slice(from, from + 100) } }));
  });
});
afterAll(() => gateway.close());

test('errata golden list lists all sets, however many the gateway lists at once', async () => {
  const { out, code } = await errata(['golden', 'list', '--url', gateway.url]);
  expect(code).toBe(0);
  const lines = out.trim().split('\n');
  expect(lines).toHaveLength(101);
  expect(lines[100]).toBe('set 100: 2 cases, 1 of them judged, 3 judgements');
});
