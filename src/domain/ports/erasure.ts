import type { Owner } from '../duplicates.js';

/** What was deleted of a student. */
export interface Erased {
  readonly cards: number;
  readonly attempts: number;
}

export interface Erasure {
  /**
   * Deletes all that belongs to this owner: cards, attempts, uploaded files, practice settings, imports, API keys and
   * memberships of groups. In several transactions: after a failure, or if the owner has written meanwhile, repeat it.
   */
  erase(student: Owner, signal?: AbortSignal): Promise<Erased>;
}
