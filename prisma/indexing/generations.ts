import { UnavailableError } from '../../src/domain/errors.js';
import type {
  Generation,
  GenerationFilter,
  GenerationStart,
  StartedGeneration,
} from '../../src/domain/ports/ledger.js';
import type { Database } from '../client.js';
import { Prisma } from '../generated/client.js';
import { lock, type Statements, type Transaction } from '../statements.js';
import { type DirtySignal, MARKED_AT_ONCE, markMissing, markSlice, retryDead } from './dirty.js';
import { notifyIndex } from './index-changes.js';

/** How long running searches may still read a retired generation, in ms: longer than any search takes. */
const RETIRED_GRACE_MS = 10_000;

/**
 * How long a generation's number is reserved while its collections are created, in ms: 20 calls to Chroma one after the
 * other, of at most 30 s each. A gateway that was suspended for longer may not begin the generation, because another
 * one may be dropping it.
 */
const RESERVED_MS = 600_000;

const ROW = { tenantId: true, number: true, modelKey: true, state: true, inChroma: true } as const;
type Row = Prisma.IndexGenerationGetPayload<{ select: typeof ROW }>;

function generationOf({ state, ...row }: Row): Generation {
  return { ...row, state: state.toLowerCase() as Generation['state'] };
}

/** A tenant's generations: one is built, replaces the live one, and is retired and dropped later. */
export class PostgresGenerations {
  constructor(
    protected readonly database: Database,
    private readonly dirty: DirtySignal,
    /** Cards that one transaction marks. */
    private readonly markedAtOnce = MARKED_AT_ONCE,
  ) {}

  /** Those that are not dropped, except those that retired within the grace period. */
  async generations(filter: GenerationFilter = {}): Promise<readonly Generation[]> {
    const { tenantId, modelKey, notOfModel, unsettled } = filter;
    const rows = await this.database.run(({ indexGeneration }) =>
      indexGeneration.findMany({
        where: {
          state: { in: ['BUILDING', 'RETIRED', ...(unsettled === true ? [] : ['LIVE'])] },
          ...(tenantId !== undefined && { tenantId }),
          ...(modelKey !== undefined && { modelKey }),
          ...(notOfModel !== undefined && { NOT: { modelKey: notOfModel } }),
        },
        select: { ...ROW, switchedAt: true },
        orderBy: [{ tenantId: 'asc' }, { number: 'asc' }],
      }),
    );
    const isRetired = ({ state }: Row): boolean => state === 'RETIRED';
    // Rarely needed: retired generations are soon dropped.
    const now = rows.some(isRetired) ? (await this.database.now()).getTime() : 0;
    return rows
      .filter((row) => !isRetired(row) || Number(row.switchedAt) < now - RETIRED_GRACE_MS)
      .map(({ switchedAt: _, ...row }) => generationOf(row));
  }

  /** SQL, because every search waits for it. */
  async live(tenantId: string, signal?: AbortSignal): Promise<Generation | null> {
    const [live] = await this.database.until(signal).query<Generation>(Prisma.sql`
      SELECT tenant_id AS "tenantId", number, model_key AS "modelKey", 'live' AS state, in_chroma AS "inChroma"
      FROM index_generation WHERE tenant_id = ${tenantId} AND state = 'LIVE'`);
    return live ?? null;
  }

