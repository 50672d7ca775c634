import { asError } from '../../domain/errors.js';

/** What was found of one part. */
export interface Finding {
  readonly part: string;
  /** `warning`: it works, but not for everyone or not for long. `problem`: a start, or what was asked for, would fail. */
  readonly state: 'ok' | 'warning' | 'problem';
  readonly says: string;
  /** What to do about it; null where there is nothing to do. */
  readonly advice: string | null;
}

/** One thing that a user can get wrong, looked at. */
export type Check = () => Promise<Finding>;

/** All is well with the part. */
export function ok(part: string, says: string): Finding {
  return { part, state: 'ok', says, advice: null };
}

/** It works, but not for everyone or not for long. */
export function warning(part: string, says: string, advice: string): Finding {
  return { part, state: 'warning', says, advice };
}

/** A start, or what was asked for, would fail. */
export function problem(part: string, says: string, advice: string): Finding {
  return { part, state: 'problem', says, advice };
}

/** Runs a check; whatever it throws is a problem of its part, in one line. */
export async function found(part: string, advice: string, check: Check): Promise<Finding> {
  try {
    return await check();
  } catch (thrown) {
    return problem(part, asError(thrown).message, advice);
  }
}
