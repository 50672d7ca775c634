import { StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';
import type { GatewayClient } from './gateway-client.js';

/** Cards to practise for an export; at most one of the first five options. */
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

interface Found {
  readonly cards: readonly { readonly id: string }[];
}

const CHOICES: Readonly<Record<string, (client: GatewayClient, choice: PracticeChoice) => Promise<readonly string[]>>> =
  {
    due: async (client, { top }) => {
      const { dueCards } = await client.ask<{ dueCards: { nodes: readonly Named[] } }>('dueCardIds', { first: top });
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
      const { classOverview } = await client.ask<{ classOverview: { questions: readonly Named[] } }>('classCardIds', {
        group,
      });
      return classOverview.questions.map(({ card }) => card.id);
    },
  };

/**
 * The ids of the chosen cards, each followed by its siblings; null without any choice. StartupError if no card is
 * found.
 */
export async function practiceCards(client: GatewayClient, choice: PracticeChoice): Promise<readonly string[] | null> {
  const chosen = Object.keys(CHOICES).filter((name) => choice[name as keyof PracticeChoice] !== undefined);
  const [name, ...more] = chosen;
  if (name === undefined) return null;
  if (more.length > 0) throw new StartupError(`--${name} and --${more[0]} cannot be combined`, EXIT.usage);
  const ids = new Set(await CHOICES[name]?.(client, choice));
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
    const rungs = await rungsOf(client, { fromCardId: id }, Math.min(30, 3 * count));
    const siblings = rungs.filter((rung) => !all.has(rung)).slice(0, count);
    for (const sibling of siblings) all.add(sibling);
    ordered.push(id, ...siblings);
  }
  return ordered;
}

async function rungsOf(client: GatewayClient, from: object, first: number): Promise<readonly string[]> {
  const { practiceLadder } = await client.ask<{ practiceLadder: { rungs: readonly Named[] } }>('ladderCardIds', {
    ...from,
    first: Math.min(30, first),
  });
  return practiceLadder.rungs.map(({ card }) => card.id);
}
