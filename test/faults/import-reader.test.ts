import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { foldChunk, openReader, READER_LIMITS } from '../../src/exchange/import/reader/reader.js';
import { identify, isAlive, type ProcessIdentity } from '../../src/runtime/embedded/process.js';
import { WorkerSpentError } from '../../src/runtime/workers/worker-process.js';
import { startParent } from '../support/embedded.js';
import { type Folder, makeFolder } from '../support/files.js';
import { until } from '../support/until.js';
import { NO_NAMES } from '../support/vocabulary.js';
import { busyFile, draftOf } from './support/busy-reader.js';

let folder: Folder;
let busy: Awaited<ReturnType<typeof busyFile>>;
const never = new AbortController().signal;
beforeAll(async () => {
  folder = await makeFolder();
  busy = await busyFile(folder);
});
afterAll(() => folder.remove());

async function identityOf(pid: number): Promise<ProcessIdentity> {
  const identity = await identify(pid);
  if (identity === null) throw new Error('the reader is gone');
  return identity;
}

describe('a reader that is busy for minutes', () => {
  test('is killed once it has used its CPU time', async () => {
    const reader = await openReader(busy.file, { ...READER_LIMITS, cpuMs: 3_000 }, never);
    // On a slow machine reading the rows takes this long.
    const work = reader.call('next', null).then(() => foldChunk(reader, busy.view));
    await expect(work).rejects.toThrow(/more than 3 s of processor time/);
    // Whoever asks once more is told the same.
    await expect(reader.call('next', null)).rejects.toThrow(WorkerSpentError);
    await reader.close();
  });

  test('is killed at once when it is closed or its signal aborts, and callers are rejected', async () => {
    for (const how of ['close', 'abort'] as const) {
      const stop = new AbortController();
      const reader = await openReader(busy.file, READER_LIMITS, stop.signal);
      const identity = await identityOf(reader.pid);
      await reader.call('next', null);
      const folding = expect(foldChunk(reader, busy.view)).rejects.toThrow(
        how === 'abort' ? 'the gateway stops' : 'was closed',
      );
      if (how === 'abort') stop.abort(new Error('the gateway stops'));
      await reader.close();
      await folding;
      expect(await isAlive(identity)).toBe(false);
    }
  });

  test('ends soon after the gateway was killed', async () => {
    const parent = startParent('reader', folder.path);
    const identity = await identityOf((await parent.told).pid);
    await parent.kill();
    await until(async () => !(await isAlive(identity)), { deadlineMs: 30_000, what: 'the reader to go' });
  });
});

test('a reader that exceeds its memory limit is killed with a clear error', async () => {
  const reader = await openReader(busy.file, { ...READER_LIMITS, memoryMb: 150 }, never);
  await reader.call('next', null);
  const cards = Array.from({ length: 80 }, (_, at) => ({
    ...draftOf(`card-${at}`, '1+1=?'),
    id: '长'.repeat(1_000_000),
  }));
  const view = { cards, taken: new Set<string>(), foreign: new Set<string>(), labels: NO_NAMES, files: new Map() };
  await expect(foldChunk(reader, view)).rejects.toThrow(/150 MB of memory/);
  await reader.close();
});
