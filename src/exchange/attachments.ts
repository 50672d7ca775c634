import {
  type Attachment,
  type FileContent,
  type FileLimits,
  type FileType,
  fileTypeOf,
  SIGNATURE_BYTES,
} from '../domain/attachment.js';
import { deletionLoop } from '../domain/background-loop.js';
import { Concurrency, type ConcurrencyLimits } from '../domain/concurrency.js';
import { BadInputError, ForbiddenError } from '../domain/errors.js';
import { newFile } from '../domain/parse/attachments.js';
import type { FileStore } from '../domain/ports/files.js';
import type { Log } from '../domain/ports/log.js';
import { creatorFor, type Viewer } from '../domain/viewer.js';

/** Uploads at the same time: each keeps its file in memory, and a slow client sends it for minutes. */
export const UPLOAD_LIMITS: ConcurrencyLimits = { perViewer: 4, perTenant: 16, inAll: 48 };
const RETRY_MS = 1_000;

/** Wait before files that no card has are first looked for. */
const FIRST_DELETION_MS = 3_600_000;
/** Files deleted in one statement. */
const BATCH = 100;

export interface AttachmentServiceParts {
  readonly uploadedFiles: FileStore;
  readonly limits: FileLimits & { readonly maxTenantBytes: number };
  readonly log: Pick<Log, 'warn'>;
}

export interface Upload {
  /** Whose cards will have it; null: the viewer's. */
  readonly owner: string | null;
  /** As declared by the client. */
  readonly contentType: FileType;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Receives and reads uploaded files, and deletes those that no card has. */
export class AttachmentService {
  readonly #uploads = new Concurrency('POST /attachments', 'uploads', UPLOAD_LIMITS, RETRY_MS);
  readonly #deletions = deletionLoop({
    forget: (limit) => this.parts.uploadedFiles.forget(limit),
    batch: BATCH,
    onFailure: (err) => this.parts.log.warn({ err }, 'uploaded files without a card could not be deleted'),
  });
  /** Waits for the current batch. */
  readonly close = this.#deletions.close;

  constructor(private readonly parts: AttachmentServiceParts) {}

  get maxBytes(): number {
    return this.parts.limits.maxBytes;
  }

  /**
   * Stores a file. Stops reading at the first byte that is too many, or when the file turns out to be of another type.
   * BadInputError (`file`); ForbiddenError; RateLimitedError, before anything is read, if too many uploads are running.
   */
  async upload(
    viewer: Viewer,
    { owner, contentType, body }: Upload,
  ): Promise<Omit<FileContent, 'content'> & { bytes: number }> {
    const { limits, uploadedFiles } = this.parts;
    if (limits.maxTenantBytes === 0)
      throw new ForbiddenError('this gateway stores no files: ATTACHMENTS_TENANT_MB is 0');
    const uploader = creatorFor(viewer, owner, { action: 'upload files' });
    const leave = this.#uploads.take(viewer);
    try {
      const file = newFile(await received(body, contentType, limits), limits, 'file');
      await uploadedFiles.keep(uploader, file);
      return { sha256: file.sha256, contentType: file.contentType, bytes: file.content.length };
    } finally {
      leave();
    }
  }

  /** Null if the viewer may not see it, or there is none. */
  read(viewer: Viewer, sha256: string, signal?: AbortSignal): ReturnType<FileStore['read']> {
    return this.parts.uploadedFiles.read(viewer, sha256, signal);
  }

  /** The files of a card's attachments by digest, up to `maxBytes` in total. */
  async embedded(
    viewer: Viewer,
    attachments: readonly Attachment[],
    maxBytes: number,
  ): Promise<ReadonlyMap<string, Buffer>> {
    const files = new Map<string, Buffer>();
    let left = maxBytes;
    for (const { sha256, bytes } of attachments) {
      if (sha256 === null || bytes === null || bytes > left) continue;
      const file = await this.read(viewer, sha256);
      // Deleted with the last card that had it, since the card was read.
      if (file === null) continue;
      left -= file.content.length;
      files.set(sha256, file.content);
    }
    return files;
  }

  start(): void {
    this.#deletions.start(FIRST_DELETION_MS);
  }
}

/** The whole body. BadInputError (`file`) as soon as its beginning is not of the declared type. */
async function received(
  body: AsyncIterable<Uint8Array>,
  declared: FileType,
  { types }: FileLimits,
): Promise<Uint8Array> {
  if (!types.includes(declared)) throw new BadInputError('file', `must be of the type ${types.join(', ')}`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  let known = false;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (known || length < SIGNATURE_BYTES) continue;
    refuseOtherType(Buffer.concat(chunks), declared);
    known = true;
  }
  const content = Buffer.concat(chunks);
  if (!known && content.length > 0) refuseOtherType(content, declared);
  return content;
}

function refuseOtherType(beginning: Uint8Array, declared: FileType): void {
  const found = fileTypeOf(beginning);
  if (found === declared) return;
  throw new BadInputError('file', `declared as ${declared}, but the content is ${found ?? 'of another type'}`);
}
