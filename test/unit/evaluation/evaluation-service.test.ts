import { describe, expect, test } from 'vitest';
import type { TakeTurn } from '../../../src/domain/background.js';
import { BadInputError, ConflictError, UnavailableError } from '../../../src/domain/errors.js';
import type { GoldenCase } from '../../../src/domain/golden.js';
import type { EvaluationJob } from '../../../src/domain/ports/evaluation.js';
import { EvaluationService } from '../../../src/evaluation/evaluation-service.js';
import type { Evaluator } from '../../../src/evaluation/evaluator.js';
import type { Tuner } from '../../../src/evaluation/learning/tuner.js';
import { Profiles } from '../../../src/evaluation/profiles.js';
import { builtinProfiles } from '../../../src/search/profile.js';
import { deferred } from '../../support/deferred.js';
import { cardOf } from '../../support/generators.js';
import { until } from '../../support/until.js';
import { reportOf } from './reports.js';

const viewer = { tenantId: 'school', ownerId: 'anna', role: 'teacher' } as const;
const order = { set: 'set', profile: 'default', against: null, tune: null, k: 10 };
const one: GoldenCase = {
  id: 'one',
  operation: 'byError',
  subject: { kind: 'text', text: 'x' },
  filter: {},
  perspective: null,
  judgements: [{ cardId: 'a', grade: 1, reason: null }],
  reason: null,
};

/** A service whose evaluations end as the test says, with the fate of every job in a map. `merged`: card ids. */
function serviceOf(
  evaluate: Evaluator['evaluate'],
  {
    node = one,
    merged = {} as Readonly<Record<string, string>>,
    takeTurn = (async (step) => step()) as TakeTurn,
    progress = async (): Promise<void> => undefined,
  } = {},
) {
  const fates = new Map<string, string>();
  const stored = new Map<string, unknown>();
  const logged: string[] = [];
  const service = new EvaluationService({
    golden: {
      set: async () => ({ name: 'set', description: null, createdAt: new Date(0), updatedAt: new Date(0) }),
      cases: async () => new Map([['set', { edges: [{ cursor: '1', node }], hasNextPage: false }]]),
    },
    cards: {
      byIds: async (_viewer, ids) => new Map(ids.flatMap((id) => (id in merged ? [] : [[id, cardOf({ id })]]))),
      mergedInto: async (_viewer, ids) => new Map(ids.map((id) => [id, cardOf({ id: merged[id] ?? '' })])),
    },
    evaluations: {
      begin: async (_viewer, job): Promise<EvaluationJob> => {
        const id = `job ${fates.size}`;
        fates.set(id, 'RUNNING');
        return { ...job, id, state: 'RUNNING', done: 0, error: null, createdAt: new Date(0), finishedAt: null };
      },
      progress,
      finish: async (_viewer, id, reportJson) => {
        stored.set(id, JSON.parse(reportJson));
        fates.set(id, 'DONE');
      },
      fail: async (_viewer, id, error) => void fates.set(id, error),
      reportJson: async (_viewer, id) => JSON.stringify(stored.get(id)),
    },
    profiles: new Profiles(
      {
        list: async () => [],
        find: async () => null,
        names: async () => [],
        save: async () => undefined,
        delete: async () => false,
      },
      builtinProfiles('builtin'),
      'default',
    ),
    evaluator: { evaluate } as Evaluator,
    tuner: {} as Tuner,
    takeTurn,
    log: { error: () => void logged.push('error'), info: () => void logged.push('info') },
  });
  const ended = (id: string) =>
    until(async () => fates.get(id) !== 'RUNNING', { deadlineMs: 30_000, what: 'the evaluation to end' });
  return { service, fates, stored, ended, logged };
}

