import { Readable } from 'node:stream';
import { Command, Option } from 'commander';
import { StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';
import { LANGUAGES } from '../domain/language.js';
import { EXPORT_FORMATS } from '../domain/parse/export.js';
import { closedBefore, type GatewayClient } from './gateway-client.js';
import { type PracticeChoice, practiceCards, withSiblings } from './practice-cards.js';
import { parseJsonObject } from './read-file.js';
import { settings } from './settings.js';
import { printFile } from './terminal.js';
import { share, wholeNumber } from './whole-number.js';
import { URL_OPTION, withGateway } from './with-gateway.js';
import { writeStream } from './write-file.js';

/** Values of `--by`. */
const SEARCHES = ['similarQuestions', 'bySolution', 'byConcept', 'byError', 'hybridSearch'] as const;

interface Options extends PracticeChoice {
  readonly url?: string;
  readonly format?: string;
  readonly filter?: string;
  readonly search?: string;
  readonly by: (typeof SEARCHES)[number];
  readonly diversity?: number;
  readonly title?: string;
  readonly language: string;
  readonly embedFiles?: true;
}

/** `errata export FILE` */
export function exportCommand(): Command {
  return new Command('export')
    .description('Write cards to a file: all, those that match a filter, or those that a search finds.')
    .argument('<file>', 'the file, or - for standard output; its extension determines the format')
    .option(...URL_OPTION)
    .addOption(
      new Option('--format <format>', 'format, if the extension does not determine it').choices(EXPORT_FORMATS),
    )
    .option('--filter <json>', 'a CardFilter as JSON, such as {"grades":["G6"]}')
    .option('--search <text>', 'only the cards that this search finds, best first')
    .addOption(new Option('--by <search>', 'which search').choices(SEARCHES).default('hybridSearch'))
    .option(
      '--diversity <share>',
      'with --search: how much the cards should differ, from 0 (the best ones, including near-duplicates) to 1',
      share,
    )
    .option('--top <number>', 'maximum number of cards of a search, --due or a ladder, 1 to 50', wholeNumber(1, 50), 20)
    .option('--due', 'the cards that are due today')
    .option('--ladder <card>', 'a ladder for the mistake of this card')
    .option('--topic <tag>', 'a ladder for a topic tag')
    .option('--error <type>', 'a ladder for an error type')
    .option('--fingerprint [owner]', 'the most important mistakes to work on, your own or those of a student')
    .option('--class <group>', 'the questions that most students of a group got wrong')
    .option('--with-siblings <number>', 'number of similar practice cards after each card, 1 to 10', wholeNumber(1, 10))
    .option('--embed-files', 'write uploaded files into JSON Lines, so that another gateway can import them')
    .option('--title <text>', 'the title of a paper')
    .addOption(new Option('--language <language>', 'language of headers and papers').choices(LANGUAGES).default('en'))
    .action(run);
}

async function run(file: string, options: Options): Promise<void> {
  const format = options.format ?? /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase();
  if (format === undefined || !(EXPORT_FORMATS as readonly string[]).includes(format)) {
    throw new StartupError(
      `the format of ${file} is unknown: use the extension .${EXPORT_FORMATS.join(', .')}, or give --format`,
      EXIT.usage,
    );
  }
  const filter = options.filter === undefined ? undefined : parseJsonObject(options.filter, '--filter', EXIT.usage);
  await withGateway(options, async (client, signal) => {
    const cardIds = await chosenCards(client, options, filter);
    const request = {
      format,
      ...(cardIds === null ? { filter } : { cardIds }),
      title: options.title,
      language: options.language,
      embedFiles: options.embedFiles,
    };
    const response = await client.post('export', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal,
    });
    if (response.body === null) throw new StartupError('the gateway sent no file', EXIT.unavailable);
    const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
    await (file === '-' ? printFile(body) : writeStream(file, body)).catch(closedBefore('the file was complete'));
  });
}

/** The ids of cards that were chosen one by one; null: those of the filter. */
async function chosenCards(
  client: GatewayClient,
  options: Options,
  filter: object | undefined,
): Promise<readonly string[] | null> {
  const toPractise = await practiceCards(client, options);
  if (toPractise !== null) {
    if (filter !== undefined || options.search !== undefined) {
      throw new StartupError(
        '--filter and --search cannot be combined with --due, ladders, --fingerprint and --class',
        EXIT.usage,
      );
    }
    return toPractise;
  }
  if (options.search !== undefined) {
    const found = await search(client, options, options.search, filter);
    return withSiblings(client, found, options.withSiblings ?? 0);
  }
  if (options.diversity !== undefined) throw new StartupError('--diversity needs --search', EXIT.usage);
  if (options.withSiblings !== undefined) {
    throw new StartupError('--with-siblings needs --search, --due, a ladder, --fingerprint or --class', EXIT.usage);
  }
  return null;
}

/** The ids of the cards that a search finds, best first. */
async function search(
  client: GatewayClient,
  { by, top, diversity, url }: Options,
  text: string,
  filter: object | undefined,
): Promise<readonly string[]> {
  // A running gateway has its own default profile.
  const profile = url === undefined ? settings().searchProfile : undefined;
  const options = diversity === undefined ? undefined : { diversity };
  const variables = { text, topK: top, filter, profile, options };
  const { found } = await client.ask<{ found: { hits: readonly { card: { id: string } }[] } }>(by, variables);
  if (found.hits.length === 0) throw new StartupError('the search found no card: nothing is written', EXIT.failed);
  return found.hits.map(({ card }) => card.id);
}
