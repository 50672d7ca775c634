import { z } from 'zod';
import { BadInputError } from '../errors.js';
import { byPerspective, PERSPECTIVES } from '../perspective.js';
import {
  FUSION_NAMES,
  MAX_ENOUGH,
  MAX_HITS,
  type ProfileSettings,
  QUERY_EXPANSIONS,
  RECALL_STRATEGIES,
  type SearchOperation,
  type SearchRequest,
} from '../search.js';
import { cardFilter } from './filter.js';
import { optional, parse, parserOf, withoutNulls, withSubject } from './parse.js';
import { between, cardId, filledListOf, instant, listOf, name, requiredText, whole } from './scalars.js';

/** Weights count by their ratios alone; a bound keeps their sum finite. */
const MAX_WEIGHT = 1_000;

const perspectiveWeights = z.strictObject(byPerspective(() => optional(between(0, MAX_WEIGHT), 0)));

/** How much each perspective counts, as a client writes it: an absent one is 0. */
export const weights = perspectiveWeights.refine(
  (given) => Object.values(given).some((value) => value > 0),
  'must have at least one weight above 0',
);

/** A part of a whole. */
export const share = between(0, 1);

/** Threshold steps of one search. */
const MAX_STEPS = 10;

/** Threshold steps: minimum similarities that are tried in order. */
const steps = filledListOf(
  share,
  MAX_STEPS,
  'must not be empty: leave it out for the steps of the model, or give [0] to accept every score',
).refine((given) => given.every((step, place) => place === 0 || step < (given[place - 1] as number)), {
  error: 'must be descending: each step below the one before it',
  abort: true,
});

/** Keywords of one search: more would be another query. */
const MAX_KEYWORDS = 20;
const keywords = listOf(name(100), MAX_KEYWORDS);

/** Settings that a profile has and a search may override. */
export const overridable = {
  lexicalShare: share.nullish(),
  fusion: z.enum(FUSION_NAMES).nullish(),
  thresholdSteps: steps.nullish(),
  minResults: whole(0, MAX_ENOUGH).nullish(),
  diversity: share.nullish(),
  expandWith: z.enum(QUERY_EXPANSIONS).nullish(),
};

const options = z.strictObject({
  ...overridable,
  strategy: z.enum(RECALL_STRATEGIES).nullish(),
  minScore: share.nullish(),
  rerank: z.boolean().nullish(),
  keywords: keywords.nullish(),
  expand: z.boolean().nullish(),
  perLane: whole(1, 1_000).nullish(),
  preferQuality: z.boolean().nullish(),
  coverLabels: z.boolean().nullish(),
  avoid: perspectiveWeights.nullish(),
});

type Options = z.output<typeof options>;

const searchArgs = z
  .strictObject({
    text: optional(requiredText, null),
    cardId: optional(cardId, null),
    weights: weights.nullish(),
    topK: whole(1, MAX_HITS),
    filter: optional(cardFilter, {}),
    options: optional(options, {} as Options),
  })
  .transform(withSubject);

/**
 * The search that a client wrote as a query's arguments, complete: what it does not say is as in `settings`. Of the
 * weights that it gave, an absent one is 0. BadInputError.
 */
export function parseSearch(
  operation: SearchOperation,
  args: unknown,
  settings: ProfileSettings & Partial<Pick<SearchRequest, 'profile' | 'defaultWeights'>>,
): SearchRequest {
  const { weights: given, options, ...asked } = parse(searchArgs, args, '');
  const weights = given ?? settings.weights;
  for (const perspective of PERSPECTIVES) {
    if ((options.avoid?.[perspective] ?? 0) > 0 && weights[perspective] > 0)
      throw new BadInputError(`options.avoid.${perspective}`, 'must be 0 if the perspective has a weight');
  }
  const defaultWeights = given == null && settings.defaultWeights === true;
  return completeSearch({ operation, ...asked }, options, { ...settings, weights, defaultWeights });
}

const UNSET = {
  profile: null,
  defaultWeights: false,
  strategy: 'FUSED',
  minScore: null,
  rerank: false,
  keywords: [],
  expand: true,
  perLane: null,
  preferQuality: false,
  coverLabels: true,
  avoid: byPerspective(() => 0),
} as const;

/** A search with every option: as it was given, else as in the settings. */
export function completeSearch(
  asked: Pick<SearchRequest, 'operation' | 'subject' | 'filter' | 'topK'>,
  options: Options,
  settings: ProfileSettings & Partial<Pick<SearchRequest, 'profile' | 'defaultWeights'>>,
): SearchRequest {
  const minResults = options.minResults ?? minResultsOf(options, settings);
  return { ...UNSET, ...settings, ...asked, ...withoutNulls(options), minResults };
}

/**
 * How many hits end the threshold step-down that a client asks for by name, unless it or the profile says otherwise.
 */
const ENOUGH = 5;

/**
 * By default the list is as long as asked for: only where steps or layers are asked for by name do a few hits end it.
 */
function minResultsOf({ thresholdSteps, strategy }: Options, { minResults }: ProfileSettings): number {
  const isByName = thresholdSteps != null || strategy === 'LAYERED';
  if (minResults < MAX_ENOUGH) return minResults;
  return isByName ? ENOUGH : MAX_HITS;
}

/** A text to suggest labels for, and how many at most. */
export const parseSuggest = parserOf(z.strictObject({ text: requiredText, first: whole(1, 50) }));

const timeWindow = z.strictObject({ after: optional(instant, null), before: optional(instant, null) });

/** From when, inclusive, until when, exclusive, as a client writes it; null if neither was given. BadInputError. */
export function parseWindow(value: unknown): { readonly after: Date | null; readonly before: Date | null } | null {
  const { after, before } = parse(timeWindow, value, '');
  if (after === null && before === null) return null;
  if (after !== null && before !== null && after >= before) {
    throw new BadInputError('before', 'must be later than after');
  }
  return { after, before };
}
