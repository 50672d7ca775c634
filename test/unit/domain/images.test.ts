import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FILE_TYPES } from '../../../src/domain/attachment.js';
import { BadInputError } from '../../../src/domain/errors.js';
import { newFile } from '../../../src/domain/parse/attachments.js';
import { type ImageType, plainImage } from '../../../src/domain/parse/images.js';
import { imageOf, part } from '../../support/images.js';
import { runs } from '../../support/runs.js';

const TYPES = FILE_TYPES.filter((type): type is ImageType => type !== 'application/pdf');
const SECRET = '22.5431N 114.0579E';
const secret = Buffer.from(SECRET);

/** EXIF as cameras write it: the orientation among other entries, and the place after them. */
function exif(order: 'II' | 'MM', orientation: number): Buffer {
  const bytes = Buffer.alloc(38);
  const [short, long] =
    order === 'II'
      ? [
          (value: number, at: number) => bytes.writeUInt16LE(value, at),
          (value: number, at: number) => bytes.writeUInt32LE(value, at),
        ]
      : [
          (value: number, at: number) => bytes.writeUInt16BE(value, at),
          (value: number, at: number) => bytes.writeUInt32BE(value, at),
        ];
  bytes.write(order);
  short(42, 2);
  long(8, 4);
  short(2, 8);
  for (const [at, tag, value] of [
    [10, 0x10f, 7],
    [22, 0x112, orientation],
  ] as const) {
    short(tag, at);
    short(3, at + 2);
    long(1, at + 4);
    short(value, at + 8);
  }
  return Buffer.concat([bytes, secret]);
}

const jpegExif = (body: Buffer): Buffer => part('image/jpeg', 0xe1, Buffer.concat([Buffer.from('Exif\0\0'), body]));
const webpHead = (flags: number): Buffer =>
  part('image/webp', 'VP8X', Buffer.from([flags, 0, 0, 0, 39, 0, 0, 29, 0, 0]));

/** Parts with what nobody meant to send. */
const METADATA: Readonly<Record<Exclude<ImageType, 'image/gif'>, readonly Buffer[]>> = {
  'image/png': ['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME'].map((name) => part('image/png', name, secret)),
  'image/jpeg': [
    jpegExif(exif('II', 1)),
    part('image/jpeg', 0xe1, Buffer.from(`http://ns.adobe.com/xap/1.0/\0${SECRET}`)),
    part('image/jpeg', 0xe2, Buffer.from(`MPF\0${SECRET}`)),
    part('image/jpeg', 0xed, Buffer.from(`Photoshop 3.0\0${SECRET}`)),
    part('image/jpeg', 0xfe, secret),
  ],
  'image/webp': [webpHead(0x0c), part('image/webp', 'EXIF', exif('MM', 1)), part('image/webp', 'XMP ', secret)],
};

