export const ATTACHMENT_KINDS = ['QUESTION', 'STUDENT_WORK', 'SOLUTION', 'OTHER'] as const;
export type AttachmentKind = (typeof ATTACHMENT_KINDS)[number];

export const MAX_ATTACHMENTS = 10;

/** A link, which has a `url`, or an uploaded file, which has the other fields. */
export interface Attachment {
  readonly kind: AttachmentKind;
  /** What it shows, for those who do not see it. */
  readonly altText: string | null;
  /** `http:` or `https:`; the gateway never fetches it. */
  readonly url: string | null;
  /** SHA-256 of the content, in lower-case hexadecimal. */
  readonly sha256: string | null;
  /** Null also until the file has been looked up. */
  readonly contentType: FileType | null;
  readonly bytes: number | null;
}

export interface FileContent {
  readonly sha256: string;
  readonly contentType: FileType;
  readonly content: Uint8Array;
}

export interface FileLimits {
  /** Of one file. */
  readonly maxBytes: number;
  readonly types: readonly FileType[];
}

/**
 * Types of uploaded files, each with the file name extension and the bytes that it begins with; null stands for any
 * byte. None of them can hold a script that a browser would run: SVG and HTML are not accepted.
 */
const SIGNATURES = {
  'image/png': { extension: 'png', beginnings: [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]] },
  'image/jpeg': { extension: 'jpg', beginnings: [[0xff, 0xd8, 0xff]] },
  'image/gif': { extension: 'gif', beginnings: [ascii('GIF87a'), ascii('GIF89a')] },
  'image/webp': { extension: 'webp', beginnings: [[...ascii('RIFF'), null, null, null, null, ...ascii('WEBP')]] },
  'application/pdf': { extension: 'pdf', beginnings: [ascii('%PDF-')] },
} as const satisfies Record<string, { extension: string; beginnings: readonly (readonly (number | null)[])[] }>;

export type FileType = keyof typeof SIGNATURES;
export const FILE_TYPES = Object.keys(SIGNATURES) as readonly FileType[];

/** Bytes after which every type is known. */
export const SIGNATURE_BYTES = 12;

/** The type of a file by its first bytes; null if it is none of {@link FILE_TYPES}. */
export function fileTypeOf(content: Uint8Array): FileType | null {
  const begins = (beginning: readonly (number | null)[]): boolean =>
    content.length >= beginning.length && beginning.every((byte, at) => byte === null || content[at] === byte);
  return FILE_TYPES.find((type) => SIGNATURES[type].beginnings.some(begins)) ?? null;
}

/** A name under which a browser stores the file. */
export function fileNameOf(sha256: string, type: FileType): string {
  return `${sha256.slice(0, 16)}.${SIGNATURES[type].extension}`;
}

/** Equal for attachments of the same link or file. */
export function targetOf({ url, sha256 }: Pick<Attachment, 'url' | 'sha256'>): string {
  return url ?? sha256 ?? '';
}

function ascii(text: string): readonly number[] {
  return [...text].map((sign) => sign.charCodeAt(0));
}
