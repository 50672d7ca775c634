import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { asError, nullIf } from '../../domain/errors.js';

const run = promisify(execFile);

/** Embedded servers listen here: not reachable from other machines. */
export const LOOPBACK = '127.0.0.1';

/** A free loopback port. Another program may take it before it is used. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, LOOPBACK, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
      server.close(() => resolve(address.port));
    });
  });
}

/** True if no program listens on the loopback port. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    server.listen(port, LOOPBACK, () => server.close(() => resolve(true)));
  });
}

const PORT_ATTEMPTS = 5;

/** What servers say of a port that another program has. */
const TAKEN = /\baddress\b.*\b(?:not available|in use)\b/i;

/**
 * Starts a server on the `fixed` port, or on a free one. If another program took the free port before it was used,
 * tries others.
 */
export async function onPort<T>(fixed: number | null, start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const port = fixed ?? (await freePort());
    try {
      return await start(port);
    } catch (thrown) {
      // The other program may have ended meanwhile.
      const isTaken = TAKEN.test(asError(thrown).message) || !(await isFree(port));
      if (fixed !== null || attempt === PORT_ATTEMPTS || !isTaken) throw thrown;
    }
  }
}

/**
 * True if the process with this pid listens on the loopback port. A server that answers there may be another program's,
 * which took the port after it was found free.
 */
export async function listensOn(pid: number, port: number): Promise<boolean> {
  if (process.platform === 'linux') return linuxListensOn(pid, port);
  if (process.platform === 'win32') {
    const { stdout } = await run('netstat', ['-ano', '-p', 'TCP']);
    const lines = stdout.split('\n').map((line) => line.trim().split(/\s+/));
    return lines.some(([, local, , , owner]) => local === `${LOOPBACK}:${port}` && owner === String(pid));
  }
  const query = ['-nP', '-a', '-p', String(pid), `-iTCP:${port}`, '-sTCP:LISTEN', '-t'];
  try {
    return (await run('lsof', query)).stdout.trim() === String(pid);
  } catch (thrown) {
    // lsof found no such socket.
    if ((thrown as { code?: unknown }).code === 1) return false;
    throw thrown;
  }
}

/** Looks for the listening socket's inode (proc(5): /proc/net/tcp) among the process's open files. */
async function linuxListensOn(pid: number, port: number): Promise<boolean> {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const LISTEN = '0A';
  const sockets = (await readFile(`/proc/${pid}/net/tcp`, 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  const inode = sockets.find((fields) => fields[1] === local && fields[3] === LISTEN)?.[9];
  if (inode === undefined) return false;
  const files = await readdir(`/proc/${pid}/fd`);
  const targets = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(nullIf('ENOENT'))));
  return targets.includes(`socket:[${inode}]`);
}
