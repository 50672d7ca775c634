import { z } from 'zod';
import { BadInputError } from '../errors.js';

type Issue = z.core.$ZodIssue;

/** A parsed value, or everything that is wrong with it: at least one problem. */
export type Parsed<T> = { readonly data: T } | { readonly problems: readonly BadInputError[] };

/**
 * The value as the schema makes it. BadInputError for the first problem, whose `field` is the path as the caller wrote
 * it, below `prefix`: `input.difficulty`, `filter.grade[1]`; with an empty prefix, `topK`.
 */
export function parse<T>(schema: z.ZodType<T>, value: unknown, prefix: string): T {
  const parsed = schema.safeParse(value, { error: plainMessage });
  if (parsed.success) return parsed.data;
  // The first alone: an object may have 30,000 unknown keys, and an error for each takes half a second.
  throw problemsOf(parsed.error, prefix).next().value;
}

/** {@link parse} by one schema; without a field, the names of an object's fields are the paths. */
export function parserOf<T>(schema: z.ZodType<T>) {
  return (value: unknown, field = ''): T => parse(schema, value, field);
}

/** As {@link parse}, with every problem and nothing thrown. */
export function tryParse<T>(schema: z.ZodType<T>, value: unknown, prefix: string): Parsed<T> {
  const parsed = schema.safeParse(value, { error: plainMessage });
  return parsed.success ? { data: parsed.data } : { problems: [...problemsOf(parsed.error, prefix)] };
}

/** At least one. */
function* problemsOf({ issues }: z.core.$ZodError, prefix: string): Generator<BadInputError> {
  for (const issue of issues) {
    for (const path of issuePaths(issue)) yield new BadInputError(fieldPath(prefix, path), issue.message);
  }
}

/**
 * Rethrows a store's errors about a card's attachments with the path as the caller wrote it:
 * `input.attachments[0].sha256`.
 */
export function attachmentsBelow(prefix: string) {
  return (thrown: unknown): never => {
    if (!(thrown instanceof BadInputError) || !thrown.field.startsWith('attachments')) throw thrown;
    return fieldsBelow(prefix)(thrown);
  };
}

/** Rethrows an error about a field of an input with the path as the caller wrote it: `input.text`. */
export function fieldsBelow(prefix: string) {
  return (thrown: unknown): never => {
    throw thrown instanceof BadInputError ? new BadInputError(`${prefix}.${thrown.field}`, thrown.problem) : thrown;
  };
}

/** `fieldPath('filter', ['grade', 1])` is `filter.grade[1]`. */
export function fieldPath(prefix: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((field, key) => {
    if (typeof key === 'number') return `${field}[${key}]`;
    return field === '' ? String(key) : `${field}.${String(key)}`;
  }, prefix);
}

/** Unknown keys are named themselves; zod names the object that holds them. */
function issuePaths(issue: Issue): readonly (readonly PropertyKey[])[] {
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
}

/** Sentences for the problems that every schema shares; schemas word the others themselves. */
export function plainMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') return 'there is no such field';
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.input === undefined) return 'is required';
  if (issue.input === null) return 'must not be null';
  return `must be ${TYPE_NAMES[issue.expected] ?? `of the type ${issue.expected}`}`;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: 'true or false',
  number: 'a finite number',
  int: 'a whole number',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** The schema of a value that may be left out, or null: it is `otherwise` then. */
export function optional<T extends z.ZodType, const D>(schema: T, otherwise: D) {
  return schema.nullish().transform((given): NonNullable<z.output<T>> | D => given ?? otherwise);
}

/** Turns the text or the card of a query, exactly one of which must be given, into its subject. */
export function withSubject<T extends { readonly text: string | null; readonly cardId: string | null }>(
  { text, cardId, ...rest }: T,
  context: z.RefinementCtx,
) {
  if (text !== null && cardId === null) return { ...rest, subject: { kind: 'text', text } as const };
  if (cardId !== null && text === null) return { ...rest, subject: { kind: 'card', cardId } as const };
  const [field, message] =
    text === null
      ? ['text', 'is required if cardId is not given']
      : ['cardId', 'must not be given together with text: a search is by text or by card'];
  context.addIssue({ code: 'custom', path: [field], message });
  return z.NEVER;
}

/** The object without its keys whose value is null or undefined. */
export function withoutNulls<T extends object>(value: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry != null)) as typeof value;
}

/** The object without its keys whose value is undefined, so that "absent" has one form. */
export function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as T;
}
