import { expect, test } from 'vitest';
import type { TakeTurn } from '../../../../src/domain/background.js';
import type { Card } from '../../../../src/domain/card.js';
import { ownOccurrence } from '../../../../src/domain/occurrence.js';
import { parseExport } from '../../../../src/domain/parse/export.js';
import { DEFAULT_VIEWER } from '../../../../src/domain/viewer.js';
import { Exporter } from '../../../../src/exchange/export/exporter.js';
import { cardOf } from '../../../support/generators.js';

/** Nobody searches here. */
const takeTurn: TakeTurn = async (step) => step();

test.each(['jsonl', 'csv', 'xlsx', 'anki'])(
  'cards with hundreds of long wrong answers are read and written as %s some at a time',
  async (format) => {
    const cards = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) =>
      cardOf({ id, questionText: '求 $x^2$'.repeat(1_800), occurrences: 200 }),
    );
    const asked: string[] = [];
    let pauses = 0;
    const exporter = new Exporter({
      cards: { byIds: async () => new Map(), mergedInto: async () => new Map() },
      imports: {
        cardsAfter: async () => cards,
        occurrences: async (_viewer, ids) => {
          asked.push(ids.join(' '));
          const times = Array.from({ length: 200 }, (_, n) => {
            return { ...ownOccurrence(cards[0] as Card), wrongSolution: `${n} $x$`.repeat(500), number: n + 1 };
          });
          return new Map(ids.map((id) => [id, times]));
        },
      },
      papers: { write: () => Promise.reject(new Error('no paper was asked for')) },
      files: { embedded: async () => new Map() },
      takeTurn,
      background: {
        pause: async () => {
          pauses += 1;
          return 0;
        },
      },
    });
    const { signal } = new AbortController();
    const { body } = await exporter.export(DEFAULT_VIEWER, parseExport({ format }), signal);
    const sizes: number[] = [];
    for await (const part of body) sizes.push(part.length);
    expect(asked).toEqual(['a b', 'c d', 'e f']);
    expect(Math.max(...sizes)).toBeLessThan(format === 'csv' ? 300_000 : 1_500_000);
    // Formulas take longest.
    if (format === 'anki') expect(pauses).toBeGreaterThan(0);
  },
);
