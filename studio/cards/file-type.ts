import { ApiError } from '../api/client.js';

/** How the files that the gateway accepts begin (src/domain/attachment.ts). */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF.{4}WEBP/s, 'image/webp'],
  [/^%PDF-/, 'application/pdf'],
];

/**
 * The type of a file by its first bytes: browsers tell it by the name, which is often wrong in pictures of chats and
 * web pages. That of the browser for other files. ApiError (FILE_CHANGED).
 */
export async function fileTypeOf(file: Blob): Promise<string> {
  const bytes = await file
    .slice(0, 12)
    .arrayBuffer()
    .catch(() => {
      throw new ApiError('FILE_CHANGED', '');
    });
  const begin = String.fromCharCode(...new Uint8Array(bytes));
  return BEGINNINGS.find(([pattern]) => pattern.test(begin))?.[1] ?? file.type;
}
