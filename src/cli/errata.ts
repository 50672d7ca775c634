import { Command, CommanderError } from 'commander';
import { asError, BadInputError, ErrataError, StartupError } from '../domain/errors.js';
import { EXIT, EXIT_BY_SIGNAL, EXIT_MEANINGS, exitCodeOf } from '../domain/exit-codes.js';
import { doctorCommand } from './doctor.js';
import { evaluateCommand } from './evaluate.js';
import { exportCommand } from './export.js';
import { AnsweredError } from './gateway-client.js';
import { goldenCommand } from './golden.js';
import { importCommand } from './import.js';
import { keysCommand } from './keys.js';
import { modelsCommand } from './models.js';
import { profilesCommand } from './profiles.js';
import { templateCommand } from './template.js';
import { printError } from './terminal.js';
import { StoppedError } from './with-gateway.js';

/** The commands, one file each. */
const commands: readonly (() => Command)[] = [
  importCommand,
  exportCommand,
  templateCommand,
  evaluateCommand,
  goldenCommand,
  profilesCommand,
  keysCommand,
  modelsCommand,
  doctorCommand,
];

/** How the process ends after this error. */
function exitOf(error: Error): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof StoppedError) return EXIT_BY_SIGNAL[error.signal];
  if (error instanceof StartupError) return error.exitCode;
  // Of the command's own parsing: what a file holds.
  if (error instanceof BadInputError) return EXIT.input;
  return error instanceof AnsweredError || error instanceof ErrataError ? exitCodeOf(error.code) : EXIT.software;
}

/** An internal error is told with its stack, anything else in one line. */
function messageOf(error: Error): string {
  const known = [StoppedError, StartupError, ErrataError, AnsweredError].some((kind) => error instanceof kind);
  return known ? error.message : (error.stack ?? error.message);
}

const codes = Object.entries(EXIT_MEANINGS).map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`);

const program = new Command('errata')
  .description('Errata from the command line.')
  .addHelpText('after', `\nExit codes:\n${codes.join('\n')}`)
  .exitOverride();
for (const command of commands) program.addCommand(command().exitOverride());

program.parseAsync().catch((thrown: unknown) => {
  const error = asError(thrown);
  process.exitCode = exitOf(error);
  // Commander has said what is wrong, or has shown its help.
  if (!(error instanceof CommanderError)) printError(`errata: ${messageOf(error)}`);
});
