import { type Card, hasSolution, questionOf } from '../domain/card.js';
import { distinctBy } from '../domain/grouped.js';
import { hashOf } from '../domain/passages.js';
import type { SearchHit, SearchReceipt } from '../domain/search-result.js';
import { inSteps } from '../domain/steps.js';
import type { ContextSource, SourceText, TutoringContext, TutoringMode, TutoringRequest } from '../domain/tutoring.js';
import { evidenceOf, hypothesesOf, reasonText } from './evidence.js';
import { LeakGuard } from './leak-guard.js';
import { joinedPrompt, type PromptInput, promptOf, sourceBlock } from './prompt.js';
import { formattedExamples, quoteSteps } from './quote.js';
import { sentencesOf } from './segments.js';
import type { CountTokens } from './tokens.js';
import { languageOf, WORDS, type Words } from './words.js';

/** Sources of a context, and the tokens of one as the prompt shows it. */
const MAX_SOURCES = 10;
const MAX_SOURCE_TOKENS = 350;

/** Errors of the prompt; one that hardly any student made would only mislead a model. */
const SHOWN_ERRORS = 3;
const MIN_POSTERIOR = 0.05;

const HINT = ['QUESTION', 'WRONG_SOLUTION', 'ERROR_TYPE', 'TOPIC_TAG', 'REFERENCE_SOLUTION'] as const;

/** Fields that each mode quotes of a card, most important first: the budget cuts from the end. */
const QUOTED: Readonly<Record<TutoringMode, readonly SourceText[]>> = {
  HINT_1: HINT,
  HINT_2: HINT,
  HINT_3: HINT,
  DIAGNOSE: ['WRONG_SOLUTION', 'ERROR_TYPE', 'QUESTION', 'REFERENCE_SOLUTION', 'TOPIC_TAG'],
  EXPLAIN: ['REFERENCE_SOLUTION', 'QUESTION', 'WRONG_SOLUTION', 'ERROR_TYPE', 'TOPIC_TAG'],
  QUIZ: ['QUESTION', 'REFERENCE_SOLUTION', 'TOPIC_TAG', 'ERROR_TYPE', 'WRONG_SOLUTION'],
};

export interface Searched {
  readonly hits: readonly SearchHit[];
  readonly receipt: Pick<SearchReceipt, 'degraded' | 'inferredLabels'>;
}

/** Of a card that has nothing to search for. */
export const NOTHING_SEARCHED: Searched = { hits: [], receipt: { degraded: [], inferredLabels: [] } };

export interface Found extends Pick<TutoringContext, 'card'> {
  readonly related: Searched;
  readonly sameError: Searched;
}

/**
 * The context of a request: the same input gives the same bytes. In steps, because counting the tokens of ten cards of
 * 48 KB takes a second. Pure.
 */
export function* contextSteps(
  request: TutoringRequest,
  found: Found,
  count: CountTokens,
): Generator<void, TutoringContext> {
  const { mode, budgetTokens } = request;
  const { card, related, sameError } = found;
  const asked = card === null ? textOf(request) : questionOf(card);
  const language = request.language ?? languageOf(asked);
  const words = WORDS[language];
  const evidence =
    mode === 'DIAGNOSE'
      ? evidenceOf({ hits: sameError.hits, search: 'byError', card })
      : evidenceOf({ hits: related.hits, search: 'hybridSearch', card });
  const isEmpty = evidence.verdict === 'NONE';
  const hits = isEmpty ? [] : distinct(mode === 'DIAGNOSE' ? [...sameError.hits, ...related.hits] : related.hits);
  const hypotheses = isEmpty
    ? []
    : hypothesesOf({ card, sameError, found: distinct([...sameError.hits, ...related.hits]) });

  const reason = reasonText(evidence.why, language);
  const askedId = card?.id ?? null;
  const shown = hypotheses.filter(({ posterior }) => posterior >= MIN_POSTERIOR).slice(0, SHOWN_ERRORS);
  const fitted = yield* withQuestion(
    { mode, words, reason, askedId, hypotheses: shown, sources: [], question: asked },
    budgetTokens,
    count,
  );
  const room = budgetTokens - count(joinedPrompt(promptOf(fitted)));
  yield;
  const sources = yield* chosen({ mode, hits: ordered(mode, hits, found), card, room, words, count });
  const sized = yield* withinBudget({ ...fitted, sources }, budgetTokens, count);
  const prompt = promptOf(sized);
  const whole = joinedPrompt(prompt);
  let guard: Promise<LeakGuard> | undefined;
  const reveals = async ({ goldSolutionBrief }: Card): Promise<boolean> => {
    if (goldSolutionBrief === null) return false;
    guard ??= inSteps(LeakGuard.steps({ question: asked, card, sources: sized.sources }));
    return (await inSteps((await guard).leakSteps(endsOf(goldSolutionBrief)))) !== null;
  };
  yield;
  const examples = yield* formattedExamples(hits, words, count);
  const degraded = [...related.receipt.degraded, ...sameError.receipt.degraded];
  return {
    ...prompt,
    mode,
    language,
    verdict: evidence.verdict,
    reason,
    prompt: whole,
    tokens: count(whole),
    sources: sized.sources.map((source) => ({ ...source, revealsAnswer: () => reveals(source.card) })),
    hypotheses,
    formattedExamples: examples,
    question: asked,
    card,
    degraded: distinctBy(degraded, ({ part }) => part),
  };
}

/** Of a long solution what stands first and last, where its answer is: reading all of several takes half a second. */
function endsOf(solution: string): string {
  const length = 2_000;
  return solution.length <= 2 * length ? solution : `${solution.slice(0, length)}\n${solution.slice(-length)}`;
}

