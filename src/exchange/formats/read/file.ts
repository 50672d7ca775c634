import { createReadStream } from 'node:fs';
import type { ColumnMapping, FileFormat } from '../../../domain/import.js';
import { headed } from '../header.js';
import type { Notice, SourceRow } from '../source.js';
import { readCsv } from './csv.js';
import { readJson } from './json.js';
import { readJsonl } from './jsonl.js';

/** Formats with typed values: their texts are not normalised. */
export const TYPED: ReadonlySet<FileFormat> = new Set(['json', 'jsonl']);

export interface ReadParts {
  readonly path: string;
  readonly mapping: ColumnMapping;
  readonly onNotice: Notice;
}

/**
 * Each streams the rows of a file in constant memory. BadInputError (`file`) if the file as a whole is invalid; a row
 * that cannot be read is returned with a problem.
 */
export const READERS: Readonly<Record<FileFormat, (parts: ReadParts) => AsyncIterable<SourceRow>>> = {
  jsonl: ({ path }) => readJsonl(createReadStream(path)),
  json: ({ path }) => readJson(createReadStream(path)),
  csv: ({ path, mapping, onNotice }) => headed(readCsv(path, mapping), mapping, onNotice),
  xlsx: ({ path, mapping, onNotice }) => headed(readWorkbook(path, onNotice), mapping, onNotice),
};

/** The parsers of ZIP and XML take a fifth of the start of the process that reads a file: only workbooks need them. */
async function* readWorkbook(path: string, onNotice: Notice) {
  const { readXlsx } = await import('./xlsx.js');
  yield* readXlsx(path, onNotice);
}
