import type { MetadataEntry } from '../../../domain/card-values.js';
import { jsonIn } from '../../../domain/parse/json.js';

/** The metadata of one cell: a JSON object, or a `key: value` on each line; undefined if it is neither. */
export function metadataIn(text: string): unknown {
  if (/^\s*[{[]/.test(text)) return jsonIn(text);
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const entries = lines.flatMap((line) => {
    const colon = line.search(/[:：]/);
    const [key, value] = [line.slice(0, Math.max(0, colon)).trim(), line.slice(colon + 1).trim()];
    return key === '' || value === '' ? [] : [{ key, value }];
  });
  return entries.length === lines.length ? entries : undefined;
}

/** The inverse of {@link metadataIn}; empty without entries. */
export function joinMetadata(entries: readonly MetadataEntry[]): string {
  return entries.length === 0 ? '' : JSON.stringify(Object.fromEntries(entries.map(({ key, value }) => [key, value])));
}
