import type { Card } from '../../src/domain/card.js';
import { byPerspective, PERSPECTIVES, type Perspective } from '../../src/domain/perspective.js';
import type {
  CardIndexState,
  CardVersion,
  IndexCounts,
  IndexedCard,
  IndexLedger,
} from '../../src/domain/ports/ledger.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { selectCardsById } from '../cards/card-rows.js';
import { Prisma } from '../generated/client.js';
import { only } from '../statements.js';
import { ofTenant, visible } from '../viewer-conditions.js';
import { PostgresGenerations } from './generations.js';
import { MAX_KEPT } from './index-vectors.js';

type IndexedRow = Omit<IndexedCard, 'passages'> & { readonly id: string } & Readonly<Record<Perspective, string[]>>;

type StateRow = Omit<CardIndexState, 'perspectives'> & { readonly id: string } & Readonly<Record<Perspective, boolean>>;

/** Arrays of the same length, with one element for each card. */
interface VersionsRow {
  readonly ids: readonly string[];
  readonly revisions: readonly number[];
  readonly updatedAtMs: readonly number[];
}

/**
 * `card c` with its outbox row `d` and its row `i` of the live generation, which may be null, and its `state`. FAILED:
 * given up until the card changes. INDEXED: the live generation has the current revision and no change is waiting; a
 * row of a rebuild or of bulk work does not count. PENDING: anything else. A waiting row counts even if the revision is
 * current, because an indexer that lost its claim may have overwritten the records with older ones.
 */
const CARDS_WITH_STATE = Prisma.raw(`card c
  LEFT JOIN index_dirty d ON d.tenant_id = c.tenant_id AND d.card_id = c.id
  LEFT JOIN index_generation g ON g.tenant_id = c.tenant_id AND g.state = 'LIVE'
  LEFT JOIN card_index i ON i.tenant_id = c.tenant_id AND i.generation = g.number AND i.card_id = c.id
  CROSS JOIN LATERAL (SELECT CASE WHEN d.dead THEN 'FAILED'
    WHEN i.revision = c.revision AND (d.card_id IS NULL OR d.priority > 0) THEN 'INDEXED' ELSE 'PENDING' END AS state) s`);

/** Adds to the generations which cards each of them holds. */
export class PostgresIndexLedger extends PostgresGenerations implements IndexLedger {
  async cards(tenantId: string, ids: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Card>> {
    const cards = await selectCardsById(this.database.until(signal), ofTenant({ tenantId }, 'c'), ids);
    return new Map(cards.map((card) => [card.id, card]));
  }

  /** One row of arrays: the driver reads it twice as fast as 50,000 rows. */
  async versions(tenantId: string): Promise<ReadonlyMap<string, CardVersion>> {
    const rows = await this.database.query<VersionsRow>(Prisma.sql`
      SELECT coalesce(array_agg(id), '{}') AS ids, coalesce(array_agg(revision), '{}') AS revisions,
        coalesce(array_agg((extract(epoch FROM updated_at) * 1000)::float8), '{}') AS "updatedAtMs"
      FROM card WHERE tenant_id = ${tenantId}`);
    const { ids, revisions, updatedAtMs } = only(rows);
    return new Map(
      ids.map((id, i) => [id, { revision: revisions[i] ?? Number.NaN, updatedAtMs: updatedAtMs[i] ?? Number.NaN }]),
    );
  }

  async revisions(tenantId: string, generation: number): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.query<{ ids: string[]; revisions: number[] }>(Prisma.sql`
      SELECT coalesce(array_agg(card_id), '{}') AS ids, coalesce(array_agg(revision), '{}') AS revisions
      FROM card_index WHERE tenant_id = ${tenantId} AND generation = ${generation}`);
    const { ids, revisions } = only(rows);
    return new Map(ids.map((id, i) => [id, revisions[i] ?? Number.NaN]));
  }