describe('the evaluation service', () => {
  test('runs one evaluation of a school at a time', async () => {
    const [one, other] = [deferred(), deferred()];
    const running = [one, other];
    const { service, fates, stored, ended } = serviceOf(async () => {
      await running.shift()?.promise;
      return reportOf({});
    });
    const first = await service.start(viewer, order);
    await expect(service.start(viewer, order)).rejects.toThrow(ConflictError);
    one.resolve();
    await ended(first.id);
    expect(fates.get(first.id)).toBe('DONE');
    expect(stored.get(first.id)).toEqual(JSON.parse(JSON.stringify(reportOf({}))));
    const second = await service.start(viewer, order);
    other.resolve();
    await ended(second.id);
    expect(fates.get(second.id)).toBe('DONE');
  });

  test('lets the next evaluation of a school start as soon as one is stored as done', async () => {
    const [told, beat] = [deferred(), deferred()];
    const events: string[] = [];
    const progress = async (): Promise<void> => {
      told.resolve();
      await beat.promise;
      events.push('heartbeat stored');
    };
    const { service, ended } = serviceOf(
      async () => {
        await told.promise;
        setTimeout(beat.resolve, 50);
        return reportOf({});
      },
      { progress },
    );
    const { id } = await service.start(viewer, order);
    await ended(id);
    events.push('done');
    expect(events).toEqual(['heartbeat stored', 'done']);
  });

  test('runs evaluations of four schools at once; others wait in order, and beyond sixteen they are refused', async () => {
    const ends = new Map<string, () => void>();
    const { service, fates, ended } = serviceOf(async ({ tenantId }) => {
      const { promise, resolve } = deferred();
      ends.set(tenantId, resolve);
      await promise;
      return reportOf({});
    });
    const schools = Array.from({ length: 20 }, (_, place) => `school ${place}`);
    const start = (tenantId: string) => service.start({ ...viewer, tenantId }, order);
    const ids = await Promise.all(schools.map(async (school) => (await start(school)).id));
    for (const school of [schools[0], schools[19]] as string[])
      await expect(start(school)).rejects.toThrow(ConflictError);
    const refused = { code: 'RATE_LIMITED', retryAfterMs: expect.any(Number) };
    await expect(start('another school')).rejects.toMatchObject(refused);
    expect([...ends.keys()]).toEqual(schools.slice(0, 4));
    for (const [place, school] of schools.slice(0, 10).entries()) {
      ends.get(school)?.();
      await ended(String(ids[place]));
      await until(async () => ends.size === place + 5, { deadlineMs: 30_000, what: 'the next evaluation to begin' });
      expect([...ends.keys()].at(-1)).toBe(schools[place + 4]);
    }
    const closed = service.close();
    for (const end of ends.values()) end();
    await closed;
    expect(ids.map((id) => fates.get(id))).toEqual(
      schools.map((_, place) => (place < 14 ? 'DONE' : 'the gateway was stopped')),
    );
  });

  test('measures the remaining card in the place of one that was merged after it was judged', async () => {
    const measured: unknown[] = [];
    const evaluated = async (merged: Readonly<Record<string, string>>, judged: Partial<GoldenCase>) => {
      const { service, ended } = serviceOf(
        async (_viewer, { cases }) => {
          measured.push(...cases);
          return reportOf({});
        },
        { node: { ...one, ...judged }, merged },
      );
      await ended((await service.start(viewer, order)).id);
      return measured.pop();
    };
    const judgements = ['a', 'b', 'c'].map((cardId, grade) => ({ cardId, grade, reason: null }));
    expect(await evaluated({}, { judgements })).toMatchObject({ judgements });
    const excludeCardIds = ['x', 'y', 'z'];
    expect(
      await evaluated({ c: 'a', x: 'a', y: 'w', z: 'w' }, { judgements, filter: { excludeCardIds } }),
    ).toMatchObject({
      judgements: [
        { cardId: 'a', grade: 2 },
        { cardId: 'b', grade: 1 },
      ],
      filter: { excludeCardIds: ['w'] },
    });
    expect(await evaluated({ q: 'a' }, { judgements, subject: { kind: 'card', cardId: 'q' } })).toMatchObject({
      subject: { kind: 'card', cardId: 'a' },
      judgements: [
        { cardId: 'c', grade: 2 },
        { cardId: 'b', grade: 1 },
      ],
    });
  });

  test('reads a report when it is its turn, and returns it when it is its turn again', async () => {
    const events: string[] = [];
    const { service, stored } = serviceOf(async () => reportOf({}), {
      takeTurn: async (step) => {
        events.push('waits');
        const result = await step();
        events.push(JSON.stringify(result));
        return result;
      },
    });
    stored.set('job', 'report');
    await service.reportJson(viewer, 'job').then(() => events.push('returned'));
    const report = JSON.stringify('"report"');
    expect(events).toEqual(['waits', report, 'waits', report, 'returned']);
  });

  test('stores why an evaluation failed, without internal details, and logs a wrong order as no error', async () => {
    const wrong = serviceOf(() => Promise.reject(new BadInputError('set', 'has no card of the notebook')));
    await wrong.ended((await wrong.service.start(viewer, order)).id);
    expect(wrong.logged).toEqual(['info']);
    const ours = serviceOf(() => Promise.reject(new UnavailableError('chroma', 'it does not answer')));
    const { id } = await ours.service.start(viewer, order);
    await ours.ended(id);
    expect(ours.fates.get(id)).toMatch(/does not answer/);
    expect(ours.logged).toEqual(['error']);
    const theirs = serviceOf(() => Promise.reject(new Error('postgres://user:secret@host failed')));
    const other = await theirs.service.start(viewer, order);
    await theirs.ended(other.id);
    expect(theirs.fates.get(other.id)).toBe('an internal error; the log has the details');
    expect(theirs.logged).toEqual(['error']);
  });

  test('ends a running evaluation when the gateway closes', async () => {
    const { service, fates, logged } = serviceOf(
      (_viewer, _request, _progress, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    );
    const { id } = await service.start(viewer, order);
    await service.close();
    expect(fates.get(id)).toBe('the gateway was stopped');
    expect(logged).not.toContain('error');
  });

  test('refuses unknown profiles, a set without a judged case, and tuning a built-in profile', async () => {
    const { service } = serviceOf(async () => reportOf({}));
    await expect(service.start(viewer, { ...order, profile: 'nobody' })).rejects.toMatchObject({
      extensions: { field: 'profile' },
    });
    await expect(service.start(viewer, { ...order, against: 'nobody' })).rejects.toMatchObject({
      extensions: { field: 'against' },
    });
    await expect(service.start(viewer, { ...order, tune: 'default' })).rejects.toMatchObject({
      extensions: { field: 'tune' },
    });
    const node = { ...one, judgements: [{ cardId: 'a', grade: 0, reason: null }] };
    await expect(serviceOf(async () => reportOf({}), { node }).service.start(viewer, order)).rejects.toThrow(
      BadInputError,
    );
  });
});
