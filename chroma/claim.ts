import { randomUUID } from 'node:crypto';
import { abortable, type Closers, Listeners, within } from '../src/domain/async.js';
import { periodicLoop } from '../src/domain/background-loop.js';
import { StartupError, UnavailableError } from '../src/domain/errors.js';
import { EXIT } from '../src/domain/exit-codes.js';
import type { Log } from '../src/domain/ports/log.js';
import { type ChromaConnection, DEADLINES } from './client.js';
import { type CallGuard, databasePrefix } from './collections.js';
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

/** The claim of a database on its collections. */
export interface CollectionsClaim extends CallGuard {
  /** False while a gateway of another database has claimed the collections. */
  readonly isHeld: boolean;
  /** Adds a listener for each time the collections are claimed again: another database may have changed them. */
  readonly onRegained: (listener: () => void) => () => void;
  /** Claims again, before the first records are written: StartupError (75) if another database has the claim. */
  confirm(): Promise<void>;
}

/** Of collections in a Chroma that no other gateway can use. */
export const UNSHARED: CollectionsClaim = {
  isHeld: true,
  onRegained: () => () => undefined,
  check: async () => undefined,
  confirm: async () => undefined,
};

/**
 * Claims the collections of the installation for this database, in the metadata of a collection without records: two
 * databases of which one is a copy would replace each other's records. Each gateway of the database has an entry
 * there, and renews it until it closes. StartupError (75) while another database has claimed them. A Chroma that cannot
 * be written to now is claimed as soon as it can.
 *
 * Two that start at once may both read before either writes, and the last one has the claim: `confirm` ends the other
 * one. A gateway that was suspended, or cut off from Chroma, for longer than a claim lasts may lose its claim later. It
 * then calls no collection any more, as during an outage of Chroma, until the claim is free again.
 */
export async function claimCollections(parts: ClaimParts): Promise<CollectionsClaim> {
  const { chroma, log, closers, signal, renewMs = RENEW_MS, lastsMs = LASTS_MS } = parts;
  const gateway = randomUUID();
  const regained = new Listeners();
  let isHeld = true;
  let isLossKnown = false;
  let endsMs = 0;
  let renewal: Promise<void> | undefined;
  const claimNow = async (): Promise<void> => {
    const beganMs = performance.now();
    isHeld = await claim(parts, gateway, lastsMs);
    if (isHeld) endsMs = beganMs + lastsMs;
  };
  const renew = (): Promise<void> => {
    renewal ??= claimNow().finally(() => {
      renewal = undefined;
    });
    return renewal;
  };
  const renewAndReport = async (): Promise<void> => {
    await renew();
    if (isLossKnown === !isHeld) return;
    isLossKnown = !isHeld;
    if (!isHeld) return log.error({ chroma: chroma.url }, `a gateway of ${OTHER}: stop one of the two`);
    log.info({}, 'the collections in Chroma are claimed again');
    regained.notify();
  };
  // An outage is logged by those who index and search.
  const loop = periodicLoop(renewMs, renewAndReport, (err) => {
    if (!(err instanceof UnavailableError)) log.error({ err }, 'the collections in Chroma could not be claimed');
  });
  const confirm = async (): Promise<void> => {
    await abortable(renew(), signal).catch((thrown: unknown) => {
      if (!(thrown instanceof UnavailableError)) throw thrown;
    });
    if (isHeld) return;
    const remedy = `stop its gateways and start again after ${lastsMs / 1_000} s, or make this database an installation of its own (docs/deployment.md, "Backup")`;
    throw new StartupError(`Chroma at ${chroma.url} cannot be used: a gateway of ${OTHER}: ${remedy}`, EXIT.retry);
  };
  await confirm();
  closers.add('claim of the collections', async () => {
    await loop.close();
    const late = (): Error => new UnavailableError('chroma', `no answer within ${RELEASE_MS} ms`);
    if (isHeld) await within({ ms: RELEASE_MS, late }, () => claim(parts, gateway, null)).catch(() => undefined);
  });
  loop.start(renewMs);
  return {
    get isHeld() {
      return isHeld;
    },
    onRegained: regained.add,
    confirm,
    async check(mode) {
      if (mode === 'write' && isHeld && performance.now() + DEADLINES.write >= endsMs) {
        await renewAndReport().catch((cause: unknown) => {
          throw new UnavailableError('chroma', 'its collections could not be claimed', { cause });
        });
      }
      if (!isHeld) throw new UnavailableError('chroma', `a gateway of ${OTHER}`);
    },
  };
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
