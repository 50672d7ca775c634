import { type Attachment, type FileContent, targetOf } from '../../domain/attachment.js';
import type { OwnedFile } from '../../domain/ports/files.js';
import type { CardDraft, StoredCards } from '../../domain/ports/imports.js';
import type { Drafts } from './drafts.js';
import type { PreparedRow } from './row.js';

/** The uploaded files that the rows of an import name or hold. */
export class FoldedFiles {
  readonly #held = new Map<string, FileContent>();

  /** @param stored the files of this owner, who imports. */
  constructor(
    private readonly ownerId: string,
    private readonly stored: StoredCards['files'],
  ) {}

  /** The row with the types and sizes of its files; if one of them cannot be attached to its card, the problem. */
  resolved(row: PreparedRow, drafts: Drafts): PreparedRow | { readonly problem: string } {
    for (const file of row.files) this.#held.set(file.sha256, file);
    const { id } = row.card;
    const cards = id === null ? [] : [drafts.byId(id), drafts.withMergedId(id)].filter((draft) => draft !== undefined);
    const attachments: Attachment[] = [];
    for (const attachment of row.card.attachments) {
      const file = attachment.sha256 === null ? {} : this.#fileOf(attachment.sha256, cards);
      if (file === undefined) {
        return { problem: `the owner of the card has no uploaded file with the SHA-256 ${attachment.sha256}` };
      }
      attachments.push({ ...attachment, ...file });
    }
    return { ...row, card: { ...row.card, attachments } };
  }

  /** Those that the rows hold and that cards have. */
  heldBy(drafts: readonly CardDraft[]): readonly OwnedFile[] {
    const files = new Map<string, OwnedFile>();
    for (const { ownerId, content } of drafts) {
      for (const { sha256 } of content.attachments) {
        const file = this.#held.get(sha256 ?? '');
        if (file !== undefined) files.set(JSON.stringify([ownerId, file.sha256]), { ...file, ownerId });
      }
    }
    return [...files.values()];
  }

  #fileOf(sha256: string, cards: readonly CardDraft[]): Pick<Attachment, 'contentType' | 'bytes'> | undefined {
    const held = this.#held.get(sha256);
    if (held !== undefined) return { contentType: held.contentType, bytes: held.content.length };
    const attached = cards.flatMap(({ content }) => content.attachments).find((one) => one.sha256 === sha256);
    if (attached !== undefined) return { contentType: attached.contentType, bytes: attached.bytes };
    // A card has files of its owner alone.
    return cards.every(({ ownerId }) => ownerId === this.ownerId) ? this.stored.get(sha256) : undefined;
  }
}

/** A table has neither kinds nor alternative texts: those of the card are kept where the row says nothing else. */
export function describedAsStored(stored: readonly Attachment[], given: readonly Attachment[]): readonly Attachment[] {
  return given.map((one) => {
    const isPlain = one.kind === 'OTHER' && one.altText === null;
    return (isPlain && stored.find((known) => targetOf(known) === targetOf(one))) || one;
  });
}
