import type { FileType } from '../attachment.js';

export interface PlainImage {
  /** Pixels without what a camera or a program wrote beside them; the orientation and the colour profile are kept. */
  readonly content: Buffer;
  /** Of the canvas, or of the largest part that a decoder would make room for. */
  readonly pixels: number;
}

export type ImageType = Exclude<FileType, 'application/pdf'>;
type Reader = (file: Buffer) => PlainImage;

/** Parts of an image: many times as many as encoders make. More of them would keep the event loop for long. */
const MAX_PARTS = 20_000;

/** They walk from part to part, and decode no pixel. */
const READERS: Readonly<Record<ImageType, Reader>> = {
  'image/png': readPng,
  'image/jpeg': readJpeg,
  'image/gif': readGif,
  'image/webp': readWebp,
};

/**
 * The image without its metadata (EXIF with the place and time, XMP, IPTC, comments, previews); null if it is damaged.
 */
export function plainImage(type: ImageType, content: Uint8Array): PlainImage | null {
  try {
    const image = READERS[type](Buffer.from(content.buffer, content.byteOffset, content.byteLength));
    return image.pixels > 0 ? image : null;
  } catch (thrown) {
    // Thrown beyond the end of a Buffer, too.
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
}

/** From `start` to `end`; RangeError beyond the end of the file. */
function slice(file: Buffer, start: number, end: number): Buffer {
  if (end > file.length || end < start) throw new RangeError('a part ends after the file');
  return file.subarray(start, end);
}

/** Called for each part of an image; RangeError for one too many. */
function counter(): () => void {
  let parts = 0;
  return () => {
    parts += 1;
    if (parts > MAX_PARTS) throw new RangeError(`the image has more than ${MAX_PARTS} parts`);
  };
}

const beginsWith = (part: Buffer, text: string): boolean => part.toString('latin1', 0, text.length) === text;

/** Chunks that can hold texts, times and EXIF. */
const PNG_METADATA: ReadonlySet<string> = new Set(['eXIf', 'iTXt', 'tEXt', 'tIME', 'zTXt']);

/** https://www.w3.org/TR/png-3/#5Chunk-layout */
function readPng(file: Buffer): PlainImage {
  const kept = [slice(file, 0, 8)];
  const count = counter();
  for (let at = 8, type = ''; type !== 'IEND'; ) {
    type = slice(file, at + 4, at + 8).toString('latin1');
    const end = at + 12 + file.readUInt32BE(at);
    count();
    if (!PNG_METADATA.has(type)) kept.push(slice(file, at, end));
    at = end;
  }
  const isFirst = slice(file, 12, 16).toString('latin1') === 'IHDR';
  return { content: Buffer.concat(kept), pixels: isFirst ? file.readUInt32BE(16) * file.readUInt32BE(20) : 0 };
}

const JPEG = { endOfImage: 0xd9, startOfScan: 0xda, app0: 0xe0, app15: 0xef, exif: 0xe1, comment: 0xfe } as const;

/** Segments of applications that change how the image looks. */
const JPEG_KEPT = ['JFIF\0', 'ICC_PROFILE\0', 'Adobe\0'];
const EXIF = 'Exif\0\0';

/**
 * https://www.w3.org/Graphics/JPEG/itu-t81.pdf, annex B. What follows the image (further images, videos) is dropped.
 */
function readJpeg(file: Buffer): PlainImage {
  const kept = [slice(file, 0, 2)];
  const count = counter();
  let pixels = 0;
  for (let at = 2; ; ) {
    count();
    if (file.readUInt8(at) !== 0xff) throw new RangeError('no marker follows');
    const marker = file.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === JPEG.endOfImage) {
      kept.push(slice(file, at, at + 2));
      return { content: Buffer.concat(kept), pixels };
    }
    const length = file.readUInt16BE(at + 2);
    const body = slice(file, at + 4, at + 2 + length);
    const end = marker === JPEG.startOfScan ? endOfScan(file, at + 2 + length) : at + 2 + length;
    if (isFrame(marker)) pixels = Math.max(pixels, body.readUInt16BE(1) * body.readUInt16BE(3));
    const isMetadata = marker === JPEG.comment || (marker >= JPEG.app0 && marker <= JPEG.app15);
    if (!isMetadata || JPEG_KEPT.some((name) => beginsWith(body, name))) kept.push(slice(file, at, end));
    else if (marker === JPEG.exif && beginsWith(body, EXIF)) {
      const exif = plainExif(body.subarray(EXIF.length));
      const head = Buffer.from([0xff, JPEG.exif, 0, 2 + EXIF.length + (exif?.length ?? 0)]);
      if (exif !== null) kept.push(head, Buffer.from(EXIF, 'latin1'), exif);
    }
    at = end;
  }
}

