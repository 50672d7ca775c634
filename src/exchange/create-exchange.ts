import type { Closers } from '../domain/async.js';
import type { TakeTurn } from '../domain/background.js';
import type { CardStore } from '../domain/ports/cards.js';
import type { FileStore } from '../domain/ports/files.js';
import type { ImportJobStore, ImportStore } from '../domain/ports/imports.js';
import type { Viewer } from '../domain/viewer.js';
import { usingFolder } from '../runtime/embedded/folder.js';
import { Workers } from '../runtime/workers/workers.js';
import { AttachmentService, type AttachmentServiceParts } from './attachments.js';
import { ClusterFinder } from './duplicates/cluster-finder.js';
import { DuplicateService } from './duplicates/duplicate-service.js';
import { type FingerprintsParts, fillFingerprints } from './duplicates/fingerprints.js';
import { Exporter } from './export/exporter.js';
import { Papers, type PapersParts } from './export/papers.js';
import { Importer, type ImporterParts } from './import/importer.js';
import { createAll, type IdentifiedCard } from './import/new-cards.js';
import { RequestImporter } from './import/request-importer.js';

export interface ExchangeParts extends Pick<ImporterParts, 'alone'> {
  readonly log: ImporterParts['log'] & FingerprintsParts['log'];
  readonly cards: CardStore;
  readonly imports: ImportStore;
  readonly jobs: ImportJobStore;
  readonly folders: Readonly<Record<'imports' | 'exports', string>>;
  readonly takeTurn: TakeTurn;
  readonly background: PapersParts['background'];
  readonly uploadedFiles: FileStore;
  readonly config: { readonly uploads: AttachmentServiceParts['limits'] };
}

/** StartupError if the folder of exports cannot be used. */
export async function createExchange(parts: ExchangeParts) {
  const { cards, imports, folders, log } = parts;
  const { uploads: limits } = parts.config;
  const attachments = new AttachmentService({ ...parts, limits });
  const workers = new Workers();
  const papers = new Papers({ ...parts, workers, folder: folders.exports });
  await usingFolder(folders.exports, () => papers.start());
  const importer = new Importer({ ...parts, folder: folders.imports, fileLimits: limits });
  return {
    importer,
    exporter: new Exporter({ ...parts, papers, files: attachments }),
    requestImporter: new RequestImporter({ ...parts, fileLimits: limits }),
    duplicates: new DuplicateService({ cards, imports }),
    clusters: new ClusterFinder({ ...parts, workers }),
    attachments,
    createAll: (viewer: Viewer, given: readonly IdentifiedCard[]) => createAll(imports, viewer, given),
    /** Resumes imports that a stop or a crash has interrupted. */
    async start(closers: Closers, signal: AbortSignal): Promise<void> {
      closers.add('uploaded files', () => attachments.close());
      attachments.start();
      await fillFingerprints({ imports, log, signal });
      closers.add('workers', () => workers.close());
      closers.add('importer of a failed start', () => importer.close());
      await usingFolder(folders.imports, () => importer.start());
    },
  };
}
