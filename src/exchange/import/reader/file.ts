import type { OnDuplicate, Owner } from '../../../domain/duplicates.js';
import type { ColumnMapping, FileFormat } from '../../../domain/import.js';

/** A file, and how its rows become cards. */
export interface FileToRead {
  readonly path: string;
  readonly format: FileFormat;
  readonly mapping: ColumnMapping;
  readonly owner: Owner;
  readonly onDuplicate: OnDuplicate;
  /** The moment of a mistake whose row has none. */
  readonly now: Date;
  /** Rows that an earlier run has stored. */
  readonly stored: number;
}

/** A file that can be imported. */
export interface CheckedFile {
  readonly rows: number;
  /** What is passed over in it, for people. */
  readonly notices: readonly string[];
}
