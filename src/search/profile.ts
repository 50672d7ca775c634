import { completeSearch } from '../domain/parse/search.js';
import type { ByPerspective } from '../domain/perspective.js';
import { LEARNED_PROFILE, type SearchProfile } from '../domain/profile.js';
import { MAX_ENOUGH, type ProfileSettings, type SearchOperation, type SearchRequest } from '../domain/search.js';
import { POSTERIOR_RULE } from '../lexical/label-posterior.js';

/**
 * The share of the lexical lane in each perspective's weight, 0 .. 1; the dense lane has the rest. The built-in
 * embedder compares words too, and adds little to BM25: docs/quality.md has the figures.
 */
const LEXICAL_SHARE = 0.6;

/** Customary for semantic models. With the two that could be measured, .8 gave the same (docs/quality.md). */
const LEXICAL_SHARE_BESIDE_MEANING = 0.5;

/** The weights of each search. Hybrid search trusts the question most, and leaves errors to those who ask for them. */
const WEIGHTS: Readonly<Record<SearchOperation, ByPerspective<number>>> = {
  similarQuestions: { question: 1, solution: 0, concept: 0, error: 0 },
  bySolution: { question: 0, solution: 1, concept: 0, error: 0 },
  byConcept: { question: 0, solution: 0, concept: 1, error: 0 },
  byError: { question: 0, solution: 0, concept: 0, error: 1 },
  hybridSearch: { question: 0.6, solution: 0.2, concept: 0.2, error: 0 },
};

/**
 * The weight of the label lanes beside all others. More raises nDCG and lowers MRR (docs/quality.md), and lets cards
 * that share nothing but a topic with the text reach a threshold step of .5.
 */
export const INFERRED_WEIGHT = 0.55;

/** The name of the profile of searches that name none. */
export const DEFAULT_PROFILE = 'default';

/** The settings of searches that name no profile, with the built-in embedder. */
export const BUILTIN_SETTINGS: ProfileSettings = {
  weights: WEIGHTS.hybridSearch,
  lexicalShare: LEXICAL_SHARE,
  inferredWeight: INFERRED_WEIGHT,
  fusion: 'WEIGHTED',
  thresholdSteps: null,
  minResults: MAX_ENOUGH,
  ...POSTERIOR_RULE,
  diversity: 0,
  expandWith: null,
};

/** The settings of searches that name no profile, with the model of a gateway. */
export function defaultSettings(model: string): ProfileSettings {
  return model === 'builtin' ? BUILTIN_SETTINGS : { ...BUILTIN_SETTINGS, lexicalShare: LEXICAL_SHARE_BESIDE_MEANING };
}

/** The profiles that every gateway with the model has. */
export function builtinProfiles(model: string): readonly [SearchProfile, ...SearchProfile[]] {
  const settings = defaultSettings(model);
  const named = { name: DEFAULT_PROFILE, description: 'The built-in settings.', settings };
  return [named, PLAIN_VECTORS];
}

const PLAIN_VECTORS: SearchProfile = {
  name: 'plain-vectors',
  description: 'Plain vector search: no lexical or label lanes, no threshold steps, no diversity.',
  settings: {
    ...BUILTIN_SETTINGS,
    weights: { ...WEIGHTS.hybridSearch },
    lexicalShare: 0,
    inferredWeight: 0,
    thresholdSteps: [0],
  },
};

/**
 * A profile's settings for one search: all but hybrid search look at their own perspective alone, whatever its weight
 * there.
 */
export function settingsOf(
  operation: SearchOperation,
  settings: ProfileSettings,
): ProfileSettings & Pick<SearchRequest, 'defaultWeights'> {
  const weights = operation === 'hybridSearch' ? settings.weights : WEIGHTS[operation];
  // The very object: another profile may have the same weights, and mean them.
  return { ...settings, weights, defaultWeights: weights === WEIGHTS[operation] };
}

/** A search, as far as it decides whether learned settings apply; a client's arguments are not parsed yet. */
export interface GivenSearch {
  readonly cardId?: unknown;
  readonly weights?: unknown;
  readonly options?: unknown;
}

/**
 * The settings of a client's search by a profile, with the profile's name. What was learned from the notebook replaces
 * them where it is used for this operation, in searches by a text alone: it was learned from queries whose labels have
 * to be inferred, and the labels of a card are known. A client that gives weights, lexicalShare, fusion or avoid gets
 * none of it: learned settings belong together, and a perspective to avoid has no weight.
 */
export function searchSettings(
  operation: SearchOperation,
  { name, settings, learned }: SearchProfile,
  given: GivenSearch,
): ProfileSettings & Pick<SearchRequest, 'profile' | 'defaultWeights'> {
  const own = learned?.operations.find((one) => one.operation === operation && one.used);
  if (own === undefined || given.cardId != null || givesWeights(given))
    return { ...settingsOf(operation, settings), profile: name };
  return { ...settingsOf(operation, own.settings), defaultWeights: true, profile: LEARNED_PROFILE };
}

function givesWeights({ weights, options }: GivenSearch): boolean {
  if (weights != null) return true;
  if (typeof options !== 'object' || options === null) return false;
  const { lexicalShare, fusion, avoid } = options as Readonly<Record<string, unknown>>;
  const avoids = typeof avoid === 'object' && avoid !== null && Object.values(avoid).some((weight) => weight !== 0);
  return lexicalShare != null || fusion != null || avoids;
}

/** The request of a search by a profile, for the subject of a golden case. */
export function requestBy(
  settings: ProfileSettings,
  { operation, subject, filter }: Pick<SearchRequest, 'operation' | 'subject' | 'filter'>,
  topK: number,
): SearchRequest {
  return completeSearch({ operation, subject, filter, topK }, {}, settingsOf(operation, settings));
}
