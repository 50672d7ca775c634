import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { matches, PostgresCardFilterStore } from '../../../prisma/cards/filters.js';
import { openDatabase } from '../../../prisma/client.js';
import { Prisma } from '../../../prisma/generated/client.js';
import { type Card, QUALITY_GRADES } from '../../../src/domain/card.js';
import { LANGUAGES } from '../../../src/domain/language.js';
import type { CardFilter } from '../../../src/domain/search.js';
import { type Viewer, visibleOwner } from '../../../src/domain/viewer.js';
import { naiveFacets } from '../../support/naive-facets.js';
import { naivelyMatches } from '../../support/naive-filter.js';
import { runs } from '../../support/runs.js';
import { until } from '../../support/until.js';
import {
  admin,
  type Fixture,
  indexEverything,
  liveGeneration,
  newCard,
  newTenant,
  openFixture,
  student,
} from './fixture.js';

const GRADES = ['G1', 'G6', 'G10', '初二'];
const SUBJECTS = ['math', 'physics', '语文'];
const TAGS = ['面积', '力', 'tenses', "it's; --", '%', '{a,b}'];
const ERRORS = ['计算错误', 'sign error', '单位错误'];
const SOURCES = ['a book', '2025 年真题，第 1 题'];
const METADATA = [
  { key: 'class "7"', value: "b's" },
  { key: 'unit', value: '1' },
];
const FIRST_DAY = Date.UTC(2025, 0, 1);
const DAY_MS = 86_400_000;

const tenantId = newTenant();
const viewers: readonly Viewer[] = [admin(tenantId), student(tenantId, 'amy'), student(tenantId, 'ben')];

let fixture: Fixture;
let all: Card[];
let generation: number;

beforeAll(async () => {
  fixture = await openFixture();
  const drawn = fc.sample(
    fc.record({
      subject: fc.constantFrom(...SUBJECTS),
      grade: fc.option(fc.constantFrom(...GRADES)),
      difficulty: fc.integer({ min: 1, max: 5 }),
      topicTags: fc.shuffledSubarray(TAGS),
      errorTypes: fc.shuffledSubarray(ERRORS),
      qualityGrade: fc.option(fc.constantFrom(...QUALITY_GRADES)),
      occurredAt: fc.integer({ min: 0, max: 10 }).map((day) => new Date(FIRST_DAY + day * DAY_MS)),
      source: fc.option(fc.constantFrom(...SOURCES)),
      questionText: fc.constantFrom('1 + 1', '求面积', '$\\frac{1}{2}$ 㐀', '豈', 'ひらがな'),
      goldSolutionBrief: fc.option(fc.constant('2')),
      metadata: fc.subarray(METADATA),
      owner: fc.constantFrom('amy', 'ben'),
    }),
    { numRuns: 120, seed: 7 },
  );
  all = [];
  for (const [index, { owner, ...over }] of drawn.entries()) {
    all.push(await fixture.cards.create(student(tenantId, owner), newCard({ id: `c${index}`, ...over })));
  }
  // Another tenant's cards must not match, whatever the filter.
  for (let index = 0; index < 10; index++) {
    await fixture.cards.create(student(newTenant(), 'amy'), newCard({ id: `c${index}`, subject: 'math' }));
  }
  generation = (await fixture.ledger.startGeneration(tenantId, 'model-a')).generation.number;
  await indexEverything(fixture, [generation]);
});
afterAll(() => fixture.close());

const anyOf = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 });
const day = fc.integer({ min: -1, max: 11 }).map((offset) => new Date(FIRST_DAY + offset * DAY_MS));

const values = fc.record({
  grade: anyOf([...GRADES, 'G99']),
  subject: anyOf([...SUBJECTS, 'none']),
  difficultyMin: fc.integer({ min: 1, max: 5 }),
  difficultyMax: fc.integer({ min: 1, max: 5 }),
  topicTags: anyOf([...TAGS, 'none']),
  errorTypes: anyOf([...ERRORS, 'none']),
  qualityGrade: anyOf(QUALITY_GRADES),
  allTopicTags: anyOf(TAGS),
  allErrorTypes: anyOf([...ERRORS, 'none']),
  owners: anyOf(['amy', 'ben', 'none']),
  sources: anyOf([...SOURCES, 'none']),
  languages: anyOf(LANGUAGES),
  hasSolution: fc.boolean(),
  unlabelled: fc.boolean(),
  metadata: anyOf([...METADATA, { key: 'unit', value: '10' }]),
  occurredAfter: day,
  occurredBefore: day,
  excludeCardIds: anyOf(['c0', 'c1', 'c2', 'c3', 'none']),
});

const KEYS: readonly (keyof CardFilter)[] = [
  'grade',
  'subject',
  'difficultyMin',
  'difficultyMax',
  'topicTags',
  'errorTypes',
  'qualityGrade',
  'allTopicTags',
  'allErrorTypes',
  'owners',
  'sources',
  'languages',
  'hasSolution',
  'unlabelled',
  'metadata',
  'occurredAfter',
  'occurredBefore',
  'excludeCardIds',
];

