import { ConflictError, NotFoundError } from '../../src/domain/errors.js';
import { type GoldenCase, type GoldenCounts, type GoldenSet, GRADE_OF } from '../../src/domain/golden.js';
import { groupedBy } from '../../src/domain/grouped.js';
import { decodeCursor, encodeCursor, type Page, type Place } from '../../src/domain/page.js';
import type { GoldenSetChange } from '../../src/domain/parse/golden.js';
import type { PageRequest } from '../../src/domain/ports/cards.js';
import type { GoldenStore, JudgedHit, NamedHitJudgement, UndoneJudgement } from '../../src/domain/ports/evaluation.js';
import type { Viewer } from '../../src/domain/viewer.js';
import type { Database } from '../client.js';
import { Prisma } from '../generated/client.js';
import { deleteAny, type Queries, type ViewerTransaction } from '../statements.js';
import { ofTenant, tenantOf } from '../viewer-conditions.js';
import {
  addedNumber,
  type CaseRow,
  caseColumns,
  caseOf,
  insertCases,
  isNumber,
  judgementNamed,
  selectCounts,
  WITH_JUDGEMENTS,
} from './golden-rows.js';

/** Judgements of one page, of all sets of a request: a case may have thousands. The last case may exceed it. */
const PAGE_JUDGEMENTS = 10_000;

const SET = { name: true, description: true, createdAt: true, updatedAt: true } as const satisfies Record<
  keyof GoldenSet,
  true
>;

type PageRow = CaseRow & Readonly<Record<'setName' | 'number', string> & Record<'isRead', boolean>>;

export class PostgresGoldenStore implements GoldenStore {
  constructor(private readonly database: Database) {}

  sets(viewer: Viewer, { first, after }: PageRequest): Promise<readonly GoldenSet[]> {
    const [name] = after === null ? [''] : decodeCursor(after, isSetPlace);
    const where = { ...tenantOf(viewer), name: { gt: name } };
    return this.database
      .as(viewer)
      .transaction(({ prisma }) =>
        prisma.goldenSet.findMany({ where, select: SET, orderBy: { name: 'asc' }, take: first }),
      );
  }

  set(viewer: Viewer, name: string): Promise<GoldenSet> {
    return this.database.as(viewer).transaction((tx) => setOf(tx, viewer, name));
  }

  counts(viewer: Viewer, names: readonly string[]): Promise<ReadonlyMap<string, GoldenCounts>> {
    return selectCounts(this.database.as(viewer), viewer, names);
  }

  async cases(
    viewer: Viewer,
    names: readonly string[],
    { first, after }: PageRequest,
  ): Promise<ReadonlyMap<string, Page<GoldenCase>>> {
    const place = after === null ? null : decodeCursor(after, isCasePlace(names));
    const page = { last: place?.[1] ?? '0', limit: first + 1 };
    const rows = await selectCases(this.database.as(viewer), viewer, names, page);
    if (place !== null && !(await this.#hasCaseUpTo(viewer, place))) {
      throw new ConflictError('the cases of the set were replaced meanwhile: read them again from the first page');
    }
    const bySet = groupedBy(rows, ({ setName }) => setName);
    return new Map(
      names.map((name) => {
        const own = bySet.get(name) ?? [];
        const page = own.slice(0, first).filter(({ isRead }) => isRead);
        const edges = page.map((row) => ({ cursor: encodeCursor([name, row.number]), node: caseOf(row) }));
        return [name, { edges, hasNextPage: own.length > page.length }];
      }),
    );
  }

  save(viewer: Viewer, { name, description, cases }: GoldenSetChange): Promise<GoldenSet> {
    return this.database.as(viewer).transaction(async (tx) => {
      await upsertSet(tx, viewer, name, description === undefined ? {} : { description });
      if (cases !== null) {
        // Numbers are not used again: a cursor of the former cases is before all new ones.
        const first = await addedNumber(tx, viewer, name);
        await tx.prisma.goldenCase.deleteMany({ where: { ...tenantOf(viewer), setName: name } });
        await insertCases(tx, viewer, name, { cases, first });
      }
      return setOf(tx, viewer, name);
    });
  }

  addCase(viewer: Viewer, set: string, one: GoldenCase): Promise<GoldenSet> {
    return this.database.as(viewer).transaction(async (tx) => {
      const isThere = await touchSet(tx, viewer, set);
      if (!isThere) throw new NotFoundError('golden set', set, 'name');
      const where = { ...tenantOf(viewer), setName: set, id: one.id };
      const old = await tx.prisma.goldenCase.findFirst({ where, select: { number: true } });
      await tx.prisma.goldenCase.deleteMany({ where });
      await insertCases(tx, viewer, set, { cases: [one], first: await addedNumber(tx, viewer, set) });
      // It keeps its place in the set.
      if (old !== null) await tx.prisma.goldenCase.updateMany({ where, data: { number: old.number } });
      return setOf(tx, viewer, set);
    });
  }

  delete(viewer: Viewer, name: string): Promise<boolean> {
    const where = { ...tenantOf(viewer), name };
    return deleteAny(this.database.as(viewer), (prisma) => prisma.goldenSet.deleteMany({ where }));
  }

  judge(viewer: Viewer, judged: NamedHitJudgement): Promise<JudgedHit> {
    const { tenantId, ownerId } = viewer;
    const { set, caseId, query, cardId, relevance, reason } = judged;
    return this.database.as(viewer).transaction(async (tx) => {
      await upsertSet(tx, viewer, set, {});
      const number = await addedNumber(tx, viewer, set);
      await tx.prisma.goldenCase.createMany({
        data: { tenantId, setName: set, id: caseId, number, ...caseColumns(query), judged: true },
        skipDuplicates: true,
      });
      const { key } = await tx.prisma.goldenJudgement.create({
        data: {
          tenantId,
          setName: set,
          caseId,
          cardId,
          grade: GRADE_OF[relevance],
          relevance,
          reason,
          judgedBy: ownerId,
        },
        select: { key: true },
      });
      const goldenCase = await findCase(tx, viewer, set, caseId);
      if (goldenCase === null) throw new Error('judging a hit returned no case');
      return { judgementId: String(key), set, goldenCase };
    });
  }

  undo(viewer: Viewer, judgementId: string): Promise<UndoneJudgement> {
    return this.database.as(viewer).transaction(async (tx) => {
      const missing = new NotFoundError('judgement', judgementId);
      const named = judgementNamed(judgementId);
      if (named === null) throw missing;
      const { goldenCase, goldenJudgement } = tx.prisma;
      // A judgement without relevance was written with its case, and is only changed with it.
      const where = { ...tenantOf(viewer), ...named, relevance: { not: null } };
      const judgement = await goldenJudgement.findFirst({ where });
      if (judgement === null) throw missing;
      const { setName: set, caseId } = judgement;
      // Locks the set, as every change does: else the case could be deleted with a judgement that is being added.
      await touchSet(tx, viewer, set);
      const { count } = await goldenJudgement.deleteMany({ where });
      if (count === 0) throw missing;
      await goldenCase.deleteMany({
        where: { ...tenantOf(viewer), setName: set, id: caseId, judged: true, judgements: { none: {} } },
      });
      return { set, goldenCase: await findCase(tx, viewer, set, caseId) };
    });
  }

  /** Numbers are not used again: without a case up to this one, a cursor is of former cases. */
  async #hasCaseUpTo(viewer: Viewer, [setName, number]: CasePlace): Promise<boolean> {
    const where = { ...tenantOf(viewer), setName, number: { lte: BigInt(number) } };
    const found = await this.database
      .as(viewer)
      .transaction(({ prisma }) => prisma.goldenCase.findFirst({ where, select: { id: true } }));
    return found !== null;
  }
}

