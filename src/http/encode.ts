import { inSteps } from '../domain/steps.js';

/** UTF-16 units of a part, which is encoded in some 3 ms. */
const PART_UNITS = 131_072;

/**
 * The UTF-8 of a long text, encoded in steps: Node needs .3 s of processor time to send a page of 12 MB, and Fastify
 * counts its bytes before. Everything else as it is.
 */
export async function encoded(payload: unknown): Promise<unknown> {
  if (typeof payload !== 'string' || payload.length <= PART_UNITS) return payload;
  return Buffer.concat(await inSteps(encodeSteps(payload)));
}

export function* encodeSteps(text: string): Generator<void, readonly Buffer[]> {
  const parts: Buffer[] = [];
  for (let start = 0; start < text.length; ) {
    yield;
    // Never within a surrogate pair.
    const isCut = /[\uD800-\uDBFF]/.test(text[start + PART_UNITS - 1] ?? '');
    const end = start + PART_UNITS - (isCut ? 1 : 0);
    parts.push(Buffer.from(text.slice(start, end)));
    start = end;
  }
  return parts;
}
