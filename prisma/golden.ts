import { NotFoundError } from '../src/domain/errors.js';
import { type GoldenCase, type GoldenSet, GRADE_OF } from '../src/domain/golden.js';
import type { GoldenSetChange } from '../src/domain/parse/golden.js';
import type { PageRequest } from '../src/domain/ports/cards.js';
import type {
  GoldenPage,
  GoldenStore,
  JudgedHit,
  NamedHitJudgement,
  UndoneJudgement,
} from '../src/domain/ports/evaluation.js';
import type { Viewer } from '../src/domain/viewer.js';
import type { Database } from './client.js';
import { Prisma } from './generated/client.js';
import { isNumber, numberOf, selectCases, selectSets } from './golden-rows.js';
import type { Queries, Statements } from './statements.js';
import { ofTenant } from './visible.js';

/** What the tables are called in the statements here. */
const S = Prisma.sql`s`;
const C = Prisma.sql`c`;

/** The golden sets in PostgreSQL. */
export class PostgresGoldenStore implements GoldenStore {
  constructor(private readonly database: Database) {}

  sets(viewer: Viewer): Promise<readonly GoldenSet[]> {
    return selectSets(this.database.as(viewer), ofTenant(viewer, S));
  }

  set(viewer: Viewer, name: string): Promise<GoldenSet> {
    return setOf(this.database.as(viewer), viewer, name);
  }

  async cases(viewer: Viewer, name: string, { first, after }: PageRequest): Promise<GoldenPage> {
    const beyond = after === null ? Prisma.empty : Prisma.sql`AND c.number > ${numberOf(after)}`;
    const rows = await selectCases(
      this.database.as(viewer),
      Prisma.sql`${ofTenant(viewer, C)} AND c.set_name = ${name} ${beyond} ORDER BY c.number LIMIT ${first + 1}`,
    );
    const page = rows.slice(0, first);
    return {
      cases: page.map(({ goldenCase }) => goldenCase),
      next: rows.length > first ? (page.at(-1)?.cursor ?? null) : null,
    };
  }

  save(viewer: Viewer, { name, description, cases }: GoldenSetChange): Promise<GoldenSet> {
    return this.database.as(viewer).transaction(async (tx) => {
      await makeSet(tx, viewer, name);
      if (description !== null) {
        await tx.execute(Prisma.sql`
          UPDATE golden_set s SET description = ${description} WHERE ${ofTenant(viewer, S)} AND s.name = ${name}`);
      }
      if (cases !== null) {
        await tx.execute(Prisma.sql`DELETE FROM golden_case c WHERE ${ofTenant(viewer, C)} AND c.set_name = ${name}`);
        await insertCases(tx, viewer, name, cases);
      }
      return setOf(tx, viewer, name);
    });
  }

  addCase(viewer: Viewer, set: string, one: GoldenCase): Promise<GoldenSet> {
    return this.database.as(viewer).transaction(async (tx) => {
      const touched = await touch(tx, viewer, set);
      if (!touched) throw new NotFoundError('golden set', set);
      const [old] = await tx.query<{ number: bigint }>(Prisma.sql`
        DELETE FROM golden_case c WHERE ${ofTenant(viewer, C)} AND c.set_name = ${set} AND c.id = ${one.id}
        RETURNING c.number`);
      await insertCases(tx, viewer, set, [one]);
      if (old !== undefined) {
        await tx.execute(Prisma.sql`
          UPDATE golden_case c SET number = ${old.number}
          WHERE ${ofTenant(viewer, C)} AND c.set_name = ${set} AND c.id = ${one.id}`);
      }
      return setOf(tx, viewer, set);
    });
  }

  async delete(viewer: Viewer, name: string): Promise<boolean> {
    const rows = await this.database.as(viewer).execute(Prisma.sql`
      DELETE FROM golden_set s WHERE ${ofTenant(viewer, S)} AND s.name = ${name}`);
    return rows > 0;
  }

  judge(viewer: Viewer, judged: NamedHitJudgement): Promise<JudgedHit> {
    const { tenantId, ownerId } = viewer;
    const { set, caseId, query, cardId, relevance, reason } = judged;
    return this.database.as(viewer).transaction(async (tx) => {
      await makeSet(tx, viewer, set);
      const { text, queryCardId } = subjectOf(query);
      await tx.execute(Prisma.sql`
        INSERT INTO golden_case (tenant_id, set_name, id, operation, query_text, query_card_id, filter, judged)
        VALUES (${tenantId}, ${set}, ${caseId}, ${query.operation}, ${text}, ${queryCardId},
          ${JSON.stringify(query.filter)}::jsonb, true)
        ON CONFLICT (tenant_id, set_name, id) DO NOTHING`);
      const [made] = await tx.query<{ id: bigint }>(Prisma.sql`
        INSERT INTO golden_judgement (tenant_id, set_name, case_id, card_id, grade, relevance, reason, judged_by)
        VALUES (${tenantId}, ${set}, ${caseId}, ${cardId}, ${GRADE_OF[relevance]}, ${relevance}, ${reason}, ${ownerId})
        RETURNING id`);
      const goldenCase = await caseOf(tx, viewer, set, caseId);
      if (made === undefined || goldenCase === null) throw new Error('judging a hit left no case');
      return { judgementId: String(made.id), set, goldenCase };
    });
  }

