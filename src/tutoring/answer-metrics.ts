import {
  type EvidenceVerdict,
  isHint,
  type Refusal,
  type TutoringMode,
  type TutorSummary,
} from '../domain/tutoring.js';
import { LeakGuard } from './leak-guard.js';
import type { LeakInput } from './secrets.js';
import { sentencesOf } from './segments.js';

/** One answer of the tutor, with the label of its case. */
export interface RecordedAnswer
  extends LeakInput,
    Pick<TutorSummary, 'wasAskedAgain' | 'promptTokens' | 'answerTokens'> {
  readonly id: string;
  readonly mode: TutoringMode;
  /** How much evidence the notebook has by the label of the case; null: not labelled. */
  readonly label: EvidenceVerdict | null;
  /** The text that was shown; empty for a refusal. */
  readonly text: string;
  readonly quotes: ReadonlyMap<string, string>;
  readonly refusal: Refusal | null;
  /** Error code of an answer that failed. */
  readonly failure: string | null;
  /** Until the first piece of text, and until the end; null without any text. */
  readonly firstMs: number | null;
  readonly totalMs: number;
}

/** Metrics of one answer; null if a metric does not apply. */
export interface AnswerMetrics {
  /** Share of the claims that their cited sources support (ALCE's citation recall). */
  readonly citationRecall: number | null;
  /** Share of the citations that their claim needs (ALCE's citation precision). */
  readonly citationPrecision: number | null;
  readonly sourcesUsed: number | null;
  /** 1 if a hint shows the final answer. */
  readonly leak: number | null;
}

export type TermsOf = (text: string) => readonly string[];

/** Share of a claim's terms that must be in the cited text. */
const SUPPORTED = 0.5;

/** A sentence of fewer terms, such as "Well done!", is not a claim. */
const MIN_TERMS = 3;

const CITATION = /\[(S\d+)\]/g;

/**
 * Citation quality after ALCE (Gao et al., EMNLP 2023), with lexical support instead of a judge model: a source
 * supports a claim if at least half of the claim's distinct terms are in it. A citation is needed if it supports the
 * claim alone, or if the other citations of the claim do not support it without it.
 */
export function measureAnswer(answer: RecordedAnswer, termsOf: TermsOf): AnswerMetrics {
  const { text, quotes, mode, refusal, failure } = answer;
  if (refusal !== null || failure !== null || text.trim() === '') {
    return { citationRecall: null, citationPrecision: null, sourcesUsed: null, leak: null };
  }
  const termsOfSource = new Map([...quotes].map(([label, quoted]) => [label, new Set(termsOf(quoted))]));
  const supports = (terms: ReadonlySet<string>, labels: readonly string[]): boolean => {
    const found = [...terms].filter((term) => labels.some((label) => termsOfSource.get(label)?.has(term)));
    return labels.length > 0 && found.length >= SUPPORTED * terms.size;
  };
  const claims = claimsOf(text).map(({ sentence, labels }) => ({ terms: new Set(termsOf(sentence)), labels }));
  const checked = claims.filter(({ terms }) => terms.size >= MIN_TERMS);
  const supported = checked.filter(({ terms, labels }) => supports(terms, labels)).length;
  const citations = checked.flatMap(({ terms, labels }) =>
    labels.map((label) => {
      const others = labels.filter((other) => other !== label);
      return supports(terms, labels) && (supports(terms, [label]) || !supports(terms, others));
    }),
  );
  const cited = new Set(claims.flatMap(({ labels }) => labels));
  return {
    citationRecall: checked.length === 0 ? null : supported / checked.length,
    citationPrecision: citations.length === 0 ? null : citations.filter(Boolean).length / citations.length,
    sourcesUsed: quotes.size === 0 ? null : cited.size / quotes.size,
    leak: isHint(mode) ? Number(LeakGuard.of(answer).leakIn(text) !== null) : null,
  };
}

/** The sentences of an answer with their citations; a citation behind a full stop belongs to the sentence before it. */
export function claimsOf(text: string): readonly { readonly sentence: string; readonly labels: readonly string[] }[] {
  const moved = text.replace(/((?<![.。！？!?])[.。！？!?]+)\s*((?:\[S\d+\]\s*)+)/g, ' $2$1 ');
  return sentencesOf(moved).map(({ start, end }) => {
    const sentence = moved.slice(start, end);
    const labels = [...sentence.matchAll(CITATION)].map(([, label]) => label as string);
    return { sentence: sentence.replace(CITATION, ' '), labels: [...new Set(labels)] };
  });
}
