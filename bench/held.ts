import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { Hold } from './loop-probe.js';

/** Measures the event loop of a gateway. */
export interface LoopWatch {
  /** Environment of the gateway's process. */
  readonly env: Readonly<Record<string, string>>;
  /** The longest time that the event loop was blocked since the last call. */
  longest(): Promise<Hold>;
}

let watches = 0;

/** For one gateway: see loop-probe.ts. Its socket is removed when this process exits, however the gateway has ended. */
export function watchLoop(): LoopWatch {
  watches += 1;
  const path = join(tmpdir(), `errata-loop-${process.pid}-${watches}.sock`);
  process.once('exit', () => rmSync(path, { force: true }));
  return {
    env: { NODE_OPTIONS: `--import=${new URL('loop-probe.js', import.meta.url).href}`, ERRATA_LOOP_SOCKET: path },
    longest: async () => (await json(connect(path))) as Hold,
  };
}
