import { Readable } from 'node:stream';
import { Command, Option } from 'commander';
import { StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';
import { LANGUAGES } from '../domain/language.js';
import { EMPTY_HEADER, EXPORT_FORMATS, isForReaders, MAX_NAMED_CARDS } from '../domain/parse/export.js';
import { filterInput } from '../domain/parse/filter.js';
import { MAX_RUNGS } from '../domain/parse/practice.js';
import { SEARCH_OPERATIONS, type SearchOperation } from '../domain/search.js';
import type { AskingCard } from '../practice/ladder.js';
import { closedBefore, type GatewayClient } from './gateway-client.js';
import { FILTER_OPTION, share, wholeNumber } from './option-parsers.js';
import {
  type PracticeChoice,
  type PracticeOption,
  practiceCards,
  practiceOption,
  withSiblings,
} from './practice-cards.js';
import { settings } from './settings.js';
import { printError, printFile } from './terminal.js';
import { type GatewayOptions, URL_OPTION, withGateway } from './with-gateway.js';
import { writeStream } from './write-file.js';

const TOP = 20;

interface Options extends GatewayOptions, Omit<PracticeChoice, 'top' | 'isPaper'> {
  readonly format?: string;
  readonly filter?: object;
  readonly search?: string;
  readonly by?: SearchOperation;
  readonly top?: number;
  readonly diversity?: number;
  readonly title?: string;
  readonly language: string;
  readonly embedFiles?: true;
}

interface Found {
  readonly hits: readonly { readonly card: AskingCard }[];
  readonly pageInfo: { readonly hasNextPage: boolean };
}

type Chosen = Options & Pick<PracticeChoice, 'top' | 'isPaper'>;

export function exportCommand(): Command {
  return new Command('export')
    .description('Write cards to a file: all, those that match a filter, or those that a search finds.')
    .argument('<file>', 'the file, or - for standard output; its extension determines the format')
    .option(...URL_OPTION)
    .addOption(
      new Option('--format <format>', 'format, if the extension does not determine it').choices(EXPORT_FORMATS),
    )
    .option(...FILTER_OPTION)
    .option('--search <text>', 'only the cards that this search finds, best first')
    .addOption(
      new Option('--by <search>', 'with --search: which search; default: hybridSearch').choices(SEARCH_OPERATIONS),
    )
    .option(
      '--diversity <share>',
      'with --search: how much the cards should differ, from 0 (the best ones, including near-duplicates) to 1',
      share,
    )
    .option(
      '--top <number>',
      `maximum number of cards of a search or --due, 1 to 50, or of a ladder, 1 to ${MAX_RUNGS}; default: ${TOP}`,
      wholeNumber(1, 50),
    )
    .option('--due', 'the cards that are due today')
    .option('--ladder <card>', 'a ladder for the mistake of this card')
    .option('--topic <tag>', 'a ladder for a topic tag')
    .option('--error <type>', 'a ladder for an error type')
    .option('--fingerprint [owner]', 'the most important mistakes to work on, your own or those of a student')
    .option('--class <group>', 'the questions that most students of a group got wrong; papers omit mistakes and notes')
    .option('--with-siblings <number>', 'number of similar practice cards after each card, 1 to 10', wholeNumber(1, 10))
    .option('--embed-files', 'write uploaded files into JSON Lines, so that another gateway can import them')
    .option('--title <text>', 'the title of a paper')
    .addOption(new Option('--language <language>', 'language of headers and papers').choices(LANGUAGES).default('en'))
    .action(run);
}

async function run(file: string, options: Options): Promise<void> {
  const format = options.format ?? formatOf(file);
  const practice = practiceOption(options);
  const problem = problemOf(options, practice, format);
  if (problem !== null) throw new StartupError(problem, EXIT.usage);
  await withGateway(options, async (client, signal) => {
    const chosen = { ...options, top: options.top ?? TOP, isPaper: isPaper(format) };
    const cardIds = await chosenCards(client, chosen, practice);
    // Papers to practise are handed out: what one student wrote is not for the others.
    const isHandedOut = isForReaders(format) && (practice !== null || options.withSiblings !== undefined);
    const request = {
      format,
      ...(cardIds === null ? { filter: options.filter } : { cardIds }),
      title: options.title,
      language: options.language,
      embedFiles: options.embedFiles,
      ...(isHandedOut && (await mistakesShown(client, options))),
    };
    const response = await client.download('export', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal,
    });
    if (response.body === null) throw new StartupError('the gateway sent no file', EXIT.unavailable);
    if (response.headers.has(EMPTY_HEADER)) {
      await response.body.cancel();
      const what = options.filter === undefined ? 'there are no cards' : 'no card matches the filter';
      throw new StartupError(`${what}: nothing is written`, EXIT.failed);
    }
    const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
    await (file === '-' ? printFile(body) : writeStream(file, body)).catch(closedBefore('the file was complete'));
  });
}

