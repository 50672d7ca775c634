import { Command, Option } from 'commander';
import { LANGUAGES } from '../domain/language.js';
import { MAX_BUDGET, MIN_BUDGET } from '../domain/parse/tutoring.js';
import { TUTORING_MODES, type TutoringContext } from '../domain/tutoring.js';
import { FILTER_OPTION, wholeNumber } from './option-parsers.js';
import { settings } from './settings.js';
import { print, printError } from './terminal.js';
import { type GatewayOptions, URL_OPTION, withGateway } from './with-gateway.js';

interface Options extends GatewayOptions {
  readonly card?: boolean;
  readonly mode: string;
  readonly budget?: number;
  readonly language?: string;
  readonly filter?: object;
  readonly json?: boolean;
}

type Context = Pick<TutoringContext, 'prompt' | 'tokens' | 'verdict' | 'reason'>;

export function contextCommand(): Command {
  return new Command('context')
    .description('Print a prompt for tutoring a mistake: rules, sources and the question.')
    .argument('<text>', 'the question or the words of a student; with --card the id of a card')
    .option(...URL_OPTION)
    .option('--card', 'the text is the id of a card')
    .addOption(new Option('--mode <mode>', 'task of the tutor').choices(TUTORING_MODES).default('EXPLAIN'))
    .option(
      '--budget <tokens>',
      `maximum tokens of the prompt, ${MIN_BUDGET} to ${MAX_BUDGET}`,
      wholeNumber(MIN_BUDGET, MAX_BUDGET),
    )
    .addOption(
      new Option('--language <language>', 'language of the prompt; default: that of the question').choices(LANGUAGES),
    )
    .option(...FILTER_OPTION)
    .option('--json', 'print the whole context as JSON, as POST /context returns it')
    .action(run);
}

async function run(text: string, { url, card, mode, budget, language, filter, json }: Options): Promise<void> {
  const args = {
    ...(card ? { cardId: text } : { text }),
    mode,
    budgetTokens: budget,
    language,
    filter,
    // A running gateway has its own default profile.
    profile: url === undefined ? settings().searchProfile : undefined,
  };
  await withGateway({ url }, async (client, signal) => {
    const response = await client.post('context', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(args),
      signal,
    });
    const context = (await client.json(response)) as Context;
    if (json) return print(JSON.stringify(context, null, 2));
    print(context.prompt);
    printError(`${context.verdict}: ${context.reason} (${context.tokens} tokens)`);
  });
}
