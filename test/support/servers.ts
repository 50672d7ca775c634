import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { makeFolder } from './folder.js';
import { startHttpServer } from './http-server.js';

const log = {
  debug() {},
  info() {},
  warn: (facts: object, message: string) => void process.stderr.write(`${message} ${JSON.stringify(facts)}\n`),
};

/**
 * Brings the checkout up to date (`scripts/setup.mjs`: a build, where a source is newer) and starts one PostgreSQL and
 * one Chroma for the whole run, as TEST_DATABASE_URL and TEST_CHROMA_URL: the servers that DATABASE_URL and CHROMA_URL
 * name, else two of our own, which end with this process even if it is killed.
 */
export default async function startServers(): Promise<() => Promise<void>> {
  execFileSync(process.execPath, ['scripts/setup.mjs', '--quiet'], { stdio: 'inherit' });
  const folder = await makeFolder('test');
  const closers = [folder.remove];
  const close = async (): Promise<void> => {
    for (const closer of closers.reverse()) await closer();
  };
  const options = (name: string) => ({ dataDir: join(folder.path, name), log, signal: new AbortController().signal });
  const database = async (): Promise<string> => {
    if (process.env.DATABASE_URL) return process.env.DATABASE_URL;
    const { startPostgres } = await import('../../src/runtime/embedded/postgres.js');
    // Test files run beside each other, and some start four gateways.
    const postgres = await startPostgres({ ...options('postgres'), maxConnections: 200 });
    closers.push(() => postgres.close());
    const { makeTemplate } = await import('./database.js');
    process.env.TEST_TEMPLATE = await makeTemplate(new URL(postgres.url));
    return postgres.url;
  };
  const vectors = async (): Promise<string> => {
    if (process.env.CHROMA_URL) return process.env.CHROMA_URL;
    const { startChroma } = await import('../../src/runtime/embedded/chroma.js');
    const chroma = await startChroma(options('chroma'));
    closers.push(() => chroma.close());
    return chroma.url();
  };
  const [databaseUrl, chromaUrl] = await Promise.allSettled([database(), vectors()]);
  const failed = [databaseUrl, chromaUrl].find((start) => start.status === 'rejected');
  if (databaseUrl.status === 'rejected' || chromaUrl.status === 'rejected') {
    await close();
    throw failed?.reason;
  }
  process.env.TEST_DATABASE_URL = databaseUrl.value;
  process.env.TEST_CHROMA_URL = chromaUrl.value;
  closers.push(await offerSharedGateway());
  return close;
}

/**
 * Starts the gateway that test files share once the first of them asks for it at TEST_SHARED_GATEWAY; the function that
 * ends it.
 */
async function offerSharedGateway(): Promise<() => Promise<void>> {
  const { startGateway } = await import('./gateway.js');
  const { TOKEN_SETTINGS } = await import('./tokens.js');
  let shared: ReturnType<typeof startGateway> | undefined;
  const door = await startHttpServer((_, response) => {
    shared ??= startGateway({ env: TOKEN_SETTINGS });
    shared.then(
      ({ url }) => response.end(url),
      (thrown: unknown) => response.writeHead(500).end(String(thrown)),
    );
  });
  process.env.TEST_SHARED_GATEWAY = door.url;
  return async () => {
    await door.close();
    await (await shared?.catch(() => undefined))?.close();
  };
}
