import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/config/package-root.js';
import { StartupError } from '../src/domain/errors.js';
import { EXIT } from '../src/domain/exit-codes.js';

/** Usage lines are indented in a head comment, the text is not. */
const INDENT = '    ';

/** The help text of a benchmark: the comment at the head of its source file. */
export function helpOf(name: string): string {
  const source = readFileSync(join(packageRoot(), 'bench', `${name}.ts`), 'utf8');
  const [, comment = ''] = /^\/\*\*([\s\S]*?)\*\//.exec(source) ?? [];
  return comment.replace(/^ \* ?/gm, '').trim();
}

/** The options that the usage lines of the help text name, such as `--cards`. */
export function optionsOf(name: string): ReadonlySet<string> {
  const usage = helpOf(name)
    .split('\n')
    .filter((line) => line.startsWith(INDENT));
  return new Set(usage.join('\n').match(/--[a-z][a-z-]*/g));
}

/** StartupError if an argument is an option that the usage lines do not name. */
export function refuseUnknownOptions(name: string, args: readonly string[]): void {
  const known = optionsOf(name);
  const unknown = args.find((arg) => /^-\D/.test(arg) && !known.has(arg.replace(/=.*/s, '')));
  if (unknown !== undefined) throw usageError(name, `unknown option ${unknown}`);
}

/** Makes a usage error of what `parseArgs` of node:util throws; returns any other error as it is. */
export function asUsageError(name: string, thrown: unknown): unknown {
  const isUsage = thrown instanceof TypeError && 'code' in thrown && String(thrown.code).startsWith('ERR_PARSE_ARGS');
  // Node's messages continue with hints about the quoting of arguments.
  return isUsage ? usageError(name, thrown.message.split('\n')[0]?.replace(/\. .*$/, '') ?? '') : thrown;
}

function usageError(name: string, problem: string): StartupError {
  return new StartupError(`${problem}; npm run bench -- ${name} --help lists the options`, EXIT.usage);
}