/** Up to four conditions at once: with more, almost nothing matches. */
const filters: fc.Arbitrary<CardFilter> = fc
  .tuple(values, fc.subarray([...KEYS], { maxLength: 4 }))
  .map(([all, keys]) => Object.fromEntries(keys.map((key) => [key, all[key]])));

/** A naive filter, as the reference. */
function passes(viewer: Viewer, filter: CardFilter, card: Card): boolean {
  const owner = visibleOwner(viewer);
  const isVisible = card.tenantId === viewer.tenantId && (owner === undefined || card.ownerId === owner);
  return isVisible && naivelyMatches(filter, card);
}

const newestFirst = (left: Card, right: Card): number =>
  right.createdAt.getTime() - left.createdAt.getTime() || (left.id < right.id ? 1 : -1);

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Parent Relationship'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Loops'?: number;
  readonly Plans?: readonly PlanNode[];
}

async function planOf(viewer: Viewer, filter: CardFilter): Promise<PlanNode | undefined> {
  const [explained] = await fixture.database.query<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }>(
    Prisma.sql`EXPLAIN (ANALYZE, FORMAT JSON) SELECT FROM card c WHERE ${matches(viewer, filter)}`,
  );
  return explained?.['QUERY PLAN'][0]?.Plan;
}

/** The number of joins of a plan, without those of its subqueries. */
function joinsOf(node: PlanNode | undefined): number {
  const below = node?.Plans?.filter((plan) => !/InitPlan|SubPlan/.test(String(plan['Parent Relationship']))) ?? [];
  const own = /Join|Nested Loop/.test(String(node?.['Node Type'])) ? 1 : 0;
  return below.reduce((sum, plan) => sum + joinsOf(plan), own);
}

/** How often a plan read the occurrences. */
function occurrenceReads(node: PlanNode | undefined): number {
  const own = node?.['Relation Name'] === 'card_occurrence' ? (node['Actual Loops'] ?? 0) : 0;
  return (node?.Plans ?? []).reduce((sum, plan) => sum + occurrenceReads(plan), own);
}

/** Never aborts. */
const NEVER = new AbortController().signal;

