const NEWLINE = 0x0a;

/** One line of a file; `bytes` is null if it is longer than `maxBytes`. */
export interface Line {
  /** The first line is 1. */
  readonly number: number;
  /** Without the line break. */
  readonly bytes: Buffer | null;
}

/**
 * The lines of a file in any supported 8-bit encoding: a line feed byte is never part of another character. At most one
 * row is kept in memory.
 */
export async function* lines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  let number = 1;
  let kept: Buffer[] = [];
  let length = 0;
  const line = (): Line => {
    const bytes = length > maxBytes ? null : Buffer.concat(kept);
    const whole = { number, bytes };
    number += 1;
    kept = [];
    length = 0;
    return whole;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      length += end - start;
      if (length <= maxBytes) kept.push(chunk.subarray(start, end));
      yield line();
      start = end + 1;
    }
    length += chunk.length - start;
    if (length <= maxBytes) kept.push(chunk.subarray(start));
    else kept = [];
  }
  if (length > 0) yield line();
}
