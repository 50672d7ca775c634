import { PERSPECTIVES, type Perspective } from '../../src/domain/perspective.js';
import type { CardIndexState, IndexCounts } from '../../src/domain/ports/ledger.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { Prisma } from '../generated/client.js';
import type { Queries } from '../statements.js';
import { visible } from '../viewer-conditions.js';

/**
 * `card c` with its outbox row `d` and its row `i` of the live generation, which may be null, and its `state`. FAILED:
 * given up until the card changes. INDEXED: the live generation has the current revision and no change is waiting; a
 * rebuild's own row (bulk) does not count. PENDING: anything else. A waiting row counts even if the revision is
 * current, because an indexer that lost its claim may have overwritten the records with older ones.
 */
const CARDS_WITH_STATE = Prisma.raw(`card c
  LEFT JOIN index_dirty d ON d.tenant_id = c.tenant_id AND d.card_id = c.id
  LEFT JOIN index_generation g ON g.tenant_id = c.tenant_id AND g.state = 'LIVE'
  LEFT JOIN card_index i ON i.tenant_id = c.tenant_id AND i.generation = g.number AND i.card_id = c.id
  CROSS JOIN LATERAL (SELECT CASE WHEN d.dead THEN 'FAILED'
    WHEN i.revision = c.revision AND (d.card_id IS NULL OR d.bulk) THEN 'INDEXED' ELSE 'PENDING' END AS state) s`);

type StateRow = Omit<CardIndexState, 'perspectives'> & { readonly id: string } & Readonly<Record<Perspective, boolean>>;

/** The states of the viewer's cards among `ids`. */
export async function selectStates(
  queries: Queries,
  viewer: Viewer,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CardIndexState>> {
  const rows = await queries.query<StateRow>(Prisma.sql`
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

/** The viewer's cards by state; the three states sum to `cards`. */
export async function countStates(queries: Queries, viewer: Viewer): Promise<IndexCounts> {
  const rows = await queries.query<{ state: CardIndexState['state']; count: number }>(Prisma.sql`
    SELECT s.state, count(*)::int AS count FROM ${CARDS_WITH_STATE} WHERE ${visible(viewer)} GROUP BY 1`);
  const of = (state: CardIndexState['state']): number => rows.find((row) => row.state === state)?.count ?? 0;
  const [indexed, pending, failed] = [of('INDEXED'), of('PENDING'), of('FAILED')];
  return { cards: indexed + pending + failed, indexed, pending, failed };
}
