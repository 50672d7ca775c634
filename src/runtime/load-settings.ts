import { join } from 'node:path';
import { COMMAND_OPERATIONS } from '../access/command-operations.js';
import { PersistedOperations, readPersistedOperations } from '../access/persisted-operations.js';
import { toolOperations } from '../access/tool-operations.js';
import { studioFolder } from '../config/package-root.js';
import { type Config, type Environment, problemLines, readSettings, refuseSettings } from '../config/settings.js';
import { StartupError } from '../domain/errors.js';
import { modelProblems } from '../models/create-models.js';
import { folderProblem } from './embedded/folder.js';

export interface Settings {
  readonly config: Config;
  /** Persisted operations; null: any operation is accepted. */
  readonly operations: PersistedOperations | null;
}

/** Why a document can never succeed against the schema, or null. */
export type OperationCheck = (
  document: string,
  limits: { readonly introspection: boolean; readonly federation: boolean },
) => string | null;

/**
 * Reads the settings and checks the files that they refer to: the operations file, the data directory, model files.
 * StartupError (78) lists every problem at once. Only the search profile is checked later, in the database.
 */
export async function loadSettings(env: Environment, operationProblem: OperationCheck): Promise<Settings> {
  const { config, problems } = readSettings(env);
  const lines = problemLines(problems);
  const note = (problem: string): void => void lines.push(problem);

  const { operationsFile: file, operationsStudio, production, federation } = config;
  const check = (document: string): string | null =>
    operationProblem(document, { introspection: !production, federation });
  const documents = file === null ? null : await readPersistedOperations(file, check).catch(noteRefusal(note));
  const studio = operationsStudio
    ? await readPersistedOperations(join(studioFolder(), 'operations.json'), check, 'OPERATIONS_STUDIO').catch(
        noteRefusal(note),
      )
    : [];

  const unusable = await folderProblem(config.dataDir);
  if (unusable !== null) note(`DATA_DIR: ${config.dataDir} cannot be used: ${unusable}`);

  // If one of these is wrong, the others cannot be checked.
  if (!problems.some(({ variable }) => /^(EMBEDDING|MODELS|RERANKER)_/.test(variable))) {
    for (const problem of await modelProblems(config)) note(problem);
  }
  refuseSettings(lines);
  const ours = [...Object.values(COMMAND_OPERATIONS), ...Object.values(toolOperations(config.mcpWrites))];
  const operations = documents === null ? null : new PersistedOperations([...documents, ...(studio ?? []), ...ours]);
  return { config, operations };
}

/** Records the problem and returns null for what was not loaded. */
function noteRefusal(note: (problem: string) => void): (thrown: unknown) => null {
  return (thrown) => {
    if (!(thrown instanceof StartupError)) throw thrown;
    note(thrown.message);
    return null;
  };
}
