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
  ): Promise<{ readonly contentType: string; readonly fileName: string; readonly body: NodeJS.ReadableStream }>;
}

/** `POST /export` with `{ format, filter or cardIds, title, language }` as JSON: answers the file, as it is read. */
export function exportRoute(exporter: CardExporter): FastifyPluginAsync {
  return async (http) => {
    http.post('/export', async (request, reply) => {
      requireScope(callerOf(request), 'read');
      const { contentType, fileName, body } = await exporter.export(callerOf(request), parseExport(request.body));
      return reply
        .type(contentType)
        .header('content-disposition', `attachment; filename="${fileName}"`)
        .header('content-security-policy', NOTHING_BUT_ITSELF)
        .send(body);
    });
  };
}
