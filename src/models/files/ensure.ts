import type { ModelFiles } from '../../config/settings.js';
import { StartupError } from '../../domain/errors.js';
import type { Dtype } from '../inference/protocol.js';
import { Hub, HubError } from './hub.js';
import { type ModelFileSet, problemsOf, pullAdvice } from './layout.js';
import { megabytes, pull } from './pull.js';

/** A download is told of in steps of this share. */
const TOLD_SHARE = 0.1;

/**
 * Sees to it that a model's files are there, by downloading them where that is allowed. StartupError in one line that names
 * the command: 78 where nothing may be downloaded, 69 where the hub did not give them.
 */
export async function ensureFiles(
  model: ModelFileSet & { readonly name: string },
  chosenDtype: Dtype | null,
  files: ModelFiles,
  announce: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const problems = await problemsOf(files.folder, model);
  if (problems.length === 0) return;
  const advice = pullAdvice(model.name, files.folder, problems, chosenDtype);
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
