/** The four texts of a card that are searched separately. */
export const PERSPECTIVES = ['question', 'solution', 'concept', 'error'] as const;

export type Perspective = (typeof PERSPECTIVES)[number];

export type ByPerspective<T> = Readonly<Record<Perspective, T>>;

export function byPerspective<T>(make: (perspective: Perspective) => T): Record<Perspective, T> {
  return { question: make('question'), solution: make('solution'), concept: make('concept'), error: make('error') };
}

/** As {@link byPerspective}, for values that take time: all four are made at once. */
export async function byPerspectiveAsync<T>(
  make: (perspective: Perspective) => Promise<T>,
): Promise<Record<Perspective, T>> {
  const made = await Promise.all(PERSPECTIVES.map(make));
  return byPerspective((perspective) => made[PERSPECTIVES.indexOf(perspective)] as T);
}
