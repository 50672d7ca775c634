import type { FastifyPluginAsync } from 'fastify';
import { type ExportRequest, parseExport } from '../domain/parse/export.js';
import type { Viewer } from '../domain/viewer.js';
import { callerOf, requireScope } from './guard.js';

/** A paper brings its styles and fonts in itself: nothing of a file is run, or loaded from anywhere, whatever a card says. */
const NOTHING_BUT_ITSELF = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; frame-ancestors 'none'";

/** Who gives the cards out. */
export interface CardExporter {
  export(
    viewer: Viewer,
    request: ExportRequest,
    signal: AbortSignal,
  ): Promise<{ readonly contentType: string; readonly fileName: string; readonly body: NodeJS.ReadableStream }>;
}

/** How long the first byte of an export may take, over the time of a socket on which nothing moves: a paper is sent when it is written. */
const FIRST_BYTE_MS = 60_000;

/** `POST /export` with `{ format, filter or cardIds, title, language }` as JSON: answers the file, as it is read. */
export function exportRoute(exporter: CardExporter): FastifyPluginAsync {
  return async (http) => {
    http.post('/export', async (request, reply) => {
      requireScope(callerOf(request), 'read');
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort(new Error('the client closed the connection')));
      const { socket } = request.raw;
      const usualMs = socket.timeout ?? 0;
      socket.setTimeout(FIRST_BYTE_MS);
      const file = exporter.export(callerOf(request), parseExport(request.body), gone.signal);
      const { contentType, fileName, body } = await file.finally(() => socket.setTimeout(usualMs));
      return reply
        .type(contentType)
        .header('content-disposition', `attachment; filename="${fileName}"`)
        .header('content-security-policy', NOTHING_BUT_ITSELF)
        .send(body);
    });
  };
}
