import type { FastifyPluginAsync } from 'fastify';
import { BadInputError } from '../domain/errors.js';
import type { FileToImport, ImportJob } from '../domain/import.js';
import { parseFileName, parseImportOptions } from '../domain/parse/import.js';
import type { Viewer } from '../domain/viewer.js';
import { RefusedRequest } from './errors.js';
import { callerOf, requireScope } from './guard.js';
import { acceptFiles, limitedBody, refuseOtherParameters } from './transfers.js';

/** The largest file: 100,000 rows of JSON Lines have some 60 MB. It is streamed to the disk. */
const MAX_FILE_BYTES = 128 * 1024 * 1024;

/** Content types that another site's page cannot send without a preflight request: no forms, no plain text. */
const FILE_TYPES = [
  'application/octet-stream',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/json',
  'application/x-ndjson',
  'application/jsonl',
  'text/csv',
];

/** By default curl declares any body as a form. */
const EXAMPLE =
  "; for example: curl --data-binary @cards.csv -H 'content-type: application/octet-stream' '.../import?name=cards.csv'";

export interface FileImporter {
  importFile(viewer: Viewer, file: FileToImport, body: AsyncIterable<Buffer>): Promise<ImportJob>;
}

/**
 * `POST /import?name=FILE&onDuplicate=MERGE&dryRun=false&mapping=JSON`, the file as the body: answers `{"importJob":
 * {...}}`, with 200 if the import has ended, 202 if it is running.
 */
export function importRoute(importer: FileImporter): FastifyPluginAsync {
  return async (http) => {
    acceptFiles(http, FILE_TYPES, EXAMPLE);
    http.post('/import', { config: { isUpload: true } }, async (request, reply) => {
      requireScope(callerOf(request), 'write');
      const query = request.query as Readonly<Record<string, unknown>>;
      const file = { ...parseFileName(query.name, 'name'), options: optionsOf(query) };
      const importJob = await importer.importFile(
        callerOf(request),
        file,
        limitedBody(request, MAX_FILE_BYTES, 'split the file'),
      );
      if (importJob.state === 'REFUSED') {
        const extensions = { field: 'file', importJob: importJob.id };
        throw new RefusedRequest(400, 'BAD_USER_INPUT', `file: ${importJob.problem}`, {}, extensions);
      }
      return reply.code(importJob.finishedAt === null ? 202 : 200).send({ importJob });
    });
  };
}

function optionsOf(query: Readonly<Record<string, unknown>>): FileToImport['options'] {
  refuseOtherParameters(query, ['name', 'onDuplicate', 'dryRun', 'mapping']);
  const { onDuplicate, dryRun, mapping } = query;
  if (dryRun !== undefined && dryRun !== 'true' && dryRun !== 'false') {
    throw new BadInputError('dryRun', 'must be true or false');
  }
  if (mapping !== undefined && typeof mapping !== 'string') throw new BadInputError('mapping', 'must be given once');
  return parseImportOptions({ onDuplicate, dryRun: dryRun === undefined ? undefined : dryRun === 'true', mapping });
}
