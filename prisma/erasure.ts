import type { Owner } from '../src/domain/duplicates.js';
import type { Erased, Erasure } from '../src/domain/ports/erasure.js';
import { lockCards, lockOwners } from './cards/card-rows.js';
import type { Database } from './client.js';
import { Prisma } from './generated/client.js';
import { type DirtySignal, markDeleted } from './indexing/dirty.js';
import type { Transaction } from './statements.js';
import { ofTenant, ownedBy } from './viewer-conditions.js';

/** Cards of one transaction: a second or two with their occurrences, labels and attempts. */
const AT_ONCE = 500;

/** Runs without row-level security: nobody may delete attempts otherwise. The caller checks the rights. */
export class PostgresErasure implements Erasure {
  constructor(
    private readonly database: Database,
    private readonly dirty: DirtySignal,
  ) {}

  async erase(student: Owner, signal?: AbortSignal): Promise<Erased> {
    const attempts = await this.database.transaction((tx) => stopWriting(tx, student));
    let cards = 0;
    for (let erased = AT_ONCE; erased > 0; cards += erased) {
      signal?.throwIfAborted();
      erased = await this.database.transaction((tx) => eraseCards(tx, student));
      if (erased > 0) this.dirty.notify();
    }
    signal?.throwIfAborted();
    await this.database.transaction((tx) => eraseOthers(tx, student));
    return { cards, attempts };
  }
}

/** An import whose job is gone stores no further rows. Returns the number of attempts. */
async function stopWriting({ prisma }: Transaction, student: Owner): Promise<number> {
  const where = ownedBy(student);
  await prisma.apiKey.deleteMany({ where });
  await prisma.importJob.deleteMany({ where });
  return prisma.attempt.count({ where });
}

/** With all that hangs on the cards, by foreign keys and triggers. Returns how many were deleted. */
async function eraseCards(tx: Transaction, student: Owner): Promise<number> {
  const { tenantId, ownerId } = student;
  await lockOwners(tx, tenantId, [ownerId]);
  const page = { where: ownedBy(student), select: { id: true }, orderBy: { id: 'asc' }, take: AT_ONCE } as const;
  const ids = (await tx.prisma.card.findMany(page)).map(({ id }) => id);
  const cards = await lockCards(tx, ofTenant(student, 'c'), ids);
  await tx.prisma.card.deleteMany({ where: { tenantId, id: { in: ids } } });
  await markDeleted(tx, tenantId, cards);
  return cards.length;
}

/** Attempts at cards of others, and what hangs on no card. */
async function eraseOthers(tx: Transaction, student: Owner): Promise<void> {
  const { tenantId, ownerId } = student;
  const where = ownedBy(student);
  const { attempt, cardReview, fittedSchedule, idempotencyKey, practiceSettings, uploadedFile } = tx.prisma;
  await lockOwners(tx, tenantId, [ownerId]);
  await attempt.deleteMany({ where });
  await cardReview.deleteMany({ where });
  await fittedSchedule.deleteMany({ where });
  await idempotencyKey.deleteMany({ where });
  await practiceSettings.deleteMany({ where });
  await uploadedFile.deleteMany({ where: { ...where, cards: { none: {} } } });
  await tx.execute(Prisma.sql`
    UPDATE student_group SET owners = array_remove(owners, ${ownerId}), updated_at = now()
    WHERE tenant_id = ${tenantId} AND ${ownerId} = ANY(owners)`);
}
