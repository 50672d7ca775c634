import type { Card } from './card.js';
import type { Language } from './language.js';
import type { SearchRequest } from './search.js';
import type { Degradation, Verdict } from './search-result.js';
import type { Span } from './split.js';

/**
 * The tutor's task: three hints, each saying more than the one before; find the error; explain it; ask something alike.
 */
export const TUTORING_MODES = ['HINT_1', 'HINT_2', 'HINT_3', 'DIAGNOSE', 'EXPLAIN', 'QUIZ'] as const;
export type TutoringMode = (typeof TUTORING_MODES)[number];

/** Whether the mode must not give the answer away. */
export function isHint(mode: TutoringMode): boolean {
  return mode.startsWith('HINT_');
}

/** Whether the sources carry an answer; with NONE there is no source, and a tutor has nothing to say. */
export const EVIDENCE_VERDICTS = ['ENOUGH', 'THIN', 'NONE'] as const;
export type EvidenceVerdict = (typeof EVIDENCE_VERDICTS)[number];

/** The kinds of text that a source quotes. */
export type SourceText = 'QUESTION' | 'WRONG_SOLUTION' | 'REFERENCE_SOLUTION' | 'TOPIC_TAG' | 'ERROR_TYPE';

/** The fields of a card that hold those texts. */
export const SOURCE_FIELDS = {
  QUESTION: 'questionText',
  WRONG_SOLUTION: 'studentSolutionText',
  REFERENCE_SOLUTION: 'goldSolutionBrief',
  TOPIC_TAG: 'topicTags',
  ERROR_TYPE: 'errorTypes',
} as const satisfies Readonly<Record<SourceText, keyof Card>>;

/** The fields of {@link SOURCE_FIELDS} that are texts. */
export const SOURCE_TEXT_FIELDS = [
  SOURCE_FIELDS.QUESTION,
  SOURCE_FIELDS.WRONG_SOLUTION,
  SOURCE_FIELDS.REFERENCE_SOLUTION,
] as const;

/**
 * A part of a field that a source quotes: UTF-16 offsets in a text; in a list of labels the places of its entries.
 * `end` is exclusive.
 */
export interface TextSpan extends Span {
  readonly type: SourceText;
  readonly field: (typeof SOURCE_FIELDS)[SourceText];
}

/** One card of a context, as far as it is quoted. */
export interface ContextSource {
  /** `S1`, `S2`, ... */
  readonly label: string;
  /** The same for the same spans of the same revision of a card. */
  readonly id: string;
  readonly card: Card;
  /** In the order of `text`; overlapping none. */
  readonly spans: readonly TextSpan[];
  /** The quoted text, before it is fenced. */
  readonly text: string;
  /** 0 .. 1: the score of the search; 1 for the card that is asked about. */
  readonly relevance: number;
  readonly verdict: Verdict;
  /**
   * Whether its reference solution has the answer to the question, as far as a source with the same question tells.
   * Long solutions are compared in steps.
   */
  revealsAnswer(): Promise<boolean>;
}

/** An error that the student may have made. */
export interface ErrorHypothesis {
  readonly errorType: string;
  /** 0 .. 1: of the label model; 1 for an error type of the card that is asked about. */
  readonly posterior: number;
  /** How many of the cards that were found carry it. */
  readonly votes: number;
  /** Some of those cards, the most alike first. */
  readonly cards: readonly Card[];
}

/** A request for a context, parsed and complete. */
export interface TutoringRequest {
  readonly mode: TutoringMode;
  readonly budgetTokens: number;
  /** Null: the language of the question. */
  readonly language: Language | null;
  /** All perspectives, weighed by the profile. */
  readonly related: SearchRequest;
  /** The same, by error alone. */
  readonly sameError: SearchRequest;
}

/** The rules and the material apart, as chat models take them: no text of a card is in `rules`. */
export interface Prompt {
  readonly rules: string;
  readonly material: string;
}

export interface TutoringContext extends Prompt {
  readonly mode: TutoringMode;
  readonly language: Language;
  readonly verdict: EvidenceVerdict;
  readonly reason: string;
  /** Rules and material as one Markdown text, of at most the budget's tokens. */
  readonly prompt: string;
  readonly tokens: number;
  readonly sources: readonly ContextSource[];
  readonly hypotheses: readonly ErrorHypothesis[];
  readonly formattedExamples: readonly string[];
  /** The question: the text, or that of the card. */
  readonly question: string;
  /** The card that is asked about; null for a text. */
  readonly card: Card | null;
  readonly degraded: readonly Degradation[];
}

/**
 * Why a tutor says nothing: nothing to stand on, the model says that the sources do not suffice, or it gave the answer
 * away.
 */
export type Refusal = 'NO_EVIDENCE' | 'INSUFFICIENT' | 'LEAK';

/** Events of a tutor's answer in order: the context, then text and citations, then one of the last three. */
export type TutorEvent =
  | { readonly kind: 'context'; readonly context: TutoringContext }
  | { readonly kind: 'delta'; readonly text: string }
  | { readonly kind: 'citation'; readonly source: ContextSource }
  | ({ readonly kind: 'done' } & TutorSummary)
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly reason: string }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

/** How an answer ended. */
export interface TutorSummary {
  /** Whether the answer ended by itself. */
  readonly isWhole: boolean;
  /** Of the prompt, as they were counted here. */
  readonly promptTokens: number;
  readonly answerTokens: number;
  /** The labels that were cited, each once, in order. */
  readonly cited: readonly string[];
  /** How many citations were taken out because the context has no such source. */
  readonly droppedCitations: number;
  /** Whether a first answer gave the solution away. */
  readonly wasAskedAgain: boolean;
}
