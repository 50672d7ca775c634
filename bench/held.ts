import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { Hold } from './loop-probe.js';

/** How to start a gateway whose event loop is watched, and how to ask. */
export interface LoopWatch {
  /** For the gateway's process. */
  readonly env: Readonly<Record<string, string>>;
  /** The longest that the event loop was held since the last question. */
  longest(): Promise<Hold>;
}

let watches = 0;

/** A watch for one gateway: see loop-probe.ts. */
export function watchLoop(): LoopWatch {
  watches += 1;
  const path = join(tmpdir(), `errata-loop-${process.pid}-${watches}.sock`);
  return {
    env: { NODE_OPTIONS: `--import=${new URL('loop-probe.js', import.meta.url).href}`, ERRATA_LOOP_SOCKET: path },
    longest: async () => (await json(connect(path))) as Hold,
  };
}