  async indexed(
    tenantId: string,
    generation: number,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, IndexedCard>> {
    const rows = await this.database.until(signal).query<IndexedRow>(Prisma.sql`
      SELECT card_id AS id, revision, indexed_at AS "indexedAt", question_hashes AS question,
        solution_hashes AS solution, concept_hashes AS concept, error_hashes AS error
      FROM card_index
      WHERE tenant_id = ${tenantId} AND generation = ${generation} AND card_id = ANY(${ids}::text[])`);
    return new Map(
      rows.map(({ id, revision, indexedAt, ...hashes }) => [
        id,
        { revision, indexedAt, passages: byPerspective((perspective) => hashes[perspective]) },
      ]),
    );
  }

  async isInChroma(tenantId: string, generation: number): Promise<boolean | null> {
    const where = { tenantId_number: { tenantId, number: generation } };
    const row = await this.database.run(({ indexGeneration }) => indexGeneration.findUnique({ where }));
    return row?.inChroma ?? null;
  }

  async needsChroma(tenantId: string, most: number): Promise<boolean> {
    const { cards, records } = await this.#sizes(tenantId);
    return cards > most || records > MAX_KEPT;
  }

  /** Of the cards that no generation has yet, one record each. */
  async expectedRecords(tenantId: string): Promise<number> {
    const { cards, records } = await this.#sizes(tenantId);
    return Math.max(cards, records);
  }

  /** The tenant's cards, and the records of its largest collection. SQL: sums of array lengths. */
  async #sizes(tenantId: string): Promise<{ readonly cards: number; readonly records: number }> {
    const rows = await this.database.query<{ cards: number; records: number }>(Prisma.sql`
      SELECT (SELECT count(*) FROM card WHERE tenant_id = ${tenantId})::int AS cards, coalesce(max(records), 0)::int AS records
      FROM (
        SELECT greatest(sum(cardinality(question_hashes)), sum(cardinality(solution_hashes)),
          sum(cardinality(concept_hashes)), sum(cardinality(error_hashes))) AS records
        FROM card_index WHERE tenant_id = ${tenantId} GROUP BY generation) held`);
    return only(rows);
  }

  async outgrown(tenantId: string, cards: number): Promise<number | null> {
    const newest = await this.database.run(({ indexGeneration }) =>
      indexGeneration.findFirst({
        where: { tenantId, state: { in: ['BUILDING', 'LIVE'] } },
        select: { number: true, inChroma: true },
        orderBy: { number: 'desc' },
      }),
    );
    if (newest === null || newest.inChroma || !(await this.needsChroma(tenantId, cards))) return null;
    return newest.number;
  }

  async progress(tenantId: string, generation: number): Promise<{ readonly held: number; readonly cards: number }> {
    const rows = await this.database.query<{ held: number; cards: number }>(Prisma.sql`
      SELECT count(*)::int AS cards, count(i.card_id)::int AS held
      FROM card c LEFT JOIN card_index i
        ON i.tenant_id = c.tenant_id AND i.generation = ${generation} AND i.card_id = c.id
      WHERE c.tenant_id = ${tenantId}`);
    return only(rows);
  }

  async states(
    viewer: Viewer,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, CardIndexState>> {
    const rows = await this.database.as(viewer, signal).query<StateRow>(Prisma.sql`
      SELECT c.id, s.state, i.revision AS "indexedRevision", i.indexed_at AS "indexedAt",
        d.error AS "lastError", coalesce(cardinality(i.question_hashes) > 0, false) AS question,
        coalesce(cardinality(i.solution_hashes) > 0, false) AS solution,
        coalesce(cardinality(i.concept_hashes) > 0, false) AS concept,
        coalesce(cardinality(i.error_hashes) > 0, false) AS error
      FROM ${CARDS_WITH_STATE} WHERE ${visible(viewer)} AND c.id = ANY(${ids}::text[])`);
    return new Map(
      rows.map(({ id, state, indexedRevision, indexedAt, lastError, ...has }) => {
        const perspectives = PERSPECTIVES.filter((perspective) => has[perspective]);
        return [id, { state, indexedRevision, indexedAt, perspectives, lastError }];
      }),
    );
  }

  async counts(viewer: Viewer): Promise<IndexCounts> {
    const rows = await this.database.as(viewer).query<{ state: CardIndexState['state']; count: number }>(Prisma.sql`
      SELECT s.state, count(*)::int AS count FROM ${CARDS_WITH_STATE} WHERE ${visible(viewer)} GROUP BY 1`);
    const of = (state: CardIndexState['state']): number => rows.find((row) => row.state === state)?.count ?? 0;
    const [indexed, pending, failed] = [of('INDEXED'), of('PENDING'), of('FAILED')];
    return { cards: indexed + pending + failed, indexed, pending, failed };
  }
}
