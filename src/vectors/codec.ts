import type { ByPerspective } from '../domain/perspective.js';
import { byPerspective, PERSPECTIVES } from '../domain/perspective.js';
import type { CardVectors, StoredPassage } from '../ports.js';

/** What stands before the floats: the hashes of the passages in order, so their number and place follow. */
interface Header {
  readonly revision: number;
  readonly dims: number;
  readonly hashes: ByPerspective<readonly string[]>;
}

const LENGTH_BYTES = 4;

/** All of a card's vectors as one value, so that scoring a card costs one read: length, header, then the floats. */
export function encodeVectors(vectors: CardVectors): Buffer {
  const passages = PERSPECTIVES.flatMap((perspective) => vectors.passages[perspective]);
  const header: Header = {
    revision: vectors.revision,
    dims: passages[0]?.vector.length ?? 0,
    hashes: byPerspective((perspective) => vectors.passages[perspective].map(({ contentHash }) => contentHash)),
  };
  const head = Buffer.from(JSON.stringify(header));
  const value = Buffer.alloc(LENGTH_BYTES + head.length + passages.length * header.dims * 4);
  value.writeUInt32LE(head.length, 0);
  head.copy(value, LENGTH_BYTES);
  let offset = LENGTH_BYTES + head.length;
  for (const { vector } of passages) {
    if (vector.length !== header.dims)
      throw new Error(`vectors of ${header.dims} and ${vector.length} dimensions meet`);
    Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).copy(value, offset);
    offset += vector.byteLength;
  }
  return value;
}

/** The vectors that {@link encodeVectors} wrote, as views on one new buffer: `value` may be reused by its owner at once. */
export function decodeVectors(value: Buffer): CardVectors {
  const headLength = value.readUInt32LE(0);
  const header = JSON.parse(value.toString('utf8', LENGTH_BYTES, LENGTH_BYTES + headLength)) as Header;
  const floats = new Uint8Array(value.subarray(LENGTH_BYTES + headLength)).buffer;
  let offset = 0;
  const take = (contentHash: string): StoredPassage => {
    const vector = new Float32Array(floats, offset, header.dims);
    offset += vector.byteLength;
    return { contentHash, vector };
  };
  return { revision: header.revision, passages: byPerspective((perspective) => header.hashes[perspective].map(take)) };
}
