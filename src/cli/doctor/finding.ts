import { asError } from '../../domain/errors.js';

export interface Finding {
  readonly part: string;
  /** `warning`: it works with limitations. `problem`: a start, or a configured feature, would fail. */
  readonly state: 'ok' | 'warning' | 'problem';
  readonly says: string;
  /** Suggested action; null if there is nothing to do. */
  readonly advice: string | null;
}

export function ok(part: string, says: string): Finding {
  return { part, state: 'ok', says, advice: null };
}

export function warning(part: string, says: string, advice: string): Finding {
  return { part, state: 'warning', says, advice };
}

export function problem(part: string, says: string, advice: string): Finding {
  return { part, state: 'problem', says, advice };
}

/** Runs a check; an error becomes a problem of its part, in one line. */
export async function found(part: string, advice: string, check: () => Promise<Finding>): Promise<Finding> {
  try {
    return await check();
  } catch (thrown) {
    return problem(part, asError(thrown).message, advice);
  }
}
