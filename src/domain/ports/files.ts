/** Uploaded files in PostgreSQL. */
import type { FileContent, FileType } from '../attachment.js';
import type { Owner } from '../duplicates.js';
import type { Viewer } from '../viewer.js';

export interface FileStore {
  /**
   * Stores a file of the viewer, for at least a day, and for as long as a card has it. BadInputError (`file`) if it
   * does not fit into the tenant's limit.
   */
  keep(viewer: Viewer, file: FileContent): Promise<void>;
  /** The file with this digest, of any owner whose cards the viewer may see; null if there is none. */
  read(
    viewer: Viewer,
    sha256: string,
    signal?: AbortSignal,
  ): Promise<{ readonly contentType: FileType; readonly content: Buffer } | null>;
  /** Deletes up to `limit` files that no card has and that were uploaded longer than a day ago; how many those were. */
  forget(limit: number): Promise<number>;
}

/** A file that an import brings, for the owner of a card. */
export interface OwnedFile extends FileContent, Pick<Owner, 'ownerId'> {}
