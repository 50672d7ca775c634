import { Command } from 'commander';
import { examine } from './doctor/examine.js';
import type { Finding } from './doctor/finding.js';
import { settings } from './settings.js';

const MARKS: Readonly<Record<Finding['state'], string>> = { ok: 'ok     ', warning: 'warning', problem: 'PROBLEM' };

/** `errata doctor` */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Look at everything that can keep the gateway from working well, and say what to do about it.')
    .action(run);
}

async function run(): Promise<void> {
  const quiet = (): undefined => undefined;
  let problems = 0;
  for await (const { part, state, says, advice } of examine(settings(), { debug: quiet, info: quiet, warn: quiet })) {
    if (state === 'problem') problems += 1;
    process.stdout.write(`${MARKS[state]}  ${part}: ${says}\n`);
    if (advice !== null) process.stdout.write(`         ${advice}\n`);
  }
  process.exitCode = problems > 0 ? 1 : 0;
}
