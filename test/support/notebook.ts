import type { NewCard } from '../../src/domain/card.js';
import type { SearchOperation } from '../../src/domain/search.js';
import type { Api } from './gateway.js';
import { until } from './until.js';

const CREATE = `mutation Create($input: CreateCardInput!, $waitForIndex: Boolean) {
  createCard(input: $input, waitForIndex: $waitForIndex) { id revision index { state indexedRevision perspectives } }
}`;

export interface CreatedCard {
  readonly id: string;
  readonly revision: number;
  readonly index: {
    readonly state: string;
    readonly indexedRevision: number | null;
    readonly perspectives: readonly string[];
  };
}

const INDEX = 'query Index($id: ID!) { card(id: $id) { index { state indexedRevision perspectives } } }';

/**
 * Creates a card through the API; throws what the API answered where it refused. With `waitForIndex` it also waits
 * beyond the five seconds for which the API does: on a busy machine the first card of a gateway takes longer.
 */
export async function createCard(
  gateway: Api,
  input: Readonly<Record<string, unknown>>,
  waitForIndex = false,
): Promise<CreatedCard> {
  const { data, errors } = await gateway.gql<{ createCard: CreatedCard }>(CREATE, {
    input: { subject: 'math', difficulty: 3, ...input },
    waitForIndex,
  });
  if (data === null) throw new Error(`createCard answered ${JSON.stringify(errors)}`);
  return waitForIndex ? whenIndexed(gateway, data.createCard) : data.createCard;
}

const UPDATE = `mutation Update($id: ID!, $input: UpdateCardInput!) {
  updateCard(id: $id, input: $input, waitForIndex: true) {
    id revision index { state indexedRevision perspectives }
  }
}`;

/** Changes a card, and waits for the index as {@link createCard} does. */
export async function changeCard(
  gateway: Api,
  id: string,
  input: Readonly<Record<string, unknown>>,
): Promise<CreatedCard> {
  const { updateCard } = await gateway.must<{ updateCard: CreatedCard }>(UPDATE, { id, input });
  return whenIndexed(gateway, updateCard);
}

/** The card once the index has it: mutations wait for five seconds only. */
async function whenIndexed(gateway: Api, card: CreatedCard): Promise<CreatedCard> {
  const { id } = card;
  let latest = card.index;
  const isDone = async (): Promise<boolean> => {
    if (latest.state !== 'PENDING') return true;
    const answer = await gateway.gql<{ card: Pick<CreatedCard, 'index'> | null }>(INDEX, { id });
    latest = answer.data?.card?.index ?? latest;
    return latest.state !== 'PENDING';
  };
  await until(isDone, { deadlineMs: 120_000, what: `the card ${id} to be indexed` });
  return { ...card, index: latest };
}

const CREATE_ALL = `mutation CreateAll($inputs: [CreateCardInput!]!) {
  createCards(inputs: $inputs) { error { code field message } }
}`;

/** So few that a busy machine stores most of them before a request's deadline. */
const BULK = 25;

/**
 * Creates all cards, which have ids, and waits until every one of them is indexed; throws what the API answered where
 * it refused one.
 */
export async function createAll(gateway: Api, cards: readonly NewCard[]): Promise<void> {
  let left = cards.map((card) => ({ ...card, occurredAt: card.occurredAt.toISOString() }));
  const allowed = new Set(['DEADLINE_EXCEEDED']);
  while (left.length > 0) {
    const inputs = left.slice(0, BULK);
    const { data, errors } = await gateway.gql<{ createCards: { error: { code: string } | null }[] }>(CREATE_ALL, {
      inputs,
    });
    if (data === null && errors?.every(({ extensions }) => extensions.code === 'DEADLINE_EXCEEDED')) {
      // Any of them may have been stored, and then conflicts with itself.
      allowed.add('CONFLICT');
      continue;
    }
    if (data === null) throw new Error(`createCards answered ${JSON.stringify(errors)}`);
    const refusals = data.createCards.map(({ error }) => error);
    const refused = refusals.filter((error) => error !== null && !allowed.has(error.code));
    if (refused.length > 0) throw new Error(`createCards answered ${JSON.stringify(refused)}`);
    // What the request had no time for was not stored.
    left = [...inputs.filter((_, place) => refusals[place]?.code === 'DEADLINE_EXCEEDED'), ...left.slice(BULK)];
  }
  await indexed(gateway);
}

