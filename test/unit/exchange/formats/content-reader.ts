import type { ColumnMapping } from '../../../../src/domain/import.js';
import { type ReadFile, readAll } from '../../../support/files.js';
import { folderOfFile } from '../../../support/folder.js';

/** Reads files of some content, as an import does, from a folder of the test file. */
export async function contentReader(
  extension: string,
): Promise<(content: string | Uint8Array, mapping?: ColumnMapping) => Promise<ReadFile>> {
  const folder = await folderOfFile(extension);
  let files = 0;
  return async (content, mapping) => {
    files += 1;
    return readAll(await folder.write(`${files}.${extension}`, content), mapping);
  };
}