/** SOF0 to SOF15 without the three codes between them that mean something else. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Where the next marker is: in coded data, 0xff is followed by 0, or is a restart marker. */
function endOfScan(file: Buffer, from: number): number {
  for (let at = from; at < file.length; ) {
    const next = file[at + 1] ?? 0;
    if (file[at] !== 0xff || next === 0xff) at += 1;
    else if (next === 0 || (next >= 0xd0 && next <= 0xd7)) at += 2;
    else return at;
  }
  throw new RangeError('the image does not end');
}

/** EXIF with nothing but the orientation; null if the image stands as it is. */
function plainExif(tiff: Buffer): Buffer | null {
  const orientation = orientationOf(tiff);
  if (orientation < 2 || orientation > 8) return null;
  // TIFF 6.0, big-endian: one directory at 8 with one entry, a SHORT, and no next directory.
  return Buffer.from([77, 77, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]);
}

/** 1 .. 8; 1 where it is not readable. */
function orientationOf(tiff: Buffer): number {
  const isLittle = beginsWith(tiff, 'II');
  const short = (at: number): number => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  try {
    const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
    for (let entry = directory + 2; entry < directory + 2 + 12 * short(directory); entry += 12) {
      if (short(entry) === 0x112) return short(entry + 8);
    }
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
  }
  return 1;
}

/** Flags of VP8X. */
const WEBP = { xmp: 0x04, exif: 0x08 } as const;

/** https://developers.google.com/speed/webp/docs/riff_container */
function readWebp(file: Buffer): PlainImage {
  const kept: Buffer[] = [];
  const count = counter();
  let pixels = 0;
  const whole = slice(file, 0, 8 + file.readUInt32LE(4));
  let exif = exifOfWebp(whole);
  const exifFlag = exif === null ? 0 : WEBP.exif;
  for (let at = 12; at + 8 <= whole.length; ) {
    const type = whole.toString('latin1', at, at + 4);
    const length = whole.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    const body = slice(whole, at + 8, at + 8 + length);
    count();
    if (type === 'VP8X') {
      const flags = (body.readUInt8(0) & ~(WEBP.xmp | WEBP.exif)) | exifFlag;
      kept.push(whole.subarray(at, at + 8), Buffer.from([flags]), slice(whole, at + 9, end));
    } else if (type === 'EXIF') {
      if (exif !== null) kept.push(Buffer.from([69, 88, 73, 70, exif.length, 0, 0, 0]), exif);
      exif = null;
    } else if (type !== 'XMP ') kept.push(slice(whole, at, end));
    pixels = Math.max(pixels, pixelsOfWebp(type, body));
    at = end;
  }
  const body = Buffer.concat(kept);
  const head = Buffer.from(whole.subarray(0, 12));
  head.writeUInt32LE(4 + body.length, 4);
  return { content: Buffer.concat([head, body]), pixels };
}

function exifOfWebp(whole: Buffer): Buffer | null {
  const count = counter();
  for (let at = 12; at + 8 <= whole.length; at += 8 + 2 * Math.ceil(whole.readUInt32LE(at + 4) / 2)) {
    count();
    if (whole.toString('latin1', at, at + 4) !== 'EXIF') continue;
    const body = slice(whole, at + 8, at + 8 + whole.readUInt32LE(at + 4));
    return plainExif(beginsWith(body, EXIF) ? body.subarray(EXIF.length) : body);
  }
  return null;
}

/** Of a chunk that says how large it is, else 0. */
function pixelsOfWebp(type: string, body: Buffer): number {
  if (type === 'VP8X') return (1 + body.readUIntLE(4, 3)) * (1 + body.readUIntLE(7, 3));
  if (type === 'VP8 ') return (body.readUInt16LE(6) & 0x3fff) * (body.readUInt16LE(8) & 0x3fff);
  if (type !== 'VP8L') return 0;
  const bits = body.readUInt32LE(1);
  return (1 + (bits & 0x3fff)) * (1 + ((bits >>> 14) & 0x3fff));
}

const GIF = { extension: 0x21, image: 0x2c, trailer: 0x3b } as const;

/**
 * https://www.w3.org/Graphics/GIF/spec-gif89a.txt. Kept whole: no camera writes it. A frame may be larger than the
 * screen.
 */
function readGif(file: Buffer): PlainImage {
  const tableOf = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  const count = counter();
  let pixels = file.readUInt16LE(6) * file.readUInt16LE(8);
  for (let at = 13 + tableOf(file.readUInt8(10)); ; ) {
    count();
    const block = file.readUInt8(at);
    if (block === GIF.trailer) return { content: file, pixels };
    if (block === GIF.image) {
      const [left, top] = [file.readUInt16LE(at + 1), file.readUInt16LE(at + 3)];
      const [width, height] = [file.readUInt16LE(at + 5), file.readUInt16LE(at + 7)];
      pixels = Math.max(pixels, (left + width) * (top + height));
      at += 11 + tableOf(file.readUInt8(at + 9));
    } else if (block === GIF.extension) at += 2;
    else throw new RangeError('no block follows');
    // Up to millions: indexed, since that is faster than a read with a check.
    for (let length = file[at]; length !== undefined && length > 0; length = file[at]) at += 1 + length;
    at += 1;
  }
}
