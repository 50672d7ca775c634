import type { Attachment, FileContent, FileType } from '../../src/domain/attachment.js';
import type { Owner } from '../../src/domain/duplicates.js';
import { BadInputError, ForbiddenError } from '../../src/domain/errors.js';
import type { FileStore, OwnedFile } from '../../src/domain/ports/files.js';
import type { Viewer } from '../../src/domain/viewer.js';
import type { Database } from '../client.js';
import { brokenConstraint } from '../errors.js';
import { Prisma } from '../generated/client.js';
import { actAs } from '../row-level-security.js';
import { lock, type Transaction } from '../statements.js';
import { ownedBy, type Scope, tenantOf, visible } from '../viewer-conditions.js';

/** Of the room of a tenant, for the files of one student: none takes that of the others. Staff may use all of it. */
const STUDENT_SHARE = 0.1;

/** Read in one turn of the event loop, as hexadecimal text: 5 MB blocked it for 50 ms. */
const PIECE_BYTES = 2 ** 20;

interface FilePiece {
  readonly contentType: FileType;
  /** Of the whole file. */
  readonly bytes: number;
  readonly content: Buffer;
}

export class PostgresFileStore implements FileStore {
  constructor(
    private readonly database: Database,
    private readonly maxTenantBytes: number,
  ) {}

  async keep(viewer: Viewer, file: FileContent): Promise<void> {
    await this.database.transaction(async (tx) => {
      const room = await lockRoom(tx, viewer, this.maxTenantBytes);
      // From here on under row-level security.
      await actAs(tx, viewer);
      await insertFiles(tx, viewer.tenantId, [{ ...file, ownerId: viewer.ownerId }], room);
    });
  }

  async read(viewer: Viewer, sha256: string, signal?: AbortSignal) {
    const pieces: Buffer[] = [];
    for (let from = 1; ; from += PIECE_BYTES) {
      const [file] = await this.database.as(viewer, signal).query<FilePiece>(Prisma.sql`
        SELECT f.content_type AS "contentType", f.bytes,
          substring(f.content FROM ${from}::int FOR ${PIECE_BYTES}::int) AS content
        FROM uploaded_file f
        WHERE ${visible(viewer, 'f')} AND f.sha256 = ${sha256} ORDER BY f.owner_id LIMIT 1`);
      if (file === undefined) return null;
      pieces.push(file.content);
      if (from + PIECE_BYTES > file.bytes) return { contentType: file.contentType, content: Buffer.concat(pieces) };
    }
  }

  /**
   * For every owner, without row-level security. SQL, because Prisma has no SKIP LOCKED: rows that another gateway
   * deletes are left to it.
   */
  forget(limit: number): Promise<number> {
    return this.database.execute(Prisma.sql`
      DELETE FROM uploaded_file WHERE (tenant_id, owner_id, sha256) IN (
        SELECT f.tenant_id, f.owner_id, f.sha256 FROM uploaded_file f
        WHERE f.uploaded_at < now() - interval '1 day' AND NOT EXISTS (
          SELECT FROM card_file c
          WHERE c.tenant_id = f.tenant_id AND c.owner_id = f.owner_id AND c.sha256 = f.sha256)
        ORDER BY f.uploaded_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`);
  }
}

export interface Room {
  readonly limits: readonly Limit[];
  /** By the database's clock. */
  readonly now: Date;
}

interface Limit {
  readonly usedBytes: number;
  readonly maxBytes: number;
  readonly files: string;
}

/**
 * Locks the tenant's room until the transaction ends, so that two uploads cannot take the same. Without row-level
 * security, because the files of others count.
 */
export async function lockRoom(tx: Transaction, viewer: Viewer, maxBytes: number): Promise<Room> {
  const now = await lock(tx, [JSON.stringify(['files', viewer.tenantId])]);
  const usedBytes = async (where: Scope): Promise<number> =>
    (await tx.prisma.uploadedFile.aggregate({ where, _sum: { bytes: true } }))._sum.bytes ?? 0;
  const all = { usedBytes: await usedBytes(tenantOf(viewer)), maxBytes, files: 'all uploaded files' };
  if (viewer.role !== 'student') return { limits: [all], now };
  const share = { maxBytes: maxBytes * STUDENT_SHARE, files: 'the uploaded files of a student' };
  return { limits: [all, { usedBytes: await usedBytes(ownedBy(viewer)), ...share }], now };
}

