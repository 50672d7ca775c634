import { StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';
import type { GatewayClient } from './gateway-client.js';
import { printError } from './terminal.js';

export const MAX_RUNGS = 30;

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
}

interface Named {
  readonly card: { readonly id: string };
}

interface DueCards {
  readonly nodes: readonly Named[];
  readonly totalCount: number;
}

interface ClassQuestions {
  readonly questions: readonly Named[];
  readonly minStudents: number;
}

interface Found {
  readonly cards: readonly { readonly id: string }[];
}

type Choose = (client: GatewayClient, choice: PracticeChoice) => Promise<readonly string[]>;

const CHOICES = {
  due: async (client, { top }) => {
    const { dueCards } = await client.ask<{ dueCards: DueCards }>('dueCardIds', { first: top });
    const { length } = dueCards.nodes;
    if (length < dueCards.totalCount) printError(`${length} of ${dueCards.totalCount} due cards are written (--top)`);
    return dueCards.nodes.map(({ card }) => card.id);
  },
  ladder: (client, { ladder, top }) => rungsOf(client, { fromCardId: ladder }, top),
  topic: (client, { topic, top }) => rungsOf(client, { topicTag: topic }, top),
  error: (client, { error, top }) => rungsOf(client, { errorType: error }, top),
  fingerprint: async (client, { fingerprint }) => {
    const owner = typeof fingerprint === 'string' ? fingerprint : null;
    const { mistakeFingerprint } = await client.ask<{ mistakeFingerprint: { mostWorth: readonly Found[] } }>(
      'fingerprintCardIds',
      { owner },
    );
    return mistakeFingerprint.mostWorth.flatMap(({ cards }) => cards.map(({ id }) => id));
  },
  class: async (client, { class: group }) => {
    const { classOverview } = await client.ask<{ classOverview: ClassQuestions }>('classCardIds', { group });
    const { questions, minStudents } = classOverview;
    if (questions.length === 0) printError(`questions that fewer than ${minStudents} students got wrong are left out`);
    return questions.map(({ card }) => card.id);
  },
} satisfies Readonly<Record<string, Choose>>;

export type PracticeOption = keyof typeof CHOICES;

/** The option that chooses cards to practise; null without any. StartupError (64) if there are several. */
export function practiceOption(choice: Partial<PracticeChoice>): PracticeOption | null {
  const [name, second] = (Object.keys(CHOICES) as PracticeOption[]).filter((one) => choice[one] !== undefined);
  if (second !== undefined) throw new StartupError(`--${name} and --${second} cannot be combined`, EXIT.usage);
  return name ?? null;
}

/**
 * The ids of the cards that the option chooses, each followed by its siblings. StartupError (1) if no card is found.
 */
export async function practiceCards(
  client: GatewayClient,
  option: PracticeOption,
  choice: PracticeChoice,
): Promise<readonly string[]> {
  const ids = new Set(await CHOICES[option](client, choice));
  if (ids.size === 0) throw new StartupError('no card to practise was found: nothing is written', EXIT.failed);
  return withSiblings(client, [...ids], choice.withSiblings ?? 0);
}

/** Each card, followed by up to `count` others that train the same; no card twice. */
export async function withSiblings(
  client: GatewayClient,
  ids: readonly string[],
  count: number,
): Promise<readonly string[]> {
  if (count === 0) return ids;
  const all = new Set(ids);
  const ordered: string[] = [];
  for (const id of ids) {
    // Some of them may be on the paper already.
    const rungs = await rungsOf(client, { fromCardId: id }, Math.min(MAX_RUNGS, 3 * count));
    const siblings = rungs.filter((rung) => !all.has(rung)).slice(0, count);
    for (const sibling of siblings) all.add(sibling);
    ordered.push(id, ...siblings);
  }
  return ordered;
}

async function rungsOf(client: GatewayClient, from: object, first: number): Promise<readonly string[]> {
  const { practiceLadder } = await client.ask<{ practiceLadder: { rungs: readonly Named[] } }>('ladderCardIds', {
    ...from,
    first,
  });
  return practiceLadder.rungs.map(({ card }) => card.id);
}
