import { describe, expect, test } from 'vitest';
import { serving } from './gateway.js';

const serve = serving();

describe('the index', () => {
  const status = {
    cards: 3,
    indexed: 2,
    pending: 1,
    failed: 0,
    model: 'builtin:512:f32:1',
    building: false,
    reconciliation: {
      finishedAt: new Date('2026-01-02T03:04:05.678Z'),
      cards: 3,
      missing: 1,
      stale: 0,
      orphans: 2,
      probed: 3,
      unreachable: 0,
      repaired: 3,
    },
    next: { model: 'builtin:512:f32:2', held: 1, cards: 4 },
    collections: async () => [{ perspective: 'question' as const, records: 2 }],
  };
  const fields = `{
    cards indexed pending failed model building next { model held cards } collections { perspective records }
    reconciliation { finishedAt cards missing stale orphans ghosts probed unreachable repaired }
  }`;

  test('returns its state', async () => {
    const { post } = await serve({ control: { status: async () => status } });
    const { data } = await post(`{ indexStatus ${fields} }`);
    expect(data.indexStatus).toEqual({
      ...status,
      reconciliation: { ...status.reconciliation, ghosts: 2, finishedAt: '2026-01-02T03:04:05.678Z' },
      collections: [{ perspective: 'QUESTION', records: 2 }],
    });
  });

  test('is rebuilt, and the state after the start of the rebuild is returned', async () => {
    let building = false;
    const { post } = await serve({
      control: {
        rebuild: async () => {
          building = true;
        },
        status: async () => ({ ...status, building }),
      },
    });
    const { data } = await post('mutation { rebuildIndex { building } }');
    expect(data.rebuildIndex).toEqual({ building: true });
  });
});
