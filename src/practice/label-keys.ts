import { type LabelKind, labelKey } from '../domain/labels.js';
import type { DescribedLabel } from '../domain/ports/labels.js';

/**
 * Keys of the labels that are asked for by their names or aliases, whatever the spelling, and of those below them. In
 * steps: a school may describe 10,000 labels, with 100 aliases each.
 */
export function* labelKeySteps(
  described: readonly DescribedLabel[],
  kind: LabelKind,
  asked: readonly string[],
): Generator<void, ReadonlySet<string>> {
  const named = new Set(asked.map(labelKey));
  const keys = new Set(named);
  const below = new Map<string, string[]>();
  for (const label of described) {
    yield;
    if (label.kind !== kind) continue;
    const key = labelKey(label.name);
    if (label.aliases.some((one) => named.has(labelKey(one)))) keys.add(key);
    if (label.parent === null) continue;
    const above = labelKey(label.parent);
    below.set(above, [...(below.get(above) ?? []), key]);
  }
  // A key that is added while the loop runs is visited too.
  for (const key of keys) for (const child of below.get(key) ?? []) keys.add(child);
  return keys;
}
