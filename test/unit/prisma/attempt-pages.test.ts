import { expect, test } from 'vitest';
import { PostgresAttemptPages } from '../../../prisma/practice/attempt-pages.js';
import { BadInputError } from '../../../src/domain/errors.js';
import type { AttemptList } from '../../../src/domain/ports/practice.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { admin, newTenant, student } from './fixture.js';
import { attempt, practiceWorld, START } from './practice-world.js';

const { fixture, newStudent, record } = await practiceWorld();
const pages = new PostgresAttemptPages(fixture.database);

const ofAmy = (over: Partial<AttemptList> = {}): AttemptList => ({
  ...{ ownerId: 'amy', cardId: null, from: null, to: null },
  ...over,
});
const minute = (minutes: number): Date => new Date(START + minutes * 60_000);

async function keysOf(viewer: Viewer, wanted = ofAmy()): Promise<readonly string[]> {
  const { edges } = await pages.page(viewer, wanted, { first: 100, after: null });
  return edges.map(({ node }) => node.key);
}

test('attempts are listed as they were recorded, the latest first', async () => {
  const amy = await newStudent();
  const given = attempt('k1', { reviewOf: 'c2', correct: false, hints: 2, durationMs: 9_000, answer: ' 3/4 ' });
  await record(amy, [given]);
  const { edges } = await pages.page(amy, ofAmy(), { first: 1, after: null });
  const { isDated: _, recordOccurrence: _o, ...stored } = given;
  expect(edges.map(({ node }) => node)).toEqual([{ ...stored, ownerId: 'amy' }]);
});

test('pages of any size list each attempt once, also where times are equal and later ones are recorded', async () => {
  const amy = await newStudent();
  await record(
    amy,
    ['b', 'a', 'B', 'é'].map((key) => attempt(key)),
  );
  await record(amy, [attempt('first', { at: minute(-1) }), attempt('last', { at: minute(1) })]);
  const all = await keysOf(amy);
  expect(all).toHaveLength(6);
  expect([all[0], all[5]]).toEqual(['last', 'first']);
  const read: string[] = [];
  let after: string | null = null;
  for (let more = true; more; ) {
    const page = await pages.page(amy, ofAmy(), { first: 1, after });
    read.push(...page.edges.map(({ node }) => node.key));
    after = page.edges.at(-1)?.cursor ?? null;
    more = page.hasNextPage;
    await record(amy, [attempt('later', { at: minute(2) })]);
  }
  expect(read).toEqual(all);
});

test('attempts are chosen by card and time', async () => {
  const amy = await newStudent();
  await record(
    amy,
    [0, 1, 2].map((at) => attempt(`k${at}`, { at: minute(at), cardId: `c${at + 1}` })),
  );
  expect(await keysOf(amy, ofAmy({ cardId: 'c2' }))).toEqual(['k1']);
  expect(await keysOf(amy, ofAmy({ from: minute(1), to: minute(2) }))).toEqual(['k1']);
});

test('a cursor of another list is refused', async () => {
  const amy = await newStudent();
  await record(amy, [attempt('k1'), attempt('k2')]);
  const { edges } = await pages.page(amy, ofAmy(), { first: 1, after: null });
  const after = edges[0]?.cursor ?? '';
  for (const wanted of [ofAmy({ cardId: 'c1' }), ofAmy({ ownerId: 'ben' })]) {
    await expect(pages.page(amy, wanted, { first: 1, after })).rejects.toThrow(BadInputError);
  }
  const [, key, list] = JSON.parse(Buffer.from(after, 'base64url').toString());
  for (const at of [1e300, -1e14, 'x']) {
    const forged = Buffer.from(JSON.stringify([at, key, list])).toString('base64url');
    await expect(pages.page(amy, ofAmy(), { first: 1, after: forged })).rejects.toThrow(BadInputError);
  }
});

test('teachers and admins read the attempts of their students, others none', async () => {
  const amy = await newStudent();
  await record(amy, [attempt('k1')]);
  const { tenantId } = amy;
  const teacher: Viewer = { tenantId, ownerId: 'ann', role: 'teacher' };
  expect([await keysOf(teacher), await keysOf(admin(tenantId))]).toEqual([['k1'], ['k1']]);
  for (const other of [student(tenantId, 'ben'), admin(newTenant())]) expect(await keysOf(other)).toEqual([]);
});
