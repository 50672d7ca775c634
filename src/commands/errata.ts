import { Command } from 'commander';
import { asError, StartupError } from '../errors.js';
import { keysCommand } from './keys.js';

/** Adds one command, which reads its settings from `env`, to the program. */
export type AddCommand = (program: Command, env: Readonly<Record<string, string | undefined>>) => void;

/** What the command line can do. */
const COMMANDS: readonly AddCommand[] = [keysCommand];

/** Something went wrong that is not the caller's doing. */
const EXIT_SOFTWARE = 70;

const program = new Command('errata')
  .description('The command line of Errata. Settings come from the environment, as those of the gateway do.')
  .helpCommand(true);
for (const add of COMMANDS) add(program, process.env);

program.parseAsync().catch((thrown: unknown) => {
  const error = asError(thrown);
  process.stderr.write(`errata: ${error instanceof StartupError ? error.message : error.stack}\n`);
  process.exitCode = error instanceof StartupError ? error.exitCode : EXIT_SOFTWARE;
});
