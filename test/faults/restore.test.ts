import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/evaluation/random.js';
import { startChroma } from '../../src/runtime/embedded/chroma.js';
import { describeOwnChroma, embeddedOptions, removeFolder, temporaryFolder } from '../support/embedded.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { createCard, indexed } from '../support/notebook.js';
import { seedOfRun } from '../support/seed.js';
import { until } from '../support/until.js';
import { installedPostgres, type OwnPostgres, startOwnPostgres } from './support/installed-postgres.js';
import { Writers } from './support/writers.js';

const run = promisify(execFile);

const programs = await installedPostgres();
if (programs === null) {
  process.stdout.write('skipped: no PostgreSQL with pg_dump is installed, so no backup is made and restored\n');
}
const testWithPrograms = programs === null ? test.skip : test;

/** Uploaded files, one in the row and one so large that PostgreSQL stores it in parts. */
const FILES = [100, 2_000_000].map((bytes) => Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(bytes)]));

const CHANGES = 60;

/** Enough that each kind of change after the backup has some. */
const CARDS = 6;

const undos: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of undos.splice(0).reverse()) await undo();
});

async function folder(): Promise<string> {
  const made = await temporaryFolder();
  undos.push(() => removeFolder(made));
  return made;
}

async function cluster(): Promise<OwnPostgres> {
  const server = await startOwnPostgres(String(programs), await folder());
  undos.push(() => server.close());
  return server;
}

/** Creates a card that has the file; where the file is read. */
async function cardWithFile(gateway: Gateway, id: string, body: Buffer): Promise<string> {
  const headers = { 'content-type': 'application/pdf' };
  const response = await fetch(new URL('/attachments', gateway.url), { method: 'POST', headers, body });
  const { attachment } = (await response.json()) as { attachment: { sha256: string; url: string } };
  // A passage in each perspective, as the cards of the writers have.
  const texts = {
    questionText: `question of ${id}`,
    studentSolutionText: 'a guess',
    topicTags: ['files'],
    errorTypes: ['slip'],
  };
  await createCard(gateway, { id, ...texts, attachments: [{ sha256: attachment.sha256 }] });
  return attachment.url;
}

/** Null if there is none. */
async function fileAt(gateway: Gateway, path: string): Promise<Buffer | null> {
  const response = await fetch(new URL(path, gateway.url));
  return response.status === 404 ? null : Buffer.from(await response.arrayBuffer());
}

const remove = (gateway: Gateway, id: string) => gateway.gql('mutation ($id: ID!) { deleteCard(id: $id) }', { id });

/** The steps of docs/deployment.md, "Backup". */
describeOwnChroma('a backup of PostgreSQL, restored in another cluster', () => {
  describe('has exactly the cards of the backup, found by their texts,', () => {
    testWithPrograms.each([
      'with the Chroma and the data directory of before',
      'with an empty Chroma and an empty data directory',
    ] as const)('%s', async (way) => {
      const seed = seedOfRun();
      const first = await cluster();
      const chroma = await startChroma(embeddedOptions(await folder()));
      undos.push(() => chroma.close());
      const dataDir = await folder();
      const before = await start(first.url, chroma.url(), dataDir);
      const writers = new Writers(seededRandom(seed), () => FILES.length);
      const stop = new AbortController();
      const writing = writers.write(before, stop.signal);
      const written = () => writers.acknowledged >= CHANGES && writers.cards >= CARDS;
      await until(written, { deadlineMs: 60_000, what: `${CHANGES} changes and ${CARDS} cards` });
      stop.abort();
      await writing;
      const paths = await Promise.all(FILES.map((body, place) => cardWithFile(before, `file-${place}`, body)));
      await indexed(before);

      const dump = join(await folder(), 'errata.dump');
      await run(join(String(programs), 'pg_dump'), ['--format=custom', `--file=${dump}`, first.url]);
      await goOn(before);
      for (const place of FILES.keys()) await remove(before, `file-${place}`);
      expect(await Promise.all(paths.map((path) => fileAt(before, path)))).toEqual(FILES.map(() => null));
      const later = await cardWithFile(before, 'file-later', Buffer.from('%PDF-1.7 made after the backup'));
      await before.close();

      const second = await cluster();
      await second.administer('CREATE ROLE errata_viewer NOLOGIN; GRANT errata_viewer TO errata');
      const restore = ['--exit-on-error', `--dbname=${second.url}`, dump];
      await run(join(String(programs), 'pg_restore'), restore);
      let restored: Gateway;
      if (way === 'with the Chroma and the data directory of before') {
        await rm(join(dataDir, 'vectors'), { recursive: true });
        restored = await start(second.url, chroma.url(), dataDir);
        expect((await restored.gql('mutation { rebuildIndex { building } }')).errors).toBeUndefined();
      } else {
        const empty = await startChroma(embeddedOptions(await folder()));
        undos.push(() => empty.close());
        restored = await start(second.url, empty.url(), await folder());
      }
      await indexed(restored);
      const found = await writers.problems(restored, { all: true });
      expect({ seed, ...found }).toEqual({ seed, lost: 0, problems: [] });
      const restoredFiles = await Promise.all([...paths, later].map((path) => fileAt(restored, path)));
      expect(restoredFiles.map((file, place) => file?.equals(FILES[place] ?? Buffer.alloc(0)) ?? null)).toEqual([
        ...FILES.map(() => true),
        null,
      ]);
      // What deletes a file with its last card is restored too.
      await remove(restored, 'file-0');
      expect(await fileAt(restored, String(paths[0]))).toBeNull();
    });
  });

  async function start(database: string, chroma: string, dataDir: string): Promise<Gateway> {
    const gateway = await startGateway({ dataDir, env: { DATABASE_URL: database, CHROMA_URL: chroma } });
    undos.push(() => gateway.close());
    return gateway;
  }

  /**
   * What happens after the backup and is lost with it: cards are changed, deleted and made, and the index is built
   * anew.
   */
  async function goOn(gateway: Gateway): Promise<void> {
    const { data } = await gateway.gql<{ cards: { nodes: { id: string }[] } }>('{ cards(first: 20) { nodes { id } } }');
    const ids = data?.cards.nodes.map(({ id }) => id) ?? [];
    expect(ids.length).toBeGreaterThanOrEqual(CARDS);
    for (const [place, id] of ids.entries()) {
      if (place % 3 === 0) await remove(gateway, id);
      else {
        const input = { questionText: `changed after the backup, number ${place}`, topicTags: ['changed'] };
        const query = 'mutation ($id: ID!, $input: UpdateCardInput!) { updateCard(id: $id, input: $input) { id } }';
        await gateway.gql(query, { id, input });
      }
    }
    for (const place of [0, 1, 2, 3]) await createCard(gateway, { questionText: `made after the backup: ${place}` });
    expect((await gateway.gql('mutation { rebuildIndex { building } }')).errors).toBeUndefined();
    await indexed(gateway);
  }
});
