import { InvalidArgumentError } from 'commander';
import { EXIT } from '../domain/exit-codes.js';
import { keyName } from '../domain/parse/api-key.js';
import { instant } from '../domain/parse/scalars.js';
import { parseJsonObject } from './read-file.js';

export const FILTER_OPTION = [
  '--filter <json>',
  'a CardFilter as JSON, such as {"grades":["G6"]}',
  (text: string) => parseJsonObject(text, '--filter', EXIT.usage),
] as const;

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isInteger(value) || value < least || value > most)
      throw new InvalidArgumentError(`must be a whole number from ${least} to ${most}.`);
    return value;
  };
}

/** Parses an option as a number from 0 to 1. */
export function share(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError('must be a number from 0 to 1.');
  return value;
}

export function nameOfKey(text: string): string {
  const parsed = keyName.safeParse(text);
  if (!parsed.success) throw new InvalidArgumentError(`${parsed.error.issues[0]?.message}.`);
  return parsed.data;
}

/** Parses an option as a moment; a date alone is the beginning of that day, UTC. */
export function moment(text: string): string {
  const parsed = instant.safeParse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  if (!parsed.success)
    throw new InvalidArgumentError('must be a date, such as 2026-09-01 or 2026-09-01T08:30:00+08:00.');
  return parsed.data.toISOString();
}
