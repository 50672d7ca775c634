import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  ATTACHMENT_KINDS,
  type Attachment,
  type FileContent,
  type FileLimits,
  fileTypeOf,
  MAX_ATTACHMENTS,
  targetOf,
} from '../attachment.js';
import { BadInputError } from '../errors.js';
import { type ImageType, plainImage } from './images.js';
import { name, optionalName } from './scalars.js';

/** In code points. */
const MAX_ALT_CHARS = 1_000;
const MAX_URL_CHARS = 2_000;

/** Embedded files of one row together, in bytes: as base64 they fit into the longest row. */
export const MAX_EMBEDDED_BYTES = 10 * 1024 * 1024;

export const sha256 = z
  .string()
  .overwrite((text) => text.toLowerCase())
  .refine((text) => /^[0-9a-f]{64}$/.test(text), 'must be a SHA-256 digest: 64 hexadecimal digits');

const url = name(MAX_URL_CHARS).refine(isLink, {
  error: 'must be an address that begins with http:// or https://, without a user name and without blanks',
});

const described = {
  kind: z.enum(ATTACHMENT_KINDS).nullish(),
  altText: optionalName(MAX_ALT_CHARS).nullish(),
  url: url.nullish(),
  sha256: sha256.nullish(),
};

type Described = z.infer<z.ZodObject<typeof described>>;

/** The attachments of a card, each a link or an uploaded file. */
export const attachments = listed(
  z
    .strictObject(described)
    .refine((one) => (one.url == null) !== (one.sha256 == null), { error: 'must have either url or sha256' })
    .transform(attachment),
);

/** As {@link attachments} in a row of a file, whose entries may also hold the file itself: `data`, in base64. */
export const importedAttachments = listed(
  z
    .strictObject({ ...described, data: z.string().nullish() })
    .refine((one) => (one.url == null) !== (one.sha256 == null && one.data == null), {
      error: 'must have either url, or sha256 or data',
    })
    .transform(({ data, ...one }, context): Attachment & { readonly content: Uint8Array | null } => {
      if (data == null) return { ...attachment(one), content: null };
      const content = decoded(data);
      const digest = createHash('sha256')
        .update(content ?? '')
        .digest('hex');
      if (content === null) context.addIssue({ code: 'custom', path: ['data'], message: 'is not base64' });
      else if (one.sha256 != null && one.sha256 !== digest) {
        context.addIssue({ code: 'custom', path: ['sha256'], message: 'is not the SHA-256 of data' });
      }
      return { ...attachment({ ...one, sha256: digest }), content };
    }),
);

function listed<T extends Attachment>(entry: z.ZodType<T>) {
  return z
    .array(entry)
    .max(MAX_ATTACHMENTS, `must have at most ${MAX_ATTACHMENTS} entries`)
    .refine((all) => new Set(all.map(targetOf)).size === all.length, { error: 'must have each link or file once' });
}

/** Pixels of an image: a browser takes 4 bytes for each, 256 MB; photos of phones have 12 to 50 million. */
const MAX_PIXELS = 64_000_000;

/**
 * A new file, without the metadata of images. BadInputError (`field`) if it is empty, too large, of another type than
 * the limits allow, or an image that is damaged or has too many pixels.
 */
export function newFile(content: Uint8Array, { maxBytes, types }: FileLimits, field: string): FileContent {
  if (content.length === 0) throw new BadInputError(field, 'is empty');
  if (content.length > maxBytes) throw new BadInputError(field, `is larger than ${maxBytes / 2 ** 20} MB`);
  const contentType = fileTypeOf(content);
  if (contentType === null || !types.includes(contentType)) {
    throw new BadInputError(field, `must be a file of the type ${types.join(', ')}, by its first bytes`);
  }
  const plain = contentType === 'application/pdf' ? content : pixelsOnly(content, contentType, field);
  return { content: plain, contentType, sha256: createHash('sha256').update(plain).digest('hex') };
}

function pixelsOnly(content: Uint8Array, type: ImageType, field: string): Uint8Array {
  const image = plainImage(type, content);
  if (image === null) throw new BadInputError(field, `is damaged: not a complete image of the type ${type}`);
  if (image.pixels > MAX_PIXELS) {
    throw new BadInputError(field, `has more than ${MAX_PIXELS / 1_000_000} million pixels: make the image smaller`);
  }
  return image.content;
}

function attachment({ kind, altText, url: link, sha256: digest }: Described): Attachment {
  const said = { kind: kind ?? 'OTHER', altText: altText ?? null } as const;
  return { ...said, url: link ?? null, sha256: digest ?? null, contentType: null, bytes: null };
}

/** Null if it is not base64, with or without the beginning of a data URL. */
function decoded(text: string): Buffer | null {
  const plain = text.replace(/^data:[^,]{0,200};base64,/, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(plain) || plain.length % 4 === 1) return null;
  return Buffer.from(plain, 'base64');
}

/** A browser would follow `javascript:`, and show a user name as if it were the host. */
function isLink(text: string): boolean {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}
