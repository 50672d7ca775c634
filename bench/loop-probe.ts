/**
 * Preloaded into a gateway (`node --import`), measures how long its event loop is blocked, and answers requests on the
 * Unix socket ERRATA_LOOP_SOCKET with the longest time since the last request. Not used by the product.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** The longest block of the event loop, in ms. */
export interface Hold {
  /** Wall-clock time, which includes waiting for a processor. */
  readonly wallMs: number;
  /** Processor time of the main thread in one turn of the loop; null except on Linux. */
  readonly cpuMs: number | null;
  /** Share of the time since the last request in which the main thread waited for a processor; null except on Linux. */
  readonly waited: number | null;
}

/** Child processes and threads inherit the options: only the gateway itself is measured. */
const GATEWAY = /(?:main|gateway\.child)\.js$/;

/** Interval of the measurement, in ms, and its resolution. */
const RESOLUTION_MS = 1;

/** The main thread's processor time and its time waiting for a processor, in ms, from Linux. */
export function cpuClock(): (() => readonly [cpuMs: number, waitedMs: number]) | null {
  if (process.platform !== 'linux') return null;
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  process.once('exit', () => closeSync(file));
  const buffer = Buffer.alloc(64);
  return () => {
    const [cpu, waited] = buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0)).split(' ');
    return [Number(cpu) / 1e6, Number(waited) / 1e6];
  };
}

const path = process.env.ERRATA_LOOP_SOCKET;
if (isMainThread && path !== undefined && GATEWAY.test(process.argv[1] ?? '')) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const cpu = cpuClock();
  let longestCpuMs = 0;
  if (cpu !== null) {
    let [before] = cpu();
    setInterval(() => {
      const [now] = cpu();
      longestCpuMs = Math.max(longestCpuMs, now - before);
      before = now;
    }, RESOLUTION_MS).unref();
  }
  let asked = { atMs: performance.now(), waitedMs: cpu?.()[1] ?? 0 };
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    // A block that has just ended is included in the next measurement.
    setTimeout(() => {
      const wallMs = Math.max(0, delays.max / 1e6 - RESOLUTION_MS);
      const now = { atMs: performance.now(), waitedMs: cpu?.()[1] ?? 0 };
      const waited = (now.waitedMs - asked.waitedMs) / (now.atMs - asked.atMs);
      const hold = cpu === null ? { wallMs, cpuMs: null, waited: null } : { wallMs, cpuMs: longestCpuMs, waited };
      socket.end(JSON.stringify(hold satisfies Hold));
      asked = now;
      delays.reset();
      longestCpuMs = 0;
    }, 5 * RESOLUTION_MS);
  });
  server.listen(path).unref();
}
