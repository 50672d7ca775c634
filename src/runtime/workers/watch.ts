/**
 * The watchdog thread of a worker process: kills the process when it exceeds its limits, or when the gateway has ended;
 * the main thread may be busy forever. A worker thread with a memory limit in the gateway does not work: one large
 * allocation beyond the limit makes V8 abort the whole process (Node 20, a growing Map).
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { WorkerLimits } from './protocol.js';

/** Check interval: at 1 GB/s the memory limit is exceeded by up to 100 MB. */
const LOOK_MS = 100;

const { cpuMs, memoryMb } = workerData as WorkerLimits;
const gateway = process.ppid;

/** Processor time before the current job. */
let before = { user: 0, system: 0 };
parentPort?.on('message', () => {
  before = process.cpuUsage();
});

setInterval(() => {
  const { user, system } = process.cpuUsage(before);
  const isSpent = (user + system) / 1_000 > cpuMs || process.memoryUsage.rss() > memoryMb * 2 ** 20;
  if (isSpent || process.ppid !== gateway) process.kill(process.pid, 'SIGKILL');
}, LOOK_MS);
