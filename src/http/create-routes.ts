import type { FastifyPluginAsync } from 'fastify';
import { documentRoutes } from './documents.js';
import { type CardExporter, exportRoute } from './export.js';
import { type FileImporter, importRoute } from './import.js';
import { studioRoutes } from './studio.js';

export interface RouteParts {
  readonly production: boolean;
  /** The folder of README.md and docs/. */
  readonly documents: string;
  /** The folder of the bundled studio. */
  readonly studio: string;
  readonly importer: FileImporter;
  readonly exporter: CardExporter;
}

export function createRoutes({ production, documents, studio, importer, exporter }: RouteParts) {
  const pages: FastifyPluginAsync[] = [studioRoutes({ production, folder: studio }), documentRoutes(documents)];
  return { pages, files: [importRoute(importer), exportRoute(exporter)] };
}
