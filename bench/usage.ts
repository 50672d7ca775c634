import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/config/package-root.js';
import { StartupError } from '../src/domain/errors.js';
import { EXIT } from '../src/domain/exit-codes.js';

/** The help text of a benchmark: the comment at the head of its source file. */
export function helpOf(name: string): string {
  const source = readFileSync(join(packageRoot(), 'bench', `${name}.ts`), 'utf8');
  const [, comment = ''] = /^\/\*\*([\s\S]*?)\*\//.exec(source) ?? [];
  return comment.replace(/^ \* ?/gm, '').trim();
}

/** Makes a usage error of what `parseArgs` of node:util throws; returns any other error as it is. */
export function asUsageError(name: string, thrown: unknown): unknown {
  const isUsage = thrown instanceof TypeError && 'code' in thrown && String(thrown.code).startsWith('ERR_PARSE_ARGS');
  if (!isUsage) return thrown;
  // Node's messages continue with hints about the quoting of arguments.
  const problem = thrown.message.split('\n')[0]?.replace(/\. .*$/, '') ?? '';
  return new StartupError(`${problem}; npm run bench -- ${name} --help lists the options`, EXIT.usage);
}
