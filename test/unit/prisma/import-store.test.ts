import { describe, expect, test } from 'vitest';
import { Prisma } from '../../../prisma/generated/client.js';
import { PRIORITY } from '../../../src/domain/ports/outbox.js';
import { fillFingerprints } from '../../../src/exchange/duplicates/fingerprints.js';
import { mergeDrafts, withoutMerged } from '../../../src/exchange/import/merge.js';
import { questionKeys } from '../../../src/text/duplicate-questions.js';
import { never } from '../../support/models.js';
import { until } from '../../support/until.js';
import { admin, dirtyRows, newTenant, student } from './fixture.js';
import { importStoreWorld, teacher } from './import-store-world.js';
import { waiting } from './sessions.js';

const { fixture, imports, statements, store } = await importStoreWorld();

describe('imported rows', () => {
  test('of two imports at once make one card of one question, with an occurrence of each', async () => {
    const viewer = student(newTenant(), 'li');
    const runs = Array.from({ length: 6 }, (_, at) =>
      store(viewer, [{ questionText: '求 $\\frac{1}{2}$ 的倒数', studentSolutionText: `${at}` }]),
    );
    await Promise.all(runs);
    const cards = await imports.cardsAfter(viewer, {}, null, 10);
    expect(cards.map(({ occurrences }) => occurrences)).toEqual([6]);
  });

  test('of one question with long wrong solutions are stored by several statements, and each is there', async () => {
    const viewer = student(newTenant(), 'li');
    const solutions = Array.from({ length: 60 }, (_, place) => `${place}${'长'.repeat(5_400)}`);
    statements.length = 0;
    await store(
      viewer,
      solutions.map((studentSolutionText, day) => ({
        id: 'a',
        questionText: '1+1=?',
        studentSolutionText,
        occurredAt: new Date(Date.UTC(2026, 0, 1 + day)).toISOString(),
      })),
    );
    expect(statements.filter((sql) => sql.includes('INSERT INTO card_occurrence'))).toHaveLength(2);
    const stored = await imports.occurrences(viewer, ['a']);
    expect(stored.get('a')?.map(({ wrongSolution }) => wrongSolution)).toEqual(solutions);
  });

  test('with thousands of labels are stored by several statements, their labels in the spelling of the first', async () => {
    const viewer = student(newTenant(), 'li');
    const labels = (name: string): string[] => Array.from({ length: 50 }, (_, n) => `${name} ${n}`);
    const rows = (topic: string, error: string, question: string): object[] =>
      Array.from({ length: 25 }, (_, place) => ({
        id: `${topic}-${place}`,
        questionText: `${question} ${place}`,
        topicTags: labels(`${topic} ${place}`),
        errorTypes: labels(`${error} ${place}`),
      }));
    statements.length = 0;
    await store(viewer, rows('Topic', 'Error', 'circle'));
    expect(statements.filter((sql) => sql.includes('INSERT INTO topic_tag'))).toHaveLength(2);
    await store(viewer, rows('topic', 'ＥＲＲＯＲ', 'square'));
    const cards = await imports.cardsAfter(viewer, {}, null, 99);
    expect(cards).toHaveLength(50);
    for (const { id, topicTags, errorTypes } of cards) {
      const place = id.replace(/\D+/, '');
      expect({ topicTags, errorTypes }).toEqual({
        topicTags: labels(`Topic ${place}`),
        errorTypes: labels(`Error ${place}`),
      });
    }
  });

  test('become a card of their owner: the same question of another student stays a separate card', async () => {
    const tenant = newTenant();
    for (const name of ['li', 'wang']) await store(student(tenant, name), [{ questionText: '1+1=?' }]);
    expect(await imports.cardsAfter(admin(tenant), {}, null, 10)).toHaveLength(2);
  });

  test('never change a card of another owner: a row with its id fails if the viewer may see it, and is a new card if not', async () => {
    const tenant = newTenant();
    await store(student(tenant, 'li'), [{ id: 'own', questionText: '1+1=?' }]);
    const row = { id: 'own', questionText: '1+1=?', notes: 'changed' };
    expect(await store(teacher(tenant), [row])).toMatchObject({
      counts: { failed: 1 },
      problems: [{ failed: true, column: 'id', reason: expect.stringContaining('belongs to another owner') }],
    });
    expect(await store(student(tenant, 'wang'), [row])).toMatchObject({
      counts: { created: 1 },
      problems: [{ failed: false, column: 'id' }],
    });
    const [card] = await imports.cardsAfter(student(tenant, 'li'), {}, null, 10);
    expect(card).toMatchObject({ id: 'own', notes: null, revision: 1 });
  });

  test('with the id of a merged card of another student are new cards under other ids, also those of admins, so that the merge can be undone', async () => {
    const tenant = newTenant();
    const [li, wang] = [student(tenant, 'li'), student(tenant, 'wang')];
    await store(li, [
      { id: 'from', questionText: '1+1=?' },
      { id: 'into', questionText: '2+2=?' },
    ]);
    await imports.merge(li, { from: 'from', into: 'into' }, mergeDrafts);
    for (const viewer of [wang, admin(tenant)]) {
      expect(await store(viewer, [{ id: 'from', questionText: '3+3=?' }])).toMatchObject({
        counts: { created: 1, failed: 0 },
        problems: [{ failed: false, column: 'id' }],
      });
    }
    await imports.unmerge(li, { id: 'from', expectedRevision: null }, withoutMerged);
    expect((await imports.cardsAfter(li, {}, null, 10)).map(({ id }) => id)).toEqual(['from', 'into']);
  });

  test('mark every changed card dirty in the outbox', async () => {
    const viewer = student(newTenant(), 'li');
    await store(viewer, [
      { id: 'a', questionText: '1+1=?' },
      { id: 'b', questionText: '2+2=?' },
    ]);
    const claimed = await fixture.outbox.claim(100, 1_000);
    expect(claimed.map(({ cardId }) => cardId)).toEqual(expect.arrayContaining(['a', 'b']));
  });
});

