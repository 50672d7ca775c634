import { basename } from 'node:path';
import { Command } from 'commander';
import { StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';
import { caseIdOf, type GoldenCase } from '../domain/golden.js';
import { readGoldenLines, writeGoldenLines } from '../domain/parse/golden.js';
import type { ZeroResultRecord } from '../domain/ports/search-log.js';
import { entriesOf, type GatewayClient } from './gateway-client.js';
import { addGoldenCase, goldenCases, saveGoldenSet } from './golden-client.js';
import { moment, wholeNumber } from './option-parsers.js';
import { ProgressLine } from './progress.js';
import { readText } from './read-file.js';
import { oneLine, print, printError } from './terminal.js';
import { type GatewayOptions, URL_OPTION, withGateway } from './with-gateway.js';
import { writeText } from './write-file.js';

interface FromLogOptions extends GatewayOptions {
  readonly after?: string;
  readonly first: number;
}

export function goldenCommand(): Command {
  const golden = new Command('golden').description('Manage golden sets: queries with the cards that should be found.');
  golden
    .command('list')
    .description('list the golden sets')
    .option(...URL_OPTION)
    .action((options: GatewayOptions) => withGateway(options, listSets));
  golden
    .command('import')
    .description('create or replace golden sets from .jsonl files')
    .argument('<file...>', 'files with one case per line')
    .option('--name <name>', 'name of the set, with one file only; default: the name of the file')
    .option(...URL_OPTION)
    .action(importSets);
  golden
    .command('export')
    .description('write a golden set as JSON Lines')
    .argument('<set>', 'the name of the set')
    .argument('[file]', 'output file; default: standard output')
    .option(...URL_OPTION)
    .action(exportSet);
  golden
    .command('from-log')
    .description('create cases to judge from logged searches that found nothing (SEARCH_LOG=texts stores their texts)')
    .argument('<set>', 'name of the set; created if missing')
    .option('--after <date>', 'only searches after this date or time, such as 2026-09-01', moment)
    .option('--first <count>', 'maximum number of cases, 1 to 100', wholeNumber(1, 100), 50)
    .option(...URL_OPTION)
    .action(casesFromLog);
  golden
    .command('delete')
    .description('delete a golden set with its cases')
    .argument('<set>', 'the name of the set')
    .option(...URL_OPTION)
    .action(deleteSet);
  return golden;
}

/** Reads a file of cases, and reports repeated ids. StartupError (66) if it has none. */
export async function readGoldenFile(file: string): Promise<readonly GoldenCase[]> {
  const { cases, renamed } = readGoldenLines(await readText(file), `${file}: `);
  if (cases.length === 0) throw new StartupError(`${file} has no case`, EXIT.input);
  if (renamed > 0) printError(`${file}: ${renamed} cases repeat the id of another case and got a new id`);
  return cases;
}

/** Sets of a page, as the operation asks for them. */
const LISTED = 100;

interface SetLine {
  readonly cursor: string;
  readonly name: string;
  readonly description: string | null;
  readonly caseCount: number;
  readonly judgedCaseCount: number;
  readonly judgementCount: number;
}

async function listSets(client: GatewayClient): Promise<void> {
  const sets = entriesOf(async (after) => {
    const { goldenSets: nodes } = await client.ask<{ goldenSets: readonly SetLine[] }>('goldenSets', { after });
    return { nodes, pageInfo: { hasNextPage: nodes.length === LISTED, endCursor: nodes.at(-1)?.cursor ?? null } };
  });
  for await (const { name, description, caseCount, judgedCaseCount, judgementCount } of sets) {
    const counts = `${caseCount} cases, ${judgedCaseCount} of them judged, ${judgementCount} judgements`;
    print(oneLine(`${name}: ${counts}${description === null ? '' : `; ${description}`}`));
  }
}

async function importSets(
  files: readonly string[],
  { name, ...options }: GatewayOptions & { readonly name?: string },
): Promise<void> {
  if (name !== undefined && files.length > 1)
    throw new StartupError('--name can be used with one file only', EXIT.usage);
  const sets = await Promise.all(
    files.map(async (file) => ({
      name: name ?? basename(file, '.jsonl'),
      cases: await readGoldenFile(file),
    })),
  );
  await withGateway(options, async (client, signal) => {
    const line = new ProgressLine();
    for (const set of sets) {
      const tell = (done: number): void => line.show(`${set.name}: ${done} of ${set.cases.length} cases`);
      await saveGoldenSet(client, set, tell, signal);
      line.end();
      print(oneLine(`${set.name}: ${set.cases.length} cases`));
    }
  });
}

async function exportSet(set: string, file: string | undefined, options: GatewayOptions): Promise<void> {
  await withGateway(options, async (client, signal) => {
    const cases: GoldenCase[] = [];
    for await (const one of goldenCases(client, set)) {
      signal.throwIfAborted();
      cases.push(one);
    }
    const text = writeGoldenLines(cases);
    if (file !== undefined) await writeText(file, text);
    else if (text !== '') print(text.trimEnd());
  });
}

async function deleteSet(set: string, options: GatewayOptions): Promise<void> {
  await withGateway(options, async (client) => {
    const { deleted } = await client.ask<{ deleted: boolean }>('deleteGoldenSet', { name: set });
    if (!deleted) throw new StartupError(`there is no golden set ${JSON.stringify(set)}`, EXIT.failed);
  });
}

interface ZeroResultSearch extends Omit<ZeroResultRecord, 'lastAt'> {
  readonly lastAt: string;
}

/** Existing cases of the set keep their judgements. */
async function casesFromLog(set: string, { after, first, ...options }: FromLogOptions): Promise<void> {
  await withGateway(options, async (client, signal) => {
    const variables = { after: after ?? null, first };
    const { zeroResultSearches } = await client.ask<{ zeroResultSearches: readonly ZeroResultSearch[] }>(
      'zeroResultSearches',
      variables,
    );
    await client.ask('saveGoldenSet', { input: { name: set } });
    const known = new Set<string>();
    for await (const { id } of goldenCases(client, set)) known.add(id);
    let added = 0;
    for (const { operation, text, searches, lastAt } of zeroResultSearches) {
      const subject = { kind: 'text', text } as const;
      const id = caseIdOf({ operation, subject, filter: {} });
      if (known.has(id)) continue;
      signal.throwIfAborted();
      const reason = `found nothing ${searches} times, last on ${lastAt.slice(0, 10)}`;
      const open = { filter: {}, perspective: null, judgements: [] };
      await addGoldenCase(client, set, { id, operation, subject, reason, ...open });
      added += 1;
    }
    print(`${set}: ${added} new cases to judge, ${zeroResultSearches.length - added} already existed`);
  });
}
