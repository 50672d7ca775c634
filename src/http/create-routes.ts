import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyPluginAsync } from 'fastify';
import type { Authenticator } from '../domain/ports/callers.js';
import { type Attachments, attachmentRoutes } from './attachments.js';
import { type CardExporter, exportRoute } from './export.js';
import { type FileImporter, importRoute } from './import.js';
import { studioRoutes } from './studio.js';

export interface RouteParts {
  readonly production: boolean;
  /** The folder of README.md and docs/. */
  readonly documents: string;
  readonly studio: string;
  readonly authenticator: Authenticator;
  readonly importer: FileImporter;
  readonly exporter: CardExporter;
  readonly attachments: Attachments;
}

export function createRoutes(parts: RouteParts) {
  const { production, documents, studio, authenticator, importer, exporter, attachments } = parts;
  const pages: FastifyPluginAsync[] = [studioRoutes({ production, folder: studio }), documentRoutes(documents)];
  const files = [importRoute(importer), exportRoute(exporter, authenticator), attachmentRoutes(attachments)];
  return { pages, files };
}

const FOLDERS = ['.', 'docs', 'docs/zh-CN'] as const;

/** The README and the pages of docs/ below `folder`, as plain text at their own paths: the studio links to them. */
export function documentRoutes(folder: string): FastifyPluginAsync {
  return async (http) => {
    for (const file of await documentsIn(folder)) {
      http.get(`/${file}`, { config: { open: true } }, async (_, reply) =>
        reply.type('text/plain; charset=utf-8').send(await readFile(join(folder, file), 'utf8')),
      );
    }
  };
}

async function documentsIn(folder: string): Promise<readonly string[]> {
  const lists = await Promise.all(
    FOLDERS.map(async (name) =>
      (await readdir(join(folder, name))).map((file) => (name === '.' ? file : `${name}/${file}`)),
    ),
  );
  return lists.flat().filter((file) => /^(README(\.zh-CN)?|docs\/.+)\.md$/.test(file));
}
