import { z } from 'zod';
import { LANGUAGES } from '../language.js';
import type { SearchOperation } from '../search.js';
import { TUTORING_MODES, type TutoringRequest } from '../tutoring.js';
import { optional, parse } from './parse.js';
import { shortName, whole } from './scalars.js';
import { parseSearch } from './search.js';

/** The rules of a prompt alone take up to 350 tokens. */
export const MIN_BUDGET = 500;
export const MAX_BUDGET = 16_000;

/** A prompt's budget, where none is given. */
export const DEFAULT_BUDGET = 1_500;

/** How many cards each of a context's two searches finds at most. */
const HITS = 10;

const tutoringArgs = z.strictObject({
  text: z.unknown().optional(),
  cardId: z.unknown().optional(),
  filter: z.unknown().optional(),
  options: z.unknown().optional(),
  profile: optional(shortName, null),
  mode: optional(z.enum(TUTORING_MODES), 'EXPLAIN'),
  budgetTokens: optional(whole(MIN_BUDGET, MAX_BUDGET), DEFAULT_BUDGET),
  language: optional(z.enum(LANGUAGES), null),
});

/** Settings of a search profile, for each of the two searches. */
export type SettingsOf = (operation: SearchOperation) => Parameters<typeof parseSearch>[2];

/** The name of the search profile that a client asks for; null: the chosen one. BadInputError. */
export function parseTutoringProfile(args: unknown): string | null {
  return parse(tutoringArgs, args, '').profile;
}

/** The evidence is judged by weighted scores of one query. */
const SCALE = { fusion: 'WEIGHTED', expandWith: null, rerank: false } as const;

/** Parses the request for a context. Throws BadInputError. */
export function parseTutoring(args: unknown, settingsOf: SettingsOf): TutoringRequest {
  const { mode, budgetTokens, language, profile: _, options, ...subject } = parse(tutoringArgs, args, '');
  const search = { ...subject, topK: HITS };
  const related = parseSearch('hybridSearch', { ...search, options }, settingsOf('hybridSearch'));
  // What the search by all perspectives avoids, the one by error may look for.
  const others = typeof options === 'object' && options !== null ? { ...options, avoid: null } : options;
  return {
    mode,
    budgetTokens,
    language,
    related: { ...related, ...SCALE },
    sameError: { ...parseSearch('byError', { ...search, options: others }, settingsOf('byError')), ...SCALE },
  };
}
