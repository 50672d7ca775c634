import { describe, expect, test } from 'vitest';
import { byPerspective, PERSPECTIVES } from '../../../src/domain/perspective.js';
import { laneName } from '../../../src/domain/search.js';
import { searchIn, type World } from '../../support/engine-world.js';
import { cardOf, requestOf } from '../../support/generators.js';

const cards = ['a', 'b', 'c'].map((id) =>
  cardOf({
    id,
    questionText: `circle ${id}`,
    studentSolutionText: `radius ${id}`,
    topicTags: ['circles', 'circle'],
    errorTypes: ['circle'],
  }),
);
const request = requestOf({
  subject: { kind: 'text', text: 'circle' },
  weights: byPerspective(() => 0.25),
  lexicalShare: 0.5,
});

/** What was heard of each lane while a world was searched: its name, and whether it answered. */
async function heard(world: Partial<World>): Promise<ReadonlyMap<string, boolean>> {
  const lanes = new Map<string, boolean>();
  const onLane: World['onLane'] = (lane, tookMs, answered) => {
    expect(tookMs).toBeGreaterThanOrEqual(0);
    expect(lanes.has(laneName(lane))).toBe(false);
    lanes.set(laneName(lane), answered);
  };
  await searchIn({ cards, neverExact: true, onLane, ...world }, request);
  return lanes;
}

const every = PERSPECTIVES.flatMap((perspective) => [`dense ${perspective}`, `lexical ${perspective}`]);
const inferred = ['inferred concept', 'inferred error'];

describe('the time of each lane', () => {
  test('is reported once per search if lanes are queried one by one', async () => {
    const lanes = await heard({});
    expect([...lanes.keys()].sort()).toEqual([...every, ...inferred].sort());
    expect([...lanes.values()].every((answered) => answered)).toBe(true);
  });

  test('is reported once per search if all cards are scored in memory', async () => {
    const lanes = await heard({ columns: true, alone: true });
    expect([...lanes.keys()].sort()).toEqual([...every, ...inferred].sort());
  });

  test('is reported for a failed lane, as unanswered', async () => {
    const nearest: NonNullable<World['vectorStore']>['nearest'] = async ({ perspective }) => {
      if (perspective === 'error') throw new Error('away');
      return [];
    };
    const lanes = await heard({ vectorStore: { nearest } });
    expect([...lanes].filter(([, answered]) => !answered).map(([name]) => name)).toEqual(['dense error']);
  });
});
