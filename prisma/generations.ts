import { UnavailableError } from '../src/domain/errors.js';
import type { Generation, GenerationStart, StartedGeneration } from '../src/domain/ports/ledger.js';
import type { Database } from './client.js';
import type { DirtySignal } from './dirty.js';
import { Prisma } from './generated/client.js';
import type { Queries, Statements } from './statements.js';

/** A retired generation may be read by searches that began before; longer than any search takes. */
const RETIRED_GRACE = Prisma.sql`interval '10 seconds'`;

/**
 * How long a generation's number stays reserved while its collections are made. That takes eight calls to Chroma of at most 30 s
 * each; a gateway that was stopped for longer may no longer begin the generation, because another one may be dropping it.
 */
const RESERVED = Prisma.sql`interval '10 minutes'`;

const GENERATION_COLUMNS = Prisma.sql`tenant_id AS "tenantId", number, model_key AS "modelKey", lower(state) AS state`;

/** Every generation that is not dropped, but for those that retired only just. */
export function selectGenerations(database: Statements): Promise<Generation[]> {
  return database.query<Generation>(Prisma.sql`
    SELECT ${GENERATION_COLUMNS} FROM index_generation
    WHERE state IN ('BUILDING', 'LIVE') OR (state = 'RETIRED' AND switched_at < now() - ${RETIRED_GRACE})
    ORDER BY tenant_id, number`);
}

/** The generation that searches read; null where none has become live yet. */
export async function selectLive(database: Queries, tenantId: string): Promise<Generation | null> {
  const [live] = await database.query<Generation>(Prisma.sql`
    SELECT ${GENERATION_COLUMNS} FROM index_generation WHERE tenant_id = ${tenantId} AND state = 'LIVE'`);
  return live ?? null;
}

/** The life of a tenant's generations: one is built, becomes live in place of another, which is retired and dropped. */
export class Generations {
  constructor(
    private readonly database: Database,
    private readonly dirty: DirtySignal,
  ) {}

  /**
   * Three steps, so that no transaction is open while Chroma is asked: a number is reserved, its collections are made, and the
   * generation begins, unless another gateway's has begun meanwhile. A reserved number is a row that retires when the
   * reservation ends: nobody sees it before, and the collections of a gateway that died while making them are dropped like
   * those of any retired generation. The number of a generation that has begun is never used again: what a slow indexer still
   * reports of a dropped one must not be taken for the contents of a new one.
   */
  async start(tenantId: string, modelKey: string, options: GenerationStart): Promise<StartedGeneration> {
    const reserved = await this.#reserve(tenantId, modelKey, options);
    if (!reserved.isNew) return reserved;
    try {
      await options.prepare?.(reserved.generation);
    } catch (thrown) {
      // Where this fails too, the reservation ends by itself.
      await this.#release(reserved.generation).catch(() => undefined);
      throw thrown;
    }
    const started = await this.#begin(reserved.generation, options);
    if (started.isNew) this.dirty.notify();
    return started;
  }

