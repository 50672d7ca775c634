import { Readable } from 'node:stream';
import { Command } from 'commander';
import { resumed } from '../domain/async.js';
import { BadInputError, StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';
import { slicesOf } from '../domain/grouped.js';
import { MAX_ATTEMPTS, parseAttempts } from '../domain/parse/practice.js';
import { ATTEMPT_FIELDS, ATTEMPT_OUTCOMES, type AttemptOutcome } from '../domain/practice.js';
import { BYTE_ORDER_MARK, csvLine } from '../exchange/formats/write/csv.js';
import { readAttemptFile, refuseOtherFormat } from './attempt-file.js';
import { entriesOf, type GatewayClient, type Page } from './gateway-client.js';
import { ProgressLine } from './progress.js';
import { oneLine, print } from './terminal.js';
import { type GatewayOptions, URL_OPTION, withGateway } from './with-gateway.js';
import { writeStream } from './write-file.js';

/** Limit of a request in UTF-16 units; a body has at most 256 kB. */
const MAX_CHARS = 80_000;

interface SentRow {
  readonly row: number;
  readonly attempt: Readonly<Record<string, unknown>>;
}

interface Recorded {
  readonly recorded: readonly { readonly outcome: AttemptOutcome }[];
}

type Counts = Record<AttemptOutcome | 'failed', number>;

export function attemptsCommand(): Command {
  const attempts = new Command('attempts').description('Manage attempts at cards.');
  attempts
    .command('import')
    .description(
      'import attempts from .csv, .xlsx and .jsonl files; a row that was imported before is not stored again',
    )
    .argument('<file...>', 'files with cardId, correct, at, and optionally the other fields of AttemptInput')
    .option(...URL_OPTION)
    .action(run);
  attempts
    .command('export')
    .description('write the attempts of a student to a file that can be imported, the latest first')
    .argument('<file>', 'a .csv or .jsonl file')
    .option('--owner <owner>', 'the student; by default you')
    .option(...URL_OPTION)
    .action(runExport);
  return attempts;
}

async function runExport(file: string, { owner, ...options }: GatewayOptions & { readonly owner?: string }) {
  const format = /\.(csv|jsonl)$/i.exec(file)?.[1]?.toLowerCase();
  if (format === undefined) {
    throw new StartupError(`the format of ${file} is unknown: use the extension .csv or .jsonl`, EXIT.usage);
  }
  await withGateway(options, async (client, signal) => {
    const attempts = entriesOf(async (after) => {
      signal.throwIfAborted();
      return (await client.ask<{ attempts: Page<StoredAttempt> }>('attempts', { owner, after })).attempts;
    });
    const first = await attempts.next();
    if (first.done) throw new StartupError('there are no attempts: nothing is written', EXIT.failed);
    const all = resumed(first, attempts);
    await writeStream(file, Readable.from(format === 'csv' ? csvOf(all) : linesOf(all)));
  });
}

type StoredAttempt = Readonly<Record<string, unknown>>;

async function* linesOf(attempts: AsyncIterable<StoredAttempt>): AsyncGenerator<string> {
  for await (const attempt of attempts) yield `${JSON.stringify(attempt)}\n`;
}

/** Occurrences are exported with the cards. */
const EXPORTED = Object.keys(ATTEMPT_FIELDS).filter((field) => field !== 'recordOccurrence');

async function* csvOf(attempts: AsyncIterable<StoredAttempt>): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(EXPORTED);
  for await (const attempt of attempts) yield csvLine(EXPORTED.map((field) => String(attempt[field] ?? '')));
}

async function run(files: readonly string[], options: GatewayOptions): Promise<void> {
  files.forEach(refuseOtherFormat);
  await withGateway(options, async (client, signal) => {
    for (const file of files) {
      const counts = await importAttempts(client, file, signal);
      const said = ATTEMPT_OUTCOMES.map((outcome) => `${counts[outcome]} ${WORDS[outcome]}`);
      print(oneLine(`${file}: ${said.join(', ')}, ${counts.failed} invalid rows`));
      if (counts.failed + counts.CONFLICT + counts.CARD_NOT_FOUND > 0) process.exitCode = EXIT.failed;
    }
  });
}

const WORDS: Readonly<Record<AttemptOutcome, string>> = {
  RECORDED: 'recorded',
  REPEATED: 'already recorded',
  CONFLICT: 'with the key of another attempt',
  CARD_NOT_FOUND: 'for an unknown card',
};

async function importAttempts(client: GatewayClient, file: string, signal: AbortSignal): Promise<Counts> {
  const counts: Counts = { RECORDED: 0, REPEATED: 0, CONFLICT: 0, CARD_NOT_FOUND: 0, failed: 0 };
  const line = new ProgressLine();
  let batch: SentRow[] = [];
  const flush = async (): Promise<void> => {
    for (const slice of slicesOf(batch, ({ attempt }) => JSON.stringify(attempt).length, MAX_CHARS)) {
      signal.throwIfAborted();
      const attempts = slice.map(({ attempt }) => attempt);
      const { recorded } = await client.ask<Recorded>('recordAttempts', { attempts });
      for (const [place, { outcome }] of recorded.entries()) {
        counts[outcome] += 1;
        if (outcome === 'CONFLICT' || outcome === 'CARD_NOT_FOUND') {
          line.end(oneLine(`${file}: row ${slice[place]?.row}: ${WORDS[outcome]}`));
        }
      }
    }
    batch = [];
    line.show(`${file}: ${counts.RECORDED} recorded`);
  };
  for await (const read of readAttemptFile(file)) {
    if ('notice' in read) {
      line.end(oneLine(`${file}: ${read.notice}`));
      continue;
    }
    const problem = 'problem' in read ? read.problem : problemOf(read.attempt);
    if (problem !== null) {
      counts.failed += 1;
      line.end(oneLine(`${file}: row ${read.row}: ${problem}`));
    } else if ('attempt' in read) batch.push(read);
    if (batch.length === MAX_ATTEMPTS) await flush();
  }
  await flush();
  line.end();
  return counts;
}

/** Checks rows locally, because the gateway would refuse the whole request. */
function problemOf(attempt: Readonly<Record<string, unknown>>): string | null {
  // Without a time, the key would not be stable.
  if (attempt.at === undefined || attempt.at === null) return 'at: is required';
  try {
    parseAttempts([attempt], '');
    return null;
  } catch (thrown) {
    if (!(thrown instanceof BadInputError)) throw thrown;
    return thrown.message.replace(/^\[0\]\.?/, '');
  }
}
