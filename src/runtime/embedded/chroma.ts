import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bindingCandidates, SERVER_PROGRAM, type ServerNews, type ServerSpec } from '../../../chroma/server.js';
import { abortable, delay } from '../../domain/async.js';
import { asError, StartupError } from '../../domain/errors.js';
import { cacheDir } from './cache-dir.js';
import { describeExit, drain, forkChild, whenEnded } from './child.js';
import { usingFolder } from './folder.js';
import type { EmbeddedOptions } from './options.js';
import { freePort, isFree, LOOPBACK, listensOn } from './port.js';
import { endLeftover, type StopStep } from './process.js';
import { isCrash, SetAside } from './set-aside.js';
import { type Running, type Supervised, supervise } from './supervise.js';

/** A leftover ends by itself within its quiet time and SIGTERM's; past that it is stuck or stopped. */
const LEFTOVER_GRACE_MS = 1_500;
const LEFTOVER_STOP: readonly StopStep[] = [
  { signal: 'SIGTERM', waitMs: 400 },
  { signal: 'SIGKILL', waitMs: 1_000 },
];

/** The child's own stop takes 600 ms. */
const STOP_DEADLINE_MS = 1_500;

const READY_DEADLINE_MS = 60_000;
const HEARTBEAT_DEADLINE_MS = 1_000;

/** How often another port is tried where somebody takes ours between finding it free and using it. */
const PORT_ATTEMPTS = 5;

/** A Chroma server that the gateway started and keeps up. */
export interface EmbeddedChroma extends Pick<Supervised, 'state' | 'pid' | 'onRestart' | 'restart' | 'close'> {
  /** Where it listens now; another port after a restart only where the old one was taken meanwhile. */
  readonly url: () => string;
}

/** No binding for this machine can be loaded: starting again would not help. */
class UnloadableBinding extends Error {}

/** It broke down while it started; its data may be why. */
class CrashedStart extends StartupError {}

/**
 * Starts a real Chroma server on loopback and keeps it up until `close`. It is ready when it answers and it is seen that
 * the port is its own. Data that it crashes on is put aside, because all of it can be rebuilt. Chroma has no access control: whoever can open loopback ports on this machine can read and write
 * it. Reset is off, and the builds it runs send no telemetry.
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
    for (let attempt = 1; ; attempt += 1) {
      const candidate: number = port !== null && (await isFree(port)) ? port : await freePort();
      const spec = { bindings: bindingCandidates(cacheDir()), path, host: LOOPBACK, port: candidate, record };
      const server = run(spec, (line) => log.debug({ part: 'chroma' }, line));
      try {
        await ready(server, candidate, starting);
        port = candidate;
        void server.ended.then(() => data.ended(server.signalCode()));
        return server;
      } catch (thrown) {
        await server.stop();
        starting.throwIfAborted();
        if (thrown instanceof UnloadableBinding) throw new StartupError(thrown.message, 78);
        if (attempt < PORT_ATTEMPTS && !(await isFree(candidate))) continue;
        const message = `Chroma did not start: ${asError(thrown).message}`;
        if (isCrash(server.signalCode())) throw new CrashedStart(message, 69, { cause: thrown });
        throw new StartupError(message, 69, { cause: thrown });
      }
    }
  };
  const startEmpty = async (starting: AbortSignal): Promise<Running> => {
    await data.putAside();
    await mkdir(path, { mode: 0o700 });
    log.warn({ part: 'chroma', aside: `${path}.damaged` }, 'Chroma crashes on its data; moving the data aside');
    return start(starting);
  };
  const launch = async (starting: AbortSignal): Promise<Running> => {
    if (data.isDue) return startEmpty(starting);
    try {
      return await start(starting);
    } catch (crash) {
      if (!(crash instanceof CrashedStart)) throw crash;
      return startEmpty(starting).catch(async (thrown: unknown) => {
        await data.putBack();
        throw thrown;
      });
    }
  };

  const supervised = await supervise({ name: 'chroma', launch, log, signal });
  return {
    url: () => `http://${LOOPBACK}:${port}`,
    get state() {
      return supervised.state;
    },
    get pid() {
      return supervised.pid;
    },
    onRestart: (listener) => supervised.onRestart(listener),
    restart: () => supervised.restart(),
    close: () => supervised.close(),
  };
}

interface Server extends Running {
  /** Rejects where no binding loads. */
  readonly loaded: Promise<void>;
  /** By which signal it ended; null while it runs, and where it ended by itself. */
  readonly signalCode: () => NodeJS.Signals | null;
  readonly tail: () => string;
}

function run(spec: ServerSpec, onLine: (line: string) => void): Server {
  const child = forkChild(SERVER_PROGRAM, [JSON.stringify(spec)], spec.path);
  const tail = drain(child, onLine);
  const ended = whenEnded(child).then((failure) => failure ?? describeExit(child.exitCode, child.signalCode));
  const loaded = new Promise<void>((resolve, reject) => {
    child.on('message', (news: ServerNews) => {
      if (news.kind === 'loaded') resolve();
      else reject(new UnloadableBinding(unloadable(news.reasons)));
    });
    void ended.then((how) => reject(new Error(`${how}\n${tail()}`)));
  });
  // Also looked at by whoever waits for the server to be ready; a server that is stopped before is no surprise.
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

/** Resolves when the server answers and is the one that listens there. */
async function ready(server: Server, port: number, signal: AbortSignal): Promise<void> {
  await abortable(server.loaded, signal);
  let ended: string | null = null;
  void server.ended.then((how) => {
    ended = how;
  });
  for (const end = performance.now() + READY_DEADLINE_MS; performance.now() < end; await delay(25, signal)) {
    signal.throwIfAborted();
    if (ended !== null) throw new Error(`${ended}\n${server.tail()}`);
    if ((await answers(port)) && (await listensOn(server.pid, port))) return;
  }
  throw new Error(`no heartbeat within ${READY_DEADLINE_MS} ms\n${server.tail()}`);
}

async function answers(port: number): Promise<boolean> {
  try {
    const url = `http://${LOOPBACK}:${port}/api/v2/heartbeat`;
    const response = await fetch(url, { signal: AbortSignal.timeout(HEARTBEAT_DEADLINE_MS) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    // Not listening yet, or not speaking HTTP: asked again until the deadline.
    return false;
  }
}