/** Waits until nothing is pending. */
export async function indexed(gateway: Api, deadlineMs = 120_000): Promise<void> {
  await until(
    async () => {
      const { data } = await gateway.gql<{ indexStatus: { pending: number; building: boolean } }>(
        '{ indexStatus { pending building } }',
      );
      return data?.indexStatus.pending === 0 && !data.indexStatus.building;
    },
    { deadlineMs, what: 'the index to have every card' },
  );
}

export interface Hit {
  readonly rank: number;
  readonly score: number;
  readonly verdict: string;
  readonly layer: string | null;
  readonly threshold: number | null;
  readonly card: { readonly id: string };
  readonly lanes: readonly {
    readonly perspective: string;
    readonly kind: string;
    readonly score: number;
    readonly weight: number;
    readonly contribution: number;
    readonly rank: number | null;
  }[];
}

export interface Receipt {
  readonly strategy: string;
  readonly fusion: string;
  readonly filterPlan: string;
  readonly matchedByFilter: number | null;
  readonly candidates: number;
  readonly thresholdsTried: readonly number[];
  readonly nothingClose: boolean;
  readonly layers: readonly { readonly layer: string; readonly admitted: number; readonly threshold: number | null }[];
  readonly expandedQuery: string | null;
  readonly inferredConcepts: readonly string[];
  readonly tookMs: number;
  readonly degraded: readonly { readonly part: string; readonly reason: string }[];
}

/** Runs one search with any of its arguments; throws what the API answered where it refused. */
export async function search(
  gateway: Api,
  operation: SearchOperation,
  args: Readonly<Record<string, unknown>>,
): Promise<{ readonly hits: readonly Hit[]; readonly receipt: Receipt }> {
  const types: Readonly<Record<string, string>> = {
    text: 'String',
    cardId: 'ID',
    topK: 'Int',
    filter: 'CardFilter',
    options: 'SearchOptions',
    weights: 'PerspectiveWeights',
  };
  const names = Object.keys(args);
  const query = `query Search(${names.map((name) => `$${name}: ${types[name]}`).join(', ')}) {
    ${operation}(${names.map((name) => `${name}: $${name}`).join(', ')}) {
      hits { rank score verdict layer threshold card { id } lanes { perspective kind score weight contribution rank } }
      receipt {
        strategy fusion filterPlan matchedByFilter candidates thresholdsTried nothingClose layers { layer admitted threshold }
        expandedQuery inferredConcepts tookMs degraded { part reason }
      }
    }
  }`;
  const { data, errors } = await gateway.gql<Record<string, { hits: Hit[]; receipt: Receipt }>>(query, args);
  const answer = data?.[operation];
  if (!answer) throw new Error(`${operation} answered ${JSON.stringify(errors)}`);
  return answer;
}

/** As {@link search}, asked again until no lane was left out: on a busy machine Chroma may miss a lane's deadline. */
export async function wholeSearch(...asked: Parameters<typeof search>): ReturnType<typeof search> {
  const whole = async () => {
    const answer = await search(...asked);
    return answer.receipt.degraded.length === 0 && answer;
  };
  return until(whole, { deadlineMs: 60_000, what: 'an answer that is not degraded' });
}

/** The ids of the hits, best first. */
export function idsOf({ hits }: { readonly hits: readonly Hit[] }): readonly string[] {
  return hits.map(({ card }) => card.id);
}