/** Stores files; one that its owner has is uploaded anew. ForbiddenError if the new ones do not fit. */
export async function insertFiles(
  tx: Transaction,
  tenantId: string,
  files: readonly OwnedFile[],
  { limits, now }: Room,
): Promise<void> {
  let bytes = 0;
  for (const { ownerId, sha256, contentType, content } of files) {
    const known = { tenantId, ownerId, sha256 };
    const again = await tx.prisma.uploadedFile.updateMany({ where: known, data: { uploadedAt: now } });
    if (again.count > 0) continue;
    bytes += content.length;
    const full = limits.find(({ usedBytes, maxBytes }) => usedBytes + bytes > maxBytes);
    if (full !== undefined) throw new ForbiddenError(fullRoom(full));
    await tx.execute(Prisma.sql`
      INSERT INTO uploaded_file (tenant_id, owner_id, sha256, content_type, bytes, content)
      VALUES (${tenantId}, ${ownerId}, ${sha256}, ${contentType}, ${content.length}, ${Buffer.from(content)})`);
  }
}

/** Rounded up, so that no room is reported where there is none. */
function fullRoom({ usedBytes, maxBytes, files }: Limit): string {
  const [used, max] = [Math.ceil((usedBytes * 10) / 2 ** 20), Math.round((maxBytes * 10) / 2 ** 20)];
  const wayOut = 'delete attachments, or have ATTACHMENTS_TENANT_MB raised; files without a card go after a day';
  return `the attachment exceeds the limit of ${files}: ${used / 10} of ${max / 10} MB are used: ${wayOut}`;
}

/**
 * The attachments with the types and sizes of the owner's files. BadInputError (`attachments`) for a file that the
 * owner does not have.
 */
export async function withFiles(
  { prisma }: Pick<Transaction, 'prisma'>,
  { tenantId, ownerId }: Owner,
  attachments: readonly Attachment[],
): Promise<readonly Attachment[]> {
  const wanted = attachments.flatMap(({ sha256 }) => sha256 ?? []);
  if (wanted.length === 0) return attachments;
  const files = await selectFiles({ prisma }, { tenantId, ownerId }, wanted);
  return attachments.map((attachment, place) => {
    if (attachment.sha256 === null) return attachment;
    const file = files.get(attachment.sha256);
    if (file === undefined) throw fileMissing(place, attachment.sha256);
    return { ...attachment, ...file };
  });
}

/** Types and sizes of the owner's files with these digests. */
export async function selectFiles(
  { prisma }: Pick<Transaction, 'prisma'>,
  { tenantId, ownerId }: Owner,
  wanted: readonly string[],
): Promise<ReadonlyMap<string, { readonly contentType: FileType; readonly bytes: number }>> {
  if (wanted.length === 0) return new Map();
  const rows = await prisma.uploadedFile.findMany({
    where: { tenantId, ownerId, sha256: { in: [...wanted] } },
    select: { sha256: true, contentType: true, bytes: true },
  });
  return new Map(
    rows.map(({ sha256, contentType, bytes }) => [sha256, { contentType: contentType as FileType, bytes }]),
  );
}

function fileMissing(place: number, sha256: string): BadInputError {
  return new BadInputError(
    `attachments[${place}].sha256`,
    `the owner of the card has no uploaded file with the SHA-256 ${sha256}: upload it first`,
  );
}

/**
 * As thrown for a change of a card whose file was deleted between looking it up and writing the card; anything else
 * unchanged.
 */
export function fileGone(thrown: unknown): unknown {
  if (brokenConstraint(thrown) !== 'card_file_file_fkey') return thrown;
  return new BadInputError('attachments', 'a file was deleted meanwhile: upload it again');
}
