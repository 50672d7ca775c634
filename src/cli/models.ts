import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { HUGGING_FACE_ID } from '../config/fields.js';
import { type Config, dataFolders } from '../config/settings.js';
import { asError, nullIf, StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';
import { DTYPES, type Dtype } from '../domain/ports/models.js';
import { Hub, HubError } from '../models/files/hub.js';
import { type ModelFileSet, problemsOf, readManifest, repositoryFolder } from '../models/files/layout.js';
import { megabytes, type Progress, type Pulled, pull } from '../models/files/pull.js';
import { KNOWN_EMBEDDERS, KNOWN_RERANKERS, type KnownModel } from '../models/known.js';
import { createPrivately } from '../runtime/embedded/folder.js';
import { StoppedError } from '../runtime/stopping.js';
import { ProgressLine } from './progress.js';
import { untilStopped } from './run-command.js';
import { settings } from './settings.js';
import { oneLine, print } from './terminal.js';

export function modelsCommand(): Command {
  const models = new Command('models').description('Manage the files of embedding models and rerankers.');
  models
    .command('pull')
    .description('Download the files of a model into MODELS_DIR; an interrupted download is resumed.')
    .argument('<name>', 'a name that `models list` shows, or a Hugging Face id')
    .addOption(new Option('--dtype <dtype>', 'number format, if not the default').choices(DTYPES))
    .action(pullModel);
  models.command('list').description('List the known models and the files in MODELS_DIR.').action(listModels);
  return models;
}

function filesOf(name: string, dtype: Dtype | undefined): ModelFileSet {
  const known = KNOWN_EMBEDDERS.get(name) ?? KNOWN_RERANKERS.get(name);
  if (known === undefined && !HUGGING_FACE_ID.test(name)) {
    throw new StartupError(
      `${name} is neither a known model nor a Hugging Face id: \`models list\` shows the known ones`,
      EXIT.usage,
    );
  }
  return { repository: known?.repository ?? name, dtype: dtype ?? known?.dtype ?? 'fp32' };
}

async function pullModel(name: string, { dtype }: { readonly dtype?: Dtype }): Promise<void> {
  const { models, dataDir } = settings();
  if (models.folder === dataFolders(dataDir).models) createPrivately();
  if (models.offline) throw new StartupError('MODELS_OFFLINE is set: nothing may be downloaded', EXIT.configuration);
  const files = filesOf(name, dtype);
  const pulled = await untilStopped((signal) => pullShown(files, models, signal));
  const place = repositoryFolder(models.folder, files.repository);
  print(
    `${name}: ${pulled.files} files, ${megabytes(pulled.bytes)} MB, of which ${megabytes(pulled.downloadedBytes)} MB ` +
      `were downloaded, in ${place}`,
  );
}

async function pullShown(files: ModelFileSet, models: Config['models'], signal: AbortSignal): Promise<Pulled> {
  const show = showDownload();
  try {
    return await pull(files, { hub: new Hub(models.hub), folder: models.folder, onProgress: show.update, signal });
  } catch (thrown) {
    const { reason } = signal;
    if (reason instanceof StoppedError) {
      throw new StoppedError(reason.by, 'stopped; the same command resumes the download');
    }
    if (thrown instanceof HubError) throw new StartupError(thrown.message, EXIT.unavailable, { cause: thrown });
    return unusable(thrown);
  } finally {
    show.end();
  }
}

/** StartupError (78) for an error of the system; rethrows any other error. */
function unusable(thrown: unknown): never {
  const error = asError(thrown);
  if (!('syscall' in error)) throw thrown;
  throw new StartupError(`MODELS_DIR cannot be used: ${error.message}`, EXIT.configuration, { cause: thrown });
}

/** A progress line on a terminal, otherwise a line for each file. */
function showDownload(): { update(progress: Progress): void; end(): void } {
  if (process.stderr.isTTY) {
    const line = new ProgressLine();
    return {
      update: ({ path, done, total }) => line.show(`${megabytes(done)} of ${megabytes(total)} MB  ${path}`),
      end: () => line.end(),
    };
  }
  let last = '';
  return {
    update: ({ path, total }) => {
      if (path !== last) print(oneLine(`${path} (all files: ${megabytes(total)} MB)`));
      last = path;
    },
    end: () => undefined,
  };
}

async function listModels(): Promise<void> {
  const { models } = settings();
  const shown = new Set<string>();
  const line = async (name: string, kind: string, known: KnownModel, remark: string): Promise<void> => {
    shown.add(known.repository);
    const isHere = (await problemsOf(models.folder, known).catch(unusable)).length === 0;
    const size = `${known.megabytes[known.dtype]} MB`.padStart(8);
    const state = (isHere ? 'here' : '-').padEnd(5);
    print(`${name.padEnd(30)} ${kind.padEnd(9)} ${known.dtype.padEnd(5)} ${size} ${state} ${remark}`);
  };
  for (const [name, known] of KNOWN_EMBEDDERS) {
    await line(name, 'embedding', known, `${known.licence}; ${known.languages}`);
  }
  for (const [name, known] of KNOWN_RERANKERS) await line(name, 'reranker', known, known.licence);
  for (const repository of await repositoriesIn(models.folder).catch(unusable)) {
    const manifest = await readManifest(repositoryFolder(models.folder, repository));
    const bytes = Object.values(manifest?.files ?? {}).reduce((sum, size) => sum + size, 0);
    const size = manifest === null ? '' : `${megabytes(bytes)} MB`;
    if (!shown.has(repository)) print(oneLine(`${repository.padEnd(30)} ${size.padStart(24)} here`));
  }
  print(`\nMODELS_DIR is ${models.folder}; EMBEDDING_MODEL=builtin needs no files.`);
}

/** A folder of something else, such as lost+found, is not listed. */
const hidden = nullIf('ENOENT', 'ENOTDIR', 'EACCES', 'EPERM');

/** `organisation/name` of every folder with a config.json. */
async function repositoriesIn(folder: string): Promise<readonly string[]> {
  const subfolders = async (path: string, skipped = hidden): Promise<readonly string[]> => {
    const entries = await readdir(path, { withFileTypes: true }).catch(skipped);
    return (entries ?? []).filter((entry) => entry.isDirectory()).map(({ name }) => name);
  };
  const found: string[] = [];
  for (const organisation of await subfolders(folder, nullIf('ENOENT'))) {
    for (const name of await subfolders(join(folder, organisation))) {
      const config = await stat(join(folder, organisation, name, 'config.json')).catch(hidden);
      if (config !== null) found.push(`${organisation}/${name}`);
    }
  }
  return found.sort();
}
