import { type LabelKind, labelKey } from '../domain/labels.js';
import type { DescribedLabel } from '../domain/ports/labels.js';

/** Keys of the labels that are asked for by their names or aliases, whatever the spelling, and of those below them. */
export function labelKeysOf(
  described: readonly DescribedLabel[],
  kind: LabelKind,
  asked: readonly string[],
): ReadonlySet<string> {
  const keys = new Set(asked.map(labelKey));
  const labels = described.filter((label) => label.kind === kind);
  for (const { name, aliases } of labels) if (aliases.some((one) => keys.has(labelKey(one)))) keys.add(labelKey(name));
  // A key that is added while the loop runs is visited too.
  for (const key of keys) {
    for (const { name, parent } of labels) if (parent !== null && labelKey(parent) === key) keys.add(labelKey(name));
  }
  return keys;
}
