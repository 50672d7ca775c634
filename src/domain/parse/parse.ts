import type { z } from 'zod';
import { BadInputError } from '../errors.js';

type Issue = z.core.$ZodIssue;

/**
 * The value as the schema makes it. BadInputError for the first problem, whose `field` is the path as the caller wrote
 * it, below `prefix`: `input.difficulty`, `filter.grade[1]`; with an empty prefix, `topK`.
 */
export function parse<T>(schema: z.ZodType<T>, value: unknown, prefix: string): T {
  const parsed = schema.safeParse(value, { error: plainMessage });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue === undefined) throw new Error('zod refused a value without naming a problem', { cause: parsed.error });
  throw new BadInputError(fieldPath(prefix, issuePath(issue)), issue.message);
}

/** `fieldPath('filter', ['grade', 1])` is `filter.grade[1]`. */
export function fieldPath(prefix: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((field, key) => {
    if (typeof key === 'number') return `${field}[${key}]`;
    return field === '' ? String(key) : `${field}.${String(key)}`;
  }, prefix);
}

/** An unknown key is named itself; zod names the object that holds it. */
function issuePath(issue: Issue): readonly PropertyKey[] {
  return issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
}

/** Sentences for the problems that every schema shares; schemas word the others themselves. */
function plainMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') return 'there is no such field';
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.input === undefined) return 'is required';
  if (issue.input === null) return 'must not be null';
  return `must be ${TYPE_NAMES[issue.expected] ?? `of the type ${issue.expected}`}`;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a finite number',
  int: 'a whole number',
  array: 'a list',
  object: 'an object',
};
