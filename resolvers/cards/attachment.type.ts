import { ID, Int } from 'type-graphql';
import type { Attachment as Stored } from '../../src/domain/attachment.js';
import { AttachmentKindEnum } from '../enums.js';
import { inputType, outputType } from '../types.js';

export const Attachment = outputType<Stored>(
  'Attachment',
  'A link, or a file that was uploaded to POST /attachments, that belongs to a card.',
  {
    kind: { type: AttachmentKindEnum, description: 'What it shows.' },
    altText: { type: String, nullable: true, description: 'Alternative text for users who cannot see it, or null.' },
    url: {
      type: String,
      description:
        'The link; for an uploaded file, its path on this gateway, which requires the same credential: "/attachments/...".',
      of: ({ url, sha256 }) => url ?? `/attachments/${sha256}`,
    },
    sha256: {
      type: ID,
      nullable: true,
      description: 'The SHA-256 of an uploaded file, 64 hexadecimal digits; null for a link.',
    },
    contentType: {
      type: String,
      nullable: true,
      description: 'The content type of an uploaded file, such as "image/png"; null for a link.',
    },
    bytes: { type: Int, nullable: true, description: 'The size of an uploaded file in bytes; null for a link.' },
  },
);

export const AttachmentInput = inputType(
  'AttachmentInput',
  'An attachment: a link or an uploaded file. Exactly one of url and sha256 must be given.',
  {
    kind: { type: AttachmentKindEnum, nullable: true, description: 'What it shows; OTHER by default.' },
    altText: {
      type: String,
      nullable: true,
      description: 'Alternative text for users who cannot see it: 1 to 1000 characters.',
    },
    url: {
      type: String,
      nullable: true,
      description: 'An address that begins with http:// or https://, of at most 2000 characters. It is never fetched.',
    },
    sha256: {
      type: ID,
      nullable: true,
      description: "The SHA-256 of a file that was uploaded for the card's owner, as returned by POST /attachments.",
    },
  },
);
