import { z } from 'zod';
import { type Attachment, type FileContent, type FileLimits, targetOf } from '../attachment.js';
import type { CardChange, NewCard } from '../card.js';
import {
  CARD_CONTENT,
  type CardContent,
  CONTENT_FIELDS,
  type ContentField,
  contentFrom,
  MERGED_FIELDS,
} from '../card-content.js';
import { type FieldKind, type FieldKinds, QUALITY_GRADES } from '../card-values.js';
import { BadInputError } from '../errors.js';
import { distinctBy } from '../grouped.js';
import { MAX_OCCURRENCES, type NewOccurrence } from '../occurrence.js';
import { attachments, importedAttachments, MAX_EMBEDDED_BYTES, newFile } from './attachments.js';
import { fieldPath, optional, type Parsed, parse, parserOf, tryParse, withoutUndefined } from './parse.js';
import {
  cardId,
  choices,
  difficulty,
  filledListOf,
  grade,
  instant,
  labels,
  metadata,
  optionalSource,
  optionalText,
  requiredText,
  subject,
  who,
  whole,
} from './scalars.js';

/** The largest revision that PostgreSQL's `integer` holds. */
const MAX_REVISION = 2 ** 31 - 1;

/** Parsers of present values, by kind. */
const PARSERS: { readonly [Kind in FieldKind]: z.ZodType<FieldKinds[Kind]> } = {
  subject,
  grade,
  difficulty,
  text: optionalText,
  labels,
  choices,
  quality: z.enum(QUALITY_GRADES),
  source: optionalSource,
  moment: instant,
  metadata,
  attachments,
};

/** A field as a client writes it; null or undefined if it is absent. */
type Written = { readonly [Field in ContentField]: CardContent[Field] | null | undefined };

/** Parsers of fields; `accepts` says which of them may be null or left out. */
function shape<Field extends ContentField>(
  fields: readonly Field[],
  accepts: (presence: (typeof CARD_CONTENT)[ContentField]['presence']) => 'value' | 'optional' | 'nullish',
) {
  const parsers = fields.map((field) => {
    const { kind, presence } = CARD_CONTENT[field];
    const parser: z.ZodType = kind === 'text' && presence === 'required' ? requiredText : PARSERS[kind];
    const accepted = accepts(presence);
    return [field, accepted === 'value' ? parser : parser[accepted]()];
  });
  return Object.fromEntries(parsers) as { [Name in Field]: z.ZodType<Written[Name]> };
}

const newCard = z.strictObject({
  id: cardId.nullish(),
  ...shape(CONTENT_FIELDS, (presence) => (presence === 'required' ? 'value' : 'nullish')),
});

const createdCard = newCard.extend({ owner: optional(who, null) });

/** Occurrences of an exported card whose mistake was made more than once. */
const occurrences = filledListOf(
  z.strictObject({
    occurredAt: instant,
    wrongSolution: optional(optionalText, null),
    errorTypes: optional(labels, []),
    mergedId: optional(cardId, null),
    merged: optional(
      z
        .strictObject(shape(MERGED_FIELDS, (presence) => (presence === 'optional' ? 'nullish' : 'optional')))
        .transform((merged) => withoutUndefined(merged) as NonNullable<NewOccurrence['merged']>),
      null,
    ),
  }),
  MAX_OCCURRENCES,
  'must not be empty: leave it out',
);

const importedCard = newCard.extend({
  occurrences: optional(occurrences, null),
  attachments: optional(importedAttachments, []),
});

const cardChange = z
  .strictObject(
    shape(CONTENT_FIELDS, (presence) => (presence === 'optional' || presence === 'list' ? 'nullish' : 'optional')),
  )
  .transform(withoutUndefined)
  .refine((change) => Object.keys(change).length > 0, 'must change at least one field');

/**
 * A card as a client or an imported row writes it, complete: what is absent is null, absent lists are empty, and a
 * mistake without a moment happened `now`. BadInputError, its field below `fieldPrefix`: `input.difficulty`.
 */
export function parseNewCard(value: unknown, fieldPrefix: string, now: Date = new Date()): NewCard {
  return complete(parse(newCard, value, fieldPrefix), now);
}

