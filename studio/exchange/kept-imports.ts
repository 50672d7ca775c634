import { store, stored } from '../app/preferences.js';
import { personOf, useSession } from '../app/session.js';
import { storedTexts } from '../app/stored-texts.js';

/** Unfinished files that a gateway accepts from one owner. */
const MAX_KEPT = 5;

/**
 * The imports of this person that this browser has begun, and of which it has not shown the end. The API finds an
 * import by its id alone.
 */
export function useKeptImports() {
  const place = `imports ${personOf(useSession().viewer)}`;
  /** Other tabs store theirs at the same place. */
  const ids = (): readonly string[] => storedTexts(stored(place));
  const without = (id: string): readonly string[] => ids().filter((one) => one !== id);
  return {
    ids,
    keep: (id: string): void => store(place, JSON.stringify([...without(id), id].slice(-MAX_KEPT))),
    forget: (id: string): void => store(place, JSON.stringify(without(id))),
  };
}
