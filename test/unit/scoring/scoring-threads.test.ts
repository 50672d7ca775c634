import { setMaxListeners } from 'node:events';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { type Card, perspectiveTexts } from '../../../src/domain/card.js';
import { byPerspective } from '../../../src/domain/perspective.js';
import type { PassScores, Scorer, ScoringPass } from '../../../src/domain/ports/scoring.js';
import { atOnce, nextTurn } from '../../../src/domain/steps.js';
import { POSTERIOR_RULE } from '../../../src/lexical/label-posterior.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { ThisThread } from '../../../src/scoring/score-pass.js';
import { ScoringThreads, type ScoringThreadsParts } from '../../../src/scoring/scoring-threads.js';
import { lanesOf } from '../../../src/search/lanes.js';
import { type Query, textQuerySteps } from '../../../src/search/query/query.js';
import { ExactRetriever } from '../../../src/search/retrievers/exact.js';
import type { Retrieved } from '../../../src/search/retrievers/retriever.js';
import { SparseColumns } from '../../../src/vectors/columns.js';
import { PackedVectors } from '../../../src/vectors/packed.js';
import { live } from '../../support/engine-world.js';
import { cardOf, cardsArb, contentArb, requestOf, textArb } from '../../support/generators.js';
import { literalWords, vectorOf } from '../../support/memory-ports.js';
import { until } from '../../support/until.js';

const never = new AbortController().signal;
// Many passes wait at once.
setMaxListeners(0, never);
const open: ScoringThreads[] = [];

interface Pool {
  readonly threads: ScoringThreads;
  readonly warnings: object[];
}

function poolOf(given: Partial<ScoringThreadsParts> = {}): Pool {
  const warnings: object[] = [];
  const log = { warn: (facts: object) => void warnings.push(facts) };
  const threads = new ScoringThreads({ count: 1, leastCards: 0, log, ...given });
  open.push(threads);
  return { threads, warnings };
}

const ANSWER = 'parentPort.postMessage({ id: message.id, tookMs: [] });';

