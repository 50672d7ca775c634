import { describe, expect, test } from 'vitest';
import { attemptsOf, someParameters } from '../../../bench/reviewers.js';
import type { Owner } from '../../../src/domain/duplicates.js';
import type { LogSize } from '../../../src/domain/ports/practice.js';
import { DEFAULT_PRACTICE_SETTINGS, type FittedSchedule } from '../../../src/domain/practice.js';
import { seededRandom } from '../../../src/evaluation/random.js';
import { FittingLoop, isDue } from '../../../src/practice/fitting-loop.js';

const { signal } = new AbortController();
const parameters = someParameters(seededRandom(1), 1);
const made = [...attemptsOf({ parameters, cards: 60, days: 200, random: seededRandom(2) }).keys()];
const student = (ownerId: string): Owner => ({ tenantId: 'north', ownerId });

/** A loop over students with logs of these sizes, and what it stored and deleted. */
function loopOver(sizes: Readonly<Record<string, LogSize>>, isOn = true) {
  const saved = new Map<string, FittedSchedule>();
  const removed: string[] = [];
  const offsets: number[] = [];
  const warned: object[] = [];
  const loop = new FittingLoop({
    store: {
      find: async (_viewer, { ownerId }) => saved.get(ownerId) ?? null,
      weights: async () => new Map(),
      logSize: async ({ ownerId }, offsetMs) => {
        offsets.push(offsetMs);
        return sizes[ownerId] ?? { attempts: 0, reviews: 0 };
      },
      save: async ({ ownerId }, fit) => void saved.set(ownerId, { ...fit, fittedAt: new Date(0) }),
      students: async (limit) => Object.keys(sizes).slice(0, limit).map(student),
      remove: async ({ ownerId }) => void removed.push(ownerId),
    },
    attempts: {
      log: async (_viewer, which) => {
        if ('ownerIds' in which && which.ownerIds.includes('broken')) throw new Error('unavailable');
        return made.map((attempt) => ({ ...attempt, ownerId: 'amy' }));
      },
    },
    settings: {
      settings: async (_viewer, [ownerId = '']) =>
        new Map(ownerId === 'li' ? [[ownerId, { ...DEFAULT_PRACTICE_SETTINGS, timeZone: 'Asia/Shanghai' }]] : []),
    },
    isOn,
    takeTurn: async (step) => step(),
    log: { info: () => undefined, warn: (facts) => void warned.push(facts) },
  });
  return { loop, saved, removed, offsets, warned };
}

const MANY: LogSize = { attempts: 900, reviews: 500 };

describe('the loop that fits schedules', () => {
  test('fits the students who have practised and have enough reviews, also after one that fails', async () => {
    const { loop, saved, warned } = loopOver({
      amy: MANY,
      ben: { attempts: 900, reviews: 399 },
      broken: MANY,
      cleo: MANY,
      dan: MANY,
    });
    for (const id of ['ben', 'broken', 'amy', 'dan', 'amy']) loop.practised(student(id));
    await loop.pass(signal);
    expect([...saved.keys()].sort()).toEqual(['amy', 'dan']);
    expect(warned).toEqual([{ err: expect.any(Error), tenantId: 'north' }]);
    saved.clear();
    await loop.pass(signal);
    expect(saved.size).toBe(0);
  });

  test('counts reviews by the days of the student', async () => {
    const { loop, offsets } = loopOver({});
    for (const id of ['amy', 'li']) loop.practised(student(id));
    await loop.pass(signal);
    expect(offsets).toEqual([0, 8 * 60 * 60 * 1_000]);
  });

  test('leaves students for the next pass when there are many', async () => {
    const ids = Array.from({ length: 25 }, (_, place) => `s${place}`);
    const { loop, saved } = loopOver(Object.fromEntries(ids.map((id) => [id, MANY])));
    for (const id of ids) loop.practised(student(id));
    await loop.pass(signal);
    expect(saved.size).toBe(20);
    await loop.pass(signal);
    expect(saved.size).toBe(25);
  });

  test('returns students to the defaults where it is switched off', async () => {
    const { loop, saved, removed } = loopOver({ amy: MANY }, false);
    loop.practised(student('amy'));
    await loop.pass(signal);
    expect(saved.size).toBe(0);
    expect(removed).toEqual(['amy']);
  });

  test('ends with the signal, in the middle of a fit', async () => {
    const { loop, saved } = loopOver({ amy: MANY });
    loop.practised(student('amy'));
    const stopping = new AbortController();
    stopping.abort(new Error('stopping'));
    await expect(loop.pass(stopping.signal)).rejects.toThrow('stopping');
    expect(saved.size).toBe(0);
  });

  test('fits again when the reviews have grown by a fifth, unless the log is too long to be read', () => {
    const last = { reviews: 500 } as FittedSchedule;
    expect(isDue({ attempts: 900, reviews: 599 }, last)).toBe(false);
    expect(isDue({ attempts: 900, reviews: 600 }, last)).toBe(true);
    expect(isDue({ attempts: 20_001, reviews: 6_000 }, last)).toBe(false);
    expect(isDue({ attempts: 900, reviews: 400 }, null)).toBe(true);
    expect(isDue({ attempts: 900, reviews: 399 }, null)).toBe(false);
  });
});
