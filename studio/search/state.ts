import {
  ByConcept,
  ByError,
  BySolution,
  type CardFilter,
  type Fusion,
  HybridSearch,
  type HybridSearchResult,
  type HybridSearchVariables,
  type Operation,
  type ProfileSettingsInput,
  type ReceiptFields,
  type SearchOperation,
  type SearchOptions,
  type SearchProfilesResult,
  SimilarQuestions,
} from '../generated/operations.js';

/** They take the same variables, but for the weights, which `variablesOf` gives to one of them. */
export const OPERATIONS = {
  hybridSearch: HybridSearch,
  similarQuestions: SimilarQuestions,
  bySolution: BySolution,
  byConcept: ByConcept,
  byError: ByError,
} as Readonly<Record<SearchOperation, Operation<HybridSearchResult, HybridSearchVariables>>>;

export const OPERATION_NAMES = Object.keys(OPERATIONS) as SearchOperation[];

export const PERSPECTIVES = ['question', 'solution', 'concept', 'error'] as const;
type Perspective = (typeof PERSPECTIVES)[number];
type Weights = Readonly<Record<Perspective, number>>;

/** How to rank. What is absent is as the profile says. */
export interface Tuning {
  readonly profile?: string;
  readonly weights?: Weights;
  readonly lexicalShare?: number;
  readonly diversity?: number;
  readonly fusion?: Fusion;
  readonly preferQuality?: boolean;
  readonly expand?: boolean;
  /** Least scores: see {@link CLOSEST}. */
  readonly thresholdSteps?: readonly number[];
}

export interface Asked {
  readonly operation: SearchOperation;
  /** A text, or a card to search from. */
  readonly text: string;
  readonly cardId: string | null;
  readonly filter: CardFilter;
  readonly topK: number;
}

export const RESULT_COUNTS = [5, 10, 20, 50] as const;

export const NOTHING_ASKED: Asked = { operation: 'hybridSearch', text: '', cardId: null, filter: {}, topK: 10 };

export type ProfileSettings = SearchProfilesResult['searchProfiles'][number]['settings'];

/**
 * The profile that the settings come from: without a choice, the one that the gateway used, by `SEARCH_PROFILE` or what
 * it has learned.
 */
export function profileOf(tuning: Tuning, receipt: Pick<ReceiptFields, 'profile'> | undefined): string {
  return tuning.profile ?? receipt?.profile ?? 'default';
}

/**
 * A changed tuning that names the profile which the last search used: without a name, a search with other weights does
 * not use what the gateway has learned, so that the settings which were not touched would change as well.
 */
export function keptProfile(changed: Tuning, receipt: Pick<ReceiptFields, 'profile'> | undefined): Tuning {
  const profile = changed.profile ?? receipt?.profile;
  return profile == null || Object.keys(changed).length === 0 ? changed : { ...changed, profile };
}

/** The settings of a profile that searches as `base` with the sliders moved. */
export function tunedSettings(base: ProfileSettings, tuning: Tuning): ProfileSettingsInput {
  const { profile, preferQuality, expand, ...changed } = tuning;
  return { ...base, ...changed };
}

/** The gateway's own weights of hybridSearch, until it has told its profiles. */
export const USUAL_WEIGHTS: Weights = { question: 0.6, solution: 0.2, concept: 0.2, error: 0 };

/** The lowest weight of a perspective whose weight is the only one. */
const LEAST_WEIGHT = 0.05;

/** Weights with one of them moved. One stays above 0: the gateway refuses four weights of 0. */
export function movedWeight(weights: Weights, moved: Perspective, to: number): Weights {
  const isOnly = PERSPECTIVES.every((one) => one === moved || weights[one] === 0);
  const { question, solution, concept, error } = weights;
  return { question, solution, concept, error, [moved]: isOnly ? Math.max(to, LEAST_WEIGHT) : to };
}

/** So low a step lets every card through, and opens the no-answer gate. */
export const CLOSEST: Tuning = { thresholdSteps: [0] };

/** Nothing, or the beginning of a formula, which the gateway refuses while it is typed. */
const NOTHING_YET = /^[\s$\\{}]*$/;

/** The variables of the search; null if there is nothing to search for. */
export function variablesOf(asked: Asked, tuning: Tuning): HybridSearchVariables | null {
  const { text, cardId, filter, topK, operation } = asked;
  if (cardId === null && NOTHING_YET.test(text)) return null;
  const { profile, weights, ...rest } = tuning;
  const options: SearchOptions = rest;
  return {
    ...(cardId === null ? { text: text.trim() } : { cardId }),
    topK,
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(Object.keys(options).length > 0 && { options }),
    ...(profile !== undefined && { profile }),
    ...(operation === 'hybridSearch' && weights !== undefined && { weights }),
  };
}

/** A filter with one field changed; an empty field restricts nothing, and the API refuses it. */
export function withField<Key extends keyof CardFilter>(
  filter: CardFilter,
  key: Key,
  value: CardFilter[Key],
): CardFilter {
  const { [key]: _, ...others } = filter;
  const empty = value == null || (Array.isArray(value) && value.length === 0);
  return empty ? others : { ...others, [key]: value };
}
