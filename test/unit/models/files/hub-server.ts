/** A hub on loopback that speaks like Hugging Face's, with faults on demand. */
import { createHash } from 'node:crypto';
import { startHttpServer } from '../../../support/http-server.js';

export interface HubServer {
  readonly url: string;
  /** `GET path` of every request, with its range where it had one. */
  readonly asked: string[];
  /** How the next downloads of a path fail, first one first. */
  readonly faults: Map<string, Fault[]>;
  close(): Promise<void>;
}

/** cut: half of what is left, then the connection breaks. damaged: as many other bytes. */
export type Fault = 'cut' | 'damaged' | 'status 503';

const SHA = 'a'.repeat(40);
/** What is larger than this is named by its SHA-256. */
const LARGE = 1_000;

export async function startHub(repository: string, files: Readonly<Record<string, Buffer>>): Promise<HubServer> {
  const asked: string[] = [];
  const faults = new Map<string, Fault[]>();
  const tree = Object.entries(files).map(([path, bytes]) => {
    const git = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const large = bytes.length > LARGE;
    return {
      type: 'file',
      path,
      size: bytes.length,
      oid: git,
      ...(large ? { lfs: { oid: sha256, size: bytes.length } } : {}),
    };
  });
  const server = await startHttpServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://hub').pathname);
    const range = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1];
    asked.push(`GET ${path}${range === undefined ? '' : ` from ${range}`}`);
    const json = (value: unknown): void => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    };
    if (path === `/api/models/${repository}/revision/main`) return json({ sha: SHA });
    if (path === `/api/models/${repository}/tree/${SHA}`)
      return json([...tree, { type: 'directory', path: 'onnx', size: 0, oid: '' }]);
    const file = path.slice(`/${repository}/resolve/${SHA}/`.length);
    const bytes = path.startsWith(`/${repository}/resolve/${SHA}/`) ? files[file] : undefined;
    if (bytes === undefined) {
      response.writeHead(404).end();
      return;
    }
    const fault = faults.get(file)?.shift();
    if (fault === 'status 503') {
      response.writeHead(503).end();
      return;
    }
    const rest = bytes.subarray(Number(range ?? 0));
    const sent = fault === 'damaged' ? Buffer.alloc(rest.length, 7) : rest;
    response.writeHead(range === undefined ? 200 : 206, { 'content-length': sent.length });
    if (fault === 'cut') response.write(sent.subarray(0, Math.ceil(sent.length / 2)), () => response.destroy());
    else response.end(sent);
  });
  return { url: server.url, asked, faults, close: () => server.close() };
}
