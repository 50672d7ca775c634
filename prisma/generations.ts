import type { Generation, StartedGeneration } from '../src/domain/ports/ledger.js';
import type { Database } from './client.js';
import type { DirtySignal } from './dirty.js';
import { Prisma } from './generated/client.js';
import type { Queries, Statements } from './statements.js';

/** A retired generation may be read by searches that began before; longer than any search takes. */
const RETIRED_GRACE = Prisma.sql`interval '10 seconds'`;

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
   * Answers the building generation where it is for this model; one for another model is retired. A number is never used
   * twice: what a slow indexer still reports of a dropped generation must not be taken for the contents of a new one.
   */
  async start(tenantId: string, modelKey: string): Promise<StartedGeneration> {
    const started = await this.database.transaction(async (tx) => {
      await lockTenant(tx, tenantId);
      const [building] = await tx.query<Generation>(Prisma.sql`
        SELECT ${GENERATION_COLUMNS} FROM index_generation WHERE tenant_id = ${tenantId} AND state = 'BUILDING'`);
      if (building?.modelKey === modelKey) return { generation: building, isNew: false };
      if (building !== undefined) await enter(tx, 'RETIRED', building);
      const [generation] = await tx.query<Generation>(Prisma.sql`
        INSERT INTO index_generation (tenant_id, number, model_key, state)
        SELECT ${tenantId}, coalesce(max(number), 0) + 1, ${modelKey}, 'BUILDING' FROM index_generation
        WHERE tenant_id = ${tenantId} RETURNING ${GENERATION_COLUMNS}`);
      if (generation === undefined) throw new Error('inserting a generation gave no row');
      await markBulk(tx, Prisma.sql`SELECT tenant_id, id FROM card WHERE tenant_id = ${tenantId}`);
      return { generation, isNew: true };
    });
    if (started.isNew) this.dirty.notify();
    return started;
  }

  /**
   * True where the generation is live afterwards, or was before. A card lacks in it if it has neither a row there nor been
   * given up. A lacking card that nobody has marked (it was committed while the generation began) is marked here: otherwise
   * the generation would wait for it for ever.
   */
  async promote(tenantId: string, number: number): Promise<boolean> {
    const { promoted, marked } = await this.database.transaction(async (tx) => {
      await lockTenant(tx, tenantId);
      const generations = await tx.query<Generation>(Prisma.sql`
        SELECT ${GENERATION_COLUMNS} FROM index_generation
        WHERE tenant_id = ${tenantId} AND state IN ('BUILDING', 'LIVE') FOR NO KEY UPDATE`);
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
