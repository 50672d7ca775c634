import { StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';
import { MAX_RUNGS } from '../domain/parse/practice.js';
import { type AskingCard, duplicateDetector } from '../practice/ladder.js';
import type { GatewayClient } from './gateway-client.js';
import { printError } from './terminal.js';

/** Cards to practise for an export; at most one of the options before `withSiblings`. */
export interface PracticeChoice {
  readonly due?: boolean;
  readonly ladder?: string;
  readonly topic?: string;
  readonly error?: string;
  readonly fingerprint?: boolean | string;
  readonly class?: string;
  readonly withSiblings?: number;
  readonly top: number;
  /** Whether the questions are printed: in other files each card is an entry of its own. */
  readonly isPaper: boolean;
}

interface OfCard {
  readonly card: AskingCard;
}

interface DueCards {
  readonly nodes: readonly OfCard[];
  readonly totalCount: number;
}

interface ClassQuestions {
  readonly questions: readonly OfCard[];
  readonly minStudents: number;
}

interface Found {
  readonly cards: readonly AskingCard[];
}

type Choose = (client: GatewayClient, choice: PracticeChoice) => Promise<readonly AskingCard[]>;

const CHOICES = {
  due: async (client, { top }) => {
    const { dueCards } = await client.ask<{ dueCards: DueCards }>('dueQuestions', { first: top });
    const { length } = dueCards.nodes;
    if (length < dueCards.totalCount) printError(`${length} of ${dueCards.totalCount} due cards are written (--top)`);
    return dueCards.nodes.map(({ card }) => card);
  },
  ladder: (client, { ladder, top }) => rungsOf(client, { fromCardId: ladder }, top),
  topic: (client, { topic, top }) => rungsOf(client, { topicTag: topic }, top),
  error: (client, { error, top }) => rungsOf(client, { errorType: error }, top),
  fingerprint: async (client, { fingerprint }) => {
    const owner = typeof fingerprint === 'string' ? fingerprint : null;
    const { mistakeFingerprint } = await client.ask<{ mistakeFingerprint: { mostWorth: readonly Found[] } }>(
      'fingerprintQuestions',
      { owner },
    );
    return mistakeFingerprint.mostWorth.flatMap(({ cards }) => cards);
  },
  class: async (client, { class: group }) => {
    const { classOverview } = await client.ask<{ classOverview: ClassQuestions }>('classQuestions', { group });
    const { questions, minStudents } = classOverview;
    if (questions.length === 0) printError(`questions that fewer than ${minStudents} students got wrong are left out`);
    return questions.map(({ card }) => card);
  },
} satisfies Readonly<Record<string, Choose>>;

export type PracticeOption = keyof typeof CHOICES;

/** The option that chooses cards to practise; null without any. StartupError (64) if there are several. */
export function practiceOption(choice: Partial<PracticeChoice>): PracticeOption | null {
  const [name, second] = (Object.keys(CHOICES) as PracticeOption[]).filter((one) => choice[one] !== undefined);
  if (second !== undefined) throw new StartupError(`--${name} and --${second} cannot be combined`, EXIT.usage);
  return name ?? null;
}

/** The ids of the cards that the option chooses, as {@link withSiblings}. StartupError (1) if no card is found. */
export async function practiceCards(
  client: GatewayClient,
  option: PracticeOption,
  choice: PracticeChoice,
): Promise<readonly string[]> {
  const cards = await CHOICES[option](client, choice);
  if (cards.length === 0) throw new StartupError('no card to practise was found: nothing is written', EXIT.failed);
  return withSiblings(client, cards, choice);
}

/**
 * The ids of the cards, each followed by up to `siblings` others that train the same; no card twice, and on a paper no
 * question: in a school, each student has a card of it.
 */
export async function withSiblings(
  client: GatewayClient,
  cards: readonly AskingCard[],
  { withSiblings: siblings = 0, isPaper }: Pick<PracticeChoice, 'withSiblings' | 'isPaper'>,
): Promise<readonly string[]> {
  const isDuplicate = isPaper ? duplicateDetector() : (a: AskingCard, b: AskingCard): boolean => a.id === b.id;
  const asked: AskingCard[] = [];
  const isNew = (card: AskingCard): boolean => !asked.some((other) => isDuplicate(other, card));
  for (const card of cards) if (isNew(card)) asked.push(card);
  const chosen = asked.slice();
  const ordered: string[] = [];
  for (const { id } of chosen) {
    // Some of them may be on the paper already.
    const rungs = siblings === 0 ? [] : await rungsOf(client, { fromCardId: id }, Math.min(MAX_RUNGS, 3 * siblings));
    const added = rungs.filter(isNew).slice(0, siblings);
    asked.push(...added);
    ordered.push(id, ...added.map((card) => card.id));
  }
  return ordered;
}

async function rungsOf(client: GatewayClient, from: object, first: number): Promise<readonly AskingCard[]> {
  const { practiceLadder } = await client.ask<{ practiceLadder: { rungs: readonly OfCard[] } }>('ladderQuestions', {
    ...from,
    first,
  });
  return practiceLadder.rungs.map(({ card }) => card);
}