describe('missing fingerprints', () => {
  const fingerprints = (tenantId: string) =>
    fixture.database.run(({ card }) => {
      return card.findMany({
        where: { tenantId },
        select: { id: true, questionKey: true, questionBands: true, revision: true },
        orderBy: { id: 'asc' },
      });
    });
  const forget = () => fixture.database.execute(Prisma.sql`UPDATE card SET question_key = NULL, question_bands = '{}'`);

  test('are computed as for new cards, a page in one statement, and logged', async () => {
    const [tenant, other] = [newTenant(), newTenant()];
    const questions = Array.from({ length: 40 }, (_, at) => ({ id: `c${at}`, questionText: `${at} + ${at} = ?` }));
    await store(student(tenant, 'li'), [...questions, { id: 'x', questionText: '选一个', choices: ['12', '15'] }]);
    await store(student(other, 'wang'), questions.slice(0, 5));
    const before = [await fingerprints(tenant), await fingerprints(other)];
    await forget();
    const logged: object[] = [];
    const log = { info: (facts: object) => logged.push(facts) };
    statements.length = 0;
    await fillFingerprints({ imports, log, signal: never });
    expect(statements.filter((sql) => sql.includes('UPDATE card'))).toHaveLength(1);
    expect([await fingerprints(tenant), await fingerprints(other)]).toEqual(before);
    const [{ cards }] = logged as [{ cards: number }];
    expect(cards).toBeGreaterThanOrEqual(46);
    expect(logged).toEqual([{ cards }, { cards, tookMs: expect.any(Number) }]);
    await fillFingerprints({ imports, log, signal: never });
    expect(logged).toHaveLength(2);
  });

  test('of a question that changes meanwhile are those of the new question', async () => {
    const viewer = student(newTenant(), 'li');
    await store(viewer, [{ id: 'a', questionText: '1+1=?' }]);
    await forget();
    const ofCard = Prisma.sql`WHERE tenant_id = ${viewer.tenantId} AND id = 'a'`;
    const { filling } = await fixture.database.transaction(async (tx) => {
      await tx.query(Prisma.sql`SELECT id FROM card ${ofCard} FOR UPDATE`);
      const started = imports.fingerprintMissing(500);
      await until(async () => (await waiting(fixture.database)) === 1, {
        deadlineMs: 20_000,
        what: 'the fingerprints to wait',
      });
      await tx.execute(Prisma.sql`UPDATE card SET question_text = '2+2=?' ${ofCard}`);
      return { filling: started };
    });
    expect(await filling).toBeGreaterThan(0);
    const [changed] = await fingerprints(viewer.tenantId);
    const { key } = questionKeys(viewer, { questionText: '2+2=?', choices: [] }).fingerprints;
    expect(changed).toMatchObject({ questionKey: key });
  });

  test('a start that is given up leaves the rest to the next one', async () => {
    await store(student(newTenant(), 'li'), [{ id: 'a', questionText: '1+1=?' }]);
    await forget();
    const signal = AbortSignal.abort(new Error('the start is given up'));
    await expect(fillFingerprints({ imports, log: { info: () => undefined }, signal })).rejects.toThrow('given up');
    expect(await imports.withoutFingerprints()).toBeGreaterThan(0);
  });
});

test('changes that somebody waits for are indexed before all other work, cards that it has marked among them', async () => {
  const viewer = student(newTenant(), 'li');
  const { change, rebuild } = PRIORITY;
  const priorities = async () => {
    const rows = await dirtyRows(fixture, viewer.tenantId);
    return Object.fromEntries([...rows].map(([id, { priority }]) => [id, priority]));
  };
  const asRebuild = () => fixture.database.execute(Prisma.sql`UPDATE index_dirty SET priority = ${rebuild}`);
  await store(viewer, [
    { id: 'a', questionText: '1+1=?' },
    { id: 'b', questionText: '2+2=?' },
  ]);
  expect(await priorities()).toEqual({ a: change, b: change });
  await asRebuild();
  await store(viewer, [{ id: 'a', questionText: '1+1=?', notes: 'n' }]);
  expect(await priorities()).toEqual({ a: change, b: rebuild });
  await asRebuild();
  await imports.merge(viewer, { into: 'a', from: 'b' }, mergeDrafts);
  expect(await priorities()).toEqual({ a: change, b: change });
  await asRebuild();
  await imports.unmerge(viewer, { id: 'b', expectedRevision: null }, withoutMerged);
  expect(await priorities()).toEqual({ a: change, b: change });
});
