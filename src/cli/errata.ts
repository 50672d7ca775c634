import { Command, CommanderError } from 'commander';
import { asError, ErrataError, StartupError } from '../domain/errors.js';
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

/** How the process ends where the command line itself is wrong, by sysexits.h. */
const EXIT_USAGE = 64;
const EXIT_SOFTWARE = 70;
/** As shells count what a Ctrl-C has ended. */
const EXIT_STOPPED = 130;

const program = new Command('errata').description('Errata from the command line.').exitOverride();
for (const command of commands) program.addCommand(command().exitOverride());

program.parseAsync().catch((thrown: unknown) => {
  const error = asError(thrown);
  // Commander has said what is wrong, or has shown its help.
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : EXIT_USAGE;
    return;
  }
  if (error instanceof StoppedError) {
    process.stderr.write(`errata: ${error.message}\n`);
    process.exitCode = EXIT_STOPPED;
    return;
  }
  const known = error instanceof StartupError || error instanceof AnsweredError || error instanceof ErrataError;
  process.stderr.write(`errata: ${known ? error.message : error.stack}\n`);
  process.exitCode = error instanceof StartupError ? error.exitCode : EXIT_SOFTWARE;
});
