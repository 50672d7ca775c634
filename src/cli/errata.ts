import { Command, CommanderError } from 'commander';
import { packageVersion } from '../config/package-root.js';
import { EXIT, EXIT_MEANINGS } from '../domain/exit-codes.js';
import { attemptsCommand } from './attempts.js';
import { contextCommand } from './context.js';
import { doctorCommand } from './doctor.js';
import { evaluateCommand } from './evaluate.js';
import { evaluateAnswersCommand } from './evaluate-answers.js';
import { exportCommand } from './export.js';
import { goldenCommand } from './golden.js';
import { cancelImportCommand, importCommand } from './import.js';
import { keysCommand } from './keys.js';
import { modelsCommand } from './models.js';
import { profilesCommand } from './profiles.js';
import { runCommand } from './run-command.js';
import { templateCommand } from './template.js';

const commands: readonly (() => Command)[] = [
  importCommand,
  cancelImportCommand,
  exportCommand,
  attemptsCommand,
  templateCommand,
  contextCommand,
  evaluateCommand,
  evaluateAnswersCommand,
  goldenCommand,
  profilesCommand,
  keysCommand,
  modelsCommand,
  doctorCommand,
];

const codes = Object.entries(EXIT_MEANINGS).map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`);

const program = new Command('errata')
  .description('Command line of Errata.')
  .version(packageVersion())
  .addHelpText('after', `\nExit codes:\n${codes.join('\n')}`);
for (const command of commands) program.addCommand(command());
throwErrors(program);

/** Commander would end the process; subcommands inherit the setting only if they are created after it. */
function throwErrors(command: Command): void {
  command.exitOverride();
  command.commands.forEach(throwErrors);
}

await runCommand(async () => {
  await program.parseAsync().catch((thrown: unknown) => {
    if (!(thrown instanceof CommanderError)) throw thrown;
    // Commander has printed the error or its help.
    process.exitCode = thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
  });
});
