import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bindingCandidates, SERVER_PROGRAM, type ServerMessage, type ServerSpec } from '../../../chroma/server.js';
import { abortable } from '../../domain/async.js';
import { asError, StartupError } from '../../domain/errors.js';
import { cacheDir } from './cache-dir.js';
import { describeExit, drain, forkChild, whenEnded } from './child.js';
import { usingFolder } from './folder.js';
import { isFree, LOOPBACK, listensOn, onPort } from './port.js';
import { endLeftover, type StopStep } from './process.js';
import { isCrash, SetAside } from './set-aside.js';
import { type EmbeddedOptions, type Running, type Supervised, supervise, untilReady } from './supervise.js';

/**
 * An earlier gateway's Chroma ends by itself within the waits of its child program; after this it hangs or is
 * suspended.
 */
const LEFTOVER_GRACE_MS = 1_500;
const LEFTOVER_STOP: readonly StopStep[] = [
  { signal: 'SIGTERM', waitMs: 400 },
  { signal: 'SIGKILL', waitMs: 1_000 },
];

/** The child program's own stop takes 600 ms. */
const STOP_DEADLINE_MS = 1_500;

const HEARTBEAT_DEADLINE_MS = 1_000;

export interface EmbeddedChroma extends Supervised {
  /** The current URL. A restart changes the port if another program has taken the old one. */
  readonly url: () => string;
}

/** No binding can be loaded on this machine: not worth retrying. */
class UnloadableBinding extends Error {}

/** The server crashed while it started, perhaps because of its data. */
class CrashedStart extends StartupError {}

/**
 * Starts a Chroma server on loopback and restarts it until `close`. It is ready when it answers and listens on the port
 * itself. Data that it crashes on is moved aside, because all of it can be rebuilt. Chroma has no access control: every
 * program that can open loopback connections on this machine can read and write it. Reset is off, and these builds send
 * no telemetry.
 */
export async function startChroma(options: EmbeddedOptions): Promise<EmbeddedChroma> {
  const { dataDir, log, signal } = options;
  const path = join(dataDir, 'server');
  const record = join(dataDir, 'running.json');
  await usingFolder(dataDir, async () => {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await endLeftover(record, LEFTOVER_GRACE_MS, LEFTOVER_STOP);
    await access(path, constants.R_OK | constants.W_OK);
  });
  let port: number | null = null;
  const data = new SetAside(path);

  const start = async (starting: AbortSignal): Promise<Running> => {
    // Moved aside, or removed while the server ran.
    await mkdir(path, { recursive: true, mode: 0o700 });
    const last = port !== null && (await isFree(port)) ? port : null;
    return onPort(last, async (candidate) => {
      const spec = { bindings: bindingCandidates(cacheDir()), path, host: LOOPBACK, port: candidate, record };
      const server = run(spec, (line) => log.debug({ part: 'chroma' }, line));
      try {
        await abortable(server.loaded, starting);
        await untilReady(server, () => heartbeatProblem(server.pid, candidate), starting);
        port = candidate;
        void server.ended.then(() => data.ended(server.signalCode()));
        return server;
      } catch (thrown) {
        await server.stop();
        starting.throwIfAborted();
        if (thrown instanceof UnloadableBinding) throw new StartupError(thrown.message, 78);
        const message = `Chroma did not start: ${asError(thrown).message}`;
        if (isCrash(server.signalCode())) throw new CrashedStart(message, 69, { cause: thrown });
        throw new StartupError(message, 69, { cause: thrown });
      }
    });
  };
  const startEmpty = async (starting: AbortSignal): Promise<Running> => {
    log.warn({ part: 'chroma', aside: `${path}.damaged` }, 'Chroma crashes with its data; the data are moved aside');
    return start(starting);
  };
  const launch = async (starting: AbortSignal): Promise<Running> => {
    if (data.isDue) {
      await data.moveAside();
      return startEmpty(starting);
    }
    try {
      return await start(starting);
    } catch (crash) {
      if (!(crash instanceof CrashedStart)) throw crash;
      return data.tryWithout(() => startEmpty(starting), crash);
    }
  };

  const supervised = await supervise({ name: 'chroma', launch, log, signal });
  return Object.assign(supervised, { url: () => `http://${LOOPBACK}:${port}` });
}

interface Server extends Running {
  /** Rejects with UnloadableBinding. */
  readonly loaded: Promise<void>;
  /** The signal that ended it; null while it runs, or if it exited. */
  readonly signalCode: () => NodeJS.Signals | null;
  readonly tail: () => string;
}

function run(spec: ServerSpec, onLine: (line: string) => void): Server {
  // Its writes can keep a core busy for minutes; the gateway and PostgreSQL come first.
  const child = forkChild(SERVER_PROGRAM, [JSON.stringify(spec)], spec.path, { isBackground: true });
  const tail = drain(child, onLine);
  const ended = whenEnded(child).then((failure) => failure ?? describeExit(child.exitCode, child.signalCode));
  const loaded = new Promise<void>((resolve, reject) => {
    child.on('message', (message: ServerMessage) => {
      if (message.kind === 'loaded') resolve();
      else reject(new UnloadableBinding(unloadable(message.reasons)));
    });
    void ended.then((how) => reject(new Error(`${how}\n${tail()}`)));
  });
  // The caller also awaits it, but not if the server is stopped before.
  loaded.catch(() => undefined);
  return {
    pid: child.pid ?? 0,
    ended,
    loaded,
    signalCode: () => child.signalCode,
    tail,
    async stop() {
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

function unloadable(reasons: readonly string[]): string {
  const why = reasons.length === 0 ? `npm has none for ${process.platform}-${process.arch}` : reasons.join('; ');
  return `no Chroma server runs on this machine (${why}): run \`npm run setup\`, or name a server in CHROMA_URL`;
}

/** Null if the server answers and the process with this pid is the one that listens on the port. */
async function heartbeatProblem(pid: number, port: number): Promise<string | null> {
  try {
    const url = `http://${LOOPBACK}:${port}/api/v2/heartbeat`;
    const response = await fetch(url, { signal: AbortSignal.timeout(HEARTBEAT_DEADLINE_MS) });
    await response.arrayBuffer();
    if (!response.ok) return `the heartbeat was answered with ${response.status}`;
  } catch (thrown) {
    return `no heartbeat: ${asError(thrown).message}`;
  }
  return (await listensOn(pid, port)) ? null : 'another program listens on the port';
}
