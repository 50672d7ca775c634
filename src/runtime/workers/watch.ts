/**
 * The second thread of a worker: ends the process when it has used more than it may, or when the gateway is gone. The first thread
 * may be busy for good. A thread of the gateway with a limit on its memory would not do: where one large allocation passes it, V8
 * ends the whole process (Node 20, a Map that grows).
 */
import { workerData } from 'node:worker_threads';
import type { WorkerLimits } from './protocol.js';

/** Memory that is taken at 1 GB a second passes its limit by 100 MB. */
const LOOK_MS = 100;

const { cpuMs, memoryMb } = workerData as WorkerLimits;
const gateway = process.ppid;

setInterval(() => {
  const { user, system } = process.cpuUsage();
  const isSpent = (user + system) / 1_000 > cpuMs || process.memoryUsage.rss() > memoryMb * 2 ** 20;
  if (isSpent || process.ppid !== gateway) process.kill(process.pid, 'SIGKILL');
}, LOOK_MS);
