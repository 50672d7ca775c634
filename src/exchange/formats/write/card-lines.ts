import type { Attachment } from '../../../domain/attachment.js';
import type { Card } from '../../../domain/card.js';
import { CONTENT_FIELDS } from '../../../domain/card-content.js';
import { isSameTime, type Occurrence, ownOccurrence } from '../../../domain/occurrence.js';

export interface CardWithOccurrences {
  readonly card: Card;
  readonly occurrences: readonly Occurrence[];
  /** Uploaded files by SHA-256, in base64; absent if they are not exported. */
  readonly files?: ReadonlyMap<string, string>;
}

/**
 * The card as one line of JSON Lines, with a line feed. Importing and exporting it again gives the same bytes. Absent
 * fields are omitted, and so are those set by the server, such as the revision.
 */
export function cardLine({ card, occurrences, files }: CardWithOccurrences): string {
  const [only] = occurrences;
  const isPlain = occurrences.length === 1 && only !== undefined && only.mergedId === null && only.merged === null;
  const times = isPlain && isSameTime(only, ownOccurrence(card)) ? [] : occurrences.map(timeOf);
  const content = CONTENT_FIELDS.map((field) => [field, card[field]]);
  const attachments = card.attachments.map((one) => attachmentOf(one, files));
  const said = present({ id: card.id, ...Object.fromEntries(content), attachments, occurrences: times });
  return `${JSON.stringify(said)}\n`;
}

function attachmentOf({ kind, altText, url, sha256 }: Attachment, files: CardWithOccurrences['files']): object {
  return present({ kind, altText, url, sha256, data: files?.get(sha256 ?? '') ?? null });
}

function timeOf({ occurredAt, wrongSolution, errorTypes, mergedId, merged }: Occurrence): object {
  return present({ occurredAt, wrongSolution, errorTypes, mergedId, merged: merged === null ? null : inOrder(merged) });
}

/** PostgreSQL may return the keys of a JSON object in another order. */
function inOrder(merged: object): object {
  return Object.fromEntries(Object.entries(merged).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function present(said: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(said).filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)),
  );
}