describe('filters', () => {
  test('match exactly the cards that a scan over all cards matches, in each query, for every viewer', async () => {
    let telling = 0;
    const property = fc.asyncProperty(filters, fc.constantFrom(...viewers), async (filter, viewer) => {
      const expected = all.filter((card) => passes(viewer, filter, card)).sort(newestFirst);
      if (expected.length > 0 && expected.length < all.length) telling++;
      const [page, matching, facets] = await Promise.all([
        fixture.cards.page(viewer, filter, { first: 100, after: null }),
        fixture.filters.matching(
          viewer,
          filter,
          generation,
          all.map((card) => card.id),
          NEVER,
        ),
        fixture.cards.facets(viewer, filter),
      ]);
      expect(page.edges.map((edge) => edge.node)).toEqual(expected.slice(0, 100));
      expect(page.totalCount).toBe(expected.length);
      expect(page.hasNextPage).toBe(expected.length > 100);
      expect(matching).toEqual(new Map(expected.map((card) => [card.id, { card, indexedRevision: 1 }])));
      expect(facets).toEqual(naiveFacets(expected));
    });
    await fc.assert(property, { numRuns: runs(200) });
    // A filter that matches nothing or everything proves little.
    expect(telling).toBeGreaterThan(runs(200) / 2);
  });

  test('facets have the 2,000 most frequent values of each kind, and say how many there are', async () => {
    const viewer = student(newTenant(), 'amy');
    await fixture.cards.create(viewer, newCard({ id: 'many', topicTags: [] }));
    await fixture.cards.create(viewer, newCard({ id: 'one', topicTags: ['zz'] }));
    await fixture.database.execute(Prisma.sql`
      WITH tag AS (INSERT INTO topic_tag (tenant_id, name, key)
        SELECT ${viewer.tenantId}, 'a' || n, 'a' || n FROM generate_series(1, 2000) n RETURNING id)
      INSERT INTO card_topic_tag (tenant_id, card_id, topic_tag_id, position)
      SELECT ${viewer.tenantId}, 'many', id, 100 + row_number() OVER () FROM tag`);
    const facets = await fixture.cards.facets(viewer, {});
    expect(facets).toMatchObject({ total: 2, distinctTopicTags: 2_001, distinctSubjects: 1, distinctGrades: 1 });
    expect(facets.topicTag).toHaveLength(2_000);
    expect(facets.topicTag).not.toContainEqual({ value: 'zz', count: 1 });
  });

  test('compare fifty labels with a card without joining them, which takes PostgreSQL seconds to plan', async () => {
    const viewer = student(newTenant(), 'amy');
    const labels = Array.from({ length: 50 }, (_, place) => `label ${place}`);
    await fixture.cards.create(viewer, newCard({ id: 'all', topicTags: labels, errorTypes: labels }));
    await fixture.cards.create(viewer, newCard({ id: 'one-lacks', topicTags: labels, errorTypes: labels.slice(1) }));
    const filter = { allTopicTags: labels, allErrorTypes: labels };
    expect(joinsOf(await planOf(viewer, filter))).toBeLessThan(10);
    const page = await fixture.cards.page(viewer, filter, { first: 100, after: null });
    expect(page.edges.map((edge) => edge.node.id)).toEqual(['all']);
  });

  test('look for the cards that excluded ones were merged into only if there is no card with an id', async () => {
    const readsBy = async (ids: string[]) => occurrenceReads(await planOf(admin(tenantId), { excludeCardIds: ids }));
    expect(await readsBy(['c5', 'c7', 'c9'])).toBe(0);
    expect(await readsBy(['c5', 'none', 'c9'])).toBe(1);
  });

  test('match only cards among the given ids', async () => {
    const [viewer] = viewers as [Viewer];
    const found = await fixture.filters.matching(viewer, {}, generation, ['c5', 'c7', 'none'], NEVER);
    expect([...found.keys()].sort()).toEqual(['c5', 'c7']);
    expect(await fixture.filters.matching(viewer, {}, generation, [], NEVER)).toEqual(new Map());
  });

  test('accept 30,000 ids', async () => {
    const [viewer] = viewers as [Viewer];
    const ids = Array.from({ length: 30_000 }, (_, index) => `c${index}`);
    expect((await fixture.filters.matching(viewer, {}, generation, ids, NEVER)).size).toBe(all.length);
    const none = await fixture.filters.matching(viewer, { excludeCardIds: ids }, generation, ids, NEVER);
    expect(none.size).toBe(0);
  });

  test('return the cards as they are now with the revision of their index records, and none that is not indexed', async () => {
    const viewer = admin(newTenant());
    await fixture.cards.create(viewer, newCard({ id: 'old' }));
    const {
      generation: { number },
    } = await fixture.ledger.startGeneration(viewer.tenantId, 'model-a');
    await indexEverything(fixture, [number]);
    const old = await fixture.cards.update(viewer, 'old', { difficulty: 5 }, null);
    await fixture.cards.create(viewer, newCard({ id: 'new', difficulty: 5 }));
    const matching = (filter: CardFilter, inGeneration = number) =>
      fixture.filters.matching(viewer, filter, inGeneration, ['old', 'new'], NEVER);
    expect(old.revision).toBe(2);
    expect(await matching({ difficultyMin: 5 })).toEqual(new Map([['old', { card: old, indexedRevision: 1 }]]));
    expect(await matching({ difficultyMax: 4 })).toEqual(new Map());
    expect(await matching({}, number + 1)).toEqual(new Map());
    await fixture.cards.delete(viewer, 'old');
    expect(await matching({})).toEqual(new Map());
  });

  test('read no table whole, however small: PostgreSQL may keep the plan while an import fills the tables', async () => {
    const own = await openFixture({ sessions: tenantId });
    const observer = await openDatabase(own.url);
    /** Once all other sessions of the test have ended, and so have reported what they read. */
    const reads = async () => {
      const isAlone = async () => {
        const [row] = await observer.query<{ alone: boolean }>(Prisma.sql`
          SELECT count(*) = 1 AS alone FROM pg_stat_activity
          WHERE application_name = current_setting('application_name')`);
        return row?.alone === true;
      };
      await until(isAlone, { deadlineMs: 30_000, what: 'the other sessions to end' });
      const [row] = await observer.query<{ whole: number; byIndex: number }>(Prisma.sql`
        SELECT sum(seq_scan)::int AS whole, sum(idx_scan)::int AS "byIndex" FROM pg_stat_user_tables
        WHERE schemaname = current_schema() AND relname IN ('card', 'card_index', 'card_topic_tag', 'topic_tag')`);
      return row ?? { whole: Number.NaN, byIndex: Number.NaN };
    };
    try {
      const viewer = student(tenantId, 'amy');
      for (const id of ['one', 'two', 'three']) await own.cards.create(viewer, newCard({ id }));
      const number = await liveGeneration(own, tenantId);
      await own.database.execute(Prisma.sql`ANALYZE`);
      await own.database.close();
      const before = await reads();
      const searching = await openDatabase(own.url);
      const filters = new PostgresCardFilterStore(searching);
      for (let search = 0; search < 20; search++)
        expect((await filters.matching(viewer, {}, number, ['one', 'two'], NEVER)).size).toBe(2);
      await searching.close();
      const after = await reads();
      expect(after.byIndex - before.byIndex).toBeGreaterThan(4 * 20);
      expect(after.whole).toBe(before.whole);
    } finally {
      await observer.close();
      await own.close();
    }
  });
});
