import type { GiveWay } from '../domain/background.js';
import type { Card } from '../domain/card.js';
import { UnavailableError } from '../domain/errors.js';
import { type Passage, passagesOf } from '../domain/passages.js';
import { type ByPerspective, byPerspective, PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import type { PassageRecord, VectorStore } from '../domain/ports/collections.js';
import type { Generation, IndexedCard, IndexLedger } from '../domain/ports/ledger.js';
import type { LexicalWriter } from '../domain/ports/lexical.js';
import type { Embedder } from '../domain/ports/models.js';
import type { DirtyCard, IndexedClaim, IndexedOutcome } from '../domain/ports/outbox.js';
import type { CardVectors, VectorCache } from '../domain/ports/vectors.js';
import { allSteps, inSteps, inTurns } from '../domain/steps.js';
import { rounded } from '../domain/vector-rounding.js';
import { keyOf } from './differences.js';
import type { WritableGeneration } from './generations.js';
import {
  type CardChanges,
  type CurrentPassage,
  changesOf,
  type StoredPassagesParts,
  storedPassages,
} from './stored-passages.js';

export interface IndexCardsParts extends StoredPassagesParts {
  readonly ledger: Pick<IndexLedger, 'cards' | 'indexed'>;
  readonly vectorStore: Pick<VectorStore, 'read' | 'labels' | 'upsert' | 'remove' | 'removeCards'>;
  readonly cache: Pick<VectorCache, 'get' | 'put' | 'remove'>;
  readonly lexical: LexicalWriter;
  readonly background: GiveWay;
  readonly onEmbedded: (texts: number) => void;
}

/** The claimed cards of one tenant, with the changes that each generation needs: computed without writing. */
export interface PreparedCards {
  readonly tenantId: string;
  readonly claims: readonly DirtyCard[];
  /** The current cards; deleted ones are missing. */
  readonly cards: ReadonlyMap<string, Card>;
  readonly generations: readonly PreparedGeneration[];
}

interface PreparedGeneration {
  readonly generation: Generation;
  readonly changes: readonly CardChanges[];
  /** By card id, of every card that is not deleted. */
  readonly vectors: ReadonlyMap<string, CardVectors>;
}

/**
 * Reads the claimed cards and what each generation has of them, and embeds new texts. No other batch may write these
 * records between this and {@link writeCards}. Reconciliation may remove or invalidate some: it marks their cards dirty
 * afterwards, so that they are indexed again.
 *
 * A live generation whose model is unavailable is left out if another one is being built to replace it: searches say
 * that they lack this model, and the new generation would never be complete.
 */
export async function prepareCards(
  parts: IndexCardsParts,
  tenantId: string,
  claims: readonly DirtyCard[],
  generations: readonly WritableGeneration[],
  signal: AbortSignal,
): Promise<PreparedCards> {
  await parts.background.pause();
  const cards = await parts.ledger.cards(
    tenantId,
    claims.map(({ cardId }) => cardId),
  );
  const prepared: PreparedGeneration[] = [];
  const doubted = new Set(claims.flatMap(({ cardId, ledgerIsRight }) => (ledgerIsRight ? [] : [cardId])));
  const isReplaced = generations.some(({ generation }) => generation.state === 'building');
  for (const writable of generations) {
    try {
      prepared.push(await prepare(parts, writable, [...cards.values()], doubted, signal));
    } catch (thrown) {
      const lacksModel = thrown instanceof UnavailableError && thrown.part === 'embedder';
      if (!lacksModel || writable.generation.state !== 'live' || !isReplaced) throw thrown;
    }
  }
  return { tenantId, claims, cards, generations: prepared };
}

/**
 * Writes the changes to the generations, and calls `onWritten` when Chroma has all of them. Idempotent, also after a
 * crash half-way; the caller acknowledges.
 */
export async function writeCards(
  parts: IndexCardsParts,
  { tenantId, claims, cards, generations }: PreparedCards,
  onWritten: () => void,
): Promise<readonly IndexedClaim[]> {
  const ids = claims.map(({ cardId }) => cardId);
  const gone = ids.filter((id) => !cards.has(id));
  const outcomes = new Map<string, IndexedOutcome[]>(ids.map((id) => [id, []]));
  for (const prepared of generations) {
    const { number } = prepared.generation;
    await removeCards(parts, prepared.generation, gone);
    const indexed = await write(parts, prepared);
    for (const id of ids) outcomes.get(id)?.push({ generation: number, indexed: indexed.get(id) ?? null });
  }
  onWritten();
  // Last: an acknowledged card can be found by its terms as well as by its vectors.
  parts.lexical.remove(tenantId, gone);
  const steps = allSteps(cards.values(), (card) => parts.lexical.setSteps(tenantId, card));
  await inSteps(steps, parts.background.pause);
  return claims.map((claim) => ({ claim, outcomes: outcomes.get(claim.cardId) ?? [] }));
}

async function removeCards(
  { vectorStore, cache, background }: IndexCardsParts,
  generation: Generation,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await inAllCollections(background, ids.length, (perspective) =>
    vectorStore.removeCards(keyOf(generation, perspective), ids),
  );
  await cache.remove(generation.tenantId, generation.number, ids);
}

/** So few cards are written to the four collections at once in any case: Chroma needs some 50 ms for them. */
const FEW_CARDS = 10;

/**
 * Writes so many cards to the four collections, at once unless clients are searching: Chroma takes a core for each.
 * Each write starts in a turn of its own, because packing 100 vectors takes 7 ms. Throws only after all of them have
 * ended, so that nothing is written afterwards.
 */
async function inAllCollections(
  { pause, isContended }: GiveWay,
  cards: number,
  write: (perspective: Perspective) => Promise<void>,
): Promise<void> {
  const writes: Promise<void>[] = [];
  for (const perspective of PERSPECTIVES) {
    if (cards > FEW_CARDS && isContended()) await Promise.allSettled(writes);
    await pause();
    const begun = write(perspective);
    begun.catch(() => undefined);
    writes.push(begun);
  }
  const outcomes = await Promise.allSettled(writes);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

async function prepare(
  parts: IndexCardsParts,
  { generation, embedder }: WritableGeneration,
  cards: readonly Card[],
  doubted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<PreparedGeneration> {
  const wanted: { readonly card: Card; readonly passages: ReturnType<typeof passagesOf> }[] = [];
  await inTurns(cards, (card) => wanted.push({ card, passages: passagesOf(card, embedder) }), parts.background.pause);
  const hashes = new Map(wanted.map(({ card, passages }) => [card.id, hashesOf(passages)]));
  const held = await storedPassages(parts, generation, hashes, doubted, signal);
  const changes = wanted.map(({ card, passages }) => changesOf(card, passages, held(card.id)));
  return { generation, changes, vectors: await vectorsOf(embedder, parts, changes, signal) };
}

async function write(
  parts: IndexCardsParts,
  { generation, changes, vectors }: PreparedGeneration,
): Promise<ReadonlyMap<string, IndexedCard>> {
  const { tenantId, number } = generation;
  await inAllCollections(parts.background, changes.length, async (perspective) => {
    const key = keyOf(generation, perspective);
    await parts.vectorStore.upsert(
      key,
      changes.flatMap((change) => recordsOf(change, perspective, vectors)),
    );
    await parts.vectorStore.remove(
      key,
      changes.flatMap(({ surplus }) => surplus[perspective]),
    );
  });
  const isCached = ({ card, passages }: CardChanges): boolean =>
    PERSPECTIVES.every((perspective) => passages[perspective].every(({ stored }) => stored !== null)) &&
    parts.cache.get(tenantId, number, card.id)?.revision === card.revision;
  const known = new Set(changes.filter(isCached).map(({ card }) => card.id));
  await parts.cache.put(tenantId, number, new Map([...vectors].filter(([cardId]) => !known.has(cardId))));
  const indexedAt = new Date();
  return new Map(
    changes.map(({ card, passages }) => {
      return [card.id, { revision: card.revision, indexedAt, passages: hashesOf(passages) }];
    }),
  );
}

/** All vectors of the changed cards: the stored ones where the text is the same, new ones for the rest. */
async function vectorsOf(
  embedder: Embedder,
  { onEmbedded, background: { pause } }: Pick<IndexCardsParts, 'onEmbedded' | 'background'>,
  changes: readonly CardChanges[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, CardVectors>> {
  const embedded = new Map<CurrentPassage, Float32Array | undefined>();
  for (const perspective of PERSPECTIVES) {
    const wanted = changes.flatMap(({ passages }) => passages[perspective].filter(({ stored }) => stored === null));
    const texts = wanted.map(({ text }) => text);
    const vectors = await embedder.embed(texts, 'passage', perspective, signal, pause);
    for (const [place, passage] of wanted.entries()) embedded.set(passage, vectors[place]);
    onEmbedded(texts.length);
  }
  const vectorOf = (passage: CurrentPassage): Float32Array => {
    const vector = passage.stored?.vector ?? embedded.get(passage);
    if (vector === undefined) throw new Error('the model returned fewer vectors than texts');
    return rounded(vector);
  };
  return new Map(
    changes.map(({ card, passages }) => {
      const all = byPerspective((perspective) => passages[perspective].map(vectorOf));
      return [card.id, { revision: card.revision, passages: all }];
    }),
  );
}

/** The records to write: new ones with their vectors, and the metadata of a new revision. */
function recordsOf(
  { card, passages }: CardChanges,
  perspective: Perspective,
  vectors: ReadonlyMap<string, CardVectors>,
): readonly PassageRecord[] {
  const ofCard = vectors.get(card.id)?.passages[perspective];
  return passages[perspective].flatMap(({ contentHash, stored }, passage) => {
    // A rebuild writes nothing to the live index.
    if (stored?.revision === card.revision) return [];
    return [{ card, passage, contentHash, vector: stored === null ? (ofCard?.[passage] ?? null) : null }];
  });
}

function hashesOf(passages: ByPerspective<readonly Passage[]>): ByPerspective<readonly string[]> {
  return byPerspective((perspective) => passages[perspective].map(({ contentHash }) => contentHash));
}