/** As {@link parseNewCard}, for a card that may be created for another owner; null: the viewer. */
export function parseCreatedCard(value: unknown, fieldPrefix: string): DatedCard & { readonly owner: string | null } {
  const { owner, ...card } = parse(createdCard, value, fieldPrefix);
  return { card: complete(card, new Date()), dated: card.occurredAt != null, owner };
}

export interface DatedCard {
  readonly card: NewCard;
  /** Whether the request or the row says when the mistake happened. */
  readonly dated: boolean;
}

export interface ImportedCard extends DatedCard {
  /** All occurrences of the mistake; null if the row does not list them. */
  readonly occurrences: readonly NewOccurrence[] | null;
  /** Files that the row itself contains. */
  readonly files: readonly FileContent[];
}

/**
 * As {@link parseNewCard}, for a row of a file, which may also list every time that the mistake was made; a bad row has
 * all of its problems reported.
 */
export function parseImportedCard(
  value: unknown,
  fieldPrefix: string,
  { now, limits }: { readonly now: Date; readonly limits: FileLimits },
): Parsed<ImportedCard> {
  const parsed = tryParse(importedCard, value, fieldPrefix);
  if ('problems' in parsed) return parsed;
  const { occurrences: times, attachments: given, ...card } = parsed.data;
  const held = heldFiles(given, limits, fieldPath(fieldPrefix, ['attachments']));
  if ('problems' in held) return held;
  const data = {
    card: complete({ ...card, attachments: held.data.attachments }, now),
    files: held.data.files,
    dated: card.occurredAt != null,
    occurrences: times,
  };
  return { data };
}

/** The attachments of a row without the files that it holds, and those files. */
function heldFiles(
  given: readonly (Attachment & { readonly content: Uint8Array | null })[],
  limits: FileLimits,
  field: string,
): Parsed<{ readonly attachments: readonly Attachment[]; readonly files: readonly FileContent[] }> {
  const bytes = given.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);
  if (bytes > MAX_EMBEDDED_BYTES) {
    return { problems: [new BadInputError(field, `holds more than ${MAX_EMBEDDED_BYTES / 2 ** 20} MB of files`)] };
  }
  const files: FileContent[] = [];
  const problems: BadInputError[] = [];
  const attachments = given.map(({ content, ...attachment }, place): Attachment => {
    if (content === null) return attachment;
    try {
      const file = newFile(content, limits, fieldPath(field, [place, 'data']));
      files.push(file);
      const { sha256, contentType } = file;
      return { ...attachment, sha256, contentType, bytes: file.content.length };
    } catch (thrown) {
      if (!(thrown instanceof BadInputError)) throw thrown;
      problems.push(thrown);
      return attachment;
    }
  });
  // Two photos may differ in nothing but their metadata.
  const each = distinctBy(attachments, targetOf);
  return problems.length === 0 ? { data: { attachments: each, files } } : { problems };
}

function complete({ id, ...written }: z.infer<typeof newCard>, now: Date): NewCard {
  return {
    id: id ?? null,
    ...contentFrom((field) => (written[field] ?? absent(field, now)) as CardContent[typeof field]),
  };
}

/** Default of a field that a client did not write. */
function absent(field: ContentField, now: Date): readonly [] | Date | null {
  const { presence } = CARD_CONTENT[field];
  return presence === 'list' ? [] : presence === 'defaulted' ? now : null;
}

/**
 * What a client wants to change: only the keys that it wrote; null clears what may be empty, a list to no entries.
 * BadInputError if null stands for what every card has, and if nothing would change.
 */
export function parseCardChange(value: unknown, fieldPrefix: string): CardChange {
  const change = parse(cardChange, value, fieldPrefix);
  const cleared = Object.entries(change).map(([field, given]) => [
    field,
    given === null && CARD_CONTENT[field as ContentField].presence === 'list' ? [] : given,
  ]);
  return Object.fromEntries(cleared) as CardChange;
}

/** The revision that a client expects a card to have, or null if it expects none. */
export const parseExpectedRevision = parserOf(optional(whole(1, MAX_REVISION), null));
