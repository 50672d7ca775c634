import { z } from 'zod';
import { BadInputError } from '../errors.js';
import { distinctLabels, type LabelChange, MAX_ALIASES, MAX_MERGED } from '../labels.js';
import { optional, parse, parserOf, withoutUndefined } from './parse.js';
import { filledListOf, label, listOf, name } from './scalars.js';

export const parseLabel = parserOf(label);

export const parseMergedLabels = parserOf(filledListOf(label, MAX_MERGED));

/** What a list of labels is restricted to; null: not at all. */
export const parseLabelQuery = parserOf(z.object({ prefix: optional(name(400), null), parent: optional(label, null) }));

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