async function setOf({ prisma }: ViewerTransaction, viewer: Viewer, name: string): Promise<GoldenSet> {
  const found = await prisma.goldenSet.findFirst({ where: { ...tenantOf(viewer), name }, select: SET });
  if (found === null) throw new NotFoundError('golden set', name, 'name');
  return found;
}

async function findCase(
  { prisma }: ViewerTransaction,
  viewer: Viewer,
  setName: string,
  id: string,
): Promise<GoldenCase | null> {
  const where = { ...tenantOf(viewer), setName, id };
  const found = await prisma.goldenCase.findFirst({ where, include: WITH_JUDGEMENTS });
  return found === null ? null : caseOf(found);
}

/** Creates the set, or locks an existing one until the transaction ends. */
async function upsertSet(
  { prisma, now }: ViewerTransaction,
  { tenantId }: Viewer,
  name: string,
  change: { readonly description?: string | null },
): Promise<void> {
  await prisma.goldenSet.upsert({
    where: { tenantId_name: { tenantId, name } },
    create: { tenantId, name, ...change },
    update: { ...change, updatedAt: now },
  });
}

/** False if the set does not exist. */
async function touchSet({ prisma, now }: ViewerTransaction, viewer: Viewer, name: string): Promise<boolean> {
  const where = { ...tenantOf(viewer), name };
  const { count } = await prisma.goldenSet.updateMany({ where, data: { updatedAt: now } });
  return count > 0;
}

function isSetPlace(values: Place): values is readonly [string] {
  return values.length === 1 && typeof values[0] === 'string';
}

/** A place in the cases of one set means nothing in those of others. */
type CasePlace = readonly [set: string, number: string];

function isCasePlace(sets: readonly string[]) {
  return (values: Place): values is CasePlace => {
    const [set, number] = values;
    return sets.every((name) => name === set) && typeof number === 'string' && isNumber(number);
  };
}

/**
 * The first cases of each set after the number `last`, by number, with their judgements: up to the first case before
 * which the set has had its share of {@link PAGE_JUDGEMENTS}; `isRead` is false for those after it. One statement, so
 * that a case that is deleted meanwhile cannot make a page end before its limit.
 */
function selectCases(
  queries: Queries,
  viewer: Viewer,
  names: readonly string[],
  { last, limit }: { readonly last: string; readonly limit: number },
): Promise<PageRow[]> {
  const share = Math.ceil(PAGE_JUDGEMENTS / names.length);
  return queries.query(Prisma.sql`
    SELECT c.set_name AS "setName", c.number::text, c.id, c.operation, c.query_text AS "queryText",
      c.query_card_id AS "queryCardId", c.filter, c.perspective, c.reason, c.before < ${share} AS "isRead", j.judgements
    FROM unnest(${names}::text[]) AS s (name) CROSS JOIN LATERAL (
      SELECT g.*, sum(n) OVER (ORDER BY g.number) - n AS before FROM (
        SELECT * FROM golden_case g
        WHERE ${ofTenant(viewer, 'g')} AND g.set_name = s.name AND g.number > ${last}::bigint ORDER BY g.number LIMIT ${limit}) g
      CROSS JOIN LATERAL (SELECT count(*) AS n FROM golden_judgement j
        WHERE j.tenant_id = g.tenant_id AND j.set_name = g.set_name AND j.case_id = g.id) counted) c
    CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(json_build_object('cardId', card_id, 'grade', grade, 'reason', reason) ORDER BY j.id), '[]')
        AS judgements
      FROM golden_judgement j
      WHERE c.before < ${share} AND j.tenant_id = c.tenant_id AND j.set_name = c.set_name AND j.case_id = c.id) j
    ORDER BY c.number`);
}