/** StartupError (64) for an unknown extension. */
function formatOf(file: string): string {
  const extension = /\.anki\.txt$/i.test(file) ? 'anki' : /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase();
  const format = EXPORT_FORMATS.find((one) => one === extension);
  if (format !== undefined) return format;
  const extensions = EXPORT_FORMATS.map((one) => (one === 'anki' ? '.anki.txt' : `.${one}`));
  throw new StartupError(
    `the format of ${file} is unknown: use the extension ${extensions.join(', ')}, or give --format`,
    EXIT.usage,
  );
}

function isPaper(format: string): boolean {
  return format === 'md' || format === 'html';
}

/** Options that do not go together, in one sentence; null if all do. */
function problemOf(options: Options, practice: PracticeOption | null, format: string): string | null {
  const { search, filter, by, diversity, top, withSiblings, embedFiles, title } = options;
  if (practice !== null && (filter !== undefined || search !== undefined)) {
    return '--filter and --search cannot be combined with --due, ladders, --fingerprint and --class';
  }
  if (search === undefined && by !== undefined) return '--by needs --search';
  if (search === undefined && diversity !== undefined) return '--diversity needs --search';
  const isLadder = practice === 'ladder' || practice === 'topic' || practice === 'error';
  const hasTop = search !== undefined || practice === 'due' || isLadder;
  if (top !== undefined && !hasTop) return '--top needs --search, --due or a ladder';
  if (isLadder && (top ?? TOP) > MAX_RUNGS) return `--top: a ladder has at most ${MAX_RUNGS} cards`;
  if (withSiblings !== undefined && search === undefined && practice === null) {
    return '--with-siblings needs --search, --due, a ladder, --fingerprint or --class';
  }
  const most = (top ?? TOP) * (1 + (withSiblings ?? 0));
  if (hasTop && most > MAX_NAMED_CARDS)
    return `--top with --with-siblings: up to ${most} cards, of which ${MAX_NAMED_CARDS} fit`;
  if (title !== undefined && !isPaper(format)) return '--title is for papers only: .md and .html';
  return embedFiles && format !== 'jsonl' ? '--embed-files is for JSON Lines only' : null;
}

/** The ids of cards that were chosen one by one; null: those of the filter. */
async function chosenCards(
  client: GatewayClient,
  options: Chosen,
  practice: PracticeOption | null,
): Promise<readonly string[] | null> {
  if (practice !== null) return practiceCards(client, practice, options);
  if (options.search === undefined) return null;
  return withSiblings(client, await search(client, options, options.search), options);
}

/** Whose mistakes a paper shows: of a class nobody's, otherwise those of the student whom it is for. */
async function mistakesShown(client: GatewayClient, { class: group, fingerprint }: Options): Promise<object> {
  if (group !== undefined) return { withoutMistakes: true };
  if (typeof fingerprint === 'string') return { mistakesOf: fingerprint };
  const { viewer } = await client.ask<{ viewer: { ownerId: string } }>('viewer');
  return { mistakesOf: viewer.ownerId };
}

/** The cards that a search finds, best first. */
async function search(
  client: GatewayClient,
  { by = 'hybridSearch', top, diversity, filter, url }: Chosen,
  text: string,
): Promise<readonly AskingCard[]> {
  // A running gateway has its own default profile.
  const profile = url === undefined ? settings().searchProfile : undefined;
  const options = diversity === undefined ? undefined : { diversity };
  const variables = { text, topK: top, filter: filter && filterInput(filter), profile, options };
  const { found } = await client.ask<{ found: Found }>(by, variables);
  if (found.hits.length === 0) throw new StartupError('the search found no card: nothing is written', EXIT.failed);
  if (found.pageInfo.hasNextPage) {
    printError(
      `the search found more than ${found.hits.length} cards: the best ${found.hits.length} are written (--top)`,
    );
  }
  return found.hits.map(({ card }) => card);
}
