import { SIGNATURE_BYTES, fileTypeOf as typeByContent } from '../../src/domain/attachment.js';
import { ApiError } from '../api/client.js';

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
