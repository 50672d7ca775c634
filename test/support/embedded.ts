import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { describe } from 'vitest';
import { packageRoot } from '../../src/config/package-root.js';
import type { EmbeddedOptions } from '../../src/runtime/embedded/supervise.js';
import { endsWithThisProcess } from './children.js';
import { cleanups } from './cleanups.js';
import { makeFolder, removeFolder } from './folder.js';

export { cleanups, removeFolder };

/** Guarantees about a Chroma of our own: the set-up brings none where CHROMA_URL names a server. */
export const describeOwnChroma = process.env.CHROMA_URL ? describe.skip : describe;

export const onLinux = process.platform === 'linux';

export async function temporaryFolder(): Promise<string> {
  return (await makeFolder('embedded')).path;
}

/** Makes folders that are removed after their test, when all that was made after them is undone. */
export function folders(atEnd: ReturnType<typeof cleanups>): () => Promise<string> {
  return async () => {
    const folder = await temporaryFolder();
    atEnd(() => removeFolder(folder));
    return folder;
  };
}

export interface Line {
  readonly facts: Record<string, unknown>;
  readonly message: string;
}

/** Options for a server in `dataDir`, and what it logs beyond debug. */
export function embeddedOptions(dataDir: string): EmbeddedOptions & { lines: Line[]; abort: AbortController } {
  const lines: Line[] = [];
  const keep = (facts: object, message: string): void => void lines.push({ facts: { ...facts }, message });
  const abort = new AbortController();
  return { dataDir, signal: abort.signal, log: { debug: () => undefined, info: keep, warn: keep }, lines, abort };
}

export interface Parent {
  readonly process: ChildProcess;
  readonly pid: number;
  /** What it printed when its part was there. */
  readonly told: Promise<{ url: string; pid: number; refused?: string; exitCode?: number }>;
  /** SIGKILL, as a crash would; resolves when it is gone. */
  kill(): Promise<void>;
}

/** Another process that holds an embedded part in `folder`, as a gateway would; `under`: a command that starts it. */
export function startParent(
  part: 'postgres' | 'chroma' | 'lock' | 'reader',
  folder: string,
  under: readonly string[] = [],
): Parent {
  const script = join(packageRoot(), 'test', 'support', 'embedded-parent.mjs');
  const [program, ...args] = [...under, process.execPath, script, part, folder];
  const child = spawn(program as string, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  endsWithThisProcess(child);
  const exited = once(child, 'exit');
  const line = once(createInterface({ input: child.stdout as Readable }), 'line');
  if (child.pid === undefined) throw new Error('the parent did not start');
  return {
    process: child,
    pid: child.pid,
    told: line.then(([text]) => JSON.parse(String(text))),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
