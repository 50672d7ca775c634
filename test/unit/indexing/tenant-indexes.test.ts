import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Card } from '../../../src/domain/card.js';
import type { LexicalSnapshot } from '../../../src/domain/ports/lexical.js';
import { atOnce } from '../../../src/domain/steps.js';
import { SnapshotSaver } from '../../../src/indexing/save-snapshots.js';
import { TenantIndexes } from '../../../src/indexing/tenant-indexes.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import type { Analyse } from '../../../src/lexical/terms.js';
import { cardOf } from '../../support/generators.js';
import { among, literalWords } from '../../support/memory-ports.js';

const NEVER = new AbortController().signal;

/** PostgreSQL and the snapshots of some tenants, of which as many are in memory as fit. */
class School {
  readonly stored = new Map<string, Map<string, Card>>();
  readonly copies = new Map<string, LexicalSnapshot>();
  readonly columns = new Set<string>();
  readonly versionsRead: string[] = [];
  readonly warned: string[] = [];
  /** Cards that were read from PostgreSQL. */
  read = 0;
  isDown = false;
  /** Runs between the reads of a load. */
  meanwhile: () => void = () => undefined;
  readonly tenants: TenantIndexes<LexicalIndex>;

  constructor(limitBytes: number, analyse: Analyse = literalWords) {
    const log = { info: () => undefined, warn: (_: object, message: string) => void this.warned.push(message) };
    const store = {
      read: async (tenantId: string) => {
        await new Promise(setImmediate);
        this.meanwhile();
        return this.copies.get(tenantId) ?? null;
      },
      write: async (tenantId: string, copy: LexicalSnapshot) => {
        await new Promise(setImmediate);
        this.copies.set(tenantId, copy);
      },
    };
    const saver = new SnapshotSaver({ open: () => this.tenants.open, store, log });
    this.tenants = new TenantIndexes({
      ledger: {
        generations: async () =>
          [...this.stored.keys()].map((tenantId) => ({ tenantId, number: 1, modelKey: 'm', state: 'live' })),
        versions: async (tenantId) => {
          if (this.isDown) throw new Error('the connection is lost');
          this.versionsRead.push(tenantId);
          return new Map(
            [...this.of(tenantId)].map(([id, { revision, updatedAt }]) => [
              id,
              { revision, updatedAtMs: updatedAt.getTime() },
            ]),
          );
        },
        revisions: async (tenantId) => new Map([...this.of(tenantId)].map(([id, { revision }]) => [id, revision])),
        cards: async (tenantId, ids) => {
          this.read += ids.length;
          return among(this.of(tenantId), ids);
        },
      },
      sharedCache: null,
      newIndex: () => new LexicalIndex(analyse),
      columns: {
        load: async (tenantId) => void this.columns.add(tenantId),
        unload: (tenantId) => void this.columns.delete(tenantId),
        bytes: () => 0,
      },
      store,
      release: (tenantId, index) => saver.release(tenantId, index),
      limitBytes,
      log,
    });
  }

  of(tenantId: string): Map<string, Card> {
    const known = this.stored.get(tenantId) ?? new Map<string, Card>();
    this.stored.set(tenantId, known);
    return known;
  }

  get open(): readonly string[] {
    return [...this.tenants.open.keys()];
  }

