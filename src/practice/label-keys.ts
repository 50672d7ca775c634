import { type LabelKind, labelKey } from '../domain/labels.js';
import type { DescribedLabel } from '../domain/ports/labels.js';

/** Keys of the labels that are asked for by their names or aliases, whatever the spelling. */
export function labelKeysOf(
  described: readonly DescribedLabel[],
  kind: LabelKind,
  asked: readonly string[],
): ReadonlySet<string> {
  const keys = new Set(asked.map(labelKey));
  const meant = described.filter(
    (label) => label.kind === kind && label.aliases.some((one) => keys.has(labelKey(one))),
  );
  return new Set([...keys, ...meant.map(({ name }) => labelKey(name))]);
}
