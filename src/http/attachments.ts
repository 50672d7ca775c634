import type { FastifyPluginAsync } from 'fastify';
import { FILE_TYPES, type FileType, fileNameOf } from '../domain/attachment.js';
import { NotFoundError } from '../domain/errors.js';
import { sha256 as digest } from '../domain/parse/attachments.js';
import { parse } from '../domain/parse/parse.js';
import { who } from '../domain/parse/scalars.js';
import type { FileStore } from '../domain/ports/files.js';
import type { Viewer } from '../domain/viewer.js';
import { callerOf, requireScope } from './guard.js';
import { acceptFiles, contentTypeOf, goneSignal, limitedBody, refuseOtherParameters } from './transfers.js';

/** Whatever a browser takes the bytes for, it runs nothing of them and loads nothing. */
const ATTACHMENT_CSP = "default-src 'none'; sandbox; frame-ancestors 'none'";

/**
 * The content of an address never changes; kept by the browser that asked, for whoever asks with the same credential.
 */
const PRIVATE = 'private, max-age=86400, immutable';

export interface Attachments extends Pick<FileStore, 'read'> {
  /** Of one file. */
  readonly maxBytes: number;
  upload(
    viewer: Viewer,
    upload: { readonly owner: string | null; readonly contentType: FileType; readonly body: AsyncIterable<Uint8Array> },
  ): Promise<{ readonly sha256: string; readonly contentType: FileType; readonly bytes: number }>;
}

/**
 * `POST /attachments?owner=STUDENT`, the file as the body and its type as the content type: answers 201 with
 * `{"attachment": {"sha256", "contentType", "bytes", "url"}}`. `GET /attachments/SHA256`: the file, to be stored and
 * not shown.
 */
export function attachmentRoutes(attachments: Attachments): FastifyPluginAsync {
  return async (http) => {
    acceptFiles(http, FILE_TYPES);
    http.post('/attachments', { config: { isUpload: true } }, async (request, reply) => {
      const caller = callerOf(request);
      requireScope(caller, 'write');
      const owner = ownerOf(request.query as Readonly<Record<string, unknown>>);
      const contentType = contentTypeOf(request) as FileType;
      const body = limitedBody(request, attachments.maxBytes, 'make it smaller');
      const file = await attachments.upload(caller, { owner, contentType, body });
      return reply.code(201).send({ attachment: { ...file, url: `/attachments/${file.sha256}` } });
    });
    http.get<{ Params: { sha256: string } }>('/attachments/:sha256', async (request, reply) => {
      const caller = callerOf(request);
      requireScope(caller, 'read');
      const sha256 = parse(digest, request.params.sha256, 'sha256');
      const file = await attachments.read(caller, sha256, goneSignal(reply));
      if (file === null) throw new NotFoundError('file', sha256);
      return reply
        .type(file.contentType)
        .headers({
          'content-disposition': `attachment; filename="${fileNameOf(sha256, file.contentType)}"`,
          'content-security-policy': ATTACHMENT_CSP,
          'cache-control': PRIVATE,
          vary: 'authorization',
        })
        .send(file.content);
    });
  };
}

function ownerOf(query: Readonly<Record<string, unknown>>): string | null {
  refuseOtherParameters(query, ['owner']);
  return parse(who.nullish(), query.owner, 'owner') ?? null;
}
