import type { FileLimits } from '../../../domain/attachment.js';
import type { OnDuplicate, Owner } from '../../../domain/duplicates.js';
import type { ColumnMapping, FileFormat } from '../../../domain/import.js';

export interface FileToRead {
  readonly path: string;
  readonly format: FileFormat;
  readonly mapping: ColumnMapping;
  readonly owner: Owner;
  readonly onDuplicate: OnDuplicate;
  /** Default time of a mistake. */
  readonly now: Date;
  /** Number of rows stored by an earlier run. */
  readonly stored: number;
  /** Of files that rows hold. */
  readonly limits: FileLimits;
}

/** A valid file. */
export interface CheckedFile {
  readonly rows: number;
  /** Messages about skipped parts of the file. */
  readonly notices: readonly string[];
}
