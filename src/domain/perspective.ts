/** The four texts of a card that are searched separately. */
export const PERSPECTIVES = ['question', 'solution', 'concept', 'error'] as const;

export type Perspective = (typeof PERSPECTIVES)[number];

/** One value for each perspective. */
export type ByPerspective<T> = Readonly<Record<Perspective, T>>;

/** Builds one value for each perspective. */
export function byPerspective<T>(make: (perspective: Perspective) => T): Record<Perspective, T> {
  return { question: make('question'), solution: make('solution'), concept: make('concept'), error: make('error') };
}
