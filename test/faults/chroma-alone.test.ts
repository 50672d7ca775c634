import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { delay } from '../../src/domain/async.js';
import { readIdentity, signal } from '../../src/runtime/embedded/process.js';
import { onLinux, removeFolder, temporaryFolder } from '../support/embedded.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { type Hit, indexed, search } from '../support/notebook.js';
import { until } from '../support/until.js';
import { stopped } from './support/stopped.js';
import { ownTexts } from './support/world.js';

const CARDS = 3_000;
/** Searches that clients send in turn, each for the own text of a card. */
const QUESTIONS = 40;
const CLIENTS = 3;
/** What a lane may take before a search goes on without it, in ms. */
const LANE_DEADLINE_MS = 1_000;
/** What the rest of a search may take here, in ms, without the time that the gateway waited for a processor. */
const REST_MS = 700;
/**
 * Other processes of a shared machine may hold up PostgreSQL for seconds. A search that waits for Chroma is late each
 * time, so the faults are repeated, and the test fails if searches never stay in time.
 */
const ATTEMPTS = 3;
/** Whole answers in a row after which Chroma is taken to be back. */
const BACK_AFTER = 3 * CLIENTS;
/** How long that may take, in ms. Beside other suites on two cores, lanes were still late a minute after a restart. */
const BACK_WITHIN_MS = 180_000;

interface Answered {
  readonly hits: readonly Hit[];
  readonly degraded: readonly { readonly part: string; readonly reason: string }[];
}

/** Searches as clients do, and looks at each answer. */
class Clients {
  readonly problems: string[] = [];
  readonly late: string[] = [];
  readonly answers: Answered[] = [];
  readonly #whole = new Map<number, readonly Hit[]>();
  readonly #stop = new AbortController();
  #clients: Promise<unknown> = Promise.resolve();

  constructor(private readonly gateway: Gateway) {}

  /** Keeps what the searches answer while nothing is wrong; on a busy machine Chroma may miss a lane's deadline. */
  async learn(): Promise<void> {
    for (let place = 0; place < QUESTIONS; place += 1) {
      const whole = async (): Promise<boolean> => {
        const { hits, degraded } = await this.#search(place);
        this.#whole.set(place, hits);
        return degraded.length === 0;
      };
      await until(whole, { deadlineMs: 60_000, what: 'a whole answer before any fault' });
    }
  }

  start(): void {
    const client = async (first: number): Promise<void> => {
      for (let turn = first; !this.#stop.signal.aborted; turn += CLIENTS) {
        const place = turn % QUESTIONS;
        await this.#search(place).then(
          (answer) => this.#look(place, answer),
          (thrown: Error) => this.problems.push(`search ${place} was not answered: ${thrown.message}`),
        );
        await delay(10);
      }
    };
    this.#clients = Promise.all(Array.from({ length: CLIENTS }, (_, first) => client(first)));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#clients;
  }

  /** The answers since the `from`-th. */
  since(from: number): readonly Answered[] {
    return this.answers.slice(from);
  }

  async #search(place: number): Promise<Answered> {
    // Inferred labels are voted on by the candidates: without them, scores do not depend on who was proposed.
    const args = { text: questionOf(place), filter: filterOf(place), options: { expand: false } };
    const before = await waitedMs(this.gateway);
    const { hits, receipt } = await search(this.gateway, 'hybridSearch', args);
    const heldMs = (await waitedMs(this.gateway)) - before;
    if (receipt.tookMs - heldMs > LANE_DEADLINE_MS + REST_MS)
      this.late.push(`search ${place} took ${receipt.tookMs} ms, of which at most ${heldMs} ms without a processor`);
    return { hits, degraded: receipt.degraded };
  }

  /**
   * What is right needs no Chroma: the scores, the order, the filter, and the card that was searched for, which has the
   * words.
   */
  #look(place: number, answer: Answered): void {
    this.answers.push(answer);
    const { hits, degraded } = answer;
    const wrong = (what: string): void =>
      void this.problems.push(`search ${place} ${what} (${JSON.stringify(degraded)})`);
    const whole = this.#whole.get(place) ?? [];
    const scores = new Map(whole.map(({ card, score }) => [card.id, score]));
    const last = whole.at(-1)?.score ?? 0;
    if (hits[0]?.card.id !== `c${place}`) wrong(`found ${hits[0]?.card.id} first`);
    if (degraded.length === 0 && hits.length !== whole.length)
      wrong(`found ${hits.length} cards and not ${whole.length}`);
    for (const { card, score } of hits) {
      const expected = scores.get(card.id);
      const isRight = expected === undefined ? score <= last + 1e-9 : Math.abs(score - expected) < 1e-9;
      if (!isRight) wrong(`scored ${card.id} ${score}: ${expected ?? `not among those down to ${last}`}`);
      if (filterOf(place) !== null && Number(card.id.slice(1)) % 2 === 1) wrong(`let ${card.id} through`);
    }
  }
}

