import { join } from 'node:path';

/** The last build of the binding for glibc older than 2.38; the set-up downloads it if needed. */
const LEGACY_BINDING_VERSION = '1.0.5';

/** Compiled module of the program that runs a Chroma server; see {@link ServerSpec}. */
export const SERVER_PROGRAM = 'chroma/server.child.js';

/** Passed to the server program as JSON in its first argument. */
export interface ServerSpec {
  /** Modules to load the binding from; the first that loads is used. */
  readonly bindings: readonly string[];
  /** The server's data folder. */
  readonly path: string;
  readonly host: string;
  readonly port: number;
  /** File for the pid and start time of the program. */
  readonly record: string;
}

/** Message of the server program: the binding it runs, or why none can be loaded. */
export type ServerMessage =
  | { readonly kind: 'loaded'; readonly binding: string }
  | { readonly kind: 'unloadable'; readonly reasons: readonly string[] };

/** The npm packages of Chroma's native binding, by Node's `platform-arch`. */
const BINDINGS: Readonly<Record<string, string>> = {
  'linux-x64': 'chromadb-js-bindings-linux-x64-gnu',
  'linux-arm64': 'chromadb-js-bindings-linux-arm64-gnu',
  'darwin-x64': 'chromadb-js-bindings-darwin-x64',
  'darwin-arm64': 'chromadb-js-bindings-darwin-arm64',
  'win32-x64': 'chromadb-js-bindings-win32-x64-msvc',
};

/** Modules of the binding, best first: npm's, then the one in the user's cache. Empty if the platform has none. */
export function bindingCandidates(cacheDir: string): readonly string[] {
  const name = BINDINGS[`${process.platform}-${process.arch}`];
  return name === undefined ? [] : [name, join(cacheDir, `chroma-${LEGACY_BINDING_VERSION}`, name)];
}
