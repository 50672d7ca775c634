import { COMMAND_OPERATIONS } from '../access/command-operations.js';
import { PersistedOperations, readPersistedOperations } from '../access/persisted-operations.js';
import { type Config, type Environment, problemLines, readSettings, refuseSettings } from '../config/settings.js';
import { StartupError } from '../domain/errors.js';
import { modelProblems } from '../models/problems.js';
import { folderProblem } from './embedded/folder.js';

/** The settings of a gateway, and the operations that it answers where a file lists them. */
export interface Settings {
  readonly config: Config;
  readonly operations: PersistedOperations | null;
}

/** Why the schema can never answer a document, or null. */
export type OperationCheck = (document: string, limits: { readonly introspection: boolean }) => string | null;

/**
 * Reads the settings and what they name on this machine: the operations file, the data directory, model files. StartupError (78)
 * lists every problem at once. Only a search profile is looked for later, in the database.
 */
export async function loadSettings(env: Environment, operationProblem: OperationCheck): Promise<Settings> {
  const { config, problems } = readSettings(env);
  const lines = problemLines(problems);
  const note = (problem: string): void => void lines.push(problem);

  const { operationsFile: file, production } = config;
  const check = (document: string): string | null => operationProblem(document, { introspection: !production });
  const documents = file === null ? null : await readPersistedOperations(file, check).catch(noteRefusal(note));

  const unusable = await folderProblem(config.dataDir);
  if (unusable !== null) note(`DATA_DIR: ${config.dataDir} cannot be used: ${unusable}`);

  // Where one of these is wrong, what the others lack cannot be told.
  if (!problems.some(({ variable }) => /^(EMBEDDING|MODELS|RERANKER)_/.test(variable))) {
    for (const problem of await modelProblems(config)) note(problem);
  }
  refuseSettings(lines);
  const operations =
    documents === null ? null : new PersistedOperations([...documents, ...Object.values(COMMAND_OPERATIONS)]);
  return { config, operations };
}

/** Notes why something was refused; null stands for what was not loaded. */
function noteRefusal(note: (problem: string) => void): (thrown: unknown) => null {
  return (thrown) => {
    if (!(thrown instanceof StartupError)) throw thrown;
    note(thrown.message);
    return null;
  };
}
