import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { startHttpServer } from '../../support/http-server.js';

/** Chroma Cloud's quotas, as docs.trychroma.com/cloud/quotas-limits names them. */
const QUOTA = { results: 300, records: 300, concurrent: 10, documentBytes: 16_384, idBytes: 128, valueBytes: 4_096 };

/** A server in front of a Chroma that refuses what Chroma Cloud refuses. */
export interface QuotaServer {
  readonly url: string;
  /** What was refused, and why. */
  readonly refused: readonly string[];
  /** The most reads, or writes, of one collection at the same time. */
  readonly mostAtOnce: number;
  close(): Promise<void>;
}

interface Body {
  readonly ids?: readonly string[] | null;
  readonly limit?: number | null;
  readonly n_results?: number;
  readonly query_embeddings?: readonly unknown[];
  readonly documents?: readonly (string | null)[] | null;
  readonly metadatas?: readonly (Record<string, unknown> | null)[] | null;
}

const WRITES = ['add', 'upsert', 'update', 'delete'];
const READS = ['get', 'query', 'count'];

/**
 * Passes requests on to the server at `target`, each after `delayMs`, so that those at the same time meet. A collection
 * may have received `perCollection` records.
 */
export async function quotaServer(target: string, delayMs = 5, perCollection = 5_000_000): Promise<QuotaServer> {
  const refused: string[] = [];
  const received = new Map<string, Set<string>>();
  const fills = (collection: string, action: string, { ids }: Body): string | null => {
    if (action !== 'upsert') return null;
    const records = new Set([...(received.get(collection) ?? []), ...(ids ?? [])]);
    if (records.size > perCollection) return `${records.size} records in a collection`;
    received.set(collection, records);
    return null;
  };
  const underWay = new Map<string, number>();
  let mostAtOnce = 0;
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const url = new URL(incoming.url ?? '/', target);
    const [, collection = '', action = ''] = /\/collections\/([^/]+)\/(\w+)$/.exec(url.pathname) ?? [];
    const kind = WRITES.includes(action) ? 'write' : READS.includes(action) ? 'read' : null;
    const name = `${kind} ${collection}`;
    const now = (underWay.get(name) ?? 0) + 1;
    if (kind !== null) {
      underWay.set(name, now);
      mostAtOnce = Math.max(mostAtOnce, now);
    }
    try {
      const parsed: Body = body.length === 0 || kind === null ? {} : JSON.parse(body.toString());
      const reason = kind === null ? null : (refusal(action, parsed, now) ?? fills(collection, action, parsed));
      if (reason !== null) {
        refused.push(`${action}: ${reason}`);
        const code = now > QUOTA.concurrent ? 429 : 422;
        outgoing.writeHead(code, { 'content-type': 'application/json' });
        outgoing.end(JSON.stringify({ error: 'QuotaExceededError', message: reason }));
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await passOn(url, incoming, body, outgoing);
    } finally {
      underWay.set(name, (underWay.get(name) ?? 1) - 1);
    }
  };
  const server = await startHttpServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => outgoing.destroy());
  });
  return {
    url: server.url,
    refused,
    get mostAtOnce() {
      return mostAtOnce;
    },
    close: () => server.close(),
  };
}

function passOn(url: URL, incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    const passed = request(url, { method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing).on('finish', resolve).on('error', reject);
    });
    passed.on('error', reject);
    passed.end(body);
  });
}

/** Why Chroma Cloud would refuse it; null if it would not. */
function refusal(action: string, body: Body, atOnce: number): string | null {
  const { ids, limit, documents, metadatas, query_embeddings: queries } = body;
  if (atOnce > QUOTA.concurrent) return `${atOnce} at a time`;
  if (action === 'query') {
    const results = (body.n_results ?? 10) * (queries?.length ?? 1);
    return results > QUOTA.results ? `${results} results` : null;
  }
  if (action === 'get') {
    const results = limit ?? ids?.length ?? Number.POSITIVE_INFINITY;
    return results > QUOTA.results ? `${results} results` : null;
  }
  if (ids && ids.length > QUOTA.records) return `${ids.length} records`;
  if (ids?.some((id) => Buffer.byteLength(id) > QUOTA.idBytes)) return 'the size of an id';
  if (documents?.some((text) => Buffer.byteLength(text ?? '') > QUOTA.documentBytes)) return 'the size of a document';
  const values = (metadatas ?? []).flatMap((metadata) => Object.values(metadata ?? {}));
  return values.some((value) => Buffer.byteLength(String(value)) > QUOTA.valueBytes) ? 'the size of a value' : null;
}