/** How long the gateway's main thread has waited for a processor so far, in ms; 0 if the kernel does not count it. */
async function waitedMs({ pid }: Gateway): Promise<number> {
  const counts = await readFile(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').catch(() => '0 0 0');
  return Number(counts.split(' ')[1]) / 1e6;
}

const questionOf = (place: number): string => String(ownTexts(place).questionText);
/** Every fourth search is for cards with an even number, half of them: too many to score each. */
const filterOf = (place: number): object | null => (place % 4 === 0 ? { difficultyMax: 2 } : null);

(onLinux ? describe : describe.skip)('searches at 3,000 cards that only Chroma proposes', () => {
  let gateway: Gateway;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await temporaryFolder();
    gateway = await startGateway({ embedded: true, dataDir, env: { SEARCH_EXACT_LIMIT: '0' } });
    const lines = Array.from({ length: CARDS }, (_, place) => {
      const card = { id: `c${place}`, subject: 'math', difficulty: place % 2 === 0 ? 1 : 4, ...ownTexts(place) };
      return `${JSON.stringify(card)}\n`;
    });
    const response = await fetch(new URL('/import?name=cards.jsonl&onDuplicate=KEEP', gateway.url), {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.join(''),
    });
    expect(response.ok).toBe(true);
    const counted = async (): Promise<boolean> => {
      const { data } = await gateway.gql<{ indexStatus: { indexed: number } }>('{ indexStatus { indexed } }');
      return data?.indexStatus.indexed === CARDS;
    };
    await until(counted, { deadlineMs: 270_000, what: 'the index to have every card' });
    await indexed(gateway);
  }, 600_000);
  afterAll(async () => {
    await gateway.close();
    await removeFolder(dataDir);
  });

  test('stay correct and in time, and name the failed parts, while Chroma is killed and while it is suspended', async () => {
    const clients = new Clients(gateway);
    await clients.learn();
    clients.start();
    const isBack = (from: number): boolean => {
      const latest = clients.since(from).slice(-BACK_AFTER);
      return latest.length === BACK_AFTER && latest.every(({ degraded }) => degraded.length === 0);
    };
    const back = async (from: number, when: string): Promise<void> => {
      await until(() => isBack(from), { deadlineMs: BACK_WITHIN_MS, what: `whole answers ${when}` }).catch((thrown) => {
        const reasons = clients.since(from).map(({ degraded }) => degraded[0]?.reason ?? 'whole');
        throw new Error(`the latest answers: ${reasons.slice(-50).join(', ')}`, { cause: thrown });
      });
    };
    const saying = (from: number, reason: string): boolean =>
      clients.since(from).some(({ degraded }) => degraded.some((one) => one.reason.includes(reason)));
    try {
      const isSteady = () => clients.answers.length >= QUESTIONS && isBack(0);
      await until(isSteady, { deadlineMs: 60_000, what: 'whole answers before any fault' });

      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        clients.late.length = 0;
        let from = clients.answers.length;
        const running = await readIdentity(join(dataDir, 'chroma', 'running.json'));
        signal(Number(running?.pid), 'SIGKILL');
        const degraded = () => clients.since(from).some((one) => one.degraded.length > 0);
        await until(degraded, { deadlineMs: 30_000, what: 'degraded answers after a kill' });
        await back(from, 'after a kill');

        from = clients.answers.length;
        await stopped(dataDir, 'chroma', async () => {
          await until(() => saying(from, 'no answer within'), { deadlineMs: 30_000, what: 'a lane that is late' });
          await until(() => saying(from, 'circuit breaker open'), { deadlineMs: 30_000, what: 'no more waiting' });
        });
        await back(from, 'when it goes on');
        if (clients.late.length === 0) break;
      }
    } finally {
      await clients.stop();
    }
    expect({ problems: clients.problems, late: clients.late }).toEqual({ problems: [], late: [] });
  });
});