  /**
   * Three steps, so that no transaction is open while Chroma is called: a number is reserved, its collections are
   * created, and the generation begins, unless another gateway's has begun meanwhile. A reserved number is a row that
   * retires when the reservation ends: it is not listed before, and the collections of a gateway that died while
   * creating them are dropped like those of any retired generation. The number of a generation that has begun is never
   * used again: what a slow indexer still reports of a dropped one must not be taken for the contents of a new one.
   *
   * The first cards, and those that were given up, are marked in the transaction that begins the generation, so that it
   * does not become live before they are indexed. All others are marked afterwards, in transactions of their own,
   * because a change of a card waits for the one that marks it. What a failure leaves out is marked by {@link promote}.
   */
  async startGeneration(tenantId: string, modelKey: string, options: GenerationStart = {}): Promise<StartedGeneration> {
    const reserved = await this.#reserve(tenantId, modelKey, options);
    if (!reserved.isNew) return reserved;
    try {
      await options.prepare?.(reserved.generation);
      const { last, ...started } = await this.#begin(reserved.generation, options);
      if (started.isNew) this.dirty.notify();
      const mark = (after: string) =>
        this.database.transaction((tx) => markSlice(tx, tenantId, after, this.markedAtOnce));
      // The generation has begun: a failure only ends the marking, and `promote` marks the rest.
      const end = (thrown: unknown): null => {
        options.onUnmarked?.(thrown);
        return null;
      };
      for (let after = last; after !== null; ) after = await mark(after).catch(end);
      return started;
    } catch (thrown) {
      // If this fails too, the reservation expires.
      await this.#release(reserved.generation).catch(() => undefined);
      throw thrown;
    }
  }

  #reserve(tenantId: string, modelKey: string, options: GenerationStart): Promise<StartedGeneration> {
    return this.database.transaction(async (tx) => {
      const now = await lockTenant(tx, tenantId);
      const sufficient = sufficientAmong(await findPresent(tx, tenantId), modelKey, options);
      if (sufficient !== undefined) return { generation: sufficient, isNew: false };
      const { indexGeneration } = tx.prisma;
      const { _max: last } = await indexGeneration.aggregate({ where: { tenantId }, _max: { number: true } });
      const switchedAt = new Date(now.getTime() + RESERVED_MS);
      const { inChroma = true } = options;
      const data = { tenantId, number: (last.number ?? 0) + 1, modelKey, state: 'RETIRED', switchedAt, inChroma };
      return { generation: generationOf(await indexGeneration.create({ data, select: ROW })), isNew: true };
    });
  }

  /**
   * Checks again whether the generation is needed: another gateway may have begun one while the collections were
   * created. One with a greater number was requested later, so it is sufficient; so generations begin in the order of
   * their numbers. `last` is the last card that was marked, if any.
   */
  #begin(
    reserved: Generation,
    options: GenerationStart,
  ): Promise<StartedGeneration & { readonly last: string | null }> {
    const { tenantId, number, modelKey } = reserved;
    return this.database.transaction(async (tx) => {
      const now = await lockTenant(tx, tenantId);
      const present = await findPresent(tx, tenantId);
      const later = present.find((one) => one.number > number);
      const sufficient = later ?? sufficientAmong(present, modelKey, options);
      if (sufficient !== undefined) {
        await enter(tx, 'RETIRED', reserved, now);
        return { generation: sufficient, isNew: false, last: null };
      }
      const building = present.find(({ state }) => state === 'building');
      if (building !== undefined) await enter(tx, 'RETIRED', building, now);
      const [started] = await tx.prisma.indexGeneration.updateManyAndReturn({
        where: { tenantId, number, state: 'RETIRED', switchedAt: { gt: now } },
        data: { state: 'BUILDING', switchedAt: null },
        select: ROW,
      });
      if (started === undefined) throw new UnavailableError('chroma', 'it took too long to create the collections');
      const last = await markSlice(tx, tenantId, '', this.markedAtOnce);
      if (last !== null) await retryDead(tx, tenantId, last, now);
      return { generation: generationOf(started), isNew: true, last };
    });
  }

  /**
   * Ends a reservation whose generation could not begin; no-op if it has. If no greater number was given out, the next
   * reservation gets this one, and its collections are created anew: a start that is repeated while Chroma is away
   * leaves nothing behind.
   */
  #release({ tenantId, number }: Generation): Promise<void> {
    return this.database.transaction(async (tx) => {
      const now = await lockTenant(tx, tenantId);
      const { indexGeneration } = tx.prisma;
      const where = { tenantId, number, state: 'RETIRED', switchedAt: { gt: now } };
      const later = await indexGeneration.count({ where: { tenantId, number: { gt: number } } });
      if (later === 0) await indexGeneration.deleteMany({ where });
      else await indexGeneration.updateMany({ where, data: { switchedAt: now } });
    });
  }

  /** Retires a building generation; no-op for any other. */
  async retireGeneration(tenantId: string, number: number): Promise<void> {
    await this.database.transaction(async (tx) => {
      const switchedAt = await lockTenant(tx, tenantId);
      const where = { tenantId, number, state: 'BUILDING' };
      await tx.prisma.indexGeneration.updateMany({ where, data: { state: 'RETIRED', switchedAt } });
    });
  }

  /**
   * True if the generation is live afterwards, or was before. A card is missing from it if it has neither a row there
   * nor been given up. A missing card that is not dirty (it was committed while the generation began, or was not marked
   * because of a crash) becomes dirty here: otherwise the generation would wait for it forever.
   */
  async promote(tenantId: string, number: number): Promise<boolean> {
    const { promoted, marked } = await this.database.transaction(async (tx) => {
      const now = await lockTenant(tx, tenantId);
      const generations = await findPresent(tx, tenantId);
      const live = generations.find(({ state }) => state === 'live');
      const building = generations.find(({ state }) => state === 'building');
      if (building?.number !== number) return { promoted: live?.number === number, marked: false };
      const { isComplete, marked } = await markMissing(tx, tenantId, number, this.markedAtOnce);
      if (!isComplete) return { promoted: false, marked };
      if (live !== undefined) await enter(tx, 'RETIRED', live, now);
      await enter(tx, 'LIVE', building, now);
      await notifyIndex(tx);
      return { promoted: true, marked: false };
    });
    if (marked) this.dirty.notify();
    return promoted;
  }

  /** Also deletes its rows of card_index and index_vector. No-op for a live one. */
  async dropGeneration(tenantId: string, number: number): Promise<void> {
    await this.database.transaction(async (tx) => {
      const now = await lockTenant(tx, tenantId);
      // FOR UPDATE waits for indexers that are recording cards of the generation.
      const [dropped] = await tx.query<Pick<Generation, 'tenantId' | 'number'>>(Prisma.sql`
        SELECT tenant_id AS "tenantId", number FROM index_generation
        WHERE tenant_id = ${tenantId} AND number = ${number} AND state <> 'LIVE' FOR UPDATE`);
      if (dropped === undefined) return;
      await enter(tx, 'DROPPED', dropped, now);
      await tx.prisma.cardIndex.deleteMany({ where: { tenantId, generation: number } });
      await tx.prisma.indexVector.deleteMany({ where: { tenantId, generation: number } });
    });
  }
}

