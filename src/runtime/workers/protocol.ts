/** What a worker may use. */
export interface WorkerLimits {
  /** Processor time of all its threads. */
  readonly cpuMs: number;
  /** Resident memory. */
  readonly memoryMb: number;
}

/** The functions of a program, each of one argument: what is passed to and fro is copied as `structuredClone` does. */
export type Calls = { readonly [name: string]: (given: never) => unknown };

/** One call of a program's function. */
export interface Call {
  readonly name: string;
  readonly given: unknown;
}

/** What came of it: an answer, input that cannot be used, or an error of ours. */
export type Reply =
  | { readonly kind: 'answer'; readonly answer: unknown }
  | { readonly kind: 'refused'; readonly field: string; readonly problem: string }
  | { readonly kind: 'failed'; readonly message: string; readonly stack: string };

/** A program that a worker can run. */
export interface WorkerProgram {
  /** Compiled, relative to dist/. */
  readonly module: string;
  readonly limits: WorkerLimits;
}

/**
 * The longest texts of one message, in UTF-16 units. A message holds the gateway's thread while it is written or read: some 5 ms
 * for so many.
 */
export const MESSAGE_CHARS = 1_000_000;
