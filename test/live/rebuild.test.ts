import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampleNotebook } from '../../bench/card-files.js';
import { ChromaConnection } from '../../chroma/client.js';
import { createChromaVectors } from '../../chroma/create-chroma.js';
import { openDatabase } from '../../prisma/client.js';
import { Prisma } from '../../prisma/generated/client.js';
import { installationId } from '../../prisma/installation.js';
import { IndexLostError } from '../../src/domain/errors.js';
import { PERSPECTIVES } from '../../src/domain/perspective.js';
import { DEFAULT_VIEWER } from '../../src/domain/viewer.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { gatewayDatabase, type TestDatabase, testChroma } from '../support/gateway-database.js';
import { createAll, indexed, wholeSearch as search } from '../support/notebook.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let gateway: Gateway;

beforeAll(async () => {
  database = await gatewayDatabase();
  gateway = await startGateway({ database });
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});

// A replaced generation is dropped after 15 s.
test('a rebuilt index returns the same hits, and the old collections are deleted', async () => {
  await createAll(gateway, await sampleNotebook());
  await indexed(gateway);
  const connection = await openDatabase(database.url);
  // A busy Chroma may miss the deadlines of a search.
  const chroma = new ChromaConnection(testChroma, undefined, { read: 60_000, write: 60_000, load: 60_000 });
  try {
    const vectors = createChromaVectors(chroma, await installationId(connection));
    const generations = () =>
      connection.query<{ number: number; state: string }>(
        Prisma.sql`SELECT number, state FROM index_generation ORDER BY number`,
      );
    const recordsOf = (generation: number): Promise<number> =>
      vectors.count({ tenantId: DEFAULT_VIEWER.tenantId, generation, perspective: 'question' });
    const before = await search(gateway, 'hybridSearch', { text: '解不等式：$-2x>6$', topK: 10 });
    expect(before.hits).toHaveLength(10);
    expect(await generations()).toEqual([{ number: 1, state: 'LIVE' }]);
    const records = await recordsOf(1);
    expect(records).toBeGreaterThan(0);
    const { data } = await gateway.gql('mutation { rebuildIndex { building } }');
    expect(data).toEqual({ rebuildIndex: { building: true } });
    await indexed(gateway);
    const after = await search(gateway, 'hybridSearch', { text: '解不等式：$-2x>6$', topK: 10 });
    expect(after.hits).toEqual(before.hits);
    const isDropped = async (): Promise<boolean> => (await generations())[0]?.state === 'DROPPED';
    await until(isDropped, { deadlineMs: 60_000, what: 'the old generation to be dropped' });
    expect((await generations()).slice(1)).toEqual([{ number: 2, state: 'LIVE' }]);
    expect(await recordsOf(2)).toBe(records);
    for (const perspective of PERSPECTIVES) {
      const key = { tenantId: DEFAULT_VIEWER.tenantId, generation: 1, perspective };
      await expect(vectors.count(key)).rejects.toThrow(IndexLostError);
    }
  } finally {
    await chroma.close();
    await connection.close();
  }
});
