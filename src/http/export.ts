import type { Readable } from 'node:stream';
import type { FastifyPluginAsync } from 'fastify';
import { Concurrency, type ConcurrencyLimits } from '../domain/concurrency.js';
import type { Language } from '../domain/language.js';
import { EMPTY_HEADER, type ExportRequest, parseExport, parseTemplateLanguage } from '../domain/parse/export.js';
import type { Authenticator } from '../domain/ports/callers.js';
import type { Viewer } from '../domain/viewer.js';
import { callerOf, requireScope } from './guard.js';
import { RECHECK_MS, recheckCaller } from './recheck.js';
import { allowIdle, goneSignal } from './transfers.js';

/** Content security policy of exported files: inline styles and fonts only, no scripts, no requests. */
const EXPORT_CSP = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; frame-ancestors 'none'";

export interface CardExporter {
  export(
    viewer: Viewer,
    request: ExportRequest,
    signal: AbortSignal,
  ): Promise<{
    readonly contentType: string;
    readonly fileName: string;
    readonly body: Readable;
    readonly isEmpty: boolean;
  }>;
  /** A workbook to fill in and to import. */
  template(language: Language): Readable;
}

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/**
 * Idle timeout of the socket of an export: longer than the usual one, because a paper is sent when it is complete, and
 * because its worker has a low priority and rests while clients search: 30 s of processor time may take two minutes.
 */
const IDLE_MS = 180_000;

/**
 * An export keeps a page of cards in memory until its client reads on: 8 MB with texts of 10 kB, and up to two idle
 * times if the client reads nothing.
 */
export const EXPORT_LIMITS: ConcurrencyLimits = { perViewer: 10, perTenant: 40, inAll: 80 };

/**
 * `POST /export` with `{ format, filter or cardIds, title, language }` as JSON: answers the file, as it is read. The
 * credential is checked again meanwhile; if it is not valid any more, the response is cut off.
 * `GET /template.xlsx?language=zh`: a workbook to fill in.
 */
export function exportRoute(
  exporter: CardExporter,
  authenticator: Authenticator,
  everyMs: number = RECHECK_MS,
): FastifyPluginAsync {
  const places = new Concurrency('/export', 'exports', EXPORT_LIMITS);
  return async (http) => {
    http.post('/export', async (request, reply) => {
      requireScope(callerOf(request), 'read');
      reply.raw.once('close', places.take(callerOf(request)));
      allowIdle(reply, IDLE_MS);
      const refused = new AbortController();
      const onRefused = (reason: Error): void => refused.abort(reason);
      reply.raw.once('close', recheckCaller(request, { authenticator, everyMs, onRefused }));
      const signal = AbortSignal.any([goneSignal(reply), refused.signal]);
      const exported = await exporter.export(callerOf(request), parseExport(request.body), signal);
      const { contentType, fileName, body, isEmpty } = exported;
      if (refused.signal.aborted) body.destroy();
      refused.signal.throwIfAborted();
      // After a part of the file, the client must see that the rest is missing.
      refused.signal.addEventListener('abort', () => body.destroy(refused.signal.reason));
      return reply
        .type(contentType)
        .header('content-disposition', `attachment; filename="${fileName}"`)
        .header('content-security-policy', EXPORT_CSP)
        .headers(isEmpty ? { [EMPTY_HEADER]: 'true' } : {})
        .send(body);
    });
    http.get('/template.xlsx', async (request, reply) => {
      requireScope(callerOf(request), 'read');
      const { language } = request.query as Readonly<Record<string, unknown>>;
      const body = exporter.template(parseTemplateLanguage(language, 'language'));
      return reply.type(XLSX).header('content-disposition', 'attachment; filename="errata-template.xlsx"').send(body);
    });
  };
}
