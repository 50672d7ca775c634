import { type Card, questionOf } from '../domain/card.js';
import { splitOptions } from '../domain/choices.js';
import type { Verdict } from '../domain/search-result.js';
import { simplified } from '../domain/simplified.js';
import { SOURCE_FIELDS, type SOURCE_TEXT_FIELDS } from '../domain/tutoring.js';
import { choiceOf } from './choice-answer.js';
import { type TellingSentence, tellingSentences } from './copies.js';
import { correctedCharacter, correctedWords, deletedIn, explanationsIn, lastNameIn } from './corrections.js';
import { type FinalAnswer, finalAnswerOf } from './final-answer.js';
import { type Known, knownFrom } from './known.js';
import { type OptionClaims, optionClaimsOf } from './option-claims.js';
import { asks } from './same-question.js';
import { namedIn, partsOf, statedIn, withJudgement, withoutReasons, withPlainHeadings } from './stated.js';

type Solved = Pick<Card, (typeof SOURCE_TEXT_FIELDS)[number]> & Partial<Pick<Card, 'choices'>>;

/** The question and the cards that may have its answer. */
export interface LeakInput {
  readonly question: string;
  readonly card: Solved | null;
  readonly sources: readonly { readonly verdict: Verdict; readonly card: Solved }[];
}

export interface Secret {
  readonly sentences: readonly TellingSentence[];
  readonly choice: string | undefined;
  readonly claims: OptionClaims | null;
  /** Words to delete. */
  readonly deleted: readonly string[];
  readonly answer: FinalAnswer | null;
  readonly known: Known;
}

/**
 * Limits of what a hint is compared with, each with each: solved cards that ask the question, of which the first ones
 * are the nearest, and parts and statements of a reference solution.
 */
const MAX_SOLVED = 4;
const MAX_STATED = 12;

/** What the solved cards that ask the question have as their answers, in steps. */
export function* secretsOf({ card, sources, question }: LeakInput): Generator<void, readonly Secret[]> {
  const asked = simplified(question);
  const isAsked = asks(question);
  const cards: Solved[] = [];
  for (const { verdict, card: source } of sources) {
    yield;
    const { questionText, choices = [] } = source;
    if (verdict === 'DUPLICATE' || isAsked(questionOf({ questionText, choices }))) cards.push(source);
  }
  const { REFERENCE_SOLUTION, WRONG_SOLUTION } = SOURCE_FIELDS;
  const { options: choices } = splitOptions(asked);
  const solved = card === null || cards.includes(card) ? cards : [card, ...cards];
  const withSolution = solved.filter((one) => one[REFERENCE_SOLUTION] !== null).slice(0, MAX_SOLVED);
  const secrets: Secret[] = [];
  for (const { [REFERENCE_SOLUTION]: solution, [WRONG_SOLUTION]: wrong } of withSolution) {
    yield;
    const reference = withJudgement(withPlainHeadings(simplified(solution ?? '')), asked);
    const given = [asked, simplified(wrong ?? '')] as const;
    const known = knownFrom(...given, reference);
    yield;
    // What stands at the right letter may be quoted, but not be said to be the answer.
    const choice = choiceOf(reference, asked);
    const letters = [...(choice ?? '')].map((letter) => 'ABCDEFGHIJKL'.indexOf(letter));
    const options = letters.flatMap((place) => choices[place]?.trim() ?? []);
    const parts = partsOf(asked).length > 1 ? partsOf(reference) : [];
    const stated = [...new Set([...parts, ...options, ...statedIn(reference), ...namedIn(reference, asked)])].slice(
      0,
      MAX_STATED,
    );
    yield;
    const argued = withoutReasons(reference);
    yield;
    const found = finalAnswerOf(argued, given);
    yield;
    const answer = withCorrections(found, reference, given);
    yield;
    const [claims, deleted] = [optionClaimsOf(asked, choice), deletedIn(reference).slice(0, MAX_STATED)];
    const sentences = yield* tellingSentences(reference, asked);
    secrets.push({ sentences, choice, claims, deleted, answer, known });
    for (const text of stated) {
      yield;
      secrets.push({
        sentences: yield* tellingSentences(text, asked),
        choice: undefined,
        claims: null,
        deleted: [],
        answer: finalAnswerOf(text, given),
        known,
      });
    }
  }
  return secrets;
}

/** An answer with the words that correct the question or the attempt, or explain words of the question. */
function withCorrections(
  answer: FinalAnswer | null,
  reference: string,
  [question, attempt]: readonly [string, string],
): FinalAnswer | null {
  const words = answer?.words ?? [];
  const known = `${question}\n${attempt}`;
  const characters = words.slice(0, MAX_STATED).flatMap(({ value }) => correctedCharacter(value, attempt) ?? []);
  const corrected = [question, known].flatMap((given) => correctedWords(reference, given));
  const whole = new Set([...explanationsIn(reference, question), lastNameIn(reference) ?? []].flat());
  const isSaid = new Set(words.map(({ value }) => value));
  const more = [...new Set([...characters, ...corrected, ...whole])].filter((value) => !isSaid.has(value));
  if (more.length === 0) return answer;
  const lowered = known.toLowerCase();
  // One corrected word is in many hints: it is the answer only where it is said to be.
  const added = more.slice(0, MAX_STATED).map((value) => {
    return { value, isGiven: (!whole.has(value) && !value.includes(' ')) || lowered.includes(value) };
  });
  return { formulas: [], values: [], coefficients: [], ...answer, words: [...words, ...added] };
}