  #reserve(tenantId: string, modelKey: string, options: GenerationStart): Promise<StartedGeneration> {
    return this.database.transaction(async (tx) => {
      await lockTenant(tx, tenantId);
      const sufficient = sufficientAmong(await selectPresent(tx, tenantId), modelKey, options);
      if (sufficient !== undefined) return { generation: sufficient, isNew: false };
      const [generation] = await tx.query<Generation>(Prisma.sql`
        INSERT INTO index_generation (tenant_id, number, model_key, state, switched_at)
        SELECT ${tenantId}, coalesce(max(number), 0) + 1, ${modelKey}, 'RETIRED', now() + ${RESERVED}
        FROM index_generation WHERE tenant_id = ${tenantId} RETURNING ${GENERATION_COLUMNS}`);
      if (generation === undefined) throw new Error('inserting a generation gave no row');
      return { generation, isNew: true };
    });
  }

  /**
   * Asks again whether the generation is needed: another gateway may have begun one while the collections were made. One with a
   * greater number was asked for later, so it will do in any case; so generations begin in the order of their numbers.
   */
  #begin(reserved: Generation, options: GenerationStart): Promise<StartedGeneration> {
    const { tenantId, number, modelKey } = reserved;
    return this.database.transaction(async (tx) => {
      await lockTenant(tx, tenantId);
      const present = await selectPresent(tx, tenantId);
      const later = present.find((one) => one.number > number);
      const sufficient = later ?? sufficientAmong(present, modelKey, options);
      if (sufficient !== undefined) {
        await enter(tx, 'RETIRED', reserved);
        return { generation: sufficient, isNew: false };
      }
      const building = present.find(({ state }) => state === 'building');
      if (building !== undefined) await enter(tx, 'RETIRED', building);
      const [generation] = await tx.query<Generation>(Prisma.sql`
        UPDATE index_generation SET state = 'BUILDING', switched_at = NULL
        WHERE tenant_id = ${tenantId} AND number = ${number} AND state = 'RETIRED' AND switched_at > now()
        RETURNING ${GENERATION_COLUMNS}`);
      if (generation === undefined) throw new UnavailableError('chroma', 'it took too long to make the collections');
      await markBulk(tx, Prisma.sql`SELECT tenant_id, id FROM card WHERE tenant_id = ${tenantId}`);
      return { generation, isNew: true };
    });
  }

  /**
   * Ends a reservation whose collections could not be made. Where no greater number was given out, the next reservation gets this
   * one, and its collections are made anew; so a start that is tried again and again while Chroma is away leaves nothing behind.
   */
  #release({ tenantId, number }: Generation): Promise<void> {
    return this.database.transaction(async (tx) => {
      await lockTenant(tx, tenantId);
      const reserved = Prisma.sql`
        tenant_id = ${tenantId} AND number = ${number} AND state = 'RETIRED' AND switched_at > now()`;
      await tx.execute(Prisma.sql`
        DELETE FROM index_generation WHERE ${reserved} AND NOT EXISTS (
          SELECT FROM index_generation WHERE tenant_id = ${tenantId} AND number > ${number})`);
      await tx.execute(Prisma.sql`UPDATE index_generation SET switched_at = now() WHERE ${reserved}`);
    });
  }

  /** Gives up a building generation; no-op for any other. */
  async retire(tenantId: string, number: number): Promise<void> {
    await this.database.execute(Prisma.sql`
      UPDATE index_generation SET state = 'RETIRED', switched_at = now()
      WHERE tenant_id = ${tenantId} AND number = ${number} AND state = 'BUILDING'`);
  }

  /**
   * True where the generation is live afterwards, or was before. A card lacks in it if it has neither a row there nor been
   * given up. A lacking card that nobody has marked (it was committed while the generation began) is marked here: otherwise
   * the generation would wait for it for ever.
   */
  async promote(tenantId: string, number: number): Promise<boolean> {
    const { promoted, marked } = await this.database.transaction(async (tx) => {
      await lockTenant(tx, tenantId);
      const generations = await selectPresent(tx, tenantId);
      const live = generations.find(({ state }) => state === 'live');
      const building = generations.find(({ state }) => state === 'building');
      if (building?.number !== number) return { promoted: live?.number === number, marked: false };
      const lacking = Prisma.sql`
        FROM card c LEFT JOIN index_dirty d ON d.tenant_id = c.tenant_id AND d.card_id = c.id
        WHERE c.tenant_id = ${tenantId} AND d.dead IS NOT TRUE AND NOT EXISTS (
          SELECT FROM card_index i WHERE i.tenant_id = c.tenant_id AND i.generation = ${number} AND i.card_id = c.id)`;
      const [some] = await tx.query<{ lacks: boolean }>(Prisma.sql`SELECT EXISTS (SELECT ${lacking}) AS lacks`);
      if (some?.lacks !== false) {
        const unmarked = Prisma.sql`SELECT c.tenant_id, c.id ${lacking} AND d.card_id IS NULL`;
        return { promoted: false, marked: (await markBulk(tx, unmarked)) > 0 };
      }
      if (live !== undefined) await enter(tx, 'RETIRED', live);
      await enter(tx, 'LIVE', building);
      return { promoted: true, marked: false };
    });
    if (marked) this.dirty.notify();
    return promoted;
  }

  /** Its rows of card_index go with it. A live one stays as it is. */
  async drop(tenantId: string, number: number): Promise<void> {
    await this.database.transaction(async (tx) => {
      await lockTenant(tx, tenantId);
      const [dropped] = await tx.query<Generation>(Prisma.sql`
        SELECT ${GENERATION_COLUMNS} FROM index_generation
        WHERE tenant_id = ${tenantId} AND number = ${number} AND state <> 'LIVE' FOR UPDATE`);
      if (dropped === undefined) return;
      await enter(tx, 'DROPPED', dropped);
      await tx.execute(Prisma.sql`DELETE FROM card_index WHERE tenant_id = ${tenantId} AND generation = ${number}`);
    });
  }
}

/** The tenant's building and live generations, the newest first, locked until the transaction ends. */
function selectPresent(tx: Statements, tenantId: string): Promise<Generation[]> {
  return tx.query<Generation>(Prisma.sql`
    SELECT ${GENERATION_COLUMNS} FROM index_generation
    WHERE tenant_id = ${tenantId} AND state IN ('BUILDING', 'LIVE') ORDER BY number DESC FOR NO KEY UPDATE`);
}

/** The generation that makes a new one unnecessary; undefined where one has to begin. */
function sufficientAmong(
  present: readonly Generation[],
  modelKey: string,
  { replaces }: GenerationStart,
): Generation | undefined {
  const building = present.find(({ state }) => state === 'building');
  if (building?.modelKey === modelKey && building.number !== replaces) return building;
  // Another gateway was faster: what was to be replaced is gone, or the first generation is there.
  const isOvertaken = replaces !== undefined && present.every(({ number }) => number !== replaces);
  return isOvertaken ? present[0] : undefined;
}

/** Makes every other change to the tenant's generations wait until the transaction ends. */
async function lockTenant(tx: Statements, tenantId: string): Promise<void> {
  await tx.execute(Prisma.sql`
    SELECT pg_advisory_xact_lock(hashtextextended('errata.generation:' || current_schema() || ':' || ${tenantId}, 0))`);
}

async function enter(
  tx: Statements,
  state: 'LIVE' | 'RETIRED' | 'DROPPED',
  { tenantId, number }: Generation,
): Promise<void> {
  await tx.execute(Prisma.sql`
    UPDATE index_generation SET state = ${state}, switched_at = now()
    WHERE tenant_id = ${tenantId} AND number = ${number}`);
}

/** Makes the cards (tenant_id, id) dirty as bulk; a row that waits for a single change stays one. */
function markBulk(tx: Statements, cards: Prisma.Sql): Promise<number> {
  return tx.execute(Prisma.sql`
    INSERT INTO index_dirty AS d (tenant_id, card_id, bulk)
    SELECT marked.tenant_id, marked.id, true FROM (${cards}) marked ORDER BY marked.tenant_id, marked.id
    ON CONFLICT (tenant_id, card_id) DO UPDATE
    SET seq = d.seq + 1, attempts = 0, next_at = now(), error = NULL, dead = false`);
}
