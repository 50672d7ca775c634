import { abortable } from '../domain/async.js';
import type { Card } from '../domain/card.js';
import { BadInputError, NotFoundError, RefusedTextError } from '../domain/errors.js';
import { type Passage, passagesOf } from '../domain/passages.js';
import { type ByPerspective, byPerspectiveAsync, PERSPECTIVES } from '../domain/perspective.js';
import type { IndexLedger } from '../domain/ports/ledger.js';
import type { Log } from '../domain/ports/log.js';
import type { Embedder } from '../domain/ports/models.js';
import type { VectorSource } from '../domain/ports/vectors.js';
import { LEARNED_PROFILE } from '../domain/profile.js';
import type { SearchSubject } from '../domain/search.js';
import { split } from '../domain/split.js';
import { inSteps } from '../domain/steps.js';
import { withoutTalk } from '../text/talk.js';
import { digitFractions } from '../text/typed-formulas.js';
import type { LabelLookup } from './query/label-lookup.js';
import { cardQuerySteps, type Query, type QueryVectors, textQuerySteps } from './query/query.js';
import type { SearchScope } from './scope.js';

export interface EmbedParts {
  readonly ledger: Pick<IndexLedger, 'indexed'>;
  readonly stored: VectorSource;
  readonly labelLookup: LabelLookup;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * What a request searches from: a text without the talk around it, spelled right, by a name and fractions that cards
 * have.
 */
export async function spelledSubject(
  { request: { subject, expand }, index, vocabulary }: Pick<SearchScope, 'request' | 'index' | 'vocabulary'>,
  lookup: LabelLookup,
  signal: AbortSignal,
): Promise<SearchSubject> {
  if (subject.kind === 'card' || !expand) return subject;
  const text = await lookup.respelled(index, vocabulary, withoutTalk(subject.text), signal);
  const names = await lookup.of(index, signal);
  const known = names.knownName(index, vocabulary, text);
  // Cards that have it in words are found by these: with digits for every 三分之一, Chinese mathematics is ranked worse.
  return { ...subject, text: digitFractions(known, (words) => index.hasCardWith(words)) };
}

/**
 * The query of a request; `subject` is its {@link spelledSubject}. NotFoundError if there is no such card;
 * BadInputError if the text has no word, or the card no text, to search for.
 */
export async function embedQuery(
  parts: EmbedParts,
  scope: SearchScope,
  subject: SearchSubject,
  signal: AbortSignal,
): Promise<Query> {
  const { request, card, index, embedder, vocabulary: synonyms } = scope;
  const { weights, lexicalShare, profile } = request;
  const { labelLookup } = parts;
  if (subject.kind === 'text') {
    const { text } = subject;
    const vectors = await orRefused(parts, 'text', embedText(embedder, text, signal));
    const names = await labelLookup.of(index, signal);
    const named = names.named(request.expand ? synonyms : null, text);
    const { leaveOut } = subject;
    const textParts = { index, synonyms, leaveOut, named, asked: request };
    const query = await inSteps(textQuerySteps(textParts, text, vectors, request), undefined, signal);
    if (lexicalShare === 1 && query.terms.question.length === 0 && profile !== LEARNED_PROFILE) {
      throw new BadInputError('text', 'has only stop words, and a lexicalShare of 1 searches by words alone');
    }
    return query;
  }
  if (card === null) throw new NotFoundError('card', subject.cardId);
  const passages = passagesOf(card, embedder);
  const asked = PERSPECTIVES.filter((perspective) => weights[perspective] > 0);
  if (asked.every((perspective) => passages[perspective].length === 0)) {
    throw new BadInputError('cardId', `the card has no text for the perspective ${asked.join(' or ')}`);
  }
  const vectors = await orRefused(parts, 'cardId', embedCard(parts, card, passages, scope, signal));
  return inSteps(cardQuerySteps({ index, synonyms }, card, vectors, request), undefined, signal);
}

/**
 * One vector for each passage of the text, as of a card with this question. BadInputError (`text`) if it has nothing to
 * search for.
 */
export async function embedText(embedder: Embedder, text: string, signal: AbortSignal): Promise<QueryVectors> {
  if (!embedder.embeds(text)) throw new BadInputError('text', 'has no word, number or formula to search for');
  const passages = split(text, embedder.maxChars).filter((passage) => embedder.embeds(passage));
  return byPerspectiveAsync((perspective) => abortable(embedder.embed(passages, 'query', perspective, signal), signal));
}

/** BadInputError (`field`) if the model refuses a text. Its reason is for operators: an endpoint's own words. */
export async function orRefused<T>({ log }: Pick<EmbedParts, 'log'>, field: string, vectors: Promise<T>): Promise<T> {
  return vectors.catch((thrown: unknown) => {
    if (!(thrown instanceof RefusedTextError)) throw thrown;
    log.warn({ err: thrown }, 'the embedding model refuses the text of a search');
    throw new BadInputError(field, 'is refused by the embedding model', { cause: thrown });
  });
}

/** The stored vectors of a card, or new ones if this revision is not indexed yet. */
async function embedCard(
  { ledger, stored }: EmbedParts,
  card: Card,
  passages: ByPerspective<readonly Passage[]>,
  { embedder, generation }: SearchScope,
  signal: AbortSignal,
): Promise<QueryVectors> {
  const { tenantId } = card;
  const indexed = (await ledger.indexed(tenantId, generation.number, [card.id], signal)).get(card.id);
  if (indexed?.revision === card.revision) {
    const { vectors } = await stored.of(tenantId, generation.number, new Map([[card.id, card.revision]]), signal);
    const known = vectors.get(card.id);
    if (known !== undefined) return known.passages;
  }
  return byPerspectiveAsync((perspective) => {
    const texts = passages[perspective].map(({ text }) => text);
    return abortable(embedder.embed(texts, 'passage', perspective, signal), signal);
  });
}
