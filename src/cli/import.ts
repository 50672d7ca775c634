import { stat } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { cleanName } from '../domain/clean-text.js';
import { ON_DUPLICATE } from '../domain/duplicates.js';
import { asError, nullIf, StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';
import { CARD_FIELDS } from '../domain/import.js';
import { parseMapping } from '../domain/parse/import.js';
import { difficultyOf } from '../exchange/formats/values/names.js';
import { StoppedError } from '../runtime/stopping.js';
import { type FileReport, followIndexing, importFile, type JobReport } from './import-file.js';
import { csvReport, reportLines } from './import-report.js';
import { parseJsonObject, readText } from './read-file.js';
import { oneLine, print } from './terminal.js';
import { type GatewayOptions, URL_OPTION, withGateway } from './with-gateway.js';
import { refuseExisting, writeText } from './write-file.js';

interface Options extends GatewayOptions {
  readonly onDuplicate: string;
  readonly dryRun?: boolean;
  readonly mapping?: string;
  readonly default?: Readonly<Record<string, string>>;
  readonly report?: string;
  readonly wait: boolean;
}

/** The gateway parses the rest of it. */
interface Mapping {
  readonly defaults?: object;
  readonly values?: { readonly difficulty?: object };
}

export function importCommand(): Command {
  return new Command('import')
    .description('Import cards from .xlsx, .csv, .json and .jsonl files.')
    .argument('<file...>', 'the files')
    .option(...URL_OPTION)
    .addOption(
      new Option('--on-duplicate <what>', 'action for a question that already exists')
        .choices(ON_DUPLICATE.map((one) => one.toLowerCase()))
        .default('merge'),
    )
    .option('--dry-run', 'validate every row and store nothing; duplicates more than 500 rows apart count as new cards')
    .option('--mapping <file>', 'JSON file that maps columns and values to fields')
    .option('--default <field=value>', 'default for rows without a value, such as subject=math', gather)
    .option('--no-wait', 'do not wait until searches find all cards')
    .option('--report <file>', 'write all problems to a new .csv or .json file')
    .action(run);
}

function gather(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [field, ...value] = text.split('=');
  if (field === undefined || value.length === 0)
    throw new StartupError(`--default ${text}: write it as field=value`, EXIT.usage);
  if (!CARD_FIELDS.some((one) => one === field))
    throw new StartupError(`--default ${text}: the field must be one of ${CARD_FIELDS.join(', ')}`, EXIT.usage);
  return { ...before, [field]: value.join('=') };
}

async function run(files: readonly string[], options: Options): Promise<void> {
  const sizes = await Promise.all(files.map(sizeOf));
  const query = await queryOf(options);
  const isDry = options.dryRun === true;
  if (options.report !== undefined && !/\.(csv|json)$/i.test(options.report))
    throw new StartupError(`--report ${options.report} must end in .csv or .json`, EXIT.usage);
  if (options.report !== undefined) await refuseExisting(options.report);
  await withGateway(options, async (client, signal) => {
    const reports: FileReport[] = [];
    try {
      for (const [place, file] of files.entries()) {
        const one = await importFile(client, { file, bytes: sizes[place] ?? 0, query }, signal);
        if (one === null) break;
        reports.push(one);
      }
      if (!signal.aborted && options.wait && !isDry) await followIndexing(client, signal);
    } finally {
      for (const line of reportLines(reports, isDry)) print(oneLine(line));
      if (options.report !== undefined && reports.length > 0) {
        const asJson = options.report.toLowerCase().endsWith('.json');
        await writeText(options.report, asJson ? `${JSON.stringify(reports, null, 2)}\n` : csvReport(reports));
      }
    }
    if (signal.reason instanceof StoppedError) throw new StoppedError(signal.reason.by, howToGoOn(reports, options));
    if (reports.some(hasFailed)) process.exitCode = EXIT.failed;
  });
}

/** Hint after an interruption: a running gateway continues the import. */
function howToGoOn(reports: readonly FileReport[], { url }: Options): string {
  const again = 'stopped: run the same command again to finish it';
  const job = reports.at(-1)?.job;
  if (url === undefined || job == null || job.finishedAt !== null) return again;
  return `${again}; the gateway continues to import ${job.name} unless you cancel it: errata cancel-import ${job.id} --url ${url}`;
}

function hasFailed({ refused, job }: FileReport): boolean {
  if (job === null) return refused !== null;
  return job.failed > 0 || ['FAILED', 'CANCELLED'].includes(job.state);
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file)
    .catch(nullIf('ENOENT'))
    .catch((cause: Error) => {
      throw new StartupError(`${file} cannot be read: ${cause.message}`, EXIT.input, { cause });
    });
  if (found === null) throw new StartupError(`there is no file ${file}`, EXIT.input);
  // The gateway is told the size before the file is read.
  if (!found.isFile()) throw new StartupError(`${file} is a folder, a pipe or a device, not a file`, EXIT.input);
  return found.size;
}

async function queryOf({ onDuplicate, dryRun, mapping, default: defaults = {} }: Options): Promise<URLSearchParams> {
  const query = new URLSearchParams({ onDuplicate: onDuplicate.toUpperCase(), dryRun: String(dryRun === true) });
  const written: Mapping = mapping === undefined ? {} : await readMapping(mapping);
  refuseDifficulty(defaults.difficulty, written);
  const all = { ...written, defaults: { ...written.defaults, ...defaults } };
  if (mapping !== undefined || Object.keys(defaults).length > 0) query.set('mapping', JSON.stringify(all));
  return query;
}

/**
 * StartupError (64) if the gateway would refuse each row because of the default. It reads the other defaults as cells,
 * too; only this required field has so few values that they can be checked before a file is sent.
 */
function refuseDifficulty(text: string | undefined, { values }: Mapping): void {
  if (text === undefined || difficultyOf(text) !== undefined) return;
  const known = values?.difficulty ?? {};
  if ([text, cleanName(text)].some((one) => Object.hasOwn(known, one))) return;
  throw new StartupError(`--default difficulty=${text}: must be a whole number from 1 to 5`, EXIT.usage);
}

/** StartupError (66) if it is not a mapping. */
async function readMapping(file: string): Promise<Mapping> {
  const what = `--mapping ${file}`;
  const written = parseJsonObject(await readText(file), what);
  try {
    parseMapping(written, '');
  } catch (cause) {
    throw new StartupError(`${what}: ${asError(cause).message}`, EXIT.input, { cause });
  }
  return written;
}

export function cancelImportCommand(): Command {
  return new Command('cancel-import')
    .description('Cancel a running import; the cards that it has stored are kept.')
    .argument('<id>', 'the id of the import')
    .option(...URL_OPTION)
    .action((id: string, options: GatewayOptions) =>
      withGateway(options, async (client) => {
        const { cancelImport: job } = await client.ask<{ cancelImport: JobReport }>('cancelImport', { id });
        const rows = job.total === null ? '' : `, ${job.read} of ${job.total} rows were processed`;
        print(oneLine(`${job.name}: ${job.state.toLowerCase()}${rows}`));
      }),
    );
}
