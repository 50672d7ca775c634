import type { Card } from '../src/domain/card.js';
import { ConflictError } from '../src/domain/errors.js';

export function staleRevision({ id, revision }: Pick<Card, 'id' | 'revision'>, expected: number): ConflictError {
  return new ConflictError(`the card is at revision ${revision}, not ${expected}`, { cardId: id, revision });
}
