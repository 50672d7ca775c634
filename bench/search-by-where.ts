import type { Collection, Where } from 'chromadb';
import type { NewCard } from '../src/domain/card.js';
import { DAY_MS } from '../src/domain/local-day.js';
import { type ByPerspective, PERSPECTIVES, type Perspective } from '../src/domain/perspective.js';

/** Of one collection, as many as each lane of a search asks for. */
export const NEIGHBOURS = 100;

/** A filter of the API and of Chroma. */
interface Selection {
  readonly filter: Readonly<Record<string, unknown>>;
  readonly where: Where;
  readonly passes: (card: NewCard) => boolean;
}

/** By the share of a notebook that matches; `one` is a card of it. */
export function selectionsOf(one: NewCard): Readonly<Record<string, Selection>> {
  const day = Date.UTC(one.occurredAt.getUTCFullYear(), one.occurredAt.getUTCMonth(), one.occurredAt.getUTCDate());
  const grades = ['G1', 'G2', 'G3', 'G4', 'G5', 'G6'];

  return {
    '30 %': {
      filter: { grade: grades, difficultyMin: 3 },
      where: { $and: [{ grade: { $in: grades } }, { difficulty: { $gte: 3 } }] },
      passes: ({ grade, difficulty }) => grades.includes(String(grade)) && difficulty >= 3,
    },
    '3 %': {
      filter: { grade: 'G6', subject: 'math', difficultyMin: 3 },
      where: { $and: [{ grade: 'G6' }, { subject: 'math' }, { difficulty: { $gte: 3 } }] },
      passes: ({ grade, subject, difficulty }) => grade === 'G6' && subject === 'math' && difficulty >= 3,
    },
    '0.3 %': {
      filter: { grade: 'G6', subject: 'physics', difficultyMin: 5 },
      where: { $and: [{ grade: 'G6' }, { subject: 'physics' }, { difficulty: { $gte: 5 } }] },
      passes: ({ grade, subject, difficulty }) => grade === 'G6' && subject === 'physics' && difficulty >= 5,
    },
    'one card': {
      filter: {
        grade: one.grade,
        subject: one.subject,
        difficultyMin: one.difficulty,
        difficultyMax: one.difficulty,
        topicTags: one.topicTags,
        occurredAfter: new Date(day),
        occurredBefore: new Date(day + DAY_MS),
      },
      where: { card_id: String(one.id) },
      passes: ({ id }) => id === one.id,
    },
  };
}

interface SearchByWhere {
  readonly vector: number[];
  readonly where: Where;
  readonly weights: ByPerspective<number>;
  readonly topK: number;
}

/**
 * The four lanes concurrently, with the filter as `where`, fused by weight: no card is read, nothing is scored exactly.
 */
export async function searchByWhere(
  collections: readonly Collection[],
  { vector, where, weights, topK }: SearchByWhere,
): Promise<unknown> {
  const answers = await Promise.all(
    collections.map((collection) =>
      collection.query({ queryEmbeddings: [vector], nResults: NEIGHBOURS, where, include: ['distances'] }),
    ),
  );
  const scores = new Map<string, number>();
  answers.forEach((answer, lane) => {
    const weight = weights[PERSPECTIVES[lane] as Perspective] ?? 0;
    answer.ids[0]?.forEach((id, place) => {
      const card = id.slice(0, id.lastIndexOf('#'));
      scores.set(card, (scores.get(card) ?? 0) + weight * (1 - (answer.distances[0]?.[place] ?? 1)));
    });
  });
  const ranked = [...scores].sort((a, b) => b[1] - a[1]);
  return ranked.slice(0, topK).map(([id]) => id);
}
