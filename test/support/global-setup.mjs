import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const log = {
  debug() {},
  info() {},
  warn: (facts, message) => process.stderr.write(`${message} ${JSON.stringify(facts)}\n`),
};

/**
 * One PostgreSQL and one Chroma for the whole run, as TEST_DATABASE_URL and TEST_CHROMA_URL: the servers that DATABASE_URL
 * and CHROMA_URL name, where they do, else two of our own. Those end with this process, even where it is killed.
 */
export default async function globalSetup() {
  const folder = await mkdtemp(join(tmpdir(), 'errata-test-'));
  const closers = [() => rm(folder, { recursive: true, force: true })];
  globalThis.closeTestServers = async () => {
    for (const close of closers.reverse()) await close();
  };
  const options = (name) => ({ dataDir: join(folder, name), log, signal: new AbortController().signal });
  const starts = [];
  if (process.env.DATABASE_URL) {
    process.env.TEST_DATABASE_URL = process.env.DATABASE_URL;
  } else {
    starts.push(async () => {
      const { startPostgres } = await import('../../dist/src/embedded/postgres.js');
      const postgres = await startPostgres(options('postgres'));
      closers.push(() => postgres.close());
      process.env.TEST_DATABASE_URL = postgres.url;
    });
  }
  if (process.env.CHROMA_URL) {
    process.env.TEST_CHROMA_URL = process.env.CHROMA_URL;
  } else {
    starts.push(async () => {
      const { startChroma } = await import('../../dist/src/embedded/chroma.js');
      const chroma = await startChroma(options('chroma'));
      closers.push(() => chroma.close());
      process.env.TEST_CHROMA_URL = chroma.url();
    });
  }
  const outcomes = await Promise.allSettled(starts.map((start) => start()));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed === undefined) return;
  await globalThis.closeTestServers();
  throw failed.reason;
}
