import type { Attachment } from '../../../domain/attachment.js';

/** How a table names an uploaded file: its address on the gateway. */
const FILE = /^(?:\/?attachments\/)?([0-9a-f]{64})$/i;

/** The attachments of one cell, with blanks between them: links, and addresses of uploaded files. */
export function splitAttachments(text: string): readonly Readonly<Record<string, string>>[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return words.map((word): Readonly<Record<string, string>> => {
    const [, sha256] = FILE.exec(word) ?? [];
    return sha256 === undefined ? { url: word } : { sha256 };
  });
}

/** The inverse of {@link splitAttachments}, without kinds and alternative texts. */
export function joinAttachments(attachments: readonly Attachment[]): string {
  return attachments.map(({ url, sha256 }) => url ?? `/attachments/${sha256}`).join('\n');
}
