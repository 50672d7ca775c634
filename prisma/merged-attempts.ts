import type { Replay } from '../src/domain/ports/practice.js';
import type { Viewer } from '../src/domain/viewer.js';
import { derive } from './attempts.js';
import { lockOwner } from './owner-lock.js';
import type { Transaction } from './statements.js';
import { visibleTo } from './viewer-conditions.js';

/**
 * Makes the attempts at one card attempts at another one, and derives the review states of their students anew. Before the card is
 * deleted, or its attempts go with it. Attempts that the viewer may not see, such as a teacher's at a student's card, are left.
 */
export async function moveAttempts(
  tx: Transaction,
  viewer: Viewer,
  { into, from }: { readonly into: string; readonly from: string },
  replay: Replay,
): Promise<void> {
  const { attempt } = tx.prisma;
  const seen = visibleTo(viewer);
  const rows = await attempt.groupBy({
    by: ['ownerId'],
    where: { AND: [seen, { OR: [{ cardId: from }, { reviewOf: from }] }] },
    orderBy: { ownerId: 'asc' },
  });
  const students = rows.map(({ ownerId }) => ({ ...viewer, ownerId }));
  for (const student of students) await lockOwner(tx, student);
  await attempt.updateMany({ where: { AND: [seen, { cardId: from }] }, data: { cardId: into } });
  await attempt.updateMany({ where: { AND: [seen, { reviewOf: from }] }, data: { reviewOf: into } });
  for (const student of students) await derive(tx, student, [into], replay);
}