/** The tenant's building and live generations, newest first. They do not change while the caller holds its lock. */
async function findPresent({ prisma }: Transaction, tenantId: string): Promise<readonly Generation[]> {
  const where = { tenantId, state: { in: ['BUILDING', 'LIVE'] } };
  const rows = await prisma.indexGeneration.findMany({ where, select: ROW, orderBy: { number: 'desc' } });
  return rows.map(generationOf);
}

/** The generation that makes a new one unnecessary, if any. */
function sufficientAmong(
  present: readonly Generation[],
  modelKey: string,
  { replaces }: GenerationStart,
): Generation | undefined {
  const building = present.find(({ state }) => state === 'building');
  if (building?.modelKey === modelKey && building.number !== replaces) return building;
  // Another gateway has already replaced the generation, or created the first one.
  const isOvertaken = replaces !== undefined && present.every(({ number }) => number !== replaces);
  return isOvertaken ? present[0] : undefined;
}

/** Until the transaction ends, no other one changes the tenant's generations. Returns as {@link lock}. */
function lockTenant(tx: Statements, tenantId: string): Promise<Date> {
  return lock(tx, [`errata.generation:{schema}:${tenantId}`]);
}

async function enter(
  { prisma }: Transaction,
  state: 'LIVE' | 'RETIRED' | 'DROPPED',
  { tenantId, number }: Pick<Generation, 'tenantId' | 'number'>,
  switchedAt: Date,
): Promise<void> {
  await prisma.indexGeneration.updateMany({ where: { tenantId, number }, data: { state, switchedAt } });
}
