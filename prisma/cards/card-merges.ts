import type { Attachment } from '../../src/domain/attachment.js';
import type { CardContent } from '../../src/domain/card.js';
import type { Owner } from '../../src/domain/duplicates.js';
import { ConflictError, NotFoundError } from '../../src/domain/errors.js';
import { LabelSpelling } from '../../src/domain/labels.js';
import { parseNewCard } from '../../src/domain/parse/card.js';
import type { CardDraft, RecordedMerge, TracedOccurrence, UnmergeDecision } from '../../src/domain/ports/imports.js';
import { type Viewer } from '../../src/domain/viewer.js';
import { refuseForeign } from '../errors.js';
import { storedNames } from '../labels/labels.js';
import { json, type Transaction } from '../statements.js';
import { changeableBy, visibleTo } from '../viewer-conditions.js';
import { findSurvivors } from './merged-cards.js';
import { selectFiles } from './uploaded-files.js';

/** A recorded merge, with the card that was kept. */
export interface StoredMerge extends RecordedMerge, Owner {
  readonly intoId: string;
  readonly fromCreatedAt: Date;
}

/** Content in JSON: dates as texts, and of attachments what a client gives. */
type Written = Readonly<Record<string, unknown>>;

interface WrittenRecord {
  readonly before: Written;
  readonly after: Written;
  readonly from: Written;
  readonly fromCreatedAt: string;
  readonly occurrences: readonly (Omit<TracedOccurrence, 'occurredAt'> & { readonly occurredAt: string })[];
}

/** Before the card is deleted, without row-level security. An earlier merge of a card with this id is forgotten. */
export async function recordMerge(
  { prisma }: Transaction,
  tenantId: string,
  { kept, gone, merged }: { readonly kept: CardDraft; readonly gone: CardDraft; readonly merged: CardDraft },
): Promise<void> {
  const key = { tenantId, fromId: gone.id };
  const card = await prisma.card.findUniqueOrThrow({
    where: { tenantId_id: { tenantId, id: gone.id } },
    select: { createdAt: true },
  });
  await prisma.cardMerge.deleteMany({ where: key });
  const occurrences = merged.occurrences.length - kept.occurrences.length;
  await prisma.cardMerge.create({
    data: {
      ...key,
      intoId: kept.id,
      ownerId: kept.ownerId,
      firstNumber: kept.occurrences.length + 1,
      occurrences,
      record: json({
        before: written(kept.content),
        after: written(merged.content),
        from: written(gone.content),
        fromCreatedAt: card.createdAt,
        occurrences: gone.occurrences,
      }),
    },
  });
}

/**
 * The record of the merge of a card that the viewer may change. NotFoundError; ForbiddenError; ConflictError if the
 * merge was not recorded: it was made before merges were, or the id is that of an imported row.
 */
export async function findMerge(tx: Transaction, viewer: Viewer, fromId: string): Promise<StoredMerge> {
  const row = await tx.prisma.cardMerge.findFirst({ where: { ...changeableBy(viewer), fromId } });
  if (row === null) throw await unrecorded(tx, viewer, fromId);
  const { tenantId, ownerId } = row;
  const { before, after, from, occurrences, fromCreatedAt } = row.record as unknown as WrittenRecord;
  const contents = [before, after, from].map(contentOf);
  const spelling = new LabelSpelling(await storedNames(tx, tenantId, [...contents, ...occurrences]));
  const digests = contents.flatMap(({ attachments }) => attachments.flatMap(({ sha256 }) => sha256 ?? []));
  const files = await selectFiles(tx, { tenantId, ownerId }, digests);
  const read = (content: Written): CardContent => {
    const parsed = contentOf(content);
    const attachments = parsed.attachments.flatMap((one) => {
      const file = files.get(one.sha256 ?? '');
      return one.sha256 !== null && file === undefined ? [] : { ...one, ...file };
    });
    const topicTags = spelling.of('topicTags', parsed.topicTags);
    return { ...parsed, topicTags, errorTypes: spelling.of('errorTypes', parsed.errorTypes), attachments };
  };
  return {
    tenantId,
    ownerId,
    intoId: row.intoId,
    firstNumber: row.firstNumber,
    occurrences: row.occurrences,
    before: read(before),
    after: read(after),
    from: {
      content: read(from),
      occurrences: occurrences.map((one) => ({
        ...one,
        occurredAt: new Date(one.occurredAt),
        errorTypes: spelling.of('errorTypes', one.errorTypes),
      })),
    },
    fromCreatedAt: new Date(fromCreatedAt),
  };
}

/** The kept card without the occurrences of the other one. */
export function withoutOccurrences(kept: CardDraft, { firstNumber, occurrences }: StoredMerge): CardDraft {
  const start = firstNumber - 1;
  const own = [...kept.occurrences.slice(0, start), ...kept.occurrences.slice(start + occurrences)];
  return { ...kept, occurrences: own, state: 'CHANGED' };
}

/** After the card is there again. Later merges into the kept card are recorded as if this one had not been made. */
export async function forgetMerge(
  { prisma }: Transaction,
  fromId: string,
  merge: StoredMerge,
  without: UnmergeDecision,
): Promise<void> {
  const { tenantId, intoId, firstNumber, occurrences } = merge;
  const later = await prisma.cardMerge.findMany({ where: { tenantId, intoId, firstNumber: { gt: firstNumber } } });
  for (const row of later) {
    const record = row.record as unknown as WrittenRecord;
    const [before, after] = [record.before, record.after].map((content) => written(without(contentOf(content), merge)));
    await prisma.cardMerge.updateMany({
      where: { tenantId, fromId: row.fromId },
      data: { firstNumber: row.firstNumber - occurrences, record: json({ ...record, before, after }) },
    });
  }
  await prisma.cardMerge.deleteMany({ where: { tenantId, fromId } });
}

function contentOf(content: Written): CardContent {
  const { id: _, ...parsed } = parseNewCard(content, 'record');
  return parsed;
}

async function unrecorded(tx: Transaction, viewer: Viewer, fromId: string): Promise<Error> {
  const intoId = (await findSurvivors(tx, viewer, [fromId])).get(fromId);
  const into = await tx.prisma.card.findFirst({ where: { ...visibleTo(viewer), id: intoId ?? '' } });
  if (intoId === undefined || into === null) return new NotFoundError('merged card', fromId);
  refuseForeign(viewer, into);
  return new ConflictError(
    `the merge of ${JSON.stringify(fromId)} was not recorded: what is left of it is an occurrence of the card ${JSON.stringify(intoId)}`,
    { cardId: intoId },
  );
}

function written({ attachments, ...content }: CardContent): Written {
  const given = attachments.map(({ kind, altText, url, sha256 }: Attachment) => ({ kind, altText, url, sha256 }));
  return { ...content, attachments: given };
}
