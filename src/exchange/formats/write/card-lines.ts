import { randomUUID } from 'node:crypto';
import type { Card } from '../../../domain/card.js';
import { CONTENT_FIELDS } from '../../../domain/card-content.js';
import { isSameTime, type Occurrence, ownOccurrence } from '../../../domain/occurrence.js';

export interface CardWithOccurrences {
  readonly card: Card;
  readonly occurrences: readonly Occurrence[];
  /** Uploaded files by SHA-256; absent if they are not exported. */
  readonly files?: ReadonlyMap<string, Buffer>;
}

/** Of a file in a piece of a line. A multiple of three, so that base64 needs no padding within the file. */
const PIECE_BYTES = 196_608;

/**
 * The card as one line of JSON Lines, with a line feed, in pieces: its files may have 13 MB. Importing and exporting it
 * again gives the same bytes. Absent fields are omitted, and so are those set by the server, such as the revision.
 */
export function* cardLine({ card, occurrences, files }: CardWithOccurrences): Generator<string> {
  const [only] = occurrences;
  const isPlain = occurrences.length === 1 && only !== undefined && only.mergedId === null && only.merged === null;
  const times = isPlain && isSameTime(only, ownOccurrence(card)) ? [] : occurrences.map(timeOf);
  const content = CONTENT_FIELDS.map((field) => [field, card[field]]);
  const embedded: Buffer[] = [];
  const placeOfFile = randomUUID();
  const attachments = card.attachments.map(({ kind, altText, url, sha256 }) => {
    const file = files?.get(sha256 ?? '');
    if (file !== undefined) embedded.push(file);
    return present({ kind, altText, url, sha256, data: file === undefined ? null : placeOfFile });
  });
  const said = present({ id: card.id, ...Object.fromEntries(content), attachments, occurrences: times });
  const [start, ...rest] = `${JSON.stringify(said)}\n`.split(placeOfFile);
  yield start ?? '';
  for (const [index, text] of rest.entries()) {
    yield* base64Pieces(embedded[index]);
    yield text;
  }
}

function* base64Pieces(file: Buffer | undefined): Generator<string> {
  for (let at = 0; file !== undefined && at < file.length; at += PIECE_BYTES)
    yield file.toString('base64', at, at + PIECE_BYTES);
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
