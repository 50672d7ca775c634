import { randomUUID } from 'node:crypto';
import { abortable, type Closers, within } from '../src/domain/async.js';
import { periodicLoop } from '../src/domain/background-loop.js';
import { StartupError, UnavailableError } from '../src/domain/errors.js';
import { EXIT } from '../src/domain/exit-codes.js';
import type { Log } from '../src/domain/ports/log.js';
import type { ChromaConnection } from './client.js';
import { databasePrefix } from './collections.js';
import { unexpectedResponse } from './errors.js';

/** How often a claim is renewed, in ms. */
const RENEW_MS = 20_000;

/** How long a claim lasts after its gateway was killed, in ms: longer than a write to Chroma may take. */
const LASTS_MS = 90_000;

/** How long the end of a claim may take, in ms: without it, the claim ends by itself. */
const RELEASE_MS = 2_000;

export interface ClaimParts {
  readonly chroma: Pick<ChromaConnection, 'call' | 'url'>;
  readonly installation: string;
  /** Differs between a database and its copies, which have the same installation id. */
  readonly database: string;
  readonly log: Pick<Log, 'error' | 'info'>;
  readonly closers: Closers;
  readonly signal: AbortSignal;
  readonly renewMs?: number;
  readonly lastsMs?: number;
}

/**
 * Claims the collections of the installation for this database, in the metadata of a collection without records: two
 * databases of which one is a copy would replace each other's records. Each gateway of the database has an entry
 * there, and renews it until it closes. StartupError (75) while another database has claimed them. If the claim is lost
 * later, the gateway says so and keeps running. A Chroma that cannot be written to now is claimed as soon as it can.
 *
 * Two that start at once may both read before either writes, and the last one has the claim. The returned function
 * claims again, before records are written: StartupError (75) for the other one.
 */
export async function claimCollections(parts: ClaimParts): Promise<() => Promise<void>> {
  const { chroma, log, closers, signal, renewMs = RENEW_MS, lastsMs = LASTS_MS } = parts;
  const gateway = randomUUID();
  let isLost = false;
  const renew = async (): Promise<void> => {
    const isHeld = await claim(parts, gateway, lastsMs);
    if (!isHeld && !isLost) log.error({ chroma: chroma.url }, `a gateway of ${OTHER}: stop one of the two`);
    if (isHeld && isLost) log.info({}, 'the collections in Chroma are claimed again');
    isLost = !isHeld;
  };
  // An outage is logged by those who index and search.
  const loop = periodicLoop(renewMs, renew, (err) => {
    if (!(err instanceof UnavailableError)) log.error({ err }, 'the collections in Chroma could not be claimed');
  });
  const claimOrRefuse = async (): Promise<void> => {
    const isHeld = await abortable(claim(parts, gateway, lastsMs), signal).catch((thrown: unknown) => {
      if (thrown instanceof UnavailableError) return true;
      throw thrown;
    });
    if (isHeld) return;
    const remedy = `stop its gateways and start again after ${lastsMs / 1_000} s, or make this database an installation of its own (docs/deployment.md, "Backup")`;
    throw new StartupError(`Chroma at ${chroma.url} cannot be used: a gateway of ${OTHER}: ${remedy}`, EXIT.retry);
  };
  await claimOrRefuse();
  closers.add('claim of the collections', async () => {
    await loop.close();
    const late = (): Error => new UnavailableError('chroma', `no answer within ${RELEASE_MS} ms`);
    if (!isLost) await within({ ms: RELEASE_MS, late }, () => claim(parts, gateway, null)).catch(() => undefined);
  });
  loop.start(renewMs);
  return claimOrRefuse;
}

const OTHER = 'another database uses its collections, and one database is a copy of the other';

/** Claims the collections for so long; null: ends the claim. False if another database has claimed them. */
async function claim(
  { chroma, installation, database }: ClaimParts,
  gateway: string,
  lastsMs: number | null,
): Promise<boolean> {
  const name = `${databasePrefix(installation)}claim`;
  const collection = await chroma.call('write', (client) =>
    client.getOrCreateCollection({ name, embeddingFunction: null }),
  );
  const nowMs = await clockOf(chroma);
  const { database: holder, ...gateways } = collection.metadata ?? {};
  const running = Object.entries(gateways).filter(([one, untilMs]) => one !== gateway && Number(untilMs) > nowMs);
  if (holder !== database && running.length > 0) return false;
  const own = lastsMs === null ? {} : { [gateway]: nowMs + lastsMs };
  await chroma.call('write', () =>
    collection.modify({ metadata: { database, ...Object.fromEntries(running), ...own } }),
  );
  return true;
}

/** Chroma's clock in ms, which all gateways share: those of their machines may differ by more than a claim lasts. */
async function clockOf(chroma: ClaimParts['chroma']): Promise<number> {
  const nanoseconds = await chroma.call('write', (client) => client.heartbeat());
  if (typeof nanoseconds !== 'number') throw unexpectedResponse('no heartbeat');
  return Math.floor(nanoseconds / 1e6);
}
