import { groupedBy } from '../domain/grouped.js';
import { type LabelKind, labelKey } from '../domain/labels.js';
import type { DescribedLabel } from '../domain/ports/labels.js';

/** Keys of the labels that are asked for by their names or aliases, whatever the spelling, and of those below them. */
export function labelKeysOf(
  described: readonly DescribedLabel[],
  kind: LabelKind,
  asked: readonly string[],
): ReadonlySet<string> {
  const named = new Set(asked.map(labelKey));
  const labels = described.filter((label) => label.kind === kind);
  const meant = labels.filter(({ aliases }) => aliases.some((one) => named.has(labelKey(one))));
  const keys = new Set([...named, ...meant.map(({ name }) => labelKey(name))]);
  const below = groupedBy(labels, ({ parent }) => (parent === null ? null : labelKey(parent)));
  // A key that is added while the loop runs is visited too.
  for (const key of keys) for (const { name } of below.get(key) ?? []) keys.add(labelKey(name));
  return keys;
}
