export interface WorkerLimits {
  /** CPU time of all its threads. */
  readonly cpuMs: number;
  /** Resident memory. */
  readonly memoryMb: number;
}

/** The functions of a program, each with one argument; arguments and results are copied as by `structuredClone`. */
export type Calls = { readonly [name: string]: (given: never) => unknown };

export interface Call {
  readonly name: string;
  readonly given: unknown;
}

/** Instead of a call, between two jobs; answered with whether the process is fit for another one. */
export const RESET = 'reset';

/** An answer, invalid input, or an internal error; `code` is that of a failed system call, such as ENOSPC. */
export type Reply =
  | { readonly kind: 'answer'; readonly answer: unknown }
  | { readonly kind: 'refused'; readonly field: string; readonly problem: string }
  | { readonly kind: 'failed'; readonly message: string; readonly stack: string; readonly code: string | null };

export interface WorkerProgram {
  /** Compiled, relative to dist/. */
  readonly module: string;
  readonly limits: WorkerLimits;
}

/**
 * Limit of the texts in one message, in UTF-16 units. Serialising a message blocks the gateway's event loop: some 5 ms
 * for this size.
 */
export const MESSAGE_CHARS = 1_000_000;
