import type { Gateway } from '../../support/gateway.js';
import { createCard, idsOf, wholeSearch } from '../../support/notebook.js';
import { until } from '../../support/until.js';
import { wordOf } from './world.js';

/** What a card may be now: the number of its texts, or null if there is no such card. */
type State = number | null;

/**
 * A deleted card's records are gone a moment after it; where the answer to the claim was lost with the database's
 * connection, after the lease of half a minute.
 */
const FORGOTTEN_WITHIN_MS = 45_000;

/** How many of the cards that nobody touched are looked at. */
const FEW = 20;

/** How many requests are under way at a time. */
const WRITERS = 4;

/**
 * Writes cards through the API and remembers what was acknowledged; whoever is cut off may or may not have been heard.
 */
export class Writers {
  /** By card: the acknowledged state, and after a request without an answer what it asked for too. */
  readonly #states = new Map<string, State[]>();
  readonly #busy = new Set<string>();
  /** Cards that were asked to change since they were last looked at. */
  readonly #touched = new Set<string>();
  readonly #random: () => number;
  readonly #others: () => number;
  #next = 0;
  #acknowledged = 0;

  /** @param others how many cards the gateway has that are not written here. */
  constructor(random: () => number, others: () => number = () => 0) {
    this.#random = random;
    this.#others = others;
  }

  /** How many changes were acknowledged so far. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** How many of the cards written here were not deleted, as far as is known. */
  get cards(): number {
    return [...this.#states.values()].filter((states) => states.at(-1) !== null).length;
  }

  /** Creates, changes and deletes until `signal` aborts; a refused or unanswered request is not repeated. */
  async write(gateway: Gateway, signal: AbortSignal): Promise<void> {
    const worker = async (): Promise<void> => {
      while (!signal.aborted) await this.#change(gateway);
    };
    await Promise.all(Array.from({ length: WRITERS }, worker));
  }

  /**
   * What is wrong with what a gateway at rest answers: cards that are lost, came back or are half there, cards that are
   * not found by a text that they have, and an index that holds more or less than the cards. Not `all`: of the cards
   * that were left alone since the last look, a few.
   */
  async problems(
    gateway: Gateway,
    { all }: { readonly all: boolean },
  ): Promise<{ readonly lost: number; readonly problems: readonly string[] }> {
    const problems: string[] = [];
    let lost = 0;
    let live = this.#others();
    for (const [id, possible] of this.#states) {
      const known = possible.length === 1 ? possible[0] : undefined;
      const isLookedAt = all || this.#touched.has(id) || this.#random() < FEW / this.#states.size;
      if (known !== undefined && !isLookedAt) {
        if (known !== null) live += 1;
        continue;
      }
      const state = await stateOf(gateway, id);
      if (!possible.includes(state)) {
        problems.push(`${id} is ${state}, and was ${possible.join(' or ')}`);
        if (state === null || possible.every((one) => one !== null)) lost += 1;
      }
      this.#states.set(id, [state]);
      if (state === null) continue;
      live += 1;
      problems.push(...(await problemsOfSearch(gateway, id, state)));
    }
    this.#touched.clear();
    // Every card has one passage a perspective. What the index still has to forget is no card any more, so nothing is
    // pending.
    const expected = JSON.stringify({
      ...{ cards: live, indexed: live, pending: 0, failed: 0 },
      collections: Array.from({ length: 4 }, () => ({ records: live })),
    });
    let status = '';
    const agrees = async (): Promise<boolean> => {
      const fields = 'cards indexed pending failed collections { records }';
      const { data } = await gateway.gql<{ indexStatus: unknown }>(`{ indexStatus { ${fields} } }`);
      status = JSON.stringify(data?.indexStatus);
      return status === expected;
    };
    const what = 'the index to hold what the cards have';
    await until(agrees, { deadlineMs: FORGOTTEN_WITHIN_MS, what }).catch(() => {
      problems.push(`the index is ${status} instead of ${expected}`);
    });
    return { lost, problems };
  }

  async #change(gateway: Gateway): Promise<void> {
    const texts = this.#next++;
    const known = [...this.#states].filter(([id, states]) => !this.#busy.has(id) && states.at(-1) !== null);
    const dice = this.#random();
    const [id] = known[Math.floor(this.#random() * known.length)] ?? [];
    if (id === undefined || dice < 0.5) {
      const fresh = `kill-${texts}`;
      await this.#ask(fresh, texts, () => createCard(gateway, { id: fresh, ...textsOf(texts) }).then(() => true));
    } else if (dice < 0.8) {
      await this.#ask(id, texts, async () => {
        const query = 'mutation ($id: ID!, $input: UpdateCardInput!) { updateCard(id: $id, input: $input) { id } }';
        return (await gateway.gql(query, { id, input: textsOf(texts) })).errors === undefined;
      });
    } else {
      await this.#ask(id, null, async () => {
        return (await gateway.gql('mutation ($id: ID!) { deleteCard(id: $id) }', { id })).errors === undefined;
      });
    }
  }

  async #ask(id: string, wanted: State, run: () => Promise<boolean>): Promise<void> {
    this.#busy.add(id);
    this.#touched.add(id);
    const before = this.#states.get(id) ?? [null];
    try {
      const acknowledged = await run().catch(() => false);
      this.#states.set(id, acknowledged ? [wanted] : [...before, wanted]);
      if (acknowledged) this.#acknowledged += 1;
    } finally {
      this.#busy.delete(id);
    }
  }
}

function textsOf(texts: number): Readonly<Record<string, unknown>> {
  const word = wordOf(texts);
  return {
    questionText: `${word} shares how many apples?`,
    studentSolutionText: `${word} minus two`,
    topicTags: [`sharing ${word}`],
    errorTypes: [`sign of ${word}`],
    // Changed with the texts: a card whose texts and notes disagree is half there.
    notes: `texts ${texts}`,
  };
}

async function stateOf(gateway: Gateway, id: string): Promise<State> {
  const fields = 'id questionText studentSolutionText topicTags errorTypes notes';
  const answer = await gateway.gql<{ card: Record<string, unknown> | null }>(
    `query ($id: ID!) { card(id: $id) { ${fields} } }`,
    { id },
  );
  const card = answer.data?.card;
  if (!card) return null;
  const texts = Number(String(card.notes).replace('texts ', ''));
  return JSON.stringify(card) === JSON.stringify({ id, ...textsOf(texts) }) ? texts : Number.NaN;
}

async function problemsOfSearch(gateway: Gateway, id: string, texts: number): Promise<readonly string[]> {
  const word = wordOf(texts);
  const searches = {
    similarQuestions: `${word} shares how many apples?`,
    bySolution: `${word} minus two`,
    byConcept: `sharing ${word}`,
    byError: `sign of ${word}`,
  } as const;
  const problems: string[] = [];
  for (const [operation, text] of Object.entries(searches) as [keyof typeof searches, string][]) {
    const found = idsOf(await wholeSearch(gateway, operation, { text, topK: 3 }));
    if (found[0] !== id) problems.push(`${operation} finds ${found} instead of ${id}`);
  }
  return problems;
}
