/**
 * Preloaded into a gateway (`node --import`), measures how long its event loop is held, and tells who asks on the Unix socket
 * ERRATA_LOOP_SOCKET: the longest hold since the last question. Nothing in the product looks for it.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** The longest hold of the event loop, in ms. */
export interface Hold {
  /** By the clock, which also runs while other programs have the processor. */
  readonly wallMs: number;
  /** Processor time of the main thread in one turn of the loop; null on other systems than Linux. */
  readonly cpuMs: number | null;
}

/** The gateway's processes and threads inherit the options of its start: only the gateway itself is measured. */
const GATEWAY = /(?:main|gateway\.child)\.js$/;

/** How often the loop is looked at, in ms; a hold is measured to this. */
const RESOLUTION_MS = 1;

/** The main thread's processor time so far, in ms, as Linux counts it. */
function cpuClock(): (() => number) | null {
  if (process.platform !== 'linux') return null;
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  process.once('exit', () => closeSync(file));
  const buffer = Buffer.alloc(64);
  return () => Number.parseInt(buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0)), 10) / 1e6;
}

const path = process.env.ERRATA_LOOP_SOCKET;
if (isMainThread && path !== undefined && GATEWAY.test(process.argv[1] ?? '')) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const cpu = cpuClock();
  let longestCpuMs = 0;
  if (cpu !== null) {
    let before = cpu();
    setInterval(() => {
      const now = cpu();
      longestCpuMs = Math.max(longestCpuMs, now - before);
      before = now;
    }, RESOLUTION_MS).unref();
  }
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    // A hold that has just ended is counted with the next look.
    setTimeout(() => {
      const wallMs = Math.max(0, delays.max / 1e6 - RESOLUTION_MS);
      socket.end(JSON.stringify({ wallMs, cpuMs: cpu === null ? null : longestCpuMs } satisfies Hold));
      delays.reset();
      longestCpuMs = 0;
    }, 5 * RESOLUTION_MS);
  });
  server.listen(path).unref();
}
