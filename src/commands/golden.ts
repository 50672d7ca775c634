import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Command } from 'commander';
import type { GoldenCase } from '../domain/golden.js';
import { readGoldenLines, writeGoldenLines } from '../domain/golden-lines.js';
import { StartupError } from '../errors.js';
import type { GatewayClient } from './gateway-client.js';
import { goldenCases, saveGoldenSet } from './golden-client.js';
import { ProgressLine } from './progress-line.js';
import { URL_OPTION, withGateway } from './with-gateway.js';

interface Options {
  readonly url?: string;
}

/** `errata golden list|import|export|delete` */
export function goldenCommand(): Command {
  const golden = new Command('golden').description('Golden sets: questions with the answers that search should give.');
  golden
    .command('list')
    .description('list the golden sets')
    .option(...URL_OPTION)
    .action((options: Options) => withGateway(options, listSets));
  golden
    .command('import')
    .description('make golden sets of .jsonl files, in place of what sets of these names hold')
    .argument('<file...>', 'a case a line')
    .option('--name <name>', 'the name of the set, for one file; by default that of the file')
    .option(...URL_OPTION)
    .action((files: readonly string[], options: Options & { readonly name?: string }) => importSets(files, options));
  golden
    .command('export')
    .description('write a golden set as JSON Lines')
    .argument('<set>', 'the name of the set')
    .argument('[file]', 'where to; standard output by default')
    .option(...URL_OPTION)
    .action((set: string, file: string | undefined, options: Options) => exportSet(set, file, options));
  golden
    .command('delete')
    .description('delete a golden set with its cases')
    .argument('<set>', 'the name of the set')
    .option(...URL_OPTION)
    .action((set: string, options: Options) => deleteSet(set, options));
  return golden;
}

/** Reads a file of cases, and says where ids had to be told apart. */
export async function readGoldenFile(file: string): Promise<readonly GoldenCase[]> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new StartupError(`${file} cannot be read`, 78, { cause });
  });
  const { cases, renamed } = readGoldenLines(text);
  if (renamed > 0)
    process.stderr.write(`${file}: ${renamed} cases repeat the id of another and were given one of their own\n`);
  return cases;
}

const SETS = '{ goldenSets { name description caseCount judgedCaseCount judgementCount } }';

interface SetLine {
  readonly name: string;
  readonly description: string | null;
  readonly caseCount: number;
  readonly judgedCaseCount: number;
  readonly judgementCount: number;
}

const listSets = async (client: GatewayClient): Promise<void> => {
  const { goldenSets } = await client.ask<{ goldenSets: readonly SetLine[] }>(SETS);
  for (const { name, description, caseCount, judgedCaseCount, judgementCount } of goldenSets) {
    const counts = `${caseCount} cases, ${judgedCaseCount} of them judged, ${judgementCount} judgements`;
    process.stdout.write(`${name}: ${counts}${description === null ? '' : `; ${description}`}\n`);
  }
};

async function importSets(
  files: readonly string[],
  { name, ...options }: Options & { readonly name?: string },
): Promise<void> {
  if (name !== undefined && files.length > 1) throw new StartupError('--name is for one file', 78);
  const sets = await Promise.all(
    files.map(async (file) => ({
      name: name ?? basename(file, '.jsonl'),
      description: null,
      cases: await readGoldenFile(file),
    })),
  );
  await withGateway(options, async (client) => {
    const line = new ProgressLine();
    for (const set of sets) {
      await saveGoldenSet(client, set, (done) => line.show(`${set.name}: ${done} of ${set.cases.length} cases`));
      line.end();
      process.stdout.write(`${set.name}: ${set.cases.length} cases\n`);
    }
  });
}

async function exportSet(set: string, file: string | undefined, options: Options): Promise<void> {
  await withGateway(options, async (client) => {
    const cases: GoldenCase[] = [];
    for await (const one of goldenCases(client, set)) cases.push(one);
    const text = writeGoldenLines(cases);
    if (file === undefined) process.stdout.write(text);
    else await writeFile(file, text);
  });
}

async function deleteSet(set: string, options: Options): Promise<void> {
  await withGateway(options, async (client) => {
    const { deleted } = await client.ask<{ deleted: boolean }>(
      'mutation ($name: String!) { deleted: deleteGoldenSet(name: $name) }',
      { name: set },
    );
    if (!deleted) throw new StartupError(`there is no golden set ${JSON.stringify(set)}`, 78);
  });
}
