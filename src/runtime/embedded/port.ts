import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The address that embedded servers listen on: never reachable from another machine. */
export const LOOPBACK = '127.0.0.1';

/** A loopback port that was free a moment ago. Another program may take it before it is used: try again then. */
export function freePort(): Promise<number> {
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

/** True while nobody listens on the loopback port. */
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

/**
 * True where it is this process that listens on the loopback port. A server that merely answers there may be another
 * one that took the port between the moment it was found free and the moment it was used.
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
    // lsof's way of saying that there is none
    if ((thrown as { code?: unknown }).code === 1) return false;
    throw thrown;
  }
}

/** The socket that listens on the port, by inode (proc(5): /proc/net/tcp), is among the process's open files. */
async function linuxListensOn(pid: number, port: number): Promise<boolean> {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const LISTEN = '0A';
  const sockets = (await readFile(`/proc/${pid}/net/tcp`, 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  const inode = sockets.find((fields) => fields[1] === local && fields[3] === LISTEN)?.[9];
  if (inode === undefined) return false;
  const files = await readdir(`/proc/${pid}/fd`);
  const targets = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(closedMeanwhile)));
  return targets.includes(`socket:[${inode}]`);
}

function closedMeanwhile(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
