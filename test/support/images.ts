import { randomBytes } from 'node:crypto';
import type { ImageType } from '../../src/domain/parse/images.js';

interface Drawn {
  readonly width?: number;
  readonly height?: number;
  /** In place of the compressed pixels. */
  readonly pixels?: Buffer;
  /** Parts before the pixels, as the format writes them: see {@link part}. */
  readonly parts?: readonly Buffer[];
}

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

function numbers(size: 1 | 2 | 4, order: 'BE' | 'LE', ...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(size * values.length);
  for (const [at, value] of values.entries()) {
    if (order === 'BE') bytes.writeUIntBE(value, at * size, size);
    else bytes.writeUIntLE(value, at * size, size);
  }
  return bytes;
}

/**
 * A part of an image: a chunk of a PNG or WebP, a segment of a JPEG by its marker, an extension of a GIF by its label.
 */
export function part(type: ImageType, name: string | number, body: Buffer): Buffer {
  if (type === 'image/png')
    return Buffer.concat([numbers(4, 'BE', body.length), latin(String(name)), body, Buffer.alloc(4)]);
  if (type === 'image/jpeg') {
    return Buffer.concat([Buffer.from([0xff, Number(name)]), numbers(2, 'BE', body.length + 2), body]);
  }
  if (type === 'image/gif') return Buffer.concat([Buffer.from([0x21, Number(name)]), subBlocks(body)]);
  return Buffer.concat([latin(String(name)), numbers(4, 'LE', body.length), body, Buffer.alloc(body.length % 2)]);
}

function subBlocks(body: Buffer): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at < body.length; at += 255) {
    const block = body.subarray(at, at + 255);
    blocks.push(Buffer.from([block.length]), block);
  }
  return Buffer.concat([...blocks, Buffer.alloc(1)]);
}

/** An image as its format is built; a decoder would find its pixels to be noise. */
export function imageOf(type: ImageType, drawn: Drawn = {}): Buffer {
  const { width = 40, height = 30, pixels = randomBytes(100), parts = [] } = drawn;
  if (type === 'image/png') {
    const header = Buffer.concat([numbers(4, 'BE', width, height), Buffer.from([8, 2, 0, 0, 0])]);
    const chunks = [
      part(type, 'IHDR', header),
      ...parts,
      part(type, 'IDAT', pixels),
      part(type, 'IEND', Buffer.alloc(0)),
    ];
    return Buffer.concat([latin('\x89PNG\r\n\x1a\n'), ...chunks]);
  }
  if (type === 'image/jpeg') {
    const frame = Buffer.concat([Buffer.from([8]), numbers(2, 'BE', height, width), Buffer.from([1, 1, 0x11, 0])]);
    // In coded data 0xff is followed by 0.
    const coded = latin(pixels.toString('latin1').replaceAll('\xff', '\xff\0'));
    const scan = part(type, 0xda, Buffer.from([1, 1, 0, 0, 63, 0]));
    return Buffer.concat([latin('\xff\xd8'), ...parts, part(type, 0xc0, frame), scan, coded, latin('\xff\xd9')]);
  }
  if (type === 'image/gif') {
    const screen = Buffer.concat([numbers(2, 'LE', width, height), Buffer.from([0, 0, 0])]);
    const frame = Buffer.concat([latin('\x2c'), numbers(2, 'LE', 0, 0, width, height), Buffer.from([0, 2])]);
    return Buffer.concat([latin('GIF89a'), screen, ...parts, frame, subBlocks(pixels), latin(';')]);
  }
  const size = numbers(4, 'LE', (width - 1) | ((height - 1) << 14));
  const chunks = Buffer.concat([...parts, part(type, 'VP8L', Buffer.concat([Buffer.from([0x2f]), size, pixels]))]);
  return Buffer.concat([latin('RIFF'), numbers(4, 'LE', chunks.length + 4), latin('WEBP'), chunks]);
}
