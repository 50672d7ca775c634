import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Card } from '../../../src/domain/card.js';
import { passagesOf } from '../../../src/domain/passages.js';
import { byPerspective } from '../../../src/domain/perspective.js';
import { recordId } from '../../../src/domain/ports/collections.js';
import { contentArb } from '../../support/generators.js';
import { literalEmbedder, vectorOf } from '../../support/memory-ports.js';
import { runs } from '../../support/runs.js';

import { expectSameWords, generations, World } from './index-cards-world.js';

const idArb = fc.constantFrom('a', 'b', 'c');
const commandArb = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), id: idArb, content: contentArb }),
  fc.record({ kind: fc.constant('delete' as const), id: idArb }),
  fc.record({ kind: fc.constant('work' as const) }),
  fc.record({ kind: fc.constant('crash' as const), afterSteps: fc.integer({ min: 0, max: 60 }) }),
);

describe('preparing and writing cards', () => {
  test('ends equal to PostgreSQL, after any creates, changes and deletions, and kills at any step', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(commandArb, { maxLength: 20 }), async (commands) => {
        const world = new World();
        for (const command of commands) {
          if (command.kind === 'write') world.write(command.id, command.content);
          else if (command.kind === 'delete') world.delete(command.id);
          else await world.work(command.kind === 'crash' ? command.afterSteps : undefined);
        }
        await world.work();

        expect(world.records()).toEqual(world.expectedRecords());
        const live = [...world.cards.keys()].sort();
        for (const ledger of world.ledgers.values()) {
          expect([...ledger.keys()].sort()).toEqual(live);
          for (const [id, { revision, passages }] of ledger) {
            const card = world.cards.get(id) as Card;
            const now = passagesOf(card, literalEmbedder);
            expect(revision).toBe(card.revision);
            expect(passages).toEqual(byPerspective((one) => now[one].map(({ contentHash }) => contentHash)));
          }
        }
        for (const [name, { passages }] of world.cache.entries) {
          const card = world.cards.get(name.split('/').at(-1) ?? '') as Card;
          const now = passagesOf(card, literalEmbedder);
          const stored = byPerspective((one) => now[one].map(({ text }) => vectorOf(text)));
          expect(passages).toEqual(stored);
        }
        expect(world.cache.entries.size).toBe(generations.length * live.length);
        expectSameWords(world.lexical.of('default'), world.cards);
      }),
      { numRuns: runs(500) },
    );
  });

  test('leaves no record of a card that was recreated with fewer texts, after kills at any two steps', async () => {
    const full = {
      studentSolutionText: 'area',
      goldSolutionBrief: 'circle',
      topicTags: ['方程'],
      errorTypes: ['sign'],
    };
    let firstKilled = true;
    for (let first = 0; firstKilled; first += 1) {
      let secondKilled = true;
      for (let second = 0; secondKilled; second += 1) {
        const world = new World();
        world.write('c', { questionText: '解方程', ...full });
        firstKilled = await world.work(first);
        world.delete('c');
        secondKilled = await world.work(second);
        world.write('c', { questionText: '勾股定理' });
        await world.work();
        expect(world.records()).toEqual(world.expectedRecords());
      }
    }
  });

  test('is idempotent and embeds nothing again', async () => {
    const world = new World();
    world.write('a', { questionText: '解方程', topicTags: ['方程'] });
    await world.work();
    const before = new Map(world.records());
    world.embedded.length = 0;
    world.doubt('a');
    await world.work();
    expect(world.records()).toEqual(before);
    expect(world.embedded).toEqual([]);
  });

  test('repeated writes only records of older revisions', async () => {
    const world = new World();
    world.write('a', { questionText: 'one two three', topicTags: ['t'] });
    await world.work();
    world.index.written.length = 0;
    world.doubt('a');
    await world.work();
    expect(world.index.written).toEqual([]);
    world.write('a', { questionText: 'one two three', topicTags: ['t'], difficulty: 5 });
    await world.work();
    expect(world.index.written).toContain(recordId('a', 0));
    for (const records of world.index.collections.values()) {
      for (const { revision } of records.values()) expect(revision).toBe(2);
    }
  });

  test('embeds only the texts that changed, once for each generation', async () => {
    const world = new World();
    world.write('a', { questionText: '解方程', topicTags: ['方程'] });
    await world.work();
    world.embedded.length = 0;
    world.write('a', { questionText: '解方程', topicTags: ['circle'], grade: 'G9' });
    await world.work();
    expect(world.embedded).toEqual(['circle', 'circle']);
    expect(world.records()).toEqual(world.expectedRecords());
  });

  test('restores the vector of a text that was changed and changed back around a crash at any step', async () => {
    for (let steps = 0, dirty = true; dirty; steps += 1) {
      const world = new World();
      world.write('a', { questionText: '解方程' });
      await world.work();
      world.write('a', { questionText: 'circle' });
      await world.work(steps);
      dirty = world.dirty.size > 0;
      world.write('a', { questionText: '解方程' });
      await world.work();
      expect(world.records()).toEqual(world.expectedRecords());
    }
  });

  test('removes passages of a longer text whose write was never acknowledged, after kills at any step', async () => {
    for (let steps = 0, dirty = true; dirty; steps += 1) {
      const world = new World();
      world.write('a', { questionText: 'one sentence. another sentence. a third sentence.' });
      await world.work(steps);
      dirty = world.dirty.size > 0;
      world.write('a', { questionText: 'one' });
      await world.work();
      expect(world.records()).toEqual(world.expectedRecords());
    }
  });
});
