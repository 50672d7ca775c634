import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { NO_FOREGROUND } from '../../../src/domain/background.js';
import type { Card } from '../../../src/domain/card.js';
import { byPerspective } from '../../../src/domain/perspective.js';
import type { ChangedCard, ChangesPosition, ChangesSeen, IndexChanges } from '../../../src/domain/ports/changes.js';
import { versionOf } from '../../../src/domain/ports/ledger.js';
import { ChangeConsumer, type ChangeConsumerParts } from '../../../src/indexing/change-consumer.js';
import { cardOf } from '../../support/generators.js';
import { LexicalIndexes } from '../../support/lexical-indexes.js';
import { among, literalWords, memoryCache } from '../../support/memory-ports.js';
import { until } from '../../support/until.js';

const TENANT = 'one';

/** PostgreSQL with its changes, of which each transaction may be committed long after it began. */
class Stage implements Pick<IndexChanges, 'position' | 'since' | 'forget'> {
  readonly cards = new Map<string, Card>();
  readonly marks = new Map<string, bigint>();
  /** Transactions under way: what each will do when it commits. */
  readonly open = new Map<bigint, () => void>();
  readonly lexical = new LexicalIndexes(literalWords);
  readonly asked: string[] = [];
  readonly removed: string[] = [];
  readonly cache = memoryCache();
  next = 1n;
  atMs = 1;
  looks = 0;
  failures = 0;
  readonly said: string[] = [];
  #hear: () => void = () => undefined;

  readonly consumer: ChangeConsumer;

  constructor(pollMs: number) {
    this.consumer = new ChangeConsumer(this.#parts(pollMs));
  }

  readonly #parts = (pollMs: number): ChangeConsumerParts => ({
    changes: this,
    events: {
      pollMs,
      onChange: (listener) => {
        this.#hear = listener;
        return () => undefined;
      },
    },
    ledger: {
      cards: async (_, ids) => among(this.cards, ids),
      generations: async () => [{ tenantId: TENANT, number: 1, modelKey: 'm', state: 'live' }],
      versions: async () => new Map([...this.cards].map(([id, card]) => [id, versionOf(card)])),
      revisions: async () => new Map([...this.cards].map(([id, { revision }]) => [id, revision])),
    },
    tenants: {
      setSteps: (tenantId, card) => this.lexical.setSteps(tenantId, card),
      remove: (tenantId, cardIds) => this.lexical.remove(tenantId, cardIds),
      opened: async (tenantId) => this.lexical.of(tenantId),
    },
    stored: {
      of: async (_tenant, _generation, cards) => {
        this.asked.push(...[...cards].map(([id, revision]) => `${id}@${revision}`));
        return { vectors: new Map(), failure: null };
      },
    },
    cache: {
      cardIds: this.cache.cardIds,
      generations: this.cache.generations,
      revision: this.cache.revision,
      remove: async (tenant, generation, ids) => {
        this.removed.push(...ids);
        await this.cache.remove(tenant, generation, ids);
      },
    },
    background: NO_FOREGROUND,
    log: { warn: (_facts, message) => void this.said.push(message) },
  });

  /** A transaction that changes the card (null: deletes it) begins; it is done when it is taken from `open`. */
  begin(id: string, text: string | null): bigint {
    const number = this.next;
    this.next += 1n;
    this.open.set(number, () => {
      const revision = Number(number);
      if (text === null) this.cards.delete(id);
      else
        this.cards.set(
          id,
          cardOf({ id, tenantId: TENANT, questionText: text, revision, updatedAt: new Date(revision) }),
        );
      this.marks.set(id, number);
    });
    return number;
  }

  commit(number: bigint): void {
    this.open.get(number)?.();
    this.open.delete(number);
    this.#hear();
  }

  change(id: string, text: string | null): void {
    this.commit(this.begin(id, text));
  }

  async position(): Promise<ChangesPosition> {
    const transaction = [...this.open.keys()].reduce((least, one) => (one < least ? one : least), this.next);
    return { transaction, atMs: this.atMs };
  }

  async since({ transaction }: ChangesPosition): Promise<ChangesSeen> {
    this.looks += 1;
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error('the connection is lost');
    }
    const cards = [...this.marks]
      .filter(([, mark]) => mark >= transaction)
      .map(([id, mark]) => this.#changed(id, mark));
    return { position: await this.position(), cards };
  }

  #changed(cardId: string, transaction: bigint): ChangedCard {
    const card = this.cards.get(cardId);
    const version = card === undefined ? null : versionOf(card);
    const indexedRevision = card?.revision ?? null;
    return { tenantId: TENANT, cardId, transaction, version, generation: 1, indexedRevision };
  }

  async forget(): Promise<void> {}

  /** Whether the words here are those of the cards as they are. */
  agrees(): boolean {
    const { cards, size } = this.lexical.of(TENANT);
    return size === this.cards.size && [...this.cards].every(([id, card]) => cards.holds(id, versionOf(card)));
  }
}

const stages: Stage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.consumer.close();
});

async function started(pollMs = 1_000): Promise<Stage> {
  const stage = new Stage(pollMs);
  stages.push(stage);
  await stage.consumer.begin();
  stage.consumer.start();
  return stage;
}

async function agreed(stage: Stage, what: string): Promise<void> {
  await until(() => stage.agrees(), { deadlineMs: 30_000, what });
}

