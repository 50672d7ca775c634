import type { ModelFiles } from '../../config/settings.js';
import { StartupError } from '../../domain/errors.js';
import type { Dtype } from '../../domain/ports/models.js';
import { Hub, HubError } from './hub.js';
import { type ModelFileSet, problemsOf, pullCommand } from './layout.js';
import { megabytes, pull } from './pull.js';

interface NamedFiles extends ModelFileSet {
  readonly name: string;
}

/** Progress is announced in steps of this share. */
const TOLD_SHARE = 0.1;

/**
 * Downloads a model's files if they are missing and downloading is allowed. StartupError in one line that names the
 * command: 78 if downloading is disabled, 69 if the hub failed.
 */
export async function ensureFiles(
  model: NamedFiles,
  chosenDtype: Dtype | null,
  files: ModelFiles,
  announce: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const advice = await missingFiles(model, chosenDtype, files);
  if (advice === null) return;
  if (files.offline) throw new StartupError(advice, 78);
  announce(`Downloading ${model.name} from ${files.hub} to ${files.folder} ...`);
  let told = 0;
  try {
    await pull(model, {
      hub: new Hub(files.hub),
      folder: files.folder,
      signal,
      onProgress: ({ done, total }) => {
        if (done / total < told + TOLD_SHARE) return;
        told = done / total;
        announce(`  ${megabytes(done)} of ${megabytes(total)} MB`);
      },
    });
  } catch (thrown) {
    if (thrown instanceof HubError) throw new StartupError(`${thrown.message}; ${advice}`, 69, { cause: thrown });
    throw thrown;
  }
}

/** Why a model cannot be used offline, in one line that names the command; null if it can. */
export async function offlineProblem(
  model: NamedFiles,
  chosenDtype: Dtype | null,
  files: ModelFiles,
): Promise<string | null> {
  return files.offline ? missingFiles(model, chosenDtype, files) : null;
}

/** One line about missing and damaged files; null if there are none. */
async function missingFiles(model: NamedFiles, chosen: Dtype | null, { folder }: ModelFiles): Promise<string | null> {
  const problems = (await problemsOf(folder, model)).join(', ');
  if (problems === '') return null;
  return `the files of ${model.name} are not complete in ${folder} (${problems}): run \`${pullCommand(model.name, chosen)}\``;
}
