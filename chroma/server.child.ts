/**
 * Runs one Chroma server and outlives nobody: forked by the gateway with a {@link ServerSpec}, it ends when the channel to
 * the gateway closes, whether the gateway asked for that or was killed.
 *
 * The binding's call blocks its thread for as long as the server runs, so it has a worker thread: on the main thread it
 * would keep the program from ever noticing that the gateway is gone.
 */
import { createRequire } from 'node:module';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { delay } from '../src/domain/async.js';
import { asError } from '../src/domain/errors.js';
import { recordIdentity } from '../src/runtime/embedded/process.js';
import type { ServerNews, ServerSpec } from './server.js';

/** A kill while index files are being written can corrupt them: the last writes get this long to come to rest. */
const QUIET_MS = 200;
/** Builds newer than 1.0.5 close their port at SIGTERM and then go on for ever; with both waits, 60 of 60 stops lost nothing. */
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
  await recordIdentity(spec.record, process.pid);
  // Loaded here too: a library that only the worker holds is unmapped when the worker ends, under its own threads.
  const binding = firstThatLoads(spec.bindings);
  if (binding === null) return leave(1);
  const args = ['chroma', 'run', '--path', spec.path, '--host', spec.host, '--port', String(spec.port)];
  const worker = new Worker(new URL(import.meta.url), { workerData: { binding, args } satisfies Job });
  // The server's call only returns when it failed; a taken port is a message on stdout and nothing else.
  worker.once('message', () => leave(1));
  worker.once('error', (error) => {
    process.stderr.write(`${asError(error).stack}\n`);
    leave(1);
  });
}

function firstThatLoads(bindings: readonly string[]): string | null {
  const reasons: string[] = [];
  for (const binding of bindings) {
    try {
      require(binding);
      tell({ kind: 'loaded', binding });
      return binding;
    } catch (thrown) {
      reasons.push(asError(thrown).message.split('\n')[0] ?? binding);
    }
  }
  tell({ kind: 'unloadable', reasons });
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

/** Flushes stdout before the process ends. */
function leave(code: number): void {
  process.stdout.write('', () => process.exit(code));
}

/** Nobody hears it where the gateway is gone; `disconnect` says so too. */
function tell(news: ServerNews): void {
  if (process.connected) process.send?.(news, () => undefined);
}
