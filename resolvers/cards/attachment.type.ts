import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { AttachmentKind, Attachment as Stored } from '../../src/domain/attachment.js';
import { AttachmentKindEnum } from '../enums.js';

@ObjectType({
  description: 'A link, or a file that was uploaded to POST /attachments, that belongs to a card.',
  simpleResolvers: true,
})
export class Attachment {
  static of({ url, sha256, ...stored }: Stored): Attachment {
    return { ...stored, sha256, url: url ?? `/attachments/${sha256}` };
  }

  @Field(() => AttachmentKindEnum, { description: 'What it shows.' })
  kind!: AttachmentKind;

  @Field(() => String, { nullable: true, description: 'Alternative text for users who cannot see it, or null.' })
  altText!: string | null;

  @Field(() => String, {
    description:
      'The link; for an uploaded file, its path on this gateway, which requires the same credential: "/attachments/...".',
  })
  url!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The SHA-256 of an uploaded file, 64 hexadecimal digits; null for a link.',
  })
  sha256!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The content type of an uploaded file, such as "image/png"; null for a link.',
  })
  contentType!: string | null;

  @Field(() => Int, { nullable: true, description: 'The size of an uploaded file in bytes; null for a link.' })
  bytes!: number | null;
}

@InputType({ description: 'An attachment: a link or an uploaded file. Exactly one of url and sha256 must be given.' })
export class AttachmentInput {
  @Field(() => AttachmentKindEnum, { nullable: true, description: 'What it shows; OTHER by default.' })
  kind?: AttachmentKind | null;

  @Field(() => String, {
    nullable: true,
    description: 'Alternative text for users who cannot see it: 1 to 1000 characters.',
  })
  altText?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'An address that begins with http:// or https://, of at most 2000 characters. It is never fetched.',
  })
  url?: string | null;

  @Field(() => ID, {
    nullable: true,
    description: "The SHA-256 of a file that was uploaded for the card's owner, as returned by POST /attachments.",
  })
  sha256?: string | null;
}
