import type { EncodedSnapshot } from '../../domain/ports/lexical.js';

/** Begins every file; changes with the layout. */
const MAGIC = 'errata words 1\n\n';

/** Parts begin at multiples of this, so that arrays of any type can be laid over them. */
const ALIGNMENT = 8;

const FOOTER_LENGTH_BYTES = 4;

/** Strings that are encoded at a time: about a millisecond's work. */
const STRINGS_A_LINE = 5_000;

type Numbers = EncodedSnapshot['numbers'][number];
type ArrayKind = 'u16' | 'u32' | 'f64';
type Kind = ArrayKind | 'strings';

interface ArrayType {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): Numbers;
}

const ARRAYS: Readonly<Record<ArrayKind, ArrayType>> = { u16: Uint16Array, u32: Uint32Array, f64: Float64Array };

interface Footer {
  /** A reader with another value must not use the file. */
  readonly madeBy: string;
  readonly tenantId: string;
  readonly parts: readonly { readonly kind: Kind; readonly bytes: number }[];
}

/** The message says why a file cannot be used. */
export class UnusableSnapshotError extends Error {}

/**
 * A snapshot as the bytes of a file without its checksum: the parts, the footer that describes them, the footer's length.
 * Arrays are not copied, and each piece is at most a millisecond's work.
 */
export function* framed(
  snapshot: EncodedSnapshot,
  { madeBy, tenantId }: Pick<Footer, 'madeBy' | 'tenantId'>,
): Generator<Uint8Array> {
  const parts: { kind: Kind; bytes: number }[] = [];
  yield Buffer.from(MAGIC);
  for (const list of snapshot.strings) {
    let bytes = 0;
    for (const line of lines(list)) {
      yield line;
      bytes += line.length;
    }
    yield Buffer.alloc(padding(bytes));
    parts.push({ kind: 'strings', bytes });
  }
  for (const array of snapshot.numbers) {
    yield new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    yield Buffer.alloc(padding(array.byteLength));
    parts.push({ kind: kindOf(array), bytes: array.byteLength });
  }
  const footer = Buffer.from(JSON.stringify({ madeBy, tenantId, parts } satisfies Footer));
  yield footer;
  const length = Buffer.alloc(FOOTER_LENGTH_BYTES);
  length.writeUInt32LE(footer.length);
  yield length;
}

/**
 * Reads what {@link framed} wrote, as views on `bytes`. UnusableSnapshotError for another layout, build or tenant.
 */
export function unframed(bytes: Uint8Array, expected: Pick<Footer, 'madeBy' | 'tenantId'>): EncodedSnapshot {
  const aligned = bytes.byteOffset % ALIGNMENT === 0 ? bytes : Uint8Array.from(bytes);
  const whole = Buffer.from(aligned.buffer, aligned.byteOffset, aligned.byteLength);
  if (whole.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new UnusableSnapshotError('it has another layout');
  const end = whole.length - FOOTER_LENGTH_BYTES;
  const footer = JSON.parse(whole.toString('utf8', end - whole.readUInt32LE(end), end)) as Footer;
  if (footer.madeBy !== expected.madeBy) throw new UnusableSnapshotError('another build of the gateway wrote it');
  if (footer.tenantId !== expected.tenantId) throw new UnusableSnapshotError('it belongs to another tenant');
  const strings: string[][] = [];
  const numbers: Numbers[] = [];
  let at = MAGIC.length;
  for (const { kind, bytes: length } of footer.parts) {
    if (kind === 'strings') {
      const text = whole.toString('utf8', at, at + length);
      strings.push(text === '' ? [] : text.split('\n').flatMap((line) => JSON.parse(line) as string[]));
    } else {
      const Type = ARRAYS[kind];
      numbers.push(new Type(whole.buffer, whole.byteOffset + at, length / Type.BYTES_PER_ELEMENT));
    }
    at += length + padding(length);
  }
  return { strings, numbers };
}

/** As lines of JSON, which has no line break inside and escapes what UTF-8 cannot encode. */
function* lines(strings: readonly string[]): Generator<Uint8Array> {
  for (let at = 0; at < strings.length; at += STRINGS_A_LINE) {
    yield Buffer.from(`${at === 0 ? '' : '\n'}${JSON.stringify(strings.slice(at, at + STRINGS_A_LINE))}`);
  }
}

function kindOf(array: Numbers): ArrayKind {
  if (array instanceof Uint16Array) return 'u16';
  return array instanceof Uint32Array ? 'u32' : 'f64';
}

function padding(length: number): number {
  return (ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT;
}
