import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/config/package-root.js';
import { gradeOf, subjectOf } from '../../src/domain/school-names.js';
import { describeOwnChroma, removeFolder, temporaryFolder } from '../support/embedded.js';
import { type Gateway, spawnGateway, startGateway } from '../support/gateway.js';
import { createCard, idsOf, indexed, search } from '../support/notebook.js';
import { until } from '../support/until.js';
import { contentsOf, layRelease, type Release, releases, withPostgres } from './support/releases.js';

interface CardRow {
  readonly id: string;
  readonly subject: string;
  readonly grade: string | null;
  readonly question_text: string;
  readonly notes: string | null;
  readonly revision: number;
}

const kept = await releases();
const [first] = kept;
/**
 * The rows of the first release in the schema of the very first migration, as a checkout of that day would have them.
 * The table of request keys was there, and nothing wrote to it.
 */
const atFirst: Release = {
  version: 'before the first',
  migrations: (first?.migrations ?? []).slice(0, 1),
  tables: { ...first?.tables, idempotency_key: [] },
};

describe('upgrades', () => {
  test.each(kept)('the migrations of $version are unchanged', async ({ migrations }) => {
    for (const { name, checksum } of migrations) {
      const file = await readFile(join(packageRoot(), 'prisma', 'migrations', name, 'migration.sql'));
      expect({ name, checksum: createHash('sha256').update(file).digest('hex') }).toEqual({ name, checksum });
    }
  });
});

describeOwnChroma('a data directory of a release', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await temporaryFolder();
  });
  afterEach(() => removeFolder(dataDir));

  test.each([...kept, atFirst])(
    'a data directory of $version opens with every card, found by its text, rebuilds caches of another format, and accepts new cards',
    async (release) => {
      await layRelease(dataDir, release);
      await layCachesOfAnotherForm();
      const cards = (release.tables.card ?? []) as unknown as CardRow[];
      expect(cards.length).toBeGreaterThan(0);
      for (let start = 1; start <= 2; start += 1) {
        const gateway = await startGateway({ embedded: true, dataDir });
        try {
          await indexed(gateway);
          for (const card of cards) await expectCard(gateway, card);
          const { data } = await gateway.gql('{ indexStatus { cards indexed failed } }');
          expect(data).toEqual({ indexStatus: { cards: cards.length, indexed: cards.length, failed: 0 } });
          if (start === 1) expect(gateway.output()).toContain('the snapshot of the lexical index cannot be used');
          else await expectNewCardFound(gateway);
        } finally {
          await gateway.close();
        }
      }
      expect(await readdir(join(dataDir, 'vectors'))).not.toContain('v1.mdb');
    },
  );

  /** One of another form, which must not be read, and one that is none. */
  async function layCachesOfAnotherForm(): Promise<void> {
    const name = `${createHash('sha256').update('default').digest('hex').slice(0, 32)}.words`;
    for (const folder of ['vectors', 'words']) await mkdir(join(dataDir, folder), { recursive: true });
    await writeFile(join(dataDir, 'vectors', 'v1.mdb'), 'vectors of another form');
    await writeFile(join(dataDir, 'words', name), `errata words 0\n\n${'x'.repeat(200)}`);
  }

  async function expectNewCardFound(gateway: Gateway): Promise<void> {
    await createCard(gateway, { id: 'new', questionText: 'A zebra runs 60 metres', topicTags: ['speed', 'zebras'] });
    await indexed(gateway);
    expect(idsOf(await search(gateway, 'byConcept', { text: 'zebras' }))[0]).toBe('new');
  }

  async function expectCard(gateway: Gateway, row: CardRow): Promise<void> {
    const { data } = await gateway.gql(
      'query ($id: ID!) { card(id: $id) { id subject grade questionText notes revision index { state } } }',
      { id: row.id },
    );
    const { id, notes } = row;
    const [subject, grade] = [subjectOf(row.subject), row.grade === null ? null : gradeOf(row.grade)];
    const isRespelled = subject !== row.subject || grade !== row.grade;
    const revision = row.revision + (isRespelled ? 1 : 0);
    const index = { state: 'INDEXED' };
    expect(data).toEqual({ card: { id, subject, grade, questionText: row.question_text, notes, revision, index } });
    const found = async () => {
      const args = { text: row.question_text, options: { fusion: 'RRF' } };
      const { hits, receipt } = await search(gateway, 'similarQuestions', args);
      return receipt.degraded.length === 0 && hits[0]?.card.id === id;
    };
    await until(found, { deadlineMs: 30_000, what: `${id} to be found first, by vectors too` });
  }
});

describeOwnChroma('a data directory of a later version is refused in one line, and nothing in it is changed:', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await temporaryFolder();
    const gateway = await startGateway({ embedded: true, dataDir });
    await createCard(gateway, { id: 'kite', questionText: 'A kite flies at 40 metres' }, true);
    await gateway.close();
  });
  afterAll(() => removeFolder(dataDir));

  async function refusal(): Promise<{ readonly code: number | null; readonly lines: readonly string[] }> {
    const gateway = await spawnGateway({ embedded: true, dataDir });
    try {
      const { code } = await gateway.exited;
      const lines = gateway.output().split('\n');
      return { code, lines: lines.filter((line) => line.startsWith('errata: ')) };
    } finally {
      await gateway.close();
    }
  }

  test('a data directory whose database has an unknown migration', async () => {
    const before = await withPostgres(dataDir, async (client) => {
      await client.query(
        `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('1', 'c', '20990101000000_later', now())`,
      );
      await client.query(`INSERT INTO index_dirty (tenant_id, card_id) VALUES ('default', 'kite')`);
      return contentsOf(client);
    });
    const files = await cacheFiles();
    expect(await refusal()).toEqual({
      code: 78,
      lines: [expect.stringMatching(/20990101000000_later, which this version does not know: it is newer$/)],
    });
    expect(await withPostgres(dataDir, contentsOf)).toEqual(before);
    expect(await cacheFiles()).toEqual(files);
  });

  test('a data directory of another PostgreSQL version', async () => {
    const postgres = join(dataDir, 'postgres');
    const [major = ''] = (await readdir(postgres)).filter((name) => /^\d+$/.test(name));
    await rename(join(postgres, major), join(postgres, '99'));
    expect(await refusal()).toEqual({ code: 78, lines: [expect.stringMatching(/PostgreSQL 99.*export/)] });
    expect((await readdir(postgres)).filter((name) => name !== 'running.json')).toEqual(['99']);
  });

  /** By name, the hashes of the caches. */
  async function cacheFiles(): Promise<Readonly<Record<string, string>>> {
    const hashes: Record<string, string> = {};
    for (const folder of ['vectors', 'words']) {
      for (const name of await readdir(join(dataDir, folder))) {
        // Of lmdb's readers, who are none when it is closed.
        if (name.endsWith('-lock')) continue;
        const bytes = await readFile(join(dataDir, folder, name));
        hashes[`${folder}/${name}`] = createHash('sha256').update(bytes).digest('hex');
      }
    }
    return hashes;
  }
});
