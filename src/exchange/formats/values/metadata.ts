import type { MetadataEntry } from '../../../domain/card-values.js';

const LINE = /^\s*([^:：]+?)\s*[:：]\s*(\S.*)$/;

/** The metadata of one cell: a JSON object, or a `key: value` on each line; undefined if it is neither. */
export function metadataIn(text: string): unknown {
  if (/^\s*[{[]/.test(text)) return parsed(text);
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const entries = lines.flatMap((line) => {
    const [, key, value] = LINE.exec(line) ?? [];
    return key === undefined ? [] : [{ key, value }];
  });
  return entries.length === lines.length ? entries : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The inverse of {@link metadataIn}; empty without entries. */
export function joinMetadata(entries: readonly MetadataEntry[]): string {
  return entries.length === 0 ? '' : JSON.stringify(Object.fromEntries(entries.map(({ key, value }) => [key, value])));
}
