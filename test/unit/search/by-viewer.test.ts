import { describe, expect, test } from 'vitest';
import { abortable } from '../../../src/domain/async.js';
import type { Embedder } from '../../../src/domain/ports/models.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { LexicalIndex } from '../../../src/lexical/lexical-index.js';
import { ByViewer } from '../../../src/search/by-viewer.js';
import type { EngineParts } from '../../../src/search/engine.js';
import { partsOf } from '../../support/engine-world.js';
import { cardOf, requestOf } from '../../support/generators.js';
import { literalWords } from '../../support/memory-ports.js';
import { until } from '../../support/until.js';

const admin: Viewer = { tenantId: 'default', ownerId: 'ada', role: 'admin' };
const notebooks = { of: async () => new LexicalIndex(literalWords) };
const cards = ['a', 'b', 'c'].map((id) => cardOf({ id, topicTags: ['x'], questionText: `area of ${id}` }));
/** One card is not in the index yet, and the words of another are of an older revision: both are read on the way. */
const world = { cards, pending: [cardOf({ id: 'n', questionText: 'area' })] };

/** Searches that between them ask every part for everything that a search may ask. */
const REQUESTS = [
  requestOf({ subject: { kind: 'text', text: 'area' }, lexicalShare: 0.5 }),
  requestOf({ subject: { kind: 'text', text: 'area' }, filter: { subject: ['math'] } }),
  requestOf({ subject: { kind: 'card', cardId: 'n' } }),
  requestOf({ subject: { kind: 'card', cardId: 'a' }, strategy: 'LAYERED', operation: 'byConcept' }),
];

type PartName = 'cards' | 'filters' | 'ledger' | 'embedder' | 'reader' | 'stored';

/** The part, one of whose methods never answers, and ends when the signal that it is given aborts. */
function hung(parts: EngineParts, part: PartName, method: string, onAsked: () => void): Partial<EngineParts> {
  const never = {
    [method]: (...args: readonly unknown[]) => {
      onAsked();
      return abortable(new Promise(() => undefined), args.at(-1) as AbortSignal);
    },
  };
  if (part !== 'embedder') return { [part]: { ...parts[part], ...never } };
  const { embedders } = parts;
  return {
    embedders: {
      of: (key) => {
        const embedder: Embedder | null = embedders.of(key);
        return embedder === null ? null : { ...embedder, ...never };
      },
    },
  };
}

describe('a search whose deadline has come', () => {
  test.each<[PartName, string]>([
    ['cards', 'byIds'],
    ['filters', 'matching'],
    ['filters', 'admit'],
    ['ledger', 'live'],
    ['ledger', 'cards'],
    ['ledger', 'indexed'],
    ['embedder', 'embed'],
    ['reader', 'nearest'],
    ['stored', 'of'],
  ])('hands its signal on to %s.%s, and ends with it', async (part, method) => {
    const parts = await partsOf(world);
    // Older words than those that are indexed are read anew, which asks the ledger for cards.
    const index = new LexicalIndex(literalWords);
    const stale = { of: () => index, set: () => undefined };
    let ended = 0;
    for (const request of REQUESTS) {
      const deadline = new AbortController();
      let waits = false;
      const hanging = {
        ...parts,
        lexical: stale as unknown as EngineParts['lexical'],
        ...hung(parts, part, method, () => {
          waits = true;
        }),
        notebooks,
      };
      const searching = new ByViewer(hanging).search(admin, request, deadline.signal);
      const outcome = searching.then(
        () => 'answered',
        (thrown: unknown) => thrown,
      );
      let done = false;
      void outcome.then(() => {
        done = true;
      });
      await until(() => waits || done, { deadlineMs: 5_000, what: `${part}.${method} to be asked` });
      if (!waits) continue;
      const over = new Error('too late');
      deadline.abort(over);
      expect(await outcome).toBe(over);
      ended += 1;
    }
    expect(ended).toBeGreaterThan(0);
  });
});

describe('who may see one owner alone', () => {
  test("is answered from the own words, and who may see all from everyone's", async () => {
    const parts = await partsOf(world);
    const own = new LexicalIndex(literalWords);
    for (const { id } of cards) own.set(cardOf({ id, topicTags: ['mine'], questionText: 'area' }));
    const asked: Viewer[] = [];
    const searching = new ByViewer({
      ...parts,
      notebooks: {
        of: async (viewer) => {
          asked.push(viewer);
          return own;
        },
      },
    });
    const student: Viewer = { ...admin, role: 'student', ownerId: 'default' };
    const never = new AbortController().signal;
    const tags = async (viewer: Viewer) => (await searching.suggest(viewer, 'area', 5, never)).map(({ tag }) => tag);
    expect(await tags(student)).toEqual(['mine']);
    expect(await tags(admin)).toEqual(['x']);
    const { receipt } = await searching.search(student, REQUESTS[0] as (typeof REQUESTS)[number], never);
    expect(receipt).toMatchObject({ filterPlan: 'none', inferredConcepts: ['mine'] });
    expect(asked).toEqual([student, student]);
  });
});
