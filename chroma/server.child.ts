/**
 * Runs one Chroma server. The gateway forks it with a {@link ServerSpec}; it ends when its IPC channel closes, also if
 * the gateway was killed. The server runs in a worker thread, because the binding's call blocks its thread as long as
 * the server runs, and the main thread could not notice that the channel has closed.
 */
import { createRequire } from 'node:module';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { delay } from '../src/domain/async.js';
import { asError } from '../src/domain/errors.js';
import { recordIdentity } from '../src/runtime/embedded/process.js';
import type { ServerMessage, ServerSpec } from './server.js';

/** Time for running writes to finish: a kill during a write can corrupt index files. */
const QUIET_MS = 200;
/**
 * Builds newer than 1.0.5 close their port at SIGTERM but do not end. With both delays, 60 of 60 stops lost no data.
 */
const TERM_MS = 400;

interface Binding {
  cli(args: readonly string[]): void;
}

interface Job {
  readonly binding: string;
  readonly args: readonly string[];
}

const require = createRequire(import.meta.url);

if (isMainThread) await supervise(JSON.parse(process.argv[2] ?? 'null') as ServerSpec);
else serve(workerData as Job);

async function supervise(spec: ServerSpec): Promise<void> {
  process.on('disconnect', () => void stop());
  // It may have ended while the modules were loaded.
  if (!process.connected) return stop();
  await recordIdentity(spec.record, process.pid);
  // Also loaded by the main thread: otherwise the library is unmapped when the worker ends, while its threads still
  // run.
  const binding = firstThatLoads(spec.bindings);
  if (binding === null) return leave();
  const args = ['chroma', 'run', '--path', spec.path, '--host', spec.host, '--port', String(spec.port)];
  const worker = new Worker(new URL(import.meta.url), { workerData: { binding, args } satisfies Job });
  // The call returns only after a failure. A port in use is only reported on stdout.
  worker.once('message', () => leave());
  worker.once('error', (error) => {
    process.stderr.write(`${asError(error).stack}\n`);
    leave();
  });
}

function firstThatLoads(bindings: readonly string[]): string | null {
  const reasons: string[] = [];
  for (const binding of bindings) {
    try {
      require(binding);
      send({ kind: 'loaded', binding });
      return binding;
    } catch (thrown) {
      reasons.push(asError(thrown).message.split('\n')[0] ?? binding);
    }
  }
  send({ kind: 'unloadable', reasons });
  return null;
}

function serve(job: Job): void {
  (require(job.binding) as Binding).cli(job.args);
  parentPort?.postMessage('returned');
}

async function stop(): Promise<void> {
  await delay(QUIET_MS);
  process.kill(process.pid, 'SIGTERM');
  await delay(TERM_MS);
  process.kill(process.pid, 'SIGKILL');
}

/** Ends the process as failed; flushes stdout before. */
function leave(): void {
  process.stdout.write('', () => process.exit(1));
}

/** Ignores errors of the channel: `disconnect` reports them. */
function send(message: ServerMessage): void {
  if (process.connected) process.send?.(message, () => undefined);
}
