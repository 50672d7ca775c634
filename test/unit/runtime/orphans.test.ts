import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { SERVER_PROGRAM, type ServerSpec } from '../../../chroma/server.js';
import { packageRoot } from '../../../src/config/package-root.js';
import { forkChild } from '../../../src/runtime/embedded/child.js';
import { endsWithThisProcess } from '../../support/children.js';
import { folderOfFile } from '../../support/folder.js';

const { path: folder } = await folderOfFile('orphans');
let programs: Readonly<Record<string, { readonly module: string; readonly given: object }>>;
beforeAll(async () => {
  const dist = join(packageRoot(), 'dist');
  // A binding whose server runs for a minute.
  const binding = join(folder, 'binding.cjs');
  await writeFile(binding, 'exports.cli = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);');
  const worker = join(folder, 'worker.mjs');
  const serve = JSON.stringify(join(dist, 'src/runtime/workers/serve.js'));
  await writeFile(worker, `import { serve } from ${serve}; setTimeout(() => undefined, 60_000); serve({});`);
  const spec: ServerSpec = {
    bindings: [binding],
    path: folder,
    host: '127.0.0.1',
    port: 1,
    record: join(folder, 'record'),
  };
  programs = {
    'the Chroma server': { module: SERVER_PROGRAM, given: spec },
    'a worker process': { module: relative(dist, worker), given: { cpuMs: 60_000, memoryMb: 256 } },
    'the inference process': { module: 'src/models/inference/program.js', given: {} },
  };
});

test.each(['the Chroma server', 'a worker process', 'the inference process'])(
  '%s ends also if its gateway has gone before it listens for that',
  async (name) => {
    const { module, given } = programs[name] as (typeof programs)[string];
    const child = forkChild(module, [JSON.stringify(given)], folder);
    endsWithThisProcess(child);
    const exited = once(child, 'exit', { signal: AbortSignal.timeout(30_000) });
    child.disconnect();
    expect(await exited).toHaveLength(2);
  },
);
