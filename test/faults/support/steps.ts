import { randomUUID } from 'node:crypto';
import { Prisma } from '../../../prisma/generated/client.js';
import { Indexer } from '../../../src/indexing/indexer.js';
import { until } from '../../support/until.js';
import { type Fault, type FaultyParts, faultyParts } from './faulty-parts.js';
import { verdictOf } from './oracle.js';
import { ownTexts, type World } from './world.js';

/** What was acknowledged, and which texts are taken. */
interface Notebook {
  readonly live: Set<string>;
  readonly deleted: Set<string>;
  nextText: number;
}

/** A notebook with some cards that are indexed, on which one fault after the other is tried. */
export class Steps {
  readonly #world: World;
  readonly #notebook: Notebook = { live: new Set(), deleted: new Set(), nextText: 0 };

  constructor(world: World) {
    this.#world = world;
  }

  /**
   * Changes of every kind, acknowledged and not yet indexed: cards created, changed, deleted, and created and deleted.
   */
  async change(): Promise<void> {
    const { live, deleted } = this.#notebook;
    const [first, second] = [...live];
    const create = async (): Promise<string> => {
      const id = `card-${randomUUID()}`;
      await this.#world.create(id, ownTexts(this.#notebook.nextText++));
      live.add(id);
      return id;
    };
    const remove = async (id: string): Promise<void> => {
      await this.#world.remove(id);
      live.delete(id);
      deleted.add(id);
    };
    await create();
    if (first !== undefined) await this.#world.update(first, ownTexts(this.#notebook.nextText++));
    if (second !== undefined) await remove(second);
    await remove(await create());
  }

  /**
   * Changes the notebook, and indexes it with an indexer whose call number `at` meets the fault; then, where that was
   * the process's end, with another one, as a gateway that starts again would. Answers the names of the calls.
   */
  async run(at: number, fault: Fault): Promise<readonly string[]> {
    await this.change();
    const faulty = faultyParts(this.#world.parts, at, fault);
    if (fault.kind === 'crash') await this.#crash(faulty);
    else await this.#settle(faulty);
    return faulty.calls;
  }

  /** What is wrong with the index now. */
  problems(): Promise<readonly string[]> {
    return verdictOf(this.#world, this.#notebook);
  }

  async #crash({ parts, struck }: FaultyParts): Promise<void> {
    const indexer = new Indexer(parts);
    indexer.start();
    const rest = until(() => this.#isAtRest(), { deadlineMs: 30_000, what: 'the fault, or the end of the work' });
    await Promise.race([struck, rest]);
    // What is left of one that was struck hears nothing any more, and never ends.
    await Promise.race([struck, indexer.close()]);
    await this.#world.outbox.releaseOf('everyone');
    await this.#world.settle();
    await rest;
  }

  async #settle({ parts }: FaultyParts): Promise<void> {
    const indexer = new Indexer(parts);
    indexer.start();
    try {
      const done = async (): Promise<boolean> => {
        // A card that failed alone waits for seconds, and one that somebody else has claimed for its lease.
        await this.#world.database.execute(
          Prisma.sql`UPDATE index_dirty SET next_at = now(),
            lease = CASE WHEN lease < now() + interval '28 seconds' THEN NULL ELSE lease END,
            token = CASE WHEN lease < now() + interval '28 seconds' THEN NULL ELSE token END`,
        );
        return this.#isAtRest();
      };
      await until(done, { deadlineMs: 30_000, what: 'the index to be at rest' });
    } finally {
      await indexer.close();
    }
  }

  async #isAtRest(): Promise<boolean> {
    return (await this.#world.database.query(Prisma.sql`SELECT FROM index_dirty LIMIT 1`)).length === 0;
  }
}
