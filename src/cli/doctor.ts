import { Command } from 'commander';
import { EXIT } from '../domain/exit-codes.js';
import type { Finding } from './doctor/finding.js';
import { misspelt, settings } from './settings.js';
import { print } from './terminal.js';

const MARKS: Readonly<Record<Finding['state'], string>> = { ok: 'ok     ', warning: 'warning', problem: 'PROBLEM' };

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Check the machine, servers, models and the index, and print advice for each problem.')
    .action(run);
}

async function run(): Promise<void> {
  const { examine } = await import('./doctor/examine.js');
  let problems = 0;
  for await (const { part, state, says, advice } of examine(settings(), misspelt())) {
    if (state === 'problem') problems += 1;
    print(`${MARKS[state]}  ${part}: ${says}`);
    if (advice !== null) print(`         ${advice}`);
  }
  process.exitCode = problems > 0 ? EXIT.failed : EXIT.ok;
}