  /** Of the indexes in memory. */
  get bytes(): number {
    return [...this.tenants.open.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** As the indexer does: PostgreSQL first. */
  set(tenantId: string, id: string, text: string): void {
    const revision = (this.of(tenantId).get(id)?.revision ?? 0) + 1;
    const card = cardOf({ tenantId, id, questionText: text, revision, updatedAt: new Date(revision) });
    this.of(tenantId).set(id, card);
    atOnce(this.tenants.setSteps(tenantId, card));
  }

  delete(tenantId: string, id: string): void {
    this.of(tenantId).delete(id);
    this.tenants.remove(tenantId, [id]);
  }

  async find(tenantId: string, text: string): Promise<readonly string[]> {
    const index = await this.tenants.load(tenantId, NEVER);
    const found = index.texts.search('question', [text], 99);
    return found.map(({ cardId }) => cardId).sort();
  }
}

const ROOMY = 2 ** 30;

describe('the index of a tenant', () => {
  test('is loaded once, on first use, by any number of callers', async () => {
    const school = new School(ROOMY);
    school.of('a').set('1', cardOf({ tenantId: 'a', id: '1', questionText: 'circle' }));
    expect(school.versionsRead).toEqual([]);
    const found = await Promise.all([school.find('a', 'circle'), school.find('a', 'circle')]);
    expect(found).toEqual([['1'], ['1']]);
    expect(school.versionsRead).toEqual(['a']);
    expect([...school.columns]).toEqual(['a']);
  });

  test('contains changes made while it was loaded', async () => {
    const school = new School(ROOMY);
    school.of('a').set('1', cardOf({ tenantId: 'a', id: '1', questionText: 'circle' }));
    school.of('a').set('2', cardOf({ tenantId: 'a', id: '2', questionText: 'circle' }));
    school.meanwhile = () => {
      school.delete('a', '1');
      school.set('a', '3', 'circle');
    };
    expect(await school.find('a', 'circle')).toEqual(['2', '3']);
  });

  test('takes the cards that waited for it in turns, and those that come between two of them', async () => {
    const texts: string[] = [];
    let turns = 0;
    const school = new School(ROOMY, (text) => {
      // As a text of 16 KB.
      for (const began = performance.now(); performance.now() - began < 10; );
      if (texts.push(text) === 1) setImmediate(() => school.set('a', 'late', 'late circle'));
      setImmediate(() => (turns += 1));
      return literalWords(text);
    });
    const waiting = ['1', '2', '3', '4'];
    school.meanwhile = () => {
      for (const id of waiting) school.set('a', id, `circle ${id}`);
    };
    expect(await school.find('a', 'circle')).toEqual([...waiting, 'late']);
    expect(texts.length).toBeGreaterThanOrEqual(5);
    // Less those of the last texts.
    expect(turns).toBeGreaterThanOrEqual(texts.length - 2);
  });

  test('is unloaded if it is the least recently used and memory is exceeded, and restored from its snapshot', async () => {
    const school = new School(1);
    for (const id of ['1', '2']) school.of('a').set(id, cardOf({ tenantId: 'a', id, questionText: 'circle' }));
    expect(await school.find('a', 'circle')).toEqual(['1', '2']);
    expect(await school.find('b', 'circle')).toEqual([]);
    expect([school.open, [...school.columns]]).toEqual([['b'], ['b']]);
    school.read = 0;
    // At once: its snapshot is still being written.
    expect(await school.find('a', 'circle')).toEqual(['1', '2']);
    expect(school.read).toBe(0);
    expect(school.open).toEqual(['a']);
  });

  test('that was used last is kept; the least recently used one is unloaded first', async () => {
    const empty = new School(ROOMY);
    await empty.find('a', 'x');
    const school = new School(2.5 * empty.bytes);
    for (const tenantId of ['a', 'b', 'a', 'c']) await school.find(tenantId, 'x');
    expect(school.open).toEqual(['a', 'c']);
  });

  test('tenants that are only written stay within the limit', async () => {
    const write = (school: School, tenantId: string): void => {
      for (let card = 0; card < 1_100; card++) school.set(tenantId, String(card), `question about ${card}`);
    };
    const one = new School(ROOMY);
    await one.find('a', 'x');
    write(one, 'a');
    const bytes = one.bytes;
    const school = new School(2.5 * bytes);
    const tenantIds = ['a', 'b', 'c', 'd', 'e'];
    for (const tenantId of tenantIds) await school.find(tenantId, 'x');
    expect(school.open).toEqual(tenantIds);
    for (const tenantId of tenantIds) {
      write(school, tenantId);
      await school.tenants.opened(tenantId);
      const used = school.bytes;
      // What was written since a tenant was measured comes on top.
      expect(used).toBeLessThan(3 * bytes);
    }
    for (const tenantId of tenantIds) expect(await school.find(tenantId, '7')).toEqual(['7']);
  });

  test('that cannot be loaded for a batch of writes is one warning', async () => {
    const school = new School(ROOMY);
    school.isDown = true;
    for (let card = 0; card < 150; card++) school.set('a', String(card), 'circle');
    expect(await school.tenants.opened('a')).toBeNull();
    expect(school.warned).toEqual(['the index of a tenant could not be loaded']);
  });

  test('that failed to load is loaded again on the next use', async () => {
    const school = new School(ROOMY);
    school.of('a').set('1', cardOf({ tenantId: 'a', id: '1', questionText: 'circle' }));
    school.isDown = true;
    await expect(school.find('a', 'circle')).rejects.toThrow('the connection is lost');
    school.set('a', '2', 'circle');
    expect(await school.tenants.opened('a')).toBeNull();
    expect(school.warned).toEqual(['the index of a tenant could not be loaded']);
    school.isDown = false;
    expect(await school.find('a', 'circle')).toEqual(['1', '2']);
  });

  test('a caller that aborts does not abort the loading', async () => {
    const school = new School(ROOMY);
    const waiting = school.tenants.load('a', AbortSignal.abort(new Error('too late')));
    await expect(waiting).rejects.toThrow('too late');
    expect(await school.tenants.opened('a')).not.toBeNull();
  });

  test('is the same after any order of writes, uses and unloads', async () => {
    const tenantArb = fc.constantFrom('a', 'b', 'c');
    const idArb = fc.constantFrom('1', '2', '3');
    const stepArb = fc.oneof(
      fc.record({ tenant: tenantArb, id: idArb, text: fc.option(fc.constantFrom('circle', 'square'), { freq: 4 }) }),
      fc.record({ tenant: tenantArb, wait: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(stepArb, { maxLength: 25 }), async (steps) => {
        const school = new School(1);
        const asked: Promise<unknown>[] = [];
        for (const step of steps) {
          if ('wait' in step) {
            const find = school.find(step.tenant, 'circle');
            asked.push(find);
            if (step.wait) await find;
          } else if (step.text === null) school.delete(step.tenant, step.id);
          else school.set(step.tenant, step.id, step.text);
        }
        await Promise.all(asked);
        for (const tenantId of ['a', 'b', 'c']) {
          const having = [...school.of(tenantId).values()].filter((card) => card.questionText === 'circle');
          expect(await school.find(tenantId, 'circle')).toEqual(having.map(({ id }) => id).sort());
        }
      }),
    );
  });
});
