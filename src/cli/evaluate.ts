import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { Command, Option } from 'commander';
import { delay } from '../domain/async.js';
import { asError, StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';
import { parseRegressionThresholds } from '../domain/parse/golden.js';
import { htmlReport } from '../evaluation/reports/html-report.js';
import {
  belowThresholds,
  type RegressionThresholds,
  raisedThresholds,
} from '../evaluation/reports/regression-thresholds.js';
import type { EvaluationReport } from '../evaluation/reports/report.js';
import { differenceText } from '../evaluation/reports/report-wording.js';
import { textReport } from '../evaluation/reports/text-report.js';
import type { GatewayClient } from './gateway-client.js';
import { readGoldenFile } from './golden.js';
import { saveGoldenSet } from './golden-client.js';
import { wholeNumber } from './option-parsers.js';
import { deleteProfile, readProfileFile, saveProfile } from './profiles.js';
import { ProgressLine } from './progress.js';
import { readJson, readJsonLines } from './read-file.js';
import { loadCards, scratchGateway } from './scratch-gateway.js';
import { print, printError } from './terminal.js';
import { type GatewayOptions, openGateway, URL_OPTION, withGateway } from './with-gateway.js';
import { refuseUnwritable, writeText } from './write-file.js';

interface Options extends GatewayOptions {
  readonly cards?: string;
  readonly sample?: boolean;
  readonly profile: string;
  readonly against?: string;
  readonly tune?: string;
  readonly k: number;
  readonly json?: string;
  readonly html?: string;
  readonly thresholds?: string;
  readonly floors?: string;
  readonly raise?: boolean;
}

export function evaluateCommand(): Command {
  return new Command('evaluate')
    .description('Measure search on a golden set: the fused ranking, each lane, and plain BM25.')
    .argument('<set>', 'the name of a golden set, or a .jsonl file of cases')
    .option('--profile <profile>', 'the search profile to measure, by name or as a .json file', 'default')
    .option('--against <profile>', 'another profile to compare with, by paired differences per case')
    .option(
      '--tune <profile>',
      'tune the settings on the training split of the set, measure them on the test split, and save them under this name, or as this .json file, only if a gain is significant on the test split',
    )
    .option('-k <hits>', 'how many hits to ask for, from 10 to 50', wholeNumber(10, 50), 50)
    .option('--json <file>', 'write the whole report as JSON')
    .option('--html <file>', 'write the report as a self-contained HTML page with plots')
    .option('--thresholds <file>', 'exit with 1 if a metric misses its regression threshold in this .json file')
    .addOption(new Option('--floors <file>', 'the earlier name of --thresholds').hideHelp())
    .option('--raise', 'raise the thresholds of --thresholds for metrics that have improved')
    .option('--cards <file>', 'measure in a temporary gateway that holds only the cards of this .jsonl file')
    .option('--sample', 'measure in a temporary gateway that holds only the sample notebook')
    .option(...URL_OPTION)
    .action(run);
}

async function run(set: string, options: Options): Promise<void> {
  const { url, cards, sample } = options;
  if ([url, cards, sample].filter((given) => given !== undefined).length > 1) {
    throw new StartupError('give one of --url, --cards and --sample', EXIT.usage);
  }
  const limits = await limitsOf(options);
  for (const file of outputsOf(options, limits)) await refuseUnwritable(file);
  const scratch = cards !== undefined || sample === true;
  const given = cards === undefined ? null : (await readJsonLines(cards)).map(({ value }) => value);
  await withGateway(
    options,
    async (client, signal) => {
      if (given !== null) await fill(client, given, signal);
      const report = await evaluateOn(client, set, options, signal);
      print(textReport(report).trimEnd());
      if (options.html !== undefined) await writeText(options.html, htmlReport(report));
      await keepTuned(report, options.tune);
      if (options.json !== undefined) await writeText(options.json, `${JSON.stringify(report, null, 2)}\n`);
      if (limits !== null) await holdTo(report, limits);
    },
    (signal) => (scratch ? scratchGateway(sample === true, signal) : openGateway(url, signal)),
  );
}

function outputsOf({ json, html, tune }: Options, limits: Limits | null): readonly string[] {
  const tuned = tune?.endsWith('.json') ? tune : undefined;
  const raised = limits?.raise ? limits.file : undefined;
  return [json, html, tuned, raised].filter((file) => file !== undefined);
}

async function fill(client: GatewayClient, cards: readonly object[], signal: AbortSignal): Promise<void> {
  const line = new ProgressLine();
  const started = performance.now();
  const tell = (done: number): void => line.show(`${done} of ${cards.length} cards stored`);
  const known = await loadCards(client, cards, tell, signal);
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  const repeated = known === 0 ? '' : `, ${known} with an id that another one had`;
  line.end(`${cards.length} cards read${repeated}; indexed after ${seconds} s`);
}

interface Limits {
  readonly file: string;
  readonly thresholds: RegressionThresholds;
  readonly raise: boolean;
}

/** Null without `--thresholds`. */
async function limitsOf({ thresholds, floors, raise = false }: Options): Promise<Limits | null> {
  const file = thresholds ?? floors;
  if (file !== undefined) return { file, thresholds: parseRegressionThresholds(await readJson(file), file), raise };
  if (raise) throw new StartupError('--raise needs --thresholds', EXIT.usage);
  return null;
}

/** Prints the thresholds that are missed and sets the exit code; otherwise raises them if asked to. */
async function holdTo(report: EvaluationReport, { file, thresholds, raise }: Limits): Promise<void> {
  const missed = belowThresholds(report, thresholds);
  if (missed.length > 0) {
    printError(`below the regression thresholds:\n${missed.join('\n')}`);
    process.exitCode = EXIT.failed;
  } else if (raise) await writeText(file, `${JSON.stringify(raisedThresholds(report, thresholds), null, 2)}\n`);
}

/** Writes the tuned settings if a file was named and the gain is significant; the figures go into the description. */
async function keepTuned({ tuning, comparison, set }: EvaluationReport, file: string | undefined): Promise<void> {
  if (file === undefined || tuning === null || !tuning.accepted || !file.endsWith('.json')) return;
  if (comparison === null) throw new Error('a tuned profile has no comparison');
  const { profile: name, settings } = tuning;
  const description = `Tuned on the training split of ${set}; gain over ${comparison.before} on the test split: nDCG@10 ${differenceText(comparison.differences.ndcgAt10)}.`;
  await writeText(file, `${JSON.stringify({ name, description, settings }, null, 2)}\n`);
}

/** Characters of a label in a temporary name: names may have 100. */
const LABEL_CHARS = 60;

/**
 * Cases and settings from files are stored in the gateway for the duration of the evaluation, under names that nothing
 * else has; the report names the files. All of them are deleted, also if one cannot be: then those that are left are
 * printed, and the first error is thrown.
 */
async function evaluateOn(
  client: GatewayClient,
  set: string,
  { profile, against, tune, k }: Options,
  signal: AbortSignal,
): Promise<EvaluationReport> {
  /** What deletes what is stored, by its name. */
  const undos = new Map<string, () => Promise<unknown>>();
  const shown = new Map<string, string>();
  const temporary = (role: string, label: string): string => {
    const name = `${[...label].slice(0, LABEL_CHARS).join('')} (${role} ${randomUUID().slice(0, 8)})`;
    shown.set(name, label);
    return name;
  };
  const profileName = async (role: string, given: string): Promise<string> => {
    if (!given.endsWith('.json')) return given;
    const read = await readProfileFile(given);
    const name = temporary(role, `${read.name} (${given})`);
    // An answer that is lost may be that of a profile that was saved.
    undos.set(name, () => deleteProfile(client, name));
    await saveProfile(client, { ...read, name });
    return name;
  };
  /** Settings that are to be kept in a file are saved in the gateway for a moment. */
  const tunedName = (given: string): string => {
    if (!given.endsWith('.json')) return given;
    const name = temporary('tuned', basename(given, '.json'));
    undos.set(name, () => deleteProfile(client, name));
    return name;
  };
  const setName = async (): Promise<string> => {
    if (!set.endsWith('.jsonl')) return set;
    const line = new ProgressLine();
    const cases = await readGoldenFile(set);
    const name = temporary('set', basename(set));
    undos.set(name, () => client.ask('deleteGoldenSet', { name }));
    const tell = (done: number): void => line.show(`${done} of ${cases.length} cases stored`);
    await saveGoldenSet(client, { name, cases }, tell, signal);
    line.end();
    return name;
  };
  const measured = async (): Promise<EvaluationReport> => {
    const order = {
      set: await setName(),
      profile: await profileName('profile', profile),
      against: against === undefined ? null : await profileName('against', against),
      tune: tune === undefined ? null : tunedName(tune),
      k,
    };
    const report = await evaluation(client, order, signal);
    return renamed(report, (text) => [...shown].reduce((all, [name, label]) => all.replaceAll(name, label), text));
  };
  const [outcome] = await Promise.allSettled([measured()]);
  const errors: unknown[] = outcome.status === 'rejected' ? [outcome.reason] : [];
  for (const [name, undo] of undos) {
    await undo().catch((thrown: unknown) => {
      printError(`${JSON.stringify(name)} could not be deleted from the gateway: ${asError(thrown).message}`);
      errors.push(thrown);
    });
  }
  if (errors.length > 0) throw errors[0];
  return (outcome as PromiseFulfilledResult<EvaluationReport>).value;
}

function renamed(report: EvaluationReport, label: (text: string) => string): EvaluationReport {
  const { set, profile, rankings, comparison, tuning } = report;
  return {
    ...report,
    set: label(set),
    profile: label(profile),
    rankings: rankings.map((ranking) => ({ ...ranking, name: label(ranking.name) })),
    tuning: tuning && { ...tuning, profile: label(tuning.profile) },
    comparison: comparison && { ...comparison, before: label(comparison.before), after: label(comparison.after) },
  };
}

const POLL_MS = 250;

async function evaluation(client: GatewayClient, order: object, signal: AbortSignal): Promise<EvaluationReport> {
  const { evaluate } = await client.ask<{ evaluate: { id: string } }>('evaluate', order);
  const line = new ProgressLine();
  for (;;) {
    await delay(POLL_MS, signal);
    signal.throwIfAborted();
    const { evaluation: job } = await client.ask<{
      evaluation: { state: string; done: number; total: number; error: string };
    }>('evaluation', evaluate);
    line.show(`${job.done} of ${job.total} cases measured`);
    if (job.state === 'RUNNING') continue;
    line.end();
    if (job.state === 'FAILED') throw new StartupError(`the evaluation failed: ${job.error}`, EXIT.failed);
    return readReport(client, evaluate.id);
  }
}

export async function readReport(client: GatewayClient, id: string): Promise<EvaluationReport> {
  const { evaluation } = await client.ask<{ evaluation: { reportJson: string } }>('evaluationReport', { id });
  return JSON.parse(evaluation.reportJson) as EvaluationReport;
}
