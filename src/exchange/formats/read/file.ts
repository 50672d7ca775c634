import { createReadStream } from 'node:fs';
import type { ColumnMapping, FileFormat } from '../../../domain/import.js';
import { headed } from '../header.js';
import type { Notice, SourceRow } from '../source.js';
import { readCsv } from './csv.js';
import { readJson } from './json.js';
import { readJsonl } from './jsonl.js';
import { readXlsx } from './xlsx.js';

/** The formats whose values have types: there a text is taken as it is. */
export const TYPED: ReadonlySet<FileFormat> = new Set(['json', 'jsonl']);

/** What a file is read with. */
export interface ReadParts {
  readonly path: string;
  readonly mapping: ColumnMapping;
  readonly onNotice: Notice;
}

type Reader = (parts: ReadParts) => AsyncIterable<SourceRow>;

const READERS: Readonly<Record<FileFormat, Reader>> = {
  jsonl: ({ path }) => readJsonl(createReadStream(path)),
  json: ({ path }) => readJson(createReadStream(path)),
  csv: ({ path, mapping, onNotice }) => headed(readCsv(path, mapping), mapping, onNotice),
  xlsx: ({ path, mapping, onNotice }) => headed(readXlsx(path, onNotice), mapping, onNotice),
};

/**
 * The rows of a file, one at a time: what is kept in memory does not grow with the file. BadInputError (`file`) where the file
 * as a whole cannot be used; a row that cannot be read is a row with a problem.
 */
export function readFileRows(format: FileFormat, parts: ReadParts): AsyncIterable<SourceRow> {
  return READERS[format](parts);
}
