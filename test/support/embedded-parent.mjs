/**
 * A process that holds one embedded part until it is killed, as a gateway would:
 *
 *     node embedded-parent.mjs postgres|chroma|lock|reader FOLDER
 *
 * It prints one line of JSON when the part is there, or when it was refused.
 */
import { readFileSync } from 'node:fs';
import v8 from 'node:v8';

const [part, folder] = process.argv.slice(2);
const embedded = '../../dist/src/runtime/embedded';
const log = { debug() {}, info() {}, warn() {} };
const options = { dataDir: folder, log, signal: new AbortController().signal };

const holders = {
  postgres: async () => {
    const { startPostgres } = await import(`${embedded}/postgres.js`);
    const { url, pid } = await startPostgres(options);
    return { url, pid };
  },
  chroma: async () => {
    const { startChroma } = await import(`${embedded}/chroma.js`);
    const { url, pid } = await startChroma(options);
    return { url: url(), pid };
  },
  lock: async () => {
    const { lockDataDir } = await import(`${embedded}/data-lock.js`);
    await lockDataDir(folder);
    return { pid: process.pid };
  },
  reader: async () => {
    const { foldChunk, openReader } = await import('../../dist/src/exchange/import/reader/reader.js');
    const { file, view } = v8.deserialize(readFileSync(`${folder}/busy.v8`));
    const reader = await openReader(file, { cpuMs: 600_000, memoryMb: 1_000 }, options.signal);
    await reader.call('next', null);
    void foldChunk(reader, view);
    return { pid: reader.pid };
  },
};

try {
  process.stdout.write(`${JSON.stringify(await holders[part]())}\n`);
  setInterval(() => undefined, 60_000);
} catch (thrown) {
  process.stdout.write(`${JSON.stringify({ refused: thrown.message, exitCode: thrown.exitCode })}\n`);
}
