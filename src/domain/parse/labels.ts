import { z } from 'zod';
import { BadInputError } from '../errors.js';
import { distinctLabels, type LabelChange, MAX_ALIASES, MAX_MERGED } from '../labels.js';
import { optional, parse, withoutUndefined } from './parse.js';
import { filledListOf, label, listOf, name } from './scalars.js';

/** The name of a label. BadInputError. */
export function parseLabel(value: unknown, field: string): string {
  return parse(label, value, field);
}

/** The labels to merge. BadInputError. */
export function parseMergedLabels(value: unknown, field: string): readonly string[] {
  return parse(filledListOf(label, MAX_MERGED), value, field);
}

/** What a list of labels is restricted to; null: not at all. BadInputError. */
export function parseLabelQuery(args: { readonly prefix?: unknown; readonly parent?: unknown }): {
  readonly prefix: string | null;
  readonly parent: string | null;
} {
  return {
    prefix: parse(optional(name(400), null), args.prefix, 'prefix'),
    parent: parse(optional(label, null), args.parent, 'parent'),
  };
}

const change = z
  .strictObject({
    parent: label.nullish(),
    aliases: optional(listOf(label, MAX_ALIASES).transform(distinctLabels), undefined),
  })
  .transform(withoutUndefined);

/** What to set of a label. BadInputError, also if that is nothing. */
export function parseLabelChange(value: unknown, field: string): LabelChange {
  const parsed = parse(change, value, field);
  if (Object.keys(parsed).length === 0) throw new BadInputError(field, 'must set the parent or the aliases');
  return parsed;
}
