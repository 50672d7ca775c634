import type { ModelFiles } from '../../config/settings.js';
import { StartupError } from '../../domain/errors.js';
import type { Dtype } from '../../domain/ports/models.js';
import { Hub, HubError } from './hub.js';
import { type ModelFileSet, problemsOf, pullAdvice } from './layout.js';
import { megabytes, pull } from './pull.js';

/** Progress is announced in steps of this share. */
const TOLD_SHARE = 0.1;

/**
 * Downloads a model's files if they are missing and downloading is allowed. StartupError in one line that names the
 * command: 78 if downloading is disabled, 69 if the hub failed.
 */
export async function ensureFiles(
  model: ModelFileSet & { readonly name: string },
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
  model: ModelFileSet & { readonly name: string },
  chosenDtype: Dtype | null,
  files: ModelFiles,
): Promise<string | null> {
  return files.offline ? missingFiles(model, chosenDtype, files) : null;
}

async function missingFiles(
  model: ModelFileSet & { readonly name: string },
  chosenDtype: Dtype | null,
  { folder }: ModelFiles,
): Promise<string | null> {
  const problems = await problemsOf(folder, model);
  return problems.length === 0 ? null : pullAdvice(model.name, folder, problems, chosenDtype);
}
