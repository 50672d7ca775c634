import type { LaneScore, Verdict } from '../domain/search.js';

/** What a verdict needs to know beside the lanes. */
export interface VerdictContext {
  /** The cosine of texts that have nothing to do with each other: likeness is counted from there. */
  readonly floor: number;
  /** Whether the questions hold the same numbers: see {@link sameNumbers}. Asked where everything else is the same. */
  readonly sameNumbers: () => boolean;
  /** The labels that the card searched for has in common with the hit; null for a search by text. */
  readonly shared: SharedLabels | null;
}

/** Whether two cards have a label in common. */
export interface SharedLabels {
  /** A topic tag. */
  readonly concept: boolean;
  /** An error type; null where one of the two has none, so that nothing can be said. */
  readonly error: boolean | null;
}

/**
 * Where one verdict ends and the next begins, in likeness: the mean of the dense score above its floor and the lexical score.
 * Chosen on the labelled pairs of the sample notebook and on its questions reworded; test/search/verdict.test.ts
 * holds what they come to.
 */
const LIMITS = {
  /** A question reworded is more like itself than any other question of the sample; higher, reworded ones are missed. */
  sameQuestion: 0.8,
  /** Such wording leaves room for other numbers or another name, and for little else. */
  sameWording: 0.7,
  card: {
    /** All topic tags in common, or nearly: a new story can change every word of the question, but not its topics. */
    sameTopics: 0.95,
    /** ... and solved, or gone wrong, in a like way. Higher, new stories are lost and hardly a wrong verdict with them. */
    likeWork: 0.2,
    /** Coarse error types ("concept confusion") join what has nothing in common: the topics must be alike as well ... */
    nearTopics: 0.25,
    /** ... or the question or the solution. Lower, two equations are the same trap because they are equations. */
    nearText: 0.55,
    /** ... or the wrong solutions, and with them what is said of the error: the same slip in another world. */
    likeSlip: { error: 0.5, solution: 0.35 },
    /** Other words for the same topics. Lower, tags with a common part ("word problems with ...") are the same idea. */
    sameIdea: 0.8,
  },
  text: {
    /** What describes an error is rarely all that a card says of its own, so less is asked for than of a topic's name. */
    trap: 0.45,
    /** The name of a topic. */
    idea: 0.5,
    /** A question names no topic: the topics that it is inferred to have must be believed, and its words must agree. */
    inferredIdea: 0.8,
    inferredSupport: 0.25,
  },
} as const;

/** How alike query and card are in each perspective, 0 .. 1; 0, or for errors null, where one of them has no text there. */
interface Likeness {
  readonly question: number;
  readonly solution: number;
  readonly concept: number;
  readonly error: number | null;
  /** How far the query is believed to be about the card's topics; 0 where nothing was inferred. */
  readonly inferred: number;
}

/**
 * Reads why a hit is worth practising from its exact lane scores, whichever lanes the search weighed: the same two cards get
 * the same verdict in every search by card that adds no words of its own.
 *
 * A card brings each perspective's own text, so perspectives can be set against each other. A text asks all of them with the
 * same words: it is either nearly a question, or it describes what it fits best. Pure.
 */
export function verdict(
  lanes: readonly Pick<LaneScore, 'kind' | 'perspective' | 'score'>[],
  context: VerdictContext,
): Verdict {
  const alike = likeness(lanes, context.floor);
  if (alike.question >= LIMITS.sameQuestion) return context.sameNumbers() ? 'DUPLICATE' : 'SAME_QUESTION_NEW_SKIN';
  if (alike.question >= LIMITS.sameWording) return 'SAME_QUESTION_NEW_SKIN';
  return context.shared === null ? ofText(alike) : ofCard(alike, context.shared);
}

function ofCard({ question, solution, concept, error }: Likeness, shared: SharedLabels): Verdict {
  const { sameTopics, likeWork, nearTopics, nearText, likeSlip, sameIdea } = LIMITS.card;
  const work = error === null ? solution : (solution + error) / 2;
  if (shared.error !== false && concept >= sameTopics && work >= likeWork) return 'SAME_QUESTION_NEW_SKIN';
  const sameSlip = error !== null && error >= likeSlip.error && solution >= likeSlip.solution;
  const somethingElse = concept >= nearTopics || Math.max(question, solution) >= nearText || sameSlip;
  if (shared.error && somethingElse) return 'SAME_TRAP';
  return shared.concept || concept >= sameIdea ? 'SAME_IDEA' : 'RELATED';
}

function ofText({ question, concept, error, inferred }: Likeness): Verdict {
  const { trap, idea, inferredIdea, inferredSupport } = LIMITS.text;
  if (error !== null && error >= trap && error >= concept && error >= question) return 'SAME_TRAP';
  if (concept >= idea) return 'SAME_IDEA';
  return inferred >= inferredIdea && question >= inferredSupport ? 'SAME_IDEA' : 'RELATED';
}

function likeness(lanes: Parameters<typeof verdict>[0], floor: number): Likeness {
  const scoreOf = (kind: LaneScore['kind'], perspective: LaneScore['perspective']): number | null =>
    lanes.find((lane) => lane.kind === kind && lane.perspective === perspective)?.score ?? null;
  const of = (perspective: LaneScore['perspective']): number | null => {
    const cosine = scoreOf('DENSE', perspective);
    const dense = cosine === null ? null : Math.max(0, (cosine - floor) / (1 - floor));
    const lexical = scoreOf('LEXICAL', perspective);
    return dense === null || lexical === null ? (dense ?? lexical) : (dense + lexical) / 2;
  };
  return {
    question: of('question') ?? 0,
    solution: of('solution') ?? 0,
    concept: of('concept') ?? 0,
    error: of('error'),
    inferred: scoreOf('INFERRED', 'concept') ?? 0,
  };
}

/** Whether two cards have a topic tag, and an error type, in common. */
export function sharedLabels(a: LabelledCard, b: LabelledCard): SharedLabels {
  const meet = (these: readonly string[], those: readonly string[]): boolean =>
    these.some((one) => those.includes(one));
  const bothErred = a.errorTypes.length > 0 && b.errorTypes.length > 0;
  return {
    concept: meet(a.topicTags, b.topicTags),
    error: bothErred ? meet(a.errorTypes, b.errorTypes) : null,
  };
}

interface LabelledCard {
  readonly topicTags: readonly string[];
  readonly errorTypes: readonly string[];
}

/** Numbers and powers, as the words of a text are matched. */
const NUMBER = /^[\d^]/;

/**
 * Whether all numbers of one question are in the other, each as often: what a source, a date or a list of options adds on one
 * side does not make it another question. Both as the words that they are matched by ({@link LexicalIndex.termsOf}). A
 * changed sign, and a number in words, are not seen.
 */
export function sameNumbers(a: readonly string[], b: readonly string[]): boolean {
  const these = counted(a);
  const those = counted(b);
  return holds(these, those) || holds(those, these);
}

function counted(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) if (NUMBER.test(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function holds(more: ReadonlyMap<string, number>, fewer: ReadonlyMap<string, number>): boolean {
  for (const [number, count] of fewer) if ((more.get(number) ?? 0) < count) return false;
  return true;
}