/** A scoring thread that runs this code for each message. */
function programOf(onMessage: string): URL {
  const code = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (message) => { ${onMessage} });`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((threads) => threads.close()));
});

/** Cards with their terms and vectors, as a gateway has them in memory. */
class Notebook {
  readonly index = new LexicalIndex(literalWords);
  readonly columns = new SparseColumns();

  constructor(cards: readonly Card[]) {
    for (const card of cards) this.set(card);
  }

  set(card: Card): void {
    this.index.set(card);
    const texts = perspectiveTexts(card);
    const passages = byPerspective((perspective) => texts[perspective].map(vectorOf));
    this.columns.set(card.id, PackedVectors.of({ revision: card.revision, passages }));
  }

  delete(cardId: string): void {
    this.index.delete(cardId);
    this.columns.delete(cardId);
  }

  queryOf(text: string): Query {
    const vectors = byPerspective(() => [vectorOf(text)]);
    return atOnce(
      textQuerySteps(
        { index: this.index, synonyms: { of: () => ['circle'], said: () => [] } },
        text,
        vectors,
        requestOf(),
      ),
    );
  }

  retrieverBy(scorer: Scorer): (text: string, query?: Query) => Promise<Retrieved> {
    const columns = () => this.columns;
    const parts = { vectors: { columns }, scorer, alone: true, exactLimit: Number.POSITIVE_INFINITY };
    const retriever = new ExactRetriever({ ...parts, onLane: () => undefined });
    const { index } = this;
    const lanes = lanesOf(
      requestOf({ weights: { question: 0.5, solution: 0.2, concept: 0.2, error: 0.1 }, lexicalShare: 0.5 }),
    );
    return (text, query = this.queryOf(text)) => {
      const retrieval = {
        index,
        rule: POSTERIOR_RULE,
        generation: live,
        query,
        lanes,
        depth: 5,
        voteDepth: 5,
        matches: null,
      };
      return retriever.retrieve(retrieval, never);
    };
  }
}

/**
 * A scorer that runs passes as another one does, and keeps copies of their scores, or counts those that were run again.
 */
class Watched implements Scorer {
  readonly #scorer: Scorer;
  readonly seen: Float64Array[] = [];
  again = 0;

  constructor(scorer: Scorer) {
    this.#scorer = scorer;
  }

  run: Scorer['run'] = (task, signal) => {
    const read: typeof task.read = (scores, pass) => {
      this.seen.push(scores.byCard.slice());
      return task.read(scores, pass);
    };
    return this.#scorer.run({ ...task, read }, signal);
  };

  runHere: Scorer['runHere'] = (task) => {
    this.again += 1;
    return this.#scorer.runHere(task);
  };
}

/** Resolves when a thread has started: a pass before is run in this thread. */
async function started({ threads }: Pool, search: () => Promise<unknown>): Promise<void> {
  await search();
  await until(() => threads.running > 0, { deadlineMs: 30_000, what: 'a scoring thread to start' });
}

/** Over one card, which has the whole sum of its lanes as its score. */
const passOfOne = (): ScoringPass => ({
  lanes: [
    new Notebook([cardOf({ id: 'a' })]).index.texts.lane('question', { terms: ['question'], expanded: [], weight: 1 }),
  ],
  cards: 1,
  numbers: new Int32Array(new SharedArrayBuffer(4)),
  laneBits: new Uint16Array(new SharedArrayBuffer(2)),
  shares: new Float64Array(256).fill(1),
});

const bookOfThree = (): Notebook => new Notebook(['a', 'b', 'c'].map((id) => cardOf({ id })));

describe('scoring threads', () => {
  test('score to the bit what the calling thread does', async () => {
    const pool = poolOf({ count: 2 });
    await started(pool, () => bookOfThree().retrieverBy(pool.threads)('question'));
    await fc.assert(
      fc.asyncProperty(cardsArb(30), textArb, async (cards, text) => {
        const notebook = new Notebook(cards);
        const [here, there] = [new Watched(new ThisThread()), new Watched(pool.threads)];
        const expected = await notebook.retrieverBy(here)(text);
        expect(await notebook.retrieverBy(there)(text)).toEqual(expected);
        expect(there.seen).toEqual(here.seen);
        expect(there.again).toBe(0);
      }),
    );
  });

  test('answer as the calling thread would at that moment, whatever is changed while they read', async () => {
    const pool = poolOf({ count: 2 });
    await started(pool, () => bookOfThree().retrieverBy(pool.threads)('question'));
    const changeArb = fc.record({
      place: fc.nat(39),
      content: fc.option(contentArb),
      // The change comes right after a search has begun, or some turns of the event loop later.
      turns: fc.constantFrom(0, 0, 1, 3),
    });
    let again = 0;
    await fc.assert(
      fc.asyncProperty(
        cardsArb(40),
        fc.array(changeArb, { minLength: 1, maxLength: 12 }),
        textArb,
        async (cards, changes, text) => {
          const notebook = new Notebook(cards);
          const watched = new Watched(pool.threads);
          const search = notebook.retrieverBy(watched);
          const searchHere = notebook.retrieverBy(new ThisThread());
          const searching: Promise<void>[] = [];
          for (const [change, { place, content, turns }] of changes.entries()) {
            const query = notebook.queryOf(text);
            searching.push(
              search(text, query).then(async (answer) => {
                const changesThen = notebook.index.changes;
                const expected = await searchHere(text, query);
                expect(notebook.index.changes).toBe(changesThen);
                expect(answer).toEqual(expected);
              }),
            );
            for (let turn = 0; turn < turns; turn++) await nextTurn();
            if (content === null) notebook.delete(`c${place}`);
            else notebook.set(cardOf({ ...content, id: `c${place}`, revision: change + 2 }));
          }
          const failed = (await Promise.allSettled(searching)).find(({ status }) => status === 'rejected');
          if (failed?.status === 'rejected') throw failed.reason;
          again += watched.again;
        },
      ),
      { numRuns: 40 },
    );
    expect(again).toBeGreaterThan(0);
  });

  test('score a half of a pass each if two of them are idle, and otherwise a whole pass', async () => {
    // Each sums up to how many halves it was sent. A pass whose halves are the 5th of one thread and the 3rd of the
    // other scores 8; the next passes, a whole one each, score 6 + 7 and 4 + 5.
    const counting = 'globalThis.sent = (globalThis.sent ?? 0) + 1; message.sums.fill(globalThis.sent);';
    const { threads } = poolOf({ count: 2, program: programOf(`${counting} ${ANSWER}`) });
    const score = (): Promise<number> => {
      const task = { cards: 1, make: passOfOne, read: ({ byCard }: PassScores) => byCard[0] as number };
      return threads.run(task, never);
    };
    await until(async () => (await score()) > 0 && threads.running === 2, { deadlineMs: 30_000, what: 'two threads' });
    const alone = [await score(), await score(), await score()];
    expect(alone[1]).toBe((alone[0] as number) + 2);
    expect(alone[2]).toBe((alone[0] as number) + 4);
    const [first = 0, second = 0, third = 0] = await Promise.all([score(), score(), score()]);
    expect(first).toBe((alone[2] as number) + 2);
    expect(second + third).toBe(2 * first + 6);
  });

  test('leave small notebooks to the calling thread', async () => {
    const { threads } = poolOf({ leastCards: 4 });
    await bookOfThree().retrieverBy(threads)('question');
    await nextTurn();
    expect(threads.running).toBe(0);
    const none = poolOf({ count: 0 });
    expect(await bookOfThree().retrieverBy(none.threads)('question')).toMatchObject({ answered: true });
  });

  test.each([
    ['ends', 'process.exit(3)'],
    ['throws', "throw new Error('out of order')"],
  ])('a thread that %s while it scores is replaced, and its searches are answered', async (_, code) => {
    let nowMs = 0;
    const pool = poolOf({ program: programOf(code), nowMs: () => nowMs });
    const notebook = bookOfThree();
    const search = notebook.retrieverBy(pool.threads);
    const expected = await notebook.retrieverBy(new ThisThread())('question');
    await started(pool, () => search('question'));
    const answers = await Promise.all(Array.from({ length: 5 }, () => search('question')));
    for (const answer of answers) expect(answer).toEqual(expected);
    expect(pool.warnings).toHaveLength(1);
    expect(pool.threads.running).toBe(0);
    // Not at once: a thread that cannot run would be started over and over.
    expect(await search('question')).toEqual(expected);
    nowMs += 1_000;
    await started(pool, () => search('question'));
  });

  test('a search that is given up waits neither for its turn nor for its thread', async () => {
    const pool = poolOf({ program: programOf('') });
    const task = { cards: 1, make: passOfOne, read: () => 'read' };
    await started(pool, () => pool.threads.run(task, never));
    const given = new AbortController();
    // Some are with the thread, the others wait for their turn.
    const answers = Array.from({ length: 4 }, () => pool.threads.run(task, given.signal));
    await nextTurn();
    given.abort(new Error('given up'));
    for (const answer of answers) await expect(answer).rejects.toThrow('given up');
    await expect(pool.threads.run(task, given.signal)).rejects.toThrow('given up');
  });

  test('end when they are closed; later passes are run in the calling thread', async () => {
    const pool = poolOf();
    const search = bookOfThree().retrieverBy(pool.threads);
    await started(pool, () => search('question'));
    await Promise.all([pool.threads.close(), pool.threads.close()]);
    expect(pool.threads.running).toBe(0);
    expect(await search('question')).toMatchObject({ answered: true });
    expect(pool.warnings).toEqual([]);
  });
});
