/** One answer of one student, as knowledge tracing sees it. */
export interface Answer {
  readonly student: string;
  readonly item: string;
  /** Topics, errors, knowledge components; may be empty. */
  readonly skills: readonly string[];
  readonly atMs: number;
  readonly correct: boolean;
}

/** What is asked of a student. */
export type Question = Omit<Answer, 'correct'>;
