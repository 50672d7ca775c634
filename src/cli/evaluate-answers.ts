import { Command, Option } from 'commander';
import { delay } from '../domain/async.js';
import { StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';
import {
  type AnswerCase,
  PUBLIC_SETS,
  type PublicDialogue,
  type PublicSet,
  parseAnswerCase,
  parseDialogue,
} from '../domain/parse/answer-cases.js';
import { Tokenizer } from '../text/tokenizer.js';
import { measureAnswer, type RecordedAnswer } from '../tutoring/answer-metrics.js';
import { answerReport, type MeasuredAnswer, reportPage, reportText } from './answer-report.js';
import { AnsweredError, type GatewayClient } from './gateway-client.js';
import { wholeNumber } from './option-parsers.js';
import { readJson, readJsonLines } from './read-file.js';
import { loadCards } from './scratch-gateway.js';
import { oneLine, print, printError } from './terminal.js';
import { streamTutor } from './tutor-stream.js';
import { type GatewayOptions, URL_OPTION, withGateway } from './with-gateway.js';
import { refuseUnwritable, writeText } from './write-file.js';

interface Options extends GatewayOptions {
  readonly from?: PublicSet;
  readonly limit?: number;
  readonly report?: string;
  readonly json?: string;
}

export function evaluateAnswersCommand(): Command {
  return new Command('evaluate-answers')
    .description(
      'Measure the answers of the tutor: citations, refusals, hints that reveal the answer, tokens and time.',
    )
    .argument('<file>', 'answer cases as JSON Lines, or the file of a public set with --from')
    .option(...URL_OPTION)
    .addOption(
      new Option(
        '--from <set>',
        'public set that the file belongs to; its questions become cards of the notebook',
      ).choices(PUBLIC_SETS),
    )
    .option('--limit <number>', 'maximum number of cases', wholeNumber(1, 100_000))
    .option('--report <file>', 'write an HTML page')
    .option('--json <file>', 'write every answer with its metrics')
    .action(run);
}

async function run(file: string, options: Options): Promise<void> {
  const { cards, cases } = await load(file, options);
  for (const output of [options.report, options.json]) if (output !== undefined) await refuseUnwritable(output);
  const tokenizer = new Tokenizer();
  await withGateway(options, async (client, signal) => {
    if (cards.length > 0) await loadCards(client, cards, () => undefined, signal);
    const measured: MeasuredAnswer[] = [];
    for (const one of cases) {
      const { answer, problem } = await recordPatiently(client, one, signal);
      measured.push({ answer, metrics: measureAnswer(answer, (text) => tokenizer.tokens(text)) });
      const outcome = answer.failure ?? answer.refusal ?? 'answered';
      const said = `${measured.length} of ${cases.length}: ${one.id}: ${outcome}`;
      printError(oneLine(problem === null ? said : `${said}: ${problem}`));
    }
    if (measured.every(({ answer }) => answer.failure !== null)) process.exitCode = EXIT.failed;
    const lines = answerReport(measured);
    print(reportText(lines));
    if (options.report !== undefined) await writeText(options.report, reportPage(file, lines, measured));
    if (options.json !== undefined)
      await writeText(options.json, `${JSON.stringify({ lines, measured }, shownMap, 2)}\n`);
  });
}

function shownMap(_key: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value;
}

interface Loaded {
  readonly cards: readonly object[];
  readonly cases: readonly AnswerCase[];
}

/** StartupError (66) for a file that cannot be read, BadInputError for a line that is not a case. */
async function load(file: string, { from, limit = Number.POSITIVE_INFINITY }: Options): Promise<Loaded> {
  const entries = (from === 'mrbench' ? await readEntries(file) : await readJsonLines(file)).slice(0, limit);
  if (entries.length === 0) throw new StartupError(`${file} has no case`, EXIT.input);
  if (from === undefined) {
    return { cards: [], cases: entries.map(({ value, where }) => parseAnswerCase(value, where)) };
  }
  const first = new Map<string, PublicDialogue>();
  for (const { value, where } of entries) {
    const dialogue = parseDialogue(from, value, where);
    // Several dialogues of MathDial are about the same question.
    if (!first.has(dialogue.case.id)) first.set(dialogue.case.id, dialogue);
  }
  return { cards: [...first.values()].map(({ card }) => card), cases: [...first.values()].map((one) => one.case) };
}

async function readEntries(file: string): Promise<readonly { readonly value: unknown; readonly where: string }[]> {
  const entries = await readJson(file);
  if (!Array.isArray(entries)) throw new StartupError(`${file} must be a JSON list`, EXIT.input);
  return entries.map((value: unknown, place) => ({ value, where: `${file}: entry ${place + 1}` }));
}

interface Recorded {
  readonly answer: RecordedAnswer;
  /** Message of the failure; null if the answer did not fail, or the stream ended early. */
  readonly problem: string | null;
}

/** Delays between the tries of a question that a busy gateway refuses, in ms: one refusal must not end a long run. */
const RETRY_DELAYS_MS = [1_000, 2_000, 4_000];

async function recordPatiently(client: GatewayClient, one: AnswerCase, signal: AbortSignal): Promise<Recorded> {
  for (const delayMs of RETRY_DELAYS_MS) {
    try {
      return await record(client, one, signal);
    } catch (thrown) {
      if (!(thrown instanceof AnsweredError && thrown.isTemporary)) throw thrown;
      printError(oneLine(`${one.id}: ${thrown.message}; asking again`));
    }
    await delay(delayMs, signal);
    signal.throwIfAborted();
  }
  return record(client, one, signal);
}

/** Codes of a case that cannot be asked, such as one about a card that was deleted: the others can. */
const OF_THE_CASE: ReadonlySet<string> = new Set(['NOT_FOUND', 'BAD_USER_INPUT']);

/** Asks the tutor and records its answer. AnsweredError if the gateway refuses every question, or is busy. */
async function record(client: GatewayClient, one: AnswerCase, signal: AbortSignal): Promise<Recorded> {
  const { id, text, cardId, mode, evidence } = one;
  const started = performance.now();
  const since = (): number => performance.now() - started;
  const recorded = {
    id,
    mode,
    label: evidence,
    text: '',
    quotes: new Map<string, string>(),
    refusal: null as RecordedAnswer['refusal'],
    failure: null as string | null,
    wasAskedAgain: false,
    promptTokens: 0,
    answerTokens: 0,
    firstMs: null as number | null,
    totalMs: 0,
    question: text ?? '',
    card: null,
    sources: [] as RecordedAnswer['sources'],
  };
  let hasEnded = false;
  let problem: string | null = null;
  try {
    for await (const event of streamTutor(client, { text, cardId, mode }, signal)) {
      if (event.__typename === 'TutorContextEvent') {
        recorded.question = event.context.question;
        recorded.sources = event.context.sources;
        recorded.promptTokens = event.context.tokens;
        for (const source of event.context.sources) recorded.quotes.set(source.label, source.text);
      } else if (event.__typename === 'TutorDelta') {
        recorded.firstMs ??= since();
        recorded.text += event.text;
      } else if (event.__typename === 'TutorDone') {
        hasEnded = true;
        recorded.answerTokens = event.answerTokens;
        recorded.wasAskedAgain = event.wasAskedAgain;
      } else if (event.__typename === 'TutorRefused') recorded.refusal = event.refusal;
      else if (event.__typename === 'TutorFailed') {
        recorded.failure = event.errorCode;
        problem = event.message;
      }
    }
  } catch (thrown) {
    if (!(thrown instanceof AnsweredError && OF_THE_CASE.has(thrown.code))) throw thrown;
    recorded.failure = thrown.code;
    problem = thrown.message;
  }
  if (!hasEnded && recorded.refusal === null) recorded.failure ??= 'INCOMPLETE';
  return { answer: { ...recorded, totalMs: since() }, problem };
}
