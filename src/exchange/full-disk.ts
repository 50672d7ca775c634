import { ResourceExhaustedError } from '../domain/errors.js';

/** A full disk, and a quota that is used up. */
const FULL: readonly unknown[] = ['ENOSPC', 'EDQUOT'];

/** Throws what writing a file threw; of a full disk, a ResourceExhaustedError with this part. */
export function throwAsFullDisk(part: string, cause: unknown): never {
  if (!FULL.includes((cause as NodeJS.ErrnoException).code)) throw cause;
  throw new ResourceExhaustedError(part, "the gateway's disk is full", { cause });
}
