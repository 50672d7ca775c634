import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readIdentity, signal as sendSignal } from '../../src/runtime/embedded/process.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { createCard, idsOf, indexed, search } from '../support/notebook.js';
import { until } from '../support/until.js';

/** A word of its own for each card, of letters alone: digits would be tokens that cards share. */
function wordOf(place: number): string {
  return [...String(place).padStart(3, '0')]
    .map((digit) => ['ba', 'ko', 'zi', 'tu', 'pe', 'xo', 'ju', 'wi', 'le', 'fy'][Number(digit)])
    .join('');
}

function cardOf(place: number, round: number) {
  return {
    id: `crash-${round}-${place}`,
    questionText: `${wordOf(place)} in round ${round}: how many apples are left?`,
    studentSolutionText: `${wordOf(place)} minus ${round}`,
    topicTags: [wordOf(place), 'subtraction'],
    errorTypes: ['sign error'],
  };
}

describe('nothing acknowledged is lost', () => {
  let dataDir: string;
  const open: Gateway[] = [];

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'errata-crash-'));
  });
  afterEach(async () => {
    // The last one first: those before it used the same directory.
    for (const gateway of open.splice(0).reverse()) await gateway.close();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  const start = async (): Promise<Gateway> => {
    const gateway = await startGateway({ embedded: true, dataDir });
    open.push(gateway);
    return gateway;
  };

  test('kill -9 of the gateway during 200 writes: every acknowledged card exists completely and is found', async () => {
    for (const [round, killAfter] of [30, 110].entries()) {
      const gateway = await start();
      const acknowledged: number[] = [];
      const write = async (place: number): Promise<void> => {
        // A write that the kill cut off has no answer; it may be there or not, but whole.
        const answer = await createCard(gateway, cardOf(place, round)).catch(() => null);
        if (answer !== null) acknowledged.push(place);
        if (acknowledged.length === killAfter) gateway.kill('SIGKILL');
      };
      const queue = Array.from({ length: 200 }, (_, place) => place);
      const worker = async (): Promise<void> => {
        for (let place = queue.shift(); place !== undefined; place = queue.shift()) await write(place);
      };
      await Promise.all([worker(), worker(), worker(), worker()]);
      expect((await gateway.exited).signal).toBe('SIGKILL');
      expect(acknowledged.length).toBeGreaterThanOrEqual(killAfter);
      expect(acknowledged.length).toBeLessThan(200);

      const again = await start();
      await indexed(again);
      for (const place of acknowledged) {
        const { id } = cardOf(place, round);
        const { data } = await again.gql<{ card: { index: unknown } }>(
          'query ($id: ID!) { card(id: $id) { index { state indexedRevision perspectives } } }',
          { id },
        );
        expect(data?.card.index).toEqual({
          state: 'INDEXED',
          indexedRevision: 1,
          perspectives: ['QUESTION', 'SOLUTION', 'CONCEPT', 'ERROR'],
        });
        const answer = await search(again, 'similarQuestions', { text: cardOf(place, round).questionText, topK: 3 });
        // The same words in another round are the same vector but for one number.
        const own = answer.hits.find((hit) => hit.card.id === id);
        expect(own?.score).toBeGreaterThan(0.9);
      }
      const status = await again.gql<{ indexStatus: Record<string, unknown> }>(
        '{ indexStatus { cards indexed pending failed collections { records } } }',
      );
      const cards = Number(status.data?.indexStatus.cards);
      expect(cards).toBeGreaterThanOrEqual(acknowledged.length);
      expect(status.data?.indexStatus).toMatchObject({ indexed: cards, pending: 0, failed: 0 });
      // Every card has one passage a perspective, so each collection has as many records as there are cards: none half
      // there.
      expect(status.data?.indexStatus.collections).toEqual(Array.from({ length: 4 }, () => ({ records: cards })));
      await again.close();
    }
  });

  // With so few cards that Chroma is asked: some hundreds are all scored here, whatever becomes of it.
  test('kill -9 of Chroma: searches that need it say so, all are answered, it restarts, and nothing is lost', async () => {
    const gateway = await start();
    await createCard(
      gateway,
      { id: 'before', questionText: 'A kite flies at 40 metres: find the string length' },
      true,
    );
    const chroma = async () => readIdentity(join(dataDir, 'chroma', 'running.json'));
    let killed = 0;
    const text = 'kite string length';
    const degraded = await until(
      async () => {
        // Where it is back before the search, it is killed again.
        const running = await chroma();
        if (running !== null) {
          killed = running.pid;
          sendSignal(killed, 'SIGKILL');
        }
        // Places in a lane are asked of the lane itself.
        const answer = await search(gateway, 'similarQuestions', { text, options: { fusion: 'RRF' } });
        return answer.receipt.degraded.length > 0 ? answer : null;
      },
      { deadlineMs: 30_000, what: 'a search to say that Chroma is away' },
    );
    expect(idsOf(degraded)[0]).toBe('before');
    expect(degraded.receipt.degraded[0]?.part).toBe('dense question');
    const whole = await search(gateway, 'similarQuestions', { text });
    expect(idsOf(whole)[0]).toBe('before');
    expect(whole.receipt.degraded).toEqual([]);
    await createCard(gateway, { id: 'meanwhile', questionText: 'A zebra runs 60 metres in 4 seconds: find its speed' });

    await until(
      async () => {
        const now = await chroma();
        return now !== null && now.pid !== killed ? now : null;
      },
      { deadlineMs: 30_000, what: 'another Chroma' },
    );
    await indexed(gateway);
    await until(
      async () => {
        const answer = await search(gateway, 'similarQuestions', {
          text: 'zebra runs speed',
          options: { fusion: 'RRF' },
        });
        return answer.receipt.degraded.length === 0 && idsOf(answer)[0] === 'meanwhile';
      },
      { deadlineMs: 30_000, what: 'the card that was created meanwhile to be found' },
    );
    expect(idsOf(await search(gateway, 'similarQuestions', { text: 'kite string length' }))[0]).toBe('before');
  });
});
