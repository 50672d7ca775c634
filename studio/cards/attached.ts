import { SIGNATURE_BYTES, fileTypeOf as typeByContent } from '../../src/domain/attachment.js';
import { ApiError } from '../api/client.js';
import type { AttachedFields, AttachmentInput } from '../generated/operations.js';

export type Attachment = AttachedFields['attachments'][number];

/** As the API takes them. */
export function attachmentInputs(attachments: readonly Attachment[]): AttachmentInput[] {
  return attachments.map(({ kind, altText, url, sha256 }) => ({
    kind,
    altText: altText?.trim() ? altText : null,
    ...(sha256 === null ? { url } : { sha256 }),
  }));
}

export function sameAttachments(a: readonly Attachment[], b: readonly Attachment[]): boolean {
  return JSON.stringify(attachmentInputs(a)) === JSON.stringify(attachmentInputs(b));
}

/** `now`, which somebody else has stored, with the changes that made `mine` of `before`. */
export function rebased(
  mine: readonly Attachment[],
  before: readonly Attachment[],
  now: readonly Attachment[],
): readonly Attachment[] {
  const of = (list: readonly Attachment[], url: string): Attachment | undefined => list.find((one) => one.url === url);
  const kept = now
    .filter(({ url }) => of(mine, url) !== undefined || of(before, url) === undefined)
    .map((theirs) => {
      const [own, old] = [of(mine, theirs.url), of(before, theirs.url)];
      if (own === undefined || (old !== undefined && sameAttachments([own], [old]))) return theirs;
      return { ...theirs, kind: own.kind, altText: own.altText };
    });
  const added = mine.filter(({ url }) => of(before, url) === undefined && of(now, url) === undefined);
  return [...kept, ...added];
}

/**
 * The type of a file by its first bytes: browsers tell it by the name, which is often wrong in pictures of chats and
 * web pages. That of the browser for other files. ApiError (FILE_CHANGED).
 */
export async function fileTypeOf(file: Blob): Promise<string> {
  const bytes = await file
    .slice(0, SIGNATURE_BYTES)
    .arrayBuffer()
    .catch(() => {
      throw new ApiError('FILE_CHANGED', '');
    });
  return typeByContent(new Uint8Array(bytes)) ?? file.type;
}