function textOf({ related: { subject } }: TutoringRequest): string {
  return subject.kind === 'text' ? subject.text : '';
}

/** Each card once, where it stands first. */
function distinct(hits: readonly SearchHit[]): readonly SearchHit[] {
  return distinctBy(hits, ({ card }) => card.id);
}

/**
 * By relevance, cards that are merely RELATED last; before that, EXPLAIN takes cards with a reference solution and
 * DIAGNOSE those with the same error.
 */
function ordered(mode: TutoringMode, hits: readonly SearchHit[], { card, sameError }: Found): readonly SearchHit[] {
  const errors = new Set(card?.errorTypes ?? []);
  const nearest = new Set(sameError.hits.map((hit) => hit.card.id));
  const isFirst = (hit: SearchHit): boolean => {
    if (mode === 'EXPLAIN') return hasSolution(hit.card);
    if (mode !== 'DIAGNOSE') return true;
    return errors.size === 0 ? nearest.has(hit.card.id) : hit.card.errorTypes.some((type) => errors.has(type));
  };
  const place = (hit: SearchHit): number => (isFirst(hit) ? 0 : 2) + (hit.verdict === 'RELATED' ? 1 : 0);
  return [...hits].sort((a, b) => place(a) - place(b) || b.score - a.score || (a.card.id < b.card.id ? -1 : 1));
}

type ChosenSource = Omit<ContextSource, 'revealsAnswer'>;

interface Choice {
  readonly mode: TutoringMode;
  readonly hits: readonly SearchHit[];
  readonly card: Card | null;
  readonly room: number;
  readonly words: Words;
  readonly count: CountTokens;
}

/** The card that is asked about, then the hits, as long as there is room. */
function* chosen({ mode, hits, card, room, words, count }: Choice): Generator<void, readonly ChosenSource[]> {
  const offered = hits.map((hit) => ({ card: hit.card, relevance: hit.score, verdict: hit.verdict, isAsked: false }));
  const own = card === null ? [] : [{ card, relevance: 1, verdict: 'DUPLICATE' as const, isAsked: true }];
  const sources: ChosenSource[] = [];
  const seen = new Set<string>();
  let left = room;
  for (const { isAsked, ...hit } of [...own, ...offered]) {
    if (sources.length === MAX_SOURCES) break;
    const label = `S${sources.length + 1}`;
    const bare = sourceBlock({ ...hit, label, text: '' }, words, isAsked);
    // Its question stands below the sources anyway.
    const types = QUOTED[mode].filter((type) => !(isAsked && type === 'QUESTION'));
    // Fences and line breaks may cost a few tokens more around a text than alone.
    const limit = Math.min(MAX_SOURCE_TOKENS, left) - count(bare) - MARGIN;
    const quoted = yield* quoteSteps({ card: hit.card, types, limit, seen, words, count });
    if (quoted === null) continue;
    const { spans, text } = quoted;
    const cost = count(sourceBlock({ ...hit, label, text }, words, isAsked)) + 2;
    if (cost > Math.min(MAX_SOURCE_TOKENS, left)) continue;
    left -= cost;
    for (const sentence of quoted.sentences) seen.add(sentence);
    sources.push({ ...hit, label, id: sourceId(hit.card, spans), spans, text });
  }
  return sources;
}

function sourceId({ id, revision }: Card, spans: ContextSource['spans']): string {
  return hashOf(JSON.stringify([id, revision, spans.map(({ field, start, end }) => [field, start, end])])).slice(0, 16);
}

interface Sized extends PromptInput {
  readonly sources: readonly ChosenSource[];
}

/** A question of so many tokens, a long word problem, is more important than sources. */
const QUESTION_FIRST = 400;
/** Tokens that fences and line breaks may cost. */
const MARGIN = 8;

/** The prompt without sources, with as much of the question as half of the budget has room for, or `QUESTION_FIRST`. */
function* withQuestion(input: PromptInput, budgetTokens: number, count: CountTokens): Generator<void, PromptInput> {
  const room = budgetTokens - count(joinedPrompt(promptOf({ ...input, question: '' })));
  const limit = Math.max(room / 2, Math.min(room - MARGIN, QUESTION_FIRST));
  const { question } = input;
  yield;
  return count(question) > limit ? { ...input, question: yield* beginningOf(question, limit, count) } : input;
}

/** As many whole sentences as `limit` tokens have room for, or the beginning of the first one, and an ellipsis. */
function* beginningOf(question: string, limit: number, count: CountTokens): Generator<void, string> {
  const kept: string[] = [];
  let tokens = 1;
  for (const { start, end } of sentencesOf(question)) {
    yield;
    const sentence = question.slice(start, end);
    tokens += count(sentence) + 1;
    if (tokens > limit) break;
    kept.push(sentence);
  }
  if (kept.length > 0) return [...kept, '…'].join('\n');
  let chars = [...question];
  while (chars.length > 0 && count(`${chars.join('')}…`) > limit) {
    yield;
    chars = chars.slice(0, Math.floor(chars.length * 0.9));
  }
  return `${chars.join('')}…`;
}

/** Counted as a whole, a prompt may have a few tokens more than its parts: then the last of them goes. */
function* withinBudget(input: Sized, budgetTokens: number, count: CountTokens): Generator<void, Sized> {
  let sized = input;
  while (count(joinedPrompt(promptOf(sized))) > budgetTokens) {
    yield;
    if (sized.sources.length > 0) sized = { ...sized, sources: sized.sources.slice(0, -1) };
    else if (sized.hypotheses.length > 0) sized = { ...sized, hypotheses: sized.hypotheses.slice(0, -1) };
    else if (sized.question !== '…')
      sized = { ...sized, question: yield* beginningOf(sized.question, count(sized.question) / 2, count) };
    else break;
  }
  return sized;
}
