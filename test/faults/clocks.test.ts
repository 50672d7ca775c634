import { afterEach, expect, test } from 'vitest';
import { type Gateway, metricOf, startGateway } from '../support/gateway.js';
import { gatewayDatabase } from '../support/gateway-database.js';
import { createCard, idsOf, indexed, search } from '../support/notebook.js';
import { until } from '../support/until.js';
import { preload } from './support/preload.js';
import { wordOf } from './support/world.js';

const HOUR_MS = 3_600_000;

const undos: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of undos.splice(0).reverse()) await undo();
});

/** A process's own clock is wrong by so much, for whatever asks it. */
const wrongBy = (ms: number): string => `
  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...given) {
      if (given.length === 0) super(Real.now() + ${ms});
      else super(...given);
    }
    static now() {
      return Real.now() + ${ms};
    }
  };`;

/**
 * Every lease, delay and age that is kept in the database goes by its clock, and every deadline by one that never
 * jumps.
 */
test("two gateways whose clocks differ by two hours index every card once and find each other's cards", async () => {
  const database = await gatewayDatabase();
  undos.push(() => database.drop());
  const start = async (ms: number): Promise<Gateway> => {
    const gateway = await startGateway({ database, env: await preload(undos, wrongBy(ms)) });
    undos.push(() => gateway.close());
    return gateway;
  };
  const gateways = [await start(-HOUR_MS), await start(HOUR_MS)] as const;
  const textOf = (place: number): string => `${wordOf(place)} shares how many apples?`;
  const places = Array.from({ length: 20 }, (_, place) => place);
  await Promise.all(
    places.map((place) =>
      createCard(gateways[place % 2 === 0 ? 0 : 1], { id: `card-${place}`, questionText: textOf(place) }),
    ),
  );
  for (const gateway of gateways) {
    await indexed(gateway);
    const { data } = await gateway.gql('{ indexStatus { cards indexed failed collections { records } } }');
    expect(data).toMatchObject({ indexStatus: { cards: 20, indexed: 20, failed: 0 } });
    for (const place of places) {
      const found = async (): Promise<boolean> => {
        const answer = await search(gateway, 'similarQuestions', { text: textOf(place), options: { lexicalShare: 1 } });
        return idsOf(answer)[0] === `card-${place}`;
      };
      await until(found, { deadlineMs: 30_000, what: `card-${place} to be found by its words` });
    }
  }
  // A claim that one of them took for run out would have been embedded by both.
  const embedded = await Promise.all(gateways.map((gateway) => metricOf(gateway, 'errata_texts_embedded_total')));
  expect(embedded.reduce((sum, texts) => sum + texts)).toBe(places.length);
});
