import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { writeEmbedder } from '../../bench/tiny-models.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { gatewayDatabase, type TestDatabase } from '../support/gateway-database.js';
import { createCard, idsOf, indexed, search } from '../support/notebook.js';
import { until } from '../support/until.js';

const CARDS = 300;
/** Its own vector is what a text finds itself by; of another model it would be a stranger's. */
const OWN = 0.999;

interface Status {
  readonly model: string;
  readonly building: boolean;
  readonly indexed: number;
  readonly next: { readonly model: string; readonly held: number; readonly cards: number } | null;
  readonly collections: readonly { readonly records: number }[];
}

const questionOf = (place: number): string => `第${place}题：求圆柱的体积 $${place} + x = ${place * 7}$`;

describe('changing the model', () => {
  let folder: string;
  let database: TestDatabase;
  const open: Gateway[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'errata-model-change-'));
    await mkdir(join(folder, 'data'));
    database = await gatewayDatabase();
    // Of the same length, so that nothing but care keeps them apart; the second is slow, so that its index takes a
    // while.
    await writeEmbedder(join(folder, 'models'), 'tiny/first', { dims: 64, layers: 10 });
    await writeEmbedder(join(folder, 'models'), 'tiny/second', { dims: 64, layers: 60, seed: 9 });
  });
  afterEach(async () => {
    for (const gateway of open.splice(0)) await gateway.close();
  });
  afterAll(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const start = async (model: string): Promise<Gateway> => {
    const env: Record<string, string> = {
      EMBEDDING_MODEL: model,
      MODELS_DIR: join(folder, 'models'),
      MODELS_OFFLINE: '1',
    };
    const own = { EMBEDDING_DIMS: '64', EMBEDDING_POOLING: 'mean', EMBEDDING_MAX_TOKENS: '512' };
    if (model !== 'builtin') Object.assign(env, own);
    const gateway = await startGateway({ env, database, dataDir: join(folder, 'data') });
    open.push(gateway);
    return gateway;
  };
  const status = async (gateway: Gateway): Promise<Status> => {
    const fields = 'model building indexed next { model held cards } collections { records }';
    const { data } = await gateway.gql<{ indexStatus: Status }>(`{ indexStatus { ${fields} } }`);
    if (data === null) throw new Error('no status');
    return data.indexStatus;
  };
  /** The models whose settings the gateway keeps, for indexes that still answer. */
  const rememberedModels = async (): Promise<readonly string[]> =>
    Object.keys(JSON.parse(await readFile(join(folder, 'data', 'embeddings', 'models.json'), 'utf8')) as object);
  /** Searches for a card by its own text, by vectors alone; answers which model it was. */
  const findOwn = async (gateway: Gateway, place: number): Promise<string> => {
    const query = `query ($text: String!) { similarQuestions(text: $text, topK: 3, options: { lexicalShare: 0 }) {
      hits { score card { id } } receipt { embeddingModel degraded { reason } }
    } }`;
    const inTime = async () => {
      const answer = await gateway.gql<{
        similarQuestions: {
          hits: { score: number; card: { id: string } }[];
          receipt: { embeddingModel: string; degraded: { reason: string }[] };
        };
      }>(query, { text: questionOf(place) });
      // While an index is built, a busy machine may miss a lane's deadline.
      const late = /no answer within|circuit breaker open/;
      return !answer.data?.similarQuestions.receipt.degraded.some(({ reason }) => late.test(reason)) && answer;
    };
    const { data, errors } = await until(inTime, { deadlineMs: 60_000, what: 'lanes that are in time' });
    expect(errors).toBeUndefined();
    const { hits = [], receipt } = data?.similarQuestions ?? {};
    expect(receipt?.degraded).toEqual([]);
    expect(hits.find(({ card }) => card.id === `card-${place}`)?.score).toBeGreaterThan(OWN);
    return receipt?.embeddingModel ?? '';
  };

  test('from the built-in model to a local one: 300 cards stay searchable, across a kill -9, and vectors of two models are never compared', async () => {
    const before = await start('builtin');
    const queue = Array.from({ length: CARDS }, (_, place) => place);
    const worker = async (): Promise<void> => {
      for (let place = queue.shift(); place !== undefined; place = queue.shift()) {
        await createCard(before, { id: `card-${place}`, questionText: questionOf(place), topicTags: ['圆柱的体积'] });
      }
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
    await indexed(before);
    expect(await findOwn(before, 7)).toMatch(/^builtin:/);
    await before.close();

    const changes = [
      ['builtin', 'tiny/first'],
      ['tiny/first', 'tiny/second'],
    ] as const;
    for (const [round, [from, to]] of changes.entries()) {
      const killed = await start(to);
      const isOld = ({ model }: Status): boolean => model.startsWith(`${from}:`);
      // On a busy machine the new index may take over before a part of it is seen, or before the search ends.
      const seen = await until(
        async () => {
          const now = await status(killed);
          return ((now.next?.held ?? 0) > 0 || !isOld(now)) && now;
        },
        { deadlineMs: 60_000, what: `a part of the index of ${to}` },
      );
      const next = { model: expect.stringMatching(`^${to}:`), cards: CARDS + round };
      expect(seen).toMatchObject(isOld(seen) ? { building: true, next } : { model: next.model });
      const answering = await findOwn(killed, 11);
      if (isOld(await status(killed))) expect(answering).toMatch(`${from}:`);
      killed.kill('SIGKILL');
      await killed.exited;

      const gateway = await start(to);
      const models = new Set<string>();
      // A card that comes meanwhile is found at once, by the model that answers, and stays found.
      const late = CARDS + round;
      await createCard(gateway, { id: `card-${late}`, questionText: questionOf(late) }, true);
      await until(
        async () => {
          models.add(await findOwn(gateway, 13));
          models.add(await findOwn(gateway, late));
          return !(await status(gateway)).building;
        },
        { deadlineMs: 90_000, what: `the index of ${to} to take over` },
      );
      models.add(await findOwn(gateway, 13));
      expect([...models].at(-1)).toMatch(`${to}:`);
      for (const model of models) expect(model).toMatch(new RegExp(`^(${from}|${to}):`));
      for (const place of [0, 99, CARDS - 1, late]) expect(await findOwn(gateway, place)).toMatch(`${to}:`);
      const after = await status(gateway);
      expect(after).toMatchObject({ model: expect.stringMatching(`^${to}:`), building: false, next: null });
      expect(after.collections[0]?.records).toBe(after.indexed);
      await gateway.close();
    }
  });

  test('killed repeatedly during the change, it continues, stays searchable, and leaves no data of the old model', async () => {
    // What the gateway has come to when it is killed, as its status tells; the last is after the switch, before the old
    // is dropped. On a busy machine the status may not be read between an earlier moment and the switch.
    const isSwitched = ({ model }: Status): boolean => model.startsWith('tiny/first:');
    const holds = (status: Status, cards: number): boolean => (status.next?.held ?? 0) >= cards || isSwitched(status);
    const moments: readonly [string, (status: Status) => boolean][] = [
      ['as soon as it listens', () => true],
      ['a few cards', (now) => holds(now, 1)],
      ['half of the cards', (now) => holds(now, CARDS / 2)],
      ['the switch', isSwitched],
    ];
    let held = 0;
    for (const [what, come] of moments) {
      const gateway = await start('tiny/first');
      await until(
        async () => {
          const now = await status(gateway);
          // What was built before a kill is not built again.
          if (now.next !== null) expect(now.next.held).toBeGreaterThanOrEqual(held);
          held = now.next?.held ?? held;
          return come(now);
        },
        { deadlineMs: 90_000, what },
      );
      expect(await findOwn(gateway, 21)).toMatch(/^tiny\/(first|second):/);
      gateway.kill('SIGKILL');
      await gateway.exited;
    }
    const gateway = await start('tiny/first');
    for (const place of [0, 21, CARDS - 1]) expect(await findOwn(gateway, place)).toMatch(/^tiny\/first:/);
    const after = await status(gateway);
    expect(after).toMatchObject({ building: false, next: null });
    expect(after.collections[0]?.records).toBe(after.indexed);
    await until(async () => (await rememberedModels()).every((model) => model.startsWith('tiny/first:')), {
      deadlineMs: 60_000,
      what: 'the old model to be given up',
    });
  });

  test('rebuilding the index for the same model embeds nothing again', async () => {
    const gateway = await start('tiny/first');
    const computed = async (): Promise<number> => {
      const page = await (await fetch(new URL('/metrics', gateway.url))).text();
      return Number(/^errata_embedding_cache_misses_total (\d+)$/m.exec(page)?.[1]);
    };
    const before = await computed();
    await gateway.gql('mutation { rebuildIndex { building } }');
    await indexed(gateway);
    expect(await computed()).toBe(before);
    const { data } = await gateway.gql<{ searchMetrics: { embeddingCacheHitRate: number } }>(
      '{ searchMetrics { embeddingCacheHitRate } }',
    );
    expect(data?.searchMetrics.embeddingCacheHitRate).toBeGreaterThan(0.9);
    expect(idsOf(await search(gateway, 'similarQuestions', { text: questionOf(3), topK: 1 }))).toEqual(['card-3']);
  });
});