describe('an image', () => {
  test.each(TYPES)('of the type %s without metadata is kept byte for byte, and its pixels are counted', (type) => {
    const image = imageOf(type, { width: 300, height: 200 });
    expect(plainImage(type, image)).toEqual({ content: image, pixels: 60_000 });
  });

  test.each(Object.entries(METADATA))(
    'of the type %s loses what a camera or a program wrote into it',
    (type, parts) => {
      const pixels = Buffer.from('the pixels');
      const image = imageOf(type as ImageType, { parts, pixels });
      expect(image.includes(SECRET)).toBe(true);
      const plain = plainImage(type as ImageType, image);
      expect(plain?.content.includes(SECRET)).toBe(false);
      const kept = type === 'image/webp' ? [webpHead(0)] : [];
      expect(plain?.content).toEqual(imageOf(type as ImageType, { parts: kept, pixels }));
    },
  );

  test.each(['II', 'MM'] as const)(
    'keeps how it is turned, from EXIF in the byte order %s, and nothing else of that',
    (order) => {
      for (const orientation of [2, 3, 6, 8]) {
        const body = exif(order, orientation);
        const jpeg = plainImage('image/jpeg', imageOf('image/jpeg', { parts: [jpegExif(body)] }))?.content;
        expect(jpeg?.subarray(2, 4)).toEqual(Buffer.from([0xff, 0xe1]));
        expect(jpeg?.subarray(12, 14).toString()).toBe('MM');
        expect([jpeg?.readUInt16BE(22), jpeg?.readUInt16BE(30), jpeg?.includes(SECRET)]).toEqual([
          0x112,
          orientation,
          false,
        ]);
        const parts = [webpHead(0x08), part('image/webp', 'EXIF', body)];
        const webp = plainImage('image/webp', imageOf('image/webp', { parts }))?.content;
        expect([webp?.[20], webp?.includes('EXIF'), webp?.includes(SECRET)]).toEqual([0x08, true, false]);
        expect(webp?.readUInt16BE(webp.indexOf('EXIF') + 26)).toBe(orientation);
      }
    },
  );

  test('keeps its colour profile', () => {
    const profile = part('image/jpeg', 0xe2, Buffer.from('ICC_PROFILE\0\x01\x01 Display P3'));
    const image = imageOf('image/jpeg', { parts: [part('image/jpeg', 0xe0, Buffer.from('JFIF\0\x01\x02')), profile] });
    expect(plainImage('image/jpeg', image)?.content).toEqual(image);
  });

  test('loses what follows it, as the video of a motion photo', () => {
    const image = imageOf('image/jpeg');
    expect(plainImage('image/jpeg', Buffer.concat([image, secret]))?.content).toEqual(image);
    const png = imageOf('image/png');
    expect(plainImage('image/png', Buffer.concat([png, secret]))?.content).toEqual(png);
  });

  test('of any bytes is read to an end, and read again to the same', () => {
    const mutated = fc.tuple(
      fc.constantFrom(...TYPES),
      fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 5 }),
      fc.nat(400),
    );
    fc.assert(
      fc.property(mutated, ([type, changes, cut]) => {
        const parts = type === 'image/gif' ? [] : METADATA[type];
        const image = imageOf(type, { parts, pixels: Buffer.alloc(60, 7) });
        for (const [at, value] of changes) image[at % image.length] = value;
        const plain = plainImage(type, image.subarray(0, Math.max(12, image.length - (cut % 3 === 0 ? cut : 0))));
        if (plain === null) return;
        expect(plainImage(type, plain.content)).toEqual(plain);
      }),
      { numRuns: runs(2_000) },
    );
  });
});

describe('a new file', () => {
  const limits = { maxBytes: 1_000_000, types: FILE_TYPES };

  test.each([
    ...TYPES.filter((type) => type !== 'image/webp').map(
      (type) => [type, imageOf(type, { width: 65_000, height: 65_000 })] as const,
    ),
    ['image/webp', imageOf('image/webp', { width: 16_000, height: 16_000 })],
  ] as const)('with more pixels than a browser has room for is refused: %s', (_type, image) => {
    expect(() => newFile(image, limits, 'file')).toThrow(/has more than 64 million pixels/);
  });

  test('whose frames are larger than its screen counts as they do', () => {
    const large = imageOf('image/gif', { width: 30_000, height: 30_000 });
    large.writeUInt32LE(0x00010001, 6);
    expect(() => newFile(large, limits, 'file')).toThrow(/million pixels/);
  });

  test.each(TYPES)('that is a part of an image of the type %s is refused', (type) => {
    const image = imageOf(type);
    for (const length of [14, 20, image.length - 1]) {
      expect(() => newFile(image.subarray(0, length), limits, 'file')).toThrow(BadInputError);
    }
  });

  test.each([
    ['image/png', part('image/png', 'tEXt', Buffer.alloc(0))],
    ['image/jpeg', part('image/jpeg', 0xfe, Buffer.alloc(0))],
    ['image/jpeg', Buffer.from([0xff])],
    ['image/gif', part('image/gif', 0xfe, Buffer.alloc(0))],
    ['image/webp', part('image/webp', 'XMP ', Buffer.alloc(0))],
  ] as const)('of very many small parts is refused: %s', (type, small) => {
    const image = imageOf(type, { parts: Array(20_001).fill(small) });
    expect(() => newFile(image, limits, 'file')).toThrow(/is damaged/);
  });
});