test('the lexical index follows changes of other gateways, and vectors are invalidated or removed', async () => {
  const stage = await started();
  stage.change('a', 'apple');
  stage.change('b', 'banana');
  await agreed(stage, 'two cards');
  stage.change('a', 'avocado');
  stage.change('b', null);
  await agreed(stage, 'the change and the deletion');
  expect(stage.lexical.of(TENANT).texts.search('question', ['avocado'], 5)).toMatchObject([{ cardId: 'a' }]);
  await until(() => stage.asked.includes('a@3') && stage.removed.includes('b'), {
    deadlineMs: 30_000,
    what: 'vectors',
  });
});

test('vectors of deleted and changed cards are removed from a generation that is being built, too', async () => {
  const stage = await started();
  for (const id of ['a', 'b', 'c']) stage.change(id, id);
  await agreed(stage, 'three cards');
  const passages = byPerspective(() => []);
  await stage.cache.put(
    TENANT,
    2,
    new Map([1, 2, 3].map((revision) => ['abc'.charAt(revision - 1), { revision, passages }])),
  );
  stage.change('a', 'avocado');
  stage.change('b', null);
  await until(() => stage.cache.entries.size === 1, { deadlineMs: 30_000, what: 'the removals' });
  expect([...stage.cache.entries.keys()]).toEqual([`${TENANT}/2/c`]);
});

test('a notified change is read at once, independent of the polling interval', async () => {
  const stage = await started(3_600_000);
  await until(() => stage.looks > 0, { deadlineMs: 30_000, what: 'a first look' });
  for (const text of ['apple', 'avocado', null]) {
    stage.change('a', text);
    await agreed(stage, `the card to be ${text}`);
  }
});

test('a failed pass loses nothing: it is soon repeated from the same position, and logged once', async () => {
  const stage = await started(3_600_000);
  await until(() => stage.looks > 0, { deadlineMs: 30_000, what: 'a first look' });
  stage.failures = 2;
  stage.change('a', 'apple');
  await agreed(stage, 'the card');
  expect(stage.failures).toBe(0);
  expect(stage.said).toHaveLength(1);
  stage.failures = 1;
  stage.change('b', 'banana');
  await agreed(stage, 'the other card');
  expect(stage.said).toHaveLength(2);
});

test('a gateway whose last pass is older than the change feed compares everything', async () => {
  const stage = await started();
  stage.change('old', 'olive');
  await agreed(stage, 'the card');
  stage.cards.delete('old');
  for (const [id, cached] of [
    ['new', 4],
    ['same', 5],
    ['restored', 6],
  ] as const) {
    stage.cards.set(id, cardOf({ id, tenantId: TENANT, questionText: 'nectarine', revision: 5 }));
    await stage.cache.put(TENANT, 1, new Map([[id, { revision: cached, passages: byPerspective(() => []) }]]));
  }
  await stage.cache.put(TENANT, 1, new Map([['gone', { revision: 1, passages: byPerspective(() => []) }]]));
  stage.removed.splice(0);
  stage.marks.clear();
  stage.atMs += 3_600_000;
  await agreed(stage, 'what no change speaks of');
  await until(() => stage.removed.length > 0, { deadlineMs: 30_000, what: 'the vectors of other revisions' });
  expect(stage.removed).toEqual(['new', 'restored', 'gone']);
});

test('after a restoration with lower transaction numbers everything is compared', async () => {
  const stage = await started();
  for (const id of ['a', 'b', 'c']) stage.change(id, `fruit ${id}`);
  await agreed(stage, 'the cards');
  stage.marks.clear();
  stage.cards.delete('b');
  stage.next = 1n;
  await agreed(stage, 'the cards of the backup');
});

test('after a restoration, older revisions of cards replace newer ones in the index', async () => {
  const stage = await started();
  for (const text of ['apple', 'avocado', 'apricot']) stage.change('a', text);
  await agreed(stage, 'the card');
  stage.marks.clear();
  stage.next = 1n;
  stage.cards.set('a', cardOf({ id: 'a', tenantId: TENANT, questionText: 'apple', updatedAt: new Date(1) }));
  await agreed(stage, 'the card of the backup');
  expect(stage.lexical.of(TENANT).texts.search('question', ['apple'], 5)).toMatchObject([{ cardId: 'a' }]);
});

test('for any order of commits, the index ends equal to the cards', async () => {
  const idArb = fc.constantFrom('a', 'b', 'c');
  const stepArb = fc.oneof(
    fc.record({ kind: fc.constant('begin' as const), id: idArb, text: fc.option(fc.constantFrom('x', 'y', 'z')) }),
    fc.record({ kind: fc.constant('commit' as const), which: fc.nat({ max: 5 }) }),
    fc.record({ kind: fc.constant('look' as const), which: fc.constant(0) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(stepArb, { maxLength: 30 }), async (steps) => {
      const stage = await started();
      // Two changes of one card are never under way together: the later one waits for the row.
      const busy = new Map<bigint, string>();
      for (const step of steps) {
        if (step.kind === 'begin' && ![...busy.values()].includes(step.id)) {
          busy.set(stage.begin(step.id, step.text), step.id);
        } else if (step.kind === 'commit') {
          const number = [...busy.keys()][step.which];
          if (number === undefined) continue;
          busy.delete(number);
          stage.commit(number);
        } else if (step.kind === 'look') {
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
      for (const number of busy.keys()) stage.commit(number);
      await agreed(stage, 'all that was committed');
      await stage.consumer.close();
    }),
    { numRuns: 25 },
  );
});