  undo(viewer: Viewer, judgementId: string): Promise<UndoneJudgement> {
    return this.database.as(viewer).transaction(async (tx) => {
      const missing = new NotFoundError('judgement', judgementId);
      if (!isNumber(judgementId)) throw missing;
      // Only what a person said of a hit: what was written into a case is changed by writing the case.
      const [gone] = await tx.query<{ set: string; caseId: string }>(Prisma.sql`
        DELETE FROM golden_judgement j WHERE ${ofTenant(viewer, Prisma.sql`j`)} AND j.id = ${BigInt(judgementId)}
          AND j.relevance IS NOT NULL RETURNING j.set_name AS set, j.case_id AS "caseId"`);
      if (gone === undefined) throw missing;
      await tx.execute(Prisma.sql`
        DELETE FROM golden_case c WHERE ${ofTenant(viewer, C)} AND c.set_name = ${gone.set} AND c.id = ${gone.caseId}
          AND c.judged AND NOT EXISTS (SELECT FROM golden_judgement j
            WHERE j.tenant_id = c.tenant_id AND j.set_name = c.set_name AND j.case_id = c.id)`);
      await touch(tx, viewer, gone.set);
      return { set: gone.set, goldenCase: await caseOf(tx, viewer, gone.set, gone.caseId) };
    });
  }
}

async function setOf(queries: Queries, viewer: Viewer, name: string): Promise<GoldenSet> {
  const [found] = await selectSets(queries, Prisma.sql`${ofTenant(viewer, S)} AND s.name = ${name}`);
  if (found === undefined) throw new NotFoundError('golden set', name);
  return found;
}

async function caseOf(queries: Queries, viewer: Viewer, set: string, caseId: string): Promise<GoldenCase | null> {
  const [found] = await selectCases(
    queries,
    Prisma.sql`${ofTenant(viewer, C)} AND c.set_name = ${set} AND c.id = ${caseId}`,
  );
  return found?.goldenCase ?? null;
}

/** Makes the set where it is missing; where it is there, nobody else changes it until the transaction ends. */
async function makeSet(statements: Statements, { tenantId }: Viewer, name: string): Promise<void> {
  await statements.execute(Prisma.sql`
    INSERT INTO golden_set (tenant_id, name) VALUES (${tenantId}, ${name})
    ON CONFLICT (tenant_id, name) DO UPDATE SET updated_at = now()`);
}

/** False where there is no such set. */
async function touch(statements: Statements, viewer: Viewer, name: string): Promise<boolean> {
  const rows = await statements.execute(Prisma.sql`
    UPDATE golden_set s SET updated_at = now() WHERE ${ofTenant(viewer, S)} AND s.name = ${name}`);
  return rows > 0;
}

async function insertCases(
  statements: Statements,
  { tenantId }: Viewer,
  set: string,
  cases: readonly GoldenCase[],
): Promise<void> {
  const rows = cases.map(({ id, operation, subject, filter, perspective, reason }, place) => {
    const { text, queryCardId } = subjectOf({ subject });
    return { place, id, operation, query_text: text, query_card_id: queryCardId, filter, perspective, reason };
  });
  await statements.execute(Prisma.sql`
    INSERT INTO golden_case (tenant_id, set_name, id, operation, query_text, query_card_id, filter, perspective, reason)
    SELECT ${tenantId}, ${set}, id, operation, query_text, query_card_id, filter, perspective, reason
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS given (place int, id text, operation text,
      query_text text, query_card_id text, filter jsonb, perspective text, reason text) ORDER BY place`);
  const judgements = cases.flatMap(({ id, judgements: judged }) =>
    judged.map(({ cardId, grade, reason }, place) => ({ case_id: id, place, card_id: cardId, grade, reason })),
  );
  await statements.execute(Prisma.sql`
    INSERT INTO golden_judgement (tenant_id, set_name, case_id, card_id, grade, reason)
    SELECT ${tenantId}, ${set}, case_id, card_id, grade, reason
    FROM jsonb_to_recordset(${JSON.stringify(judgements)}::jsonb)
      AS given (case_id text, place int, card_id text, grade int, reason text) ORDER BY case_id, place`);
}

function subjectOf({ subject }: Pick<GoldenCase, 'subject'>): {
  readonly text: string | null;
  readonly queryCardId: string | null;
} {
  return subject.kind === 'text'
    ? { text: subject.text, queryCardId: null }
    : { text: null, queryCardId: subject.cardId };
}
