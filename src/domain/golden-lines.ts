import { type GoldenCase, writtenCase } from './golden.js';
import { writtenFilter } from './parse/filter.js';
import { parseGoldenCase } from './parse/golden.js';
import { parseJson } from './parse/json.js';
import { withoutNulls } from './parse/parse.js';

export interface GoldenLines {
  readonly cases: readonly GoldenCase[];
  /** Cases whose id an earlier line has: each got a new one, `q-7:2`. */
  readonly renamed: number;
}

/**
 * Reads golden cases in JSON Lines; empty lines are skipped. A concatenation of files may repeat an id for different
 * queries; all of them are kept. BadInputError that names the line, after `prefix`.
 */
export function readGoldenLines(text: string, prefix = ''): GoldenLines {
  const cases: GoldenCase[] = [];
  const ids = new Set<string>();
  let renamed = 0;
  for (const [place, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const where = `${prefix}line ${place + 1}`;
    const read = parseGoldenCase(parseJson(line, where), where);
    let { id } = read;
    for (let count = 2; ids.has(id); count += 1) id = `${read.id}:${count}`;
    if (id !== read.id) renamed += 1;
    ids.add(id);
    cases.push({ ...read, id });
  }
  return { cases, renamed };
}

/** The cases as JSON Lines; the inverse of {@link readGoldenLines}. */
export function writeGoldenLines(cases: Iterable<GoldenCase>): string {
  let text = '';
  for (const one of cases) text += `${JSON.stringify(goldenObject(one))}\n`;
  return text;
}

/** A case in the format of the API's input, without what it has not. */
export function goldenObject(one: GoldenCase): object {
  const written = writtenCase(one);
  const filter = Object.keys(written.filter).length > 0 ? writtenFilter(written.filter) : null;
  return withoutNulls({ ...written, filter, relevant: written.relevant.map(withoutNulls) });
}
